// Loops over a region, and the statements of a piece at a point.
#include <fmt/format.h>

#include <algorithm>

#include "tests/property/lift/c_writer.h"

namespace stencil::property {

// A counter plus an offset.
std::string CWriter::at(size_t d, const ir::Affine& offset) const {
  if (offset.is_constant()) {
    if (offset.constant == 0) return counter(d);
    return fmt::format("{} {} {}", counter(d), offset.constant < 0 ? "-" : "+",
                       std::abs(offset.constant));
  }
  return fmt::format("{} + ({})", counter(d), print(offset));
}

// The coordinate of the point in dimension d, minus `less`.
std::string CWriter::coordinate(size_t d, const ir::Affine& less) const {
  const ir::Affine from = style_.shifted ? home_.ranges[d].low : ir::Affine{};
  return at(d, from - less);
}

std::vector<std::string> CWriter::own_point(ir::FieldId id) const {
  std::vector<std::string> out;
  const ir::Field& field = program_.fields[id];
  for (size_t d = 0; d < field.box.ranges.size(); ++d) {
    out.push_back(coordinate(d, field.box.ranges[d].low));
  }
  return out;
}

// The subscript x after the boundary rules of dimension d. `least` and `most`: the range of x.
std::string CWriter::edge(const ir::Boundary& rules, const std::string& x, ir::FieldId field,
                          size_t d, const ir::Access& access, int64_t least, int64_t most) {
  const bool below = access.escapes_below(d), above = access.escapes_above(d);
  const std::string n = length(field, d);
  const int64_t many = extent(field, d);
  using Kind = ir::BoundaryKind;
  if ((below || above) && rules.periodic()) {
    if (style_.helpers) return fmt::format("wrapped({}, {})", x, n);
    if (least >= 0) return fmt::format("({}) % ({})", x, n);
    if (least + many >= 0) return fmt::format("({} + ({})) % ({})", x, n, n);
    return fmt::format("(({0}) % ({1}) + ({1})) % ({1})", x, n);
  }
  const auto bends = [](const ir::BoundaryRule& rule) {
    return rule.kind == Kind::Clamp || rule.kind == Kind::Mirror;
  };
  const bool low = below && bends(rules.low), high = above && bends(rules.high);
  const bool mirror_low = low && rules.low.kind == Kind::Mirror;
  const bool mirror_high = high && rules.high.kind == Kind::Mirror;
  if ((mirror_low && least < 0 && -least >= many) ||
      (mirror_high && most >= many && 2 * (many - 1) - most < 0)) {
    throw Unsayable{"an edge that reflects twice"};
  }
  if (style_.helpers && (low || high)) {
    std::string out = x;
    if (low) out = fmt::format("{}_low({})", mirror_low ? "mirror" : "clamp", out);
    if (high) out = fmt::format("{}_high({}, {})", mirror_high ? "mirror" : "clamp", out, n);
    return out;
  }
  std::string out = x;
  if (high) {
    const std::string last = fmt::format("{} - 1", n);
    out = fmt::format("{0} > {1} ? {2} : {0}", x, last,
                      mirror_high ? fmt::format("2 * ({}) - ({})", last, x) : last);
  }
  if (low) out = fmt::format("{} < 0 ? {} : {}", x, mirror_low ? "-(" + x + ")" : "0", out);
  return low || high ? "(" + out + ")" : x;
}

// The accessed element, after tests for the boundary rules that give a constant.
std::string CWriter::guarded(const ir::Access& access, const ir::Node& node,
                             const ir::Box& region) {
  const ir::Field& field = program_.fields[access.field];
  std::vector<std::string> subscripts, tests, values;
  for (size_t d = 0; d < field.box.ranges.size(); ++d) {
    const int along = field.dimension(d);
    const ir::Affine low = field.box.ranges[d].low;
    const ir::Affine less = low - access.offset(d);
    std::string x;
    int64_t least = 0, most = 0;
    if (along == ir::kTime) {
      const int64_t add = access.offset(d) - value(low);
      if (add < 0 || add + std::max<int64_t>(steps_, 1) > extent(access.field, d))
        throw Unsayable{"a series beyond its ends"};
      if (!low.is_constant()) throw Unsayable{"a series that begins at a param"};
      x = add == 0 ? time_text()
                   : fmt::format("{} {} {}", time_text(), add < 0 ? "-" : "+", std::abs(add));
    } else {
      const auto g = static_cast<size_t>(along);
      x = coordinate(g, less);
      least = value(region.ranges[g].low) - value(less);
      most = value(region.ranges[g].high) - value(less);
    }
    const bool escapes = along != ir::kTime && (access.escapes_below(d) || access.escapes_above(d));
    if (escapes && std::abs(access.offset(d)) > 4) throw Unsayable{"an offset above 4 at an edge"};
    const std::string n = length(access.field, d);
    for (const bool above : {false, true}) {
      const ir::BoundaryRule& rule = above ? field.boundary[d].high : field.boundary[d].low;
      const bool met = above ? access.escapes_above(d) : access.escapes_below(d);
      if (!escapes || !met || rule.kind != ir::BoundaryKind::Constant) continue;
      tests.push_back(above ? fmt::format("{} > {} - 1", x, n) : fmt::format("{} < 0", x));
      const double constant = rule.values[access.component];
      values.push_back(
          c_literal(node.type, {constant, static_cast<int64_t>(std::llround(constant))}));
    }
    subscripts.push_back(escapes ? edge(field.boundary[d], x, access.field, d, access, least, most)
                                 : x);
  }
  std::string out =
      element_of(access.field, access.component, buffer_of(access.field, access.level), subscripts);
  for (size_t k = tests.size(); k-- > 0;)
    out = fmt::format("({} ? {} : {})", tests[k], values[k], out);
  return out;
}

std::string CWriter::leaf(const ir::Node& node, const ir::Box& region) {
  if (const auto* param = std::get_if<ir::ParamRef>(&node.kind)) {
    used_.insert(param->param);
    return names_[param->param];
  }
  if (const auto* index = std::get_if<ir::Index>(&node.kind)) {
    return "(" + coordinate(static_cast<size_t>(index->dimension), ir::Affine{}) + ")";
  }
  if (std::holds_alternative<ir::Time>(node.kind)) return time_text();
  if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
    if (access->at_points) throw Unsayable{"points"};
    return guarded(*access, node, region);
  }
  throw Unsayable{"reduction in the step"};
}

std::string CWriter::stored(const Target& target) const {
  const std::vector<std::string> point = own_point(target.field);
  if (target.temporary < 0) return element_of(target.field, target.component, target.buffer, point);
  return element(out_.arrays[target.temporary], point);
}

// The statements of a piece at a point, one per line. All values are computed before any is stored.
std::string CWriter::piece(const ir::Piece& piece, const std::vector<Target>& targets,
                           const std::string& pad) {
  CValues values(piece.graph, piece.results, style_.cpp(),
                 [&](const ir::Node& node) { return leaf(node, piece.region); });
  std::string out;
  for (const std::string& statement : values.statements()) out += pad + statement + "\n";
  if (targets.size() == 1) {
    return out +
           fmt::format("{}{} = {};\n", pad, stored(targets[0]), values.result(piece.results[0]));
  }
  for (size_t r = 0; r < targets.size(); ++r) {
    out += fmt::format("{}const {} r{} = {};\n", pad, c_type(targets[r].type, style_.cpp()), r,
                       values.result(piece.results[r]));
  }
  for (size_t r = 0; r < targets.size(); ++r) {
    out += fmt::format("{}{} = r{};\n", pad, stored(targets[r]), r);
  }
  return out;
}

// Loops over the box around `body`, whose lines are already indented.
std::string CWriter::nest(const ir::Box& box, const std::string& body) {
  std::string out;
  if (style_.pragmas) out += "    #pragma omp parallel for\n";
  const auto bound = [&](size_t d, const ir::Affine& coordinate) {
    return print(style_.shifted ? coordinate - home_.ranges[d].low : coordinate);
  };
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    const ir::Range& range = box.ranges[d];
    const std::string pad(4 + 2 * d, ' '), i = counter(d);
    const std::string first = bound(d, range.low), last = bound(d, range.high);
    switch (random_.below(4)) {
      case 0:
        out += fmt::format("{0}for (int {1} = {2}; {1} <= {3}; {1}++) {{\n", pad, i, first, last);
        break;
      case 1:
        out += fmt::format("{0}for (int {1} = {3}; {1} >= {2}; --{1}) {{\n", pad, i, first, last);
        break;
      default:
        out += fmt::format("{0}for (int {1} = {2}; {1} < {3}; ++{1}) {{\n", pad, i, first,
                           bound(d, range.high + 1));
    }
  }
  out += body;
  for (size_t d = box.ranges.size(); d-- > 0;) out += std::string(4 + 2 * d, ' ') + "}\n";
  return out;
}

// The condition that selects the points of `part` among those of `whole`.
std::string CWriter::condition(const ir::Box& whole, const ir::Box& part) const {
  std::string out;
  const auto test = [&](size_t d, const char* op, const ir::Affine& coordinate) {
    if (!out.empty()) out += " && ";
    const ir::Affine from = style_.shifted ? home_.ranges[d].low : ir::Affine{};
    out += fmt::format("{} {} {}", counter(d), op, print(coordinate - from));
  };
  for (size_t d = 0; d < whole.ranges.size(); ++d) {
    const ir::Range &w = whole.ranges[d], &p = part.ranges[d];
    if (p.low == p.high && !(w.low == w.high)) {
      test(d, "==", p.low);
      continue;
    }
    if (!(p.low == w.low)) test(d, ">=", p.low);
    if (!(p.high == w.high)) test(d, "<=", p.high);
  }
  return out;
}

// Copies each pair {to, from} at all points of the box.
std::string CWriter::copy(const ir::Box& box, const std::vector<std::pair<Target, Target>>& pairs) {
  std::string body;
  const std::string pad(4 + 2 * box.ranges.size(), ' ');
  for (const auto& [to, from] : pairs) {
    body += fmt::format("{}{} = {};\n", pad, stored(to), stored(from));
  }
  return nest(box, body);
}

}  // namespace stencil::property
