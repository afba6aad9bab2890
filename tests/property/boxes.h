// Cases run in boxes: their box programs, the bounds of the boxes, and the calls.
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
  std::vector<int64_t> lengths;  // steps of the calls, in turn
};

// The boxes of a recipe, as many as its cuts say, with random bounds; some are one point wide. If
// refused, returns null, with the code of the refusal in `refusal` or a description in `problem`.
std::shared_ptr<const Boxed> box_up(const Recipe& recipe, const ir::Program& program,
                                    const std::vector<int64_t>& params, std::string& refusal,
                                    std::string& problem);

// Special features of a boxed case: row names of the coverage table.
std::set<std::string> constructs_of(const Boxed& boxed);
// The rows that a complete run must cover.
const std::set<std::string>& boxed_constructs();

}  // namespace stencil::property
