// Stencil functions: their regions, pieces and local values.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/property/generator_parts.h"

namespace stencil::property {

std::string Generator::make_stencil(int number) {
  std::vector<const Field*> targets;
  for (const Field& field : fields_) {
    if (!field.constant) targets.push_back(&field);
  }
  const Field& target = *random_.pick(targets);
  const std::string head = fmt::format("stencil f{} : {}", number, target.name);
  if (random_.chance(25)) return head + " {\n" + make_pieces(target) + "}\n";
  Reach reach = edge_of(target);
  const std::string value = target_value(target, reach);
  if (!lets_.empty()) {
    std::string body;
    for (const std::string& let : lets_) body += "  " + let + "\n";
    lets_.clear();
    covers("let");
    return head + " {\n" + body + fmt::format("  [{}] = {};\n}}\n", region(reach, true), value);
  }
  return head + fmt::format("[{}] = {};\n", region(reach, true), value);
}

// Three pieces along one dimension: a lower edge, the middle, an upper edge.
std::string Generator::make_pieces(const Field& target) {
  covers("pieces");
  const int axis = random_.below(rank());
  const int edge = random_.between(1, 2);
  allow_lets_ = false;
  std::string out;
  for (int piece = 0; piece < 3; ++piece) {
    Reach reach = edge_of(target);
    std::string value = target_value(target, reach);
    const size_t a = static_cast<size_t>(axis);
    std::vector<std::string> ranges;
    for (int d = 0; d < rank(); ++d) {
      if (d != axis) ranges.push_back(range(static_cast<size_t>(d), reach));
    }
    const std::string size = size_name(a);
    const int low = reach.low[a];
    const int high = reach.high[a];
    std::string along_axis;
    if (piece == 0) {  // [low .. low+edge-1]: starts where the accesses stay inside
      along_axis = fmt::format("{}..{}", low, low + edge - 1);
      first_end_ = low + edge;
      needed_[a] = std::max(needed_[a], low + edge + high);
    } else if (piece == 1) {
      middle_begin_ = std::max(first_end_, low);
      middle_high_ = std::max(high, edge + 4);
      along_axis = fmt::format("{}..{}-{}", middle_begin_, size, middle_high_ + 1);
      needed_[a] = std::max(needed_[a], middle_begin_ + middle_high_ + 1);
    } else {
      const int top = std::min(high, middle_high_ - 1);
      if (top < high) return close_pieces(out);
      along_axis = fmt::format("{}-{}..{}-{}", size, middle_high_, size, top + 1);
      needed_[a] = std::max(needed_[a], std::max(low, middle_begin_) + middle_high_ + 1);
    }
    ranges.insert(ranges.begin() + axis, along_axis);
    out += fmt::format("  [{}] = {};\n", fmt::join(ranges, ", "), value);
  }
  return close_pieces(out);
}

std::string Generator::close_pieces(std::string out) {
  allow_lets_ = true;
  return out;
}

std::string Generator::target_value(const Field& target, Reach& reach) {
  uses_index_.clear();
  const bool pieces = !allow_lets_;
  allow_index_ = !pieces;
  switch (target.element) {
    case Element::Real:
      return real_value(reach);
    case Element::Integer:
      return integer_value(reach);
    case Element::Vector:
      return fmt::format("{{{}, {}}}", real_value(reach), real_value(reach));
  }
  return "";
}

}  // namespace stencil::property
