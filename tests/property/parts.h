// Cases cut into parts: how they are drawn, and what they have instead of a module.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/schedule.h"
#include "tests/property/random.h"

namespace stencil::property {

struct Recipe;

// The parts of a program, with a module each.
struct Cut {
  ir::Program whole;  // at sizes
  decompose::Decomposition decomposition;
  std::vector<ir::Program> parts;
  std::vector<kernel::Module> modules;  // named after the recipe, with numbers
};

// Draws cuts, the number of steps between two exchanges, which a time tile seldom divides, and
// mostly larger sizes, so that parts have room for their halos.
void draw_cuts(Random& random, int time_tile, Recipe& recipe);

// Draws cuts anew, with chunks of a streaming schedule, such that tiles may have outer blocks,
// which go first (kernel::Launch::outer_blocks).
void draw_outer_blocks(Random& random, schedule::Schedule& schedule, Recipe& recipe);

// The recipe's program at sizes, cut as it says; nothing and the code of the refusal.
std::optional<decompose::Decomposition> cut_of(const Recipe& recipe, const ir::Program& at_sizes,
                                               std::string& refusal);

// Lowers the parts, each by the schedule or what it takes instead: `schedule` becomes that of the
// part with the most neighbours. Nothing, and the code of the refusal or what is wrong.
std::shared_ptr<const Cut> lower_parts(ir::Program at_sizes, decompose::Decomposition decomposition,
                                       schedule::Schedule& schedule, std::string& refusal,
                                       std::string& problem);

// What is special about a cut program: names of rows of the coverage table.
std::set<std::string> constructs_of(const Cut& cut);
// Those that a complete run meets.
const std::set<std::string>& cut_constructs();

}  // namespace stencil::property
