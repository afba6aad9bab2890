// Cases done in boxes: their box programs, where boxes begin and end, and which calls are made.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/decompose/box.h"
#include "compiler/reference/state.h"
#include "tests/in_boxes.h"
#include "tests/property/random.h"

namespace stencil::property {

struct Recipe;

struct Boxed {
  ir::Program whole;
  decompose::BoxProgram box;
  test::InBoxes::Bounds bounds;
  std::vector<int64_t> lengths;  // of calls, in turn
};

// The boxes of a recipe, as many as it has cuts, wherever: some have a point in a dimension.
// Nothing and the code of the refusal, or what is wrong.
std::shared_ptr<const Boxed> box_up(const Recipe& recipe, const ir::Program& program,
                                    const std::vector<int64_t>& params, std::string& refusal,
                                    std::string& problem);

// What is special about them: names of rows of the coverage table.
std::set<std::string> constructs_of(const Boxed& boxed);
// Those that a complete run meets.
const std::set<std::string>& boxed_constructs();

}  // namespace stencil::property
