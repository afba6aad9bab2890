// The value of one access under the rules of its field.
//
// Each rule becomes a select on the coordinates of the point. The access itself gets a plain rule
// (a constant, a mirror, clamp or periodic), so later stages prove and tile it like any other
// access. The value of a rule is evaluated at the place that the access reads: profiles in it are
// read there.
//
// A reflection that repeats the edge point reads the mirror image of the access shifted inward by
// one point. The place k points beyond the edge then maps to the k-th point of the field. Linear
// extrapolation needs the edge point, which clamp gives, and the neighbour of the edge point. The
// offset of that neighbour differs for each point near the edge. It is therefore a select among
// several accesses; their number is at most the offset.
//
// The dimensions are nested: the rule of a dimension is applied to values that the rules of later
// dimensions give. Then the constants are applied, from the last dimension to the first: if an
// access leaves the field in several dimensions with a constant, the first one decides.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "compiler/ir/axes.h"
#include "compiler/ir/known.h"
#include "compiler/ir/lower/boundaries.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {
namespace {

// Largest number of accesses among which the neighbour of the edge point is selected.
constexpr int64_t kMostOfLine = 32;

// The value beyond the side is computed from values of the field.
bool computes(const BoundaryRule& rule) {
  return !rule.row().plain();
}
bool counts(const BoundaryRule& rule) {
  return !rule.plain();
}
bool repeats(const BoundaryRule& rule) {
  return rule.row().image == BoundaryImage::Cell;
}

}  // namespace

bool needs_expansion(const Field& field, uint32_t escapes) {
  if (field.plain()) return false;
  return escapes != 0 || field.fixed();
}

// --- Nodes ---------------------------------------------------------------------------------------

Scalar BoundaryExpander::computed_type(FieldId field, size_t component) const {
  return arithmetic_type(program_.fields[field].components[component].type);
}

NodeId BoundaryExpander::operation(Op op, std::vector<NodeId> operands, Scalar type, Span span) {
  return graph_.add({Operation{op, std::move(operands)}, type, span, {}});
}

NodeId BoundaryExpander::to(NodeId node, Scalar type, Span span) {
  return graph_[node].type == type ? node : operation(Op::Convert, {node}, type, span);
}

NodeId BoundaryExpander::integer(int64_t value, Span span) {
  return graph_.add({Constant{0, value}, Scalar::I32, span, {}});
}

NodeId BoundaryExpander::number(Scalar type, double value, Span span) {
  const Constant constant =
      is_float(type) ? known_real(type, value) : Constant{0, static_cast<int64_t>(value)};
  return graph_.add({constant, type, span, {}});
}

NodeId BoundaryExpander::affine(const Affine& affine, Span span) {
  if (affine.is_constant()) return integer(affine.constant, span);
  std::optional<NodeId> sum;
  for (const auto& [param, coefficient] : affine.terms) {
    NodeId term = graph_.add({ParamRef{param}, program_.params[param].type, span, {}});
    term = to(term, Scalar::I32, span);
    if (coefficient != 1) {
      term = operation(Op::Mul, {term, integer(coefficient, span)}, Scalar::I32, span);
    }
    sum = sum ? operation(Op::Add, {*sum, term}, Scalar::I32, span) : term;
  }
  if (affine.constant == 0) return *sum;
  return operation(Op::Add, {*sum, integer(affine.constant, span)}, Scalar::I32, span);
}

// Compares the index of the access with the edge of the field's box at that side.
NodeId BoundaryExpander::compare_edge(Op op, const Access& access, size_t d, bool low, Span span) {
  const Range& range = program_.fields[access.field].box.ranges[d];
  const Affine edge = (low ? range.low : range.high) - access.offset(d);
  const NodeId index = graph_.add({Index{static_cast<int>(d)}, Scalar::I32, span, {}});
  const NodeId bound = affine(edge, span);
  return operation(op, {index, bound}, Scalar::Bool, span);
}

// The condition that the access reads beyond that side of the field's box.
NodeId BoundaryExpander::outside(const Access& access, size_t d, bool low, Span span) {
  return compare_edge(low ? Op::Lt : Op::Gt, access, d, low, span);
}

// The value `from` minus the index of the point in `dimension`.
NodeId BoundaryExpander::distance(const Affine& from, int dimension, Span span) {
  const NodeId index = graph_.add({Index{dimension}, Scalar::I32, span, {}});
  const NodeId start = affine(from, span);
  return operation(Op::Sub, {start, index}, Scalar::I32, span);
}

// The distance in points from the given side to the place that the access reads, if that place lies
// beyond the side.
NodeId BoundaryExpander::distance_beyond(const Access& access, size_t d, bool low, Span span) {
  const Range& range = program_.fields[access.field].box.ranges[d];
  const Affine edge = (low ? range.low : range.high) - access.offset(d);
  const NodeId points = distance(edge, static_cast<int>(d), span);
  return low ? points : operation(Op::Neg, {points}, Scalar::I32, span);
}

BoundaryExpander::Values BoundaryExpander::select(NodeId condition, const Values& yes,
                                                  const Values& no, Span span) {
  Values out;
  for (size_t c = 0; c < yes.size(); ++c) {
    const Scalar type = std::max(graph_[yes[c]].type, graph_[no[c]].type);
    const NodeId a = to(yes[c], type, span);
    const NodeId b = to(no[c], type, span);
    out.push_back(operation(Op::Select, {condition, a, b}, type, span));
  }
  return out;
}

BoundaryExpander::Values BoundaryExpander::each(Op op, const Values& a, const Values& b,
                                                Span span) {
  Values out;
  for (size_t c = 0; c < a.size(); ++c) {
    out.push_back(operation(op, {a[c], b[c]}, graph_[a[c]].type, span));
  }
  return out;
}

// --- Accesses ------------------------------------------------------------------------------------

bool BoundaryExpander::locate(Access& access, Span span) {
  const auto escapes = bounds_->escapes(access, span);
  if (!escapes) return false;
  access.escapes = *escapes;
  if (access.escapes != 0 && !access.in_place) access.excess = bounds_->excess(access.field);
  return true;
}

BoundaryExpander::Values BoundaryExpander::components(Access access, Span span) {
  Values out;
  for (const Component& component : program_.fields[access.field].components) {
    out.push_back(graph_.add({access, arithmetic_type(component.type), span, {}}));
    ++access.component;
  }
  return out;
}

// The value of an access by plain rules and of fixed edge points.
BoundaryExpander::Values BoundaryExpander::held(const Access& access, const std::vector<int>& place,
                                                Span span) {
  Values values = components(access, span);
  if (access.in_place || (edges_stored_ && access.level == 0)) return values;
  return hold_edges(access, place, std::move(values), span);
}

// The value of the rule at the place.
BoundaryExpander::Values BoundaryExpander::value_of(FieldId id, const BoundaryRule& rule,
                                                    const std::vector<int>& place, Span span) {
  Values out;
  if (!rule.value) {  // numbers; or none, if the value has an error
    for (size_t c = 0; c < rule.values.size(); ++c) {
      out.push_back(number(computed_type(id, c), rule.values[c], span));
    }
    return out;
  }
  const auto& [graph, results] = *rule.value;
  const std::vector<bool> needed = reachable(graph, results);
  Values moved(static_cast<size_t>(graph.size()), 0);
  for (NodeId node_id = 0; node_id < graph.size(); ++node_id) {
    if (!needed[node_id]) continue;
    Node node = graph[node_id];
    if (auto* access = std::get_if<Access>(&node.kind)) {
      const Field& read = program_.fields[access->field];
      for (size_t d = 0; d < access->maps.size(); ++d) {
        if (read.dimension(d) >= 0) access->maps[d].offset += place[read.dimension(d)];
      }
      const bool known =
          !bounds_ || (bounds_->settle_level(*access, node.span) && locate(*access, node.span));
      if (!known) return {};
    }
    if (auto* made = std::get_if<Operation>(&node.kind)) {
      for (NodeId& operand : made->operands) operand = moved[operand];
    }
    moved[node_id] = graph_.add(std::move(node));
  }
  for (const NodeId result : results) out.push_back(moved[result]);
  return out;
}

// --- Rules that read the field -------------------------------------------------------------------

// Whether the image of an index beyond that side lies in the field. It must not be the edge point
// of a fixed side, because a fixed value is selected by the index before reflection.
bool BoundaryExpander::image_inside(const Access& access, size_t d, bool low, Span span) {
  const Boundary& rules = program_.fields[access.field].boundary[d];
  return bounds_->image_inside(access, d, low, rules.side(!low).fixed() ? 1 : 0, span);
}

// The mirror image beyond that side, for a mirror that repeats the edge point.
BoundaryExpander::Values BoundaryExpander::repeated(const Access& access,
                                                    const std::vector<int>& place, size_t d,
                                                    bool low, Span span) {
  Access moved = access;
  moved.maps[d].offset += low ? 1 : -1;
  if (!image_inside(moved, d, low, span) || !locate(moved, span)) return {};
  return with_images(moved, place, d + 1, span);
}

// The number of points that the region extends beyond that side; nullopt if it is not known.
std::optional<int64_t> BoundaryExpander::most_beyond(const Access& access, size_t d, bool low) {
  const Excess reach = bounds_->excess(access.field)[d];
  return low ? reach.below : reach.above;
}

// What a gradient rule adds to the mirror image: the derivative times the distance between the
// image and the place that the access reads, which is beyond that side.
BoundaryExpander::Values BoundaryExpander::rise(const Access& access, const std::vector<int>& place,
                                                size_t d, bool low, Span span) {
  const Field& field = program_.fields[access.field];
  const BoundaryRule& rule = field.boundary[d].side(low);
  const Values slope = value_of(access.field, rule, place, span);
  if (slope.empty()) return {};
  std::optional<NodeId> spacing;
  std::optional<double> known_spacing;
  // of the field's own grid
  const double ratio = place_in_first_domain(program_, field.domain, static_cast<int>(d)).ratio;
  if (!program_.domain().axes.empty()) {
    const Axis& axis = program_.domain().axes[d];
    const Node& first = axis.graph[axis.spacing];
    if (const auto* constant = std::get_if<Constant>(&first.kind)) {
      const double product = constant->real * ratio;
      known_spacing = first.type == Scalar::F32 ? static_cast<float>(product) : product;
    } else {
      spacing = copy_nodes(axis.graph, axis.spacing, graph_);
      if (ratio != 1) {
        spacing = operation(Op::Mul, {*spacing, number(first.type, ratio, span)}, first.type, span);
      }
    }
  } else {
    known_spacing = ratio;
  }
  if (known_spacing == 1) known_spacing.reset();
  const auto more = most_beyond(access, d, low);
  const bool nearest = more && *more + std::abs(int64_t{access.offset(d)}) <= 1;
  // the distance in points: 2k - 1 about the edge of the cell, 2k about the edge point
  std::optional<NodeId> points;
  if (!nearest) {
    points = distance_beyond(access, d, low, span);
    points = operation(Op::Mul, {integer(2, span), *points}, Scalar::I32, span);
    if (repeats(rule)) {
      points = operation(Op::Sub, {*points, integer(1, span)}, Scalar::I32, span);
    }
  }
  Values out;
  for (size_t c = 0; c < slope.size(); ++c) {
    const Scalar type = computed_type(access.field, c);
    NodeId part = slope[c];
    if (spacing || known_spacing) {
      const NodeId length = spacing ? to(*spacing, type, span) : number(type, *known_spacing, span);
      part = operation(Op::Mul, {part, length}, type, span);
    }
    if (!nearest || !repeats(rule)) {
      const NodeId times = points ? to(*points, type, span) : number(type, 2, span);
      part = operation(Op::Mul, {times, part}, type, span);
    }
    out.push_back(part);
  }
  return out;
}

// Conditions have neither a sign nor a difference. S018, and S091 for fixed sides.
bool BoundaryExpander::has_numbers(FieldId id, const BoundaryRule& rule, Span span) {
  const Field& field = program_.fields[id];
  const bool numbers = std::none_of(field.components.begin(), field.components.end(),
                                    [](const Component& c) { return c.type == Scalar::Bool; });
  const bool needed = rule.row().sign < 0 || rule.row().image == BoundaryImage::Line;
  if (numbers || !needed) return true;
  if (rule.fixed()) {
    Diagnostic& error = bounds_->refuse("S091", span, "a read of conditions beyond a fixed edge");
    error.expected = "a field of numbers, because the value is 2 * g minus that of a point inside";
    error.hint = "end the region so that reads stay in the field, or use clamp or mirror";
    return false;
  }
  Diagnostic& error = bounds_->refuse("S018", span, "wrong operand of '-'");
  error.expected = "a number";
  error.found = name(Scalar::Bool);
  error.hint = "select(condition, 1, 0) converts a condition to a number";
  return false;
}

// The value beyond that side, k points from the edge, on the line through the edge point e and its
// neighbour n: e + k * (e - n).
BoundaryExpander::Values BoundaryExpander::on_line(const Access& access,
                                                   const std::vector<int>& place, size_t d,
                                                   bool low, Span span) {
  const Range range = program_.fields[access.field].box.ranges[d];
  const auto more = most_beyond(access, d, low);
  const int64_t near = low ? 2 + int64_t{access.offset(d)} : int64_t{access.offset(d)} - 2;
  const int64_t far = (low ? 1 : -1) * (1 + more.value_or(0));
  if (!more || std::abs(near - far) >= kMostOfLine) {
    Diagnostic& error = bounds_->refuse("S064", span, "an access too far beyond a linear boundary");
    error.expected = fmt::format("at most {} points beyond a linear side", kMostOfLine);
    error.hint = more ? "use a smaller offset or another boundary"
                      : "limit with 'require' how far the region extends beyond the field";
    return {};
  }
  const NodeId varies = distance(low ? range.low + 1 : range.high - 1, static_cast<int>(d), span);
  const Values edge_point = with_images(access, place, d + 1, span);
  if (edge_point.empty()) return {};
  const Values beside =
      neighbour(access, place, d, std::min(near, far), std::max(near, far), varies, span);
  if (beside.empty()) return {};
  const Values slope = each(Op::Sub, edge_point, beside, span);
  const NodeId beyond = distance_beyond(access, d, low, span);
  Values rises;
  for (const NodeId part : slope) {
    const Scalar type = graph_[part].type;
    rises.push_back(operation(Op::Mul, {to(beyond, type, span), part}, type, span));
  }
  return each(Op::Add, edge_point, rises, span);
}

// The value at the offset `varies` in dimension d, which is in first..last: a binary search.
BoundaryExpander::Values BoundaryExpander::neighbour(const Access& access,
                                                     const std::vector<int>& place, size_t d,
                                                     int64_t first, int64_t last, NodeId varies,
                                                     Span span) {
  if (first == last) {
    Access moved = access;
    moved.maps[d].offset = static_cast<int>(first);
    return locate(moved, span) ? with_images(moved, place, d + 1, span) : Values{};
  }
  const int64_t middle = first + (last - first) / 2;
  const NodeId below = operation(Op::Le, {varies, integer(middle, span)}, Scalar::Bool, span);
  const Values first_half = neighbour(access, place, d, first, middle, varies, span);
  if (first_half.empty()) return {};
  const Values second_half = neighbour(access, place, d, middle + 1, last, varies, span);
  if (second_half.empty()) return {};
  return select(below, first_half, second_half, span);
}

// The value beyond that side. `image`: the value at the image that the plain rule gives, by the
// rules of later dimensions.
BoundaryExpander::Values BoundaryExpander::beyond_side(const Access& access,
                                                       const std::vector<int>& place, size_t d,
                                                       bool low, const Values& image, Span span) {
  const BoundaryRule& rule = program_.fields[access.field].boundary[d].side(low);
  const BoundaryRow& row = rule.row();
  if (!has_numbers(access.field, rule, span)) return {};
  if (row.image == BoundaryImage::Line) return on_line(access, place, d, low, span);
  Values values = repeats(rule) ? repeated(access, place, d, low, span) : image;
  if (values.empty()) return {};
  if (row.addend == BoundaryAddend::Twice) {
    const Values edge = value_of(access.field, rule, place, span);
    if (edge.empty()) return {};
    Values twice;
    for (const NodeId part : edge) {
      const Scalar type = graph_[part].type;
      twice.push_back(operation(Op::Mul, {number(type, 2, span), part}, type, span));
    }
    return each(Op::Sub, twice, values, span);
  }
  if (row.sign < 0) {
    for (NodeId& value : values) value = operation(Op::Neg, {value}, graph_[value].type, span);
  }
  if (row.addend != BoundaryAddend::Rise) return values;
  const Values more = rise(access, place, d, low, span);
  return more.empty() ? Values{} : each(Op::Add, values, more, span);
}

BoundaryExpander::Values BoundaryExpander::hold_edges(const Access& access,
                                                      const std::vector<int>& place, Values values,
                                                      Span span) {
  const Field& field = program_.fields[access.field];
  for (size_t d = field.boundary.size(); d-- > 0;) {
    for (const bool low : {false, true}) {
      const BoundaryRule& rule = field.boundary[d].side(low);
      if (!rule.fixed() || values.empty()) continue;
      if (bounds_ && !bounds_->may_reach_edge(access, d, low)) continue;
      const Values edge = value_of(access.field, rule, place, span);
      if (edge.empty()) return {};
      if (bounds_ && bounds_->always_on_edge(access, d, low)) {
        values = edge;
        continue;
      }
      const NodeId there = compare_edge(Op::Eq, access, d, low, span);
      values = select(there, edge, values, span);
    }
  }
  return values;
}

// The value of an access by plain rules and, in dimension `first` and later ones, by the rules that
// compute a value from those of the field. `place`: the offsets of the access as written; values of
// rules are read there.
BoundaryExpander::Values BoundaryExpander::with_images(const Access& access,
                                                       const std::vector<int>& place, size_t first,
                                                       Span span) {
  const std::vector<Boundary>& boundary = program_.fields[access.field].boundary;
  for (size_t d = first; d < boundary.size(); ++d) {
    const bool below = access.escapes_below(d) && computes(boundary[d].low);
    const bool above = access.escapes_above(d) && computes(boundary[d].high);
    if (!below && !above) continue;
    const Values image = with_images(access, place, d + 1, span);
    Values values = image;
    for (const bool low : {true, false}) {
      if (!(low ? below : above) || values.empty()) continue;
      const Values beyond = beyond_side(access, place, d, low, image, span);
      if (beyond.empty()) return {};
      values = select(outside(access, d, low, span), beyond, values, span);
    }
    return values;
  }
  return held(access, place, span);
}

// `values`, replaced by computed constants on the sides that have them.
BoundaryExpander::Values BoundaryExpander::with_constants(const Access& access, Values values,
                                                          Span span) {
  const Field& field = program_.fields[access.field];
  const auto stored = [](const BoundaryRule& rule, BoundaryKind kind) {
    return rule.stored() == kind;
  };
  // A constant of one dimension also replaces the fixed edge of another, which `values` has.
  const bool fixed = field.fixed();
  const auto matters = [&](const BoundaryRule& own, const BoundaryRule& far) {
    return counts(own) || (fixed && stored(own, BoundaryKind::Constant)) ||
           (stored(own, BoundaryKind::Mirror) && counts(far));
  };
  bool any = false;
  for (size_t d = 0; d < field.boundary.size(); ++d) {
    const auto& [low, high] = field.boundary[d];
    any |= access.escapes_below(d) && matters(low, high);
    any |= access.escapes_above(d) && matters(high, low);
  }
  if (!any) return values;
  const auto for_each_escape = [&](const auto& visit) {
    for (size_t d = field.boundary.size(); d-- > 0;) {
      if (access.escapes_above(d)) visit(d, false);
      if (access.escapes_below(d)) visit(d, true);
    }
  };
  bool sound = true;
  for_each_escape([&](size_t d, bool low) {
    // The far side's rule applies to the index itself and not to its image, and a rule with a sign
    // or an addend applies once, so the image must lie in the field.
    const BoundaryRule& own = field.boundary[d].side(low);
    const bool mirrored = stored(own, BoundaryKind::Mirror) && !repeats(own);
    if ((mirrored || own.row().joins_edges()) &&
        (counts(own) || counts(field.boundary[d].side(!low)))) {
      sound &= image_inside(access, d, low, span);
    }
  });
  for_each_escape([&](size_t d, bool low) {
    const BoundaryRule& rule = field.boundary[d].side(low);
    if (!stored(rule, BoundaryKind::Constant) || !sound || values.empty()) return;
    const Values beyond = value_of(access.field, rule, offsets_of(access.maps), span);
    sound = !beyond.empty();
    if (sound) values = select(outside(access, d, low, span), beyond, values, span);
  });
  return sound ? values : Values{};
}

BoundaryExpander::Values BoundaryExpander::read(const Access& access, Span span) {
  if (access.escapes == 0) return held(access, offsets_of(access.maps), span);
  Values values = with_images(access, offsets_of(access.maps), 0, span);
  return values.empty() ? values : with_constants(access, std::move(values), span);
}

}  // namespace stencil::ir
