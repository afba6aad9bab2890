// Cases cut into subdomains: how they are drawn, and their modules.
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

// The subdomains of a program, with one module each.
struct Cut {
  ir::Program whole;  // with known sizes
  decompose::Decomposition decomposition;
  std::vector<ir::Program> subdomains;
  std::vector<kernel::Module> modules;  // named after the recipe, plus numbers
};

// Draws cuts, and the number of steps between exchanges, which is seldom a multiple of a time tile.
// Also draws mostly larger sizes, so that subdomains have room for their halos.
void draw_cuts(Random& random, int time_tile, Recipe& recipe);

// Redraws the cuts and the chunks of a streaming schedule so that tiles may have boundary blocks,
// which run first (kernel::Launch::outer_blocks).
void draw_outer_blocks(Random& random, schedule::Schedule& schedule, Recipe& recipe);

// The recipe's program at its sizes, decomposed. If refused, returns nullopt, with the code in
// `refusal`.
std::optional<decompose::Decomposition> cut_of(const Recipe& recipe, const ir::Program& at_sizes,
                                               std::string& refusal);

// Lowers the subdomains, each with the schedule or an amended one. `schedule` becomes the schedule
// of the subdomain with the most neighbours. On failure returns null, with the code of the refusal
// in `refusal` or a description in `problem`.
std::shared_ptr<const Cut> lower_subdomains(ir::Program at_sizes,
                                            decompose::Decomposition decomposition,
                                            schedule::Schedule& schedule, std::string& refusal,
                                            std::string& problem);

// Special features of a cut program: row names of the coverage table.
std::set<std::string> constructs_of(const Cut& cut);
// The rows that a complete run must cover.
const std::set<std::string>& cut_constructs();

}  // namespace stencil::property
