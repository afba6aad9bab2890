// Lowers boundary rules that schedules do not have: computed values such as `boundary constant
// inflow[time, 0]`, and all rules whose row in compiler/support/boundaries.def is not plain.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// What is known about the accesses of one region. Semantic analysis reports accesses that are out
// of bounds, so the pass meets only accesses within bounds.
class AccessBounds {
 public:
  virtual ~AccessBounds() = default;
  // Access::escapes. nullopt after a reported error.
  virtual std::optional<uint32_t> escapes(const Access& access, Span span) = 0;
  // Whether the image of an index beyond that side of dimension d lies in the field, at least
  // `inside` points from the edge that it might cross. False after a reported error.
  virtual bool image_inside(const Access& access, size_t d, bool low, int inside, Span span) = 0;
  virtual std::vector<Excess> excess(FieldId field) = 0;
  virtual bool may_reach_edge(const Access& access, size_t d, bool low) = 0;
  virtual bool always_on_edge(const Access& access, size_t d, bool low) const = 0;
  // Sets the level of an access that the value of a rule makes (RuleValue) for the reader. False
  // after a reported error.
  virtual bool settle_level(Access& access, Span span) = 0;
  // Reports an error, which the caller completes.
  virtual Diagnostic& refuse(const char* code, Span span, const char* message) = 0;
};

// Adds the nodes that compute the value of an access under the rules of its field. In all functions
// the result has one node per component of the field, and is empty after a reported error.
class BoundaryExpander {
 public:
  using Values = std::vector<NodeId>;

  // `bounds`: null if nothing is known about the region. `edges_stored`: the step has stored the
  // values of fixed edge points.
  BoundaryExpander(const Program& program, Graph& graph, AccessBounds* bounds, bool edges_stored)
      : program_(program), graph_(graph), bounds_(bounds), edges_stored_(edges_stored) {}

  // The value of `access`, whose component is 0, and whose escapes and excess are set.
  Values read(const Access& access, Span span);

  // `values` of the field at the place that `access` reads, replaced by the values of fixed sides
  // at their edge points. The outermost dimension decides.
  Values hold_edges(const Access& access, const std::vector<int>& place, Values values, Span span);

 private:
  Values components(Access access, Span span);
  Values held(const Access& access, const std::vector<int>& place, Span span);
  bool locate(Access& access, Span span);
  Values with_images(const Access& access, const std::vector<int>& place, size_t first, Span span);
  Values with_constants(const Access& access, Values values, Span span);
  Values beyond_side(const Access& access, const std::vector<int>& place, size_t d, bool low,
                     const Values& image, Span span);
  Values repeated(const Access& access, const std::vector<int>& place, size_t d, bool low,
                  Span span);
  Values on_line(const Access& access, const std::vector<int>& place, size_t d, bool low,
                 Span span);
  Values neighbour(const Access& access, const std::vector<int>& place, size_t d, int64_t first,
                   int64_t last, NodeId varies, Span span);
  Values rise(const Access& access, const std::vector<int>& place, size_t d, bool low, Span span);
  Values value_of(FieldId field, const BoundaryRule& rule, const std::vector<int>& place,
                  Span span);
  bool image_inside(const Access& access, size_t d, bool low, Span span);
  bool has_numbers(FieldId field, const BoundaryRule& rule, Span span);
  std::optional<int64_t> most_beyond(const Access& access, size_t d, bool low);

  NodeId integer(int64_t value, Span span);
  NodeId number(Scalar type, double value, Span span);
  NodeId affine(const Affine& affine, Span span);
  NodeId operation(Op op, std::vector<NodeId> operands, Scalar type, Span span);
  NodeId to(NodeId node, Scalar type, Span span);
  NodeId compare_edge(Op op, const Access& access, size_t d, bool low, Span span);
  NodeId outside(const Access& access, size_t d, bool low, Span span);
  NodeId distance(const Affine& from, int dimension, Span span);
  NodeId distance_beyond(const Access& access, size_t d, bool low, Span span);
  Values select(NodeId condition, const Values& yes, const Values& no, Span span);
  Values each(Op op, const Values& a, const Values& b, Span span);
  Scalar computed_type(FieldId field, size_t component) const;

  const Program& program_;
  Graph& graph_;
  AccessBounds* bounds_;
  bool edges_stored_;
};

// Whether reads of the field with these escapes need more than plain rules.
bool needs_expansion(const Field& field, uint32_t escapes);

// The initial value of a field, replaced by the values of fixed sides at their edge points. Values
// that depend on the step or on fields are not known before the first step and are left out.
Piece with_fixed_edges(const Program& program, FieldId field, Piece init);

// Whether all fixed sides of the field have values that are known before the first step.
bool fixed_before_steps(const Field& field);

// The pass: expands all accesses, stores fixed edge points, and leaves plain rules only.
Program lower_boundaries(const Program& program);

}  // namespace stencil::ir
