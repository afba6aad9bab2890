// Cuts boxes around others. A cut is made only where the order of the bounds is the same in every
// run, as far as the facts prove it.
#include "compiler/ir/boxes.h"

#include <utility>

#include "compiler/ir/region.h"

namespace stencil::ir {
namespace {

bool holds(const std::vector<Affine>& facts, const Affine& goal) {
  return decide(facts, goal) == Verdict::Holds;
}
bool at_least(const std::vector<Affine>& facts, const Affine& a, const Affine& b) {
  return holds(facts, a - b);
}
bool less(const std::vector<Affine>& facts, const Affine& a, const Affine& b) {
  return holds(facts, b - a - 1);
}

bool are_apart(const std::vector<Affine>& facts, const Box& a, const Box& b) {
  for (size_t d = 0; d < a.ranges.size(); ++d) {
    if (less(facts, a.ranges[d].high, b.ranges[d].low)) return true;
    if (less(facts, b.ranges[d].high, a.ranges[d].low)) return true;
  }
  return false;
}

// Appends boxes that cover `box` without `hole`, cutting dimension by dimension. Returns false if
// the shape of these boxes depends on params.
bool cut_around(const std::vector<Affine>& facts, Box box, const Box& hole, std::vector<Box>& out) {
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    Range& range = box.ranges[d];
    const Range& taken = hole.ranges[d];
    const auto add = [&](const Affine& low, const Affine& high) {
      if (less(facts, high, low)) return;
      out.push_back(box);
      out.back().ranges[d] = {low, high};
    };
    if (at_least(facts, taken.low, range.low)) {
      if (!at_least(facts, range.high, taken.low - 1)) return false;
      add(range.low, taken.low - 1);
      range.low = taken.low;
    } else if (!at_least(facts, range.low, taken.low)) {
      return false;
    }
    if (at_least(facts, range.high, taken.high)) {
      if (!at_least(facts, taken.high + 1, range.low)) return false;
      add(taken.high + 1, range.high);
      range.high = taken.high;
    } else if (!at_least(facts, taken.high, range.high)) {
      return false;
    }
  }
  return true;
}

}  // namespace

BoxesLeft boxes_left(std::vector<Affine> facts, const Box& whole, const std::vector<Box>& taken) {
  add_nonempty(facts, whole);
  BoxesLeft left{{whole}};
  for (const Box& hole : taken) {
    if (are_apart(facts, hole, hole)) continue;  // the hole is empty
    std::vector<Box> next;
    for (Box& box : left.boxes) {
      if (are_apart(facts, box, hole)) {
        next.push_back(std::move(box));
      } else if (!cut_around(facts, std::move(box), hole, next)) {
        return {{}, BoxesLeft::Unclear{hole, whole}};
      }
    }
    left.boxes = std::move(next);
  }
  return left;
}

}  // namespace stencil::ir
