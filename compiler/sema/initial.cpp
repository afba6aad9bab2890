// Initial values that read other fields: init B[i] = 2 * A[0].
//
// An access to A[0] stands for the `init` of A at the point that the access reads: the graph of
// this init is copied with shifted indices. Computing initial values therefore needs no fields in
// memory, and all devices compute them like other values. Inits are analysed in text order and see
// only earlier inits, so there are no cycles.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/lower/boundaries.h"
#include "compiler/sema/elaborate.h"

namespace stencil::sema {
namespace {

// The dimension of `field` that corresponds to dimension `of_grid` of the grid, or -1.
int own_dimension(const ir::Field& field, int of_grid) {
  for (int d = 0; d < field.box.rank(); ++d) {
    if (field.dimension(static_cast<size_t>(d)) == of_grid) return d;
  }
  return -1;
}

}  // namespace

// The init of a field if it can be read here; otherwise null. Before it returns null, it
// reports S066 unless the init itself has an error.
const ir::Init* Elaborator::init_before(ir::FieldId id, Span span) {
  const ir::Field& field = env_.program.fields[id];
  const auto& inits = env_.program.inits;
  const auto found = std::find_if(inits.begin(), inits.end(),
                                  [&](const ir::Init& init) { return init.field == id; });
  const bool across = field_ && field_->domain != field.domain;
  const bool storage = std::any_of(field.components.begin(), field.components.end(),
                                   [](const ir::Component& c) { return is_storage(c.type); });
  if (found != inits.end() && !storage && !across && !field.is_series() && !field.set()) {
    return &*found;
  }
  const auto written = env_.init_places.find(field.name);
  const bool seen = env_.inits_seen.count(id) != 0;
  const bool itself = field_ && field_->name == field.name;
  if (found == inits.end() && (seen || env_.unparsed_inits.count(field.name)) && !itself) {
    return nullptr;
  }
  Diagnostic& error = env_.report.error(
      "S066", span, fmt::format("the initial value of '{}' can't be read here", field.name));
  if (across || storage || field.is_series() || field.set()) {
    error.found = across              ? "a field of another grid"
                  : storage           ? "a field of a storage type, such as half or byte"
                  : field.is_series() ? "a series"
                                      : "values at points";
    error.hint = "use the same function in both inits";
  } else if (itself) {
    error.found = "its own init";
  } else if (written == env_.init_places.end()) {
    error.found = "a field without an init";
    error.hint = "an init cannot read a field whose values come from the run";
  } else {
    error.found = "an init that comes later";
    error.hint = fmt::format("put the init of '{}' before this one", field.name);
    error.related.push_back({written->second, "the init is here"});
  }
  return nullptr;
}

// Checks that the point that is read lies in the field in dimension d of the field. S031, or a
// check before the run.
bool Elaborator::initialised_there(const ir::Field& field, int d, const ir::Range& points,
                                   int offset, Span span) {
  const ir::Range& domain = field.box.ranges[d];
  const std::vector<ir::Affine> facts = facts_inside(env_, field_->box);
  for (const ir::Affine& inside :
       {points.low + offset - domain.low, domain.high - points.high - offset}) {
    const Verdict verdict = decide(facts, inside);
    if (verdict == Verdict::Holds) continue;
    const std::string message = fmt::format("access {} leaves the domain of '{}' in dimension {}",
                                            env_.text(span), field.name, d);
    if (verdict == Verdict::Unknown) {
      env_.add_check({{inside}, "S031", message, span});
      continue;
    }
    Diagnostic& error = env_.report.error("S031", span, message);
    error.expected =
        fmt::format("points of {}..{}", env_.print(domain.low), env_.print(domain.high));
    error.found =
        fmt::format("{}..{}", env_.print(points.low + offset), env_.print(points.high + offset));
    error.hint = "boundaries do not apply to initial values";
    return false;
  }
  return true;
}

Value Elaborator::initial_value(ir::FieldId id, const std::vector<int>& at, Span span) {
  const ir::Init* init = init_before(id, span);
  if (!init || !field_) return {};
  const ir::Field& field = env_.program.fields[id];
  std::vector<int> own;  // by dimension of the field read
  for (int d = 0; d < field.box.rank(); ++d) {
    const int of_grid = field.dimension(static_cast<size_t>(d));
    own.push_back(own_dimension(*field_, of_grid));
    if (own.back() < 0) {
      env_.report
          .error("S066", span,
                 fmt::format("the initial value of '{}' can't be read here", field.name))
          .found = fmt::format("'{}' has no dimension {} of the grid", field_->name, of_grid);
      return {};
    }
    const ir::Range& points = field_->box.ranges[own.back()];
    if (!initialised_there(field, d, points, at[d], span)) return {};
  }
  if (field.fixed() && !elaborate_rules(env_, id)) return {};
  const ir::Piece source = ir::with_fixed_edges(env_.program, id, init->piece);
  std::vector<ir::NodeId> copies;
  for (ir::Node node : source.graph.nodes()) {
    if (auto* operation = std::get_if<ir::Operation>(&node.kind)) {
      for (ir::NodeId& operand : operation->operands) {
        operand = copies[operand];
      }
    }
    const auto* index = std::get_if<ir::Index>(&node.kind);
    const int offset = index ? at[index->dimension] : 0;
    if (index) node.kind = ir::Index{own[index->dimension]};
    const ir::Node like = node;
    ir::NodeId copy = graph_.add(std::move(node));
    if (offset != 0) {
      const ir::NodeId by = graph_.add({ir::Constant{0, offset}, like.type, like.span, {}});
      copy = graph_.add({ir::Operation{Op::Add, {copy, by}}, like.type, like.span, {}});
    }
    copies.push_back(copy);
  }
  if (exhausted(span)) return {};
  Value value{env_.field_types[id], {}};
  for (const ir::NodeId result : source.results) {
    value.leaves.push_back(copies[result]);
  }
  return value;
}

}  // namespace stencil::sema
