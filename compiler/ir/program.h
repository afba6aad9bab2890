// The stencil IR: a program after semantic analysis. Everything is resolved: functions are inlined,
// comprehensions unrolled, tables and fixed integer params folded, structures and vectors split
// into scalar components, types explicit, every access proved or its check recorded.
//
//   program   = params axes fields functions repeats inits reductions stop? requirements checks
//   function  = target fields, pieces            one snapshot; pieces do not overlap
//   piece     = box, graph, a result per component of the targets
//   graph     = nodes in topological order; a node's operands come before it
//   node      = constant | param | index | time | reduction | access | operation
//
// An expression is a graph and not a tree: each common subexpression is one node, every pass is a
// loop over a vector (no recursion, no depth limit), and the interpreter evaluates the nodes in
// order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/subdomain.h"
#include "compiler/support/boundary.h"
#include "compiler/support/ids.h"
#include "compiler/support/scalar.h"
#include "compiler/support/shape.h"
#include "compiler/support/source.h"

namespace stencil::ir {

using FieldId = Id<struct Field>;
using NodeId = Id<struct Node>;
using ReductionId = Id<struct Reduction>;

// The largest step number. Steps are 32-bit integers, like `time`.
constexpr int64_t kLastStep = (int64_t{1} << 31) - 1;

// Coordinates are within +-kLargestCoordinate, an extent is at most kLargestCoordinate and an
// offset at most kLargestOffset (all in grid points). 32-bit index arithmetic therefore cannot
// overflow.
constexpr int64_t kLargestCoordinate = int64_t{1} << 30;
constexpr int64_t kLargestOffset = int64_t{1} << 28;

struct Range {  // low..high, both inclusive; empty if high < low
  Affine low, high;
  friend bool operator==(const Range&, const Range&) = default;
};
struct Box {
  std::vector<Range> ranges;  // outermost first; the last is contiguous in memory
  int rank() const { return static_cast<int>(ranges.size()); }
  friend bool operator==(const Box&, const Box&) = default;
};

struct Component {   // a scalar leaf of a field's element type
  std::string path;  // "" for a scalar field; ".rho", ".u[0]", "[2]" otherwise
  Scalar type;
};

using stencil::BoundaryKind;

// What an access reads beyond one edge of a field: a row of compiler/support/boundaries.def. Clamp
// reads the edge point. Mirror reflects about the edge point without repeating it: index -1 reads
// index 1. If the reflected index lies beyond the opposite edge, the rule of that edge applies to
// it. Between two mirrors the reflection repeats until the index is inside; an extent of 1 reads
// its only point. Periodic wraps around. None: no access may leave the field here. After lowering
// (compiler/ir/lower/passes.h) fields have only plain rules, and a Constant has numbers.
struct BoundaryRule {
  BoundaryKind kind = BoundaryKind::None;
  std::vector<double> values;  // a number per component for BoundaryKind::Constant, else empty
  // the value of a rule that takes one, unless `values` has it
  std::shared_ptr<const struct RuleValue> value = {};
  const BoundaryRow& row() const { return row_of(kind); }
  BoundaryKind stored() const { return row().stored(); }
  bool plain() const { return row().plain() && !value; }
  bool fixed() const { return row().addend == BoundaryAddend::Twice; }
  friend bool operator==(const BoundaryRule&, const BoundaryRule&) = default;
};
// The rules at the two edges of a dimension. Either both are periodic or neither is.
struct Boundary {
  BoundaryRule low, high;
  const BoundaryRule& side(bool is_low) const { return is_low ? low : high; }
  bool periodic() const { return low.kind == BoundaryKind::Periodic; }
  bool has(BoundaryKind kind) const { return low.kind == kind || high.kind == kind; }
  bool plain() const { return low.plain() && high.plain(); }
  bool fixed() const { return low.fixed() || high.fixed(); }
  friend bool operator==(const Boundary&, const Boundary&) = default;
};

// Entries of Field::dimensions that are not dimensions of the grid: the steps of the run, and the
// points of a set.
constexpr int kTime = -1;
constexpr int kPoints = -2;

// A field has a value at every point of a box of the grid. A profile lacks some of the grid's
// dimensions, and a series has a value for every step. Schedules do not tile profiles and series:
// kernels read them directly from memory. They are constant and have one level, with two
// exceptions. A profile that a reduction computes (Reduction::target) changes, and has a second
// level if the program reads NAME@-1. A record (Reduction::at) is a series that the run fills row
// by row; the program cannot read it.
//
// A set of points is a field indexed by the number of the point. Its F64 components are the
// position in grid coordinates, one per dimension, outermost first. If the program gives the
// weights, they follow: `width` of them per dimension, those of dimension 0 first. A field may have
// one value per point of a set. Reading such a field at a grid point gives the sum of (value *
// weight of the point at this grid point) over all points of the set. Reading the set itself gives
// the sum of the weights (compiler/reference/points.h).
struct Field {
  std::string name;
  std::vector<Component> components;
  Box box;          // the points that exist, in grid coordinates; of a series: step numbers from 0
  int history = 1;  // levels that exist: @0, @-1, ... @-(history-1)
  bool constant = false;
  // Per dimension, outermost first, applied independently. If an access leaves the field in several
  // dimensions with a constant rule, the first of them decides the value.
  std::vector<Boundary> boundary;
  Span span;
  // The meaning of each dimension of `box`: kTime, kPoints or the number of a grid dimension,
  // ascending. Empty: the dimensions of the grid.
  std::vector<int> dimensions = {};

  // For a set of points and for a field with one value per point: the set.
  std::optional<FieldId> points = {};
  // For a set of points: the number of grid points per dimension to which a point has a weight. 0
  // if the field is not a set of points.
  int width = 0;
  bool weighted = false;           // the program gives the weights; otherwise multilinear, width 2
  Scalar weight = Scalar::F32;     // type of the stored weights: F64 if any use of them is in F64
  std::optional<Box> within = {};  // for a set: the box in which its points must lie

  int dimension(size_t d) const { return dimensions.empty() ? static_cast<int>(d) : dimensions[d]; }
  bool is_series() const { return !dimensions.empty() && dimensions.front() == kTime; }
  bool read_in_place() const { return !dimensions.empty(); }
  bool is_point_set() const { return width > 0; }
  // All rules are plain: reads need no select.
  bool plain() const {
    return std::all_of(boundary.begin(), boundary.end(),
                       [](const Boundary& rules) { return rules.plain(); });
  }
  // Some edge points have a given value.
  bool fixed() const {
    return std::any_of(boundary.begin(), boundary.end(),
                       [](const Boundary& rules) { return rules.fixed(); });
  }
};

// --- Graph nodes ---------------------------------------------------------------------------------

// A literal of the node's type: `integer` for Bool (0 or 1), I32 and I64, `real` for floats. The
// value of an F32 node is already rounded to float.
struct Constant {
  double real = 0;
  int64_t integer = 0;
  friend bool operator==(const Constant&, const Constant&) = default;
};
struct ParamRef {
  ParamId param;
  friend bool operator==(const ParamRef&, const ParamRef&) = default;
};
struct Index {
  int dimension;
  friend bool operator==(const Index&, const Index&) = default;
};  // I32 coordinate of the point
struct Time {
  friend bool operator==(const Time&, const Time&) = default;
};  // I32, index of the running step from 0
// The current value of a reduction or, if `replaced`, the value before its last evaluation. The
// stop condition may read any reduction; functions and reductions may read only those with a place
// in the step (Reduction::place).
struct ReductionRef {
  ReductionId reduction;
  bool replaced = false;
  friend bool operator==(const ReductionRef&, const ReductionRef&) = default;
};
// How far a region extends beyond a field's box in one dimension, in grid points, at the low and
// the high end. 0 if it ends inside the box. nullopt if the distance is not known to be at most
// kMostExcess.
struct Excess {
  std::optional<int64_t> below, above;
  friend bool operator==(const Excess&, const Excess&) = default;
};
constexpr int64_t kMostExcess = 4;
struct Access {
  FieldId field;
  int component;             // into Field::components
  int level;                 // 0 is the newest, 1 is @-1, ...
  std::vector<int> offsets;  // relative to the point or the step, one per dimension of the field
  // A bit is set if some point of the region may read below (bit 2d) or above (bit 2d + 1) the
  // field's box in dimension d, so that the boundary rule of that side applies. Always 0 where the
  // rule is BoundaryKind::None.
  uint32_t escapes = 0;
  // How far the region extends beyond the field's box, per dimension. This bounds how far from the
  // point a boundary rule may lead. Empty if nothing escapes.
  std::vector<Excess> excess = {};
  bool in_place = false;   // the value of Field::read_in_place()
  bool per_step = false;   // in_place, and time is the only dimension: one value for all points
  bool at_points = false;  // in_place, and the field is a set of points or has a value per point
  bool weights_in_double = false;  // for a set of points: sum its weights in F64, not F32
  bool escapes_below(size_t d) const { return escapes >> (2 * d) & 1; }
  bool escapes_above(size_t d) const { return escapes >> (2 * d + 1) & 1; }
  friend bool operator==(const Access&, const Access&) = default;
};
struct Operation {
  Op op;
  std::vector<NodeId> operands;
  friend bool operator==(const Operation&, const Operation&) = default;
};

struct Node {
  std::variant<Constant, ParamRef, Index, Time, ReductionRef, Access, Operation> kind;
  Scalar type;  // of the value; only a Convert whose result is stored has a storage type
  Span span;
  std::string hint;  // name of the `let` that it came from, for readable output; may be empty
};

// An expression graph. `add` returns the existing node if one of the same kind and type exists.
class Graph {
 public:
  NodeId add(Node node);

  const IdVector<NodeId, Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[id]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  void name(NodeId id, const std::string& hint);  // keeps the first name given

 private:
  IdVector<NodeId, Node> nodes_;
  std::unordered_multimap<uint64_t, NodeId> index_;  // hash of kind and type -> node
};

// The value of a boundary rule at the place that an access reads: a value per component, in the
// type in which the component is computed. The graph reads params, `time`, profiles and series. The
// offsets of its accesses are relative to that place, and their `escapes` are not proved. Level 1
// of a profile that a reduction computes is its value of the previous step, for every reader.
struct RuleValue {
  Graph graph;
  std::vector<NodeId> results;
};

// A default that depends on other params. It is evaluated as written whenever params get their
// values (derive_params): each operation is rounded separately, floats are computed in double.
struct Derivation {
  Graph graph;       // reads only params declared before this one
  NodeId value = 0;  // of the param's type
  std::string text;  // as written
};

struct Param {
  std::string name;
  Scalar type;
  std::optional<double> real_value;      // default or -D, float types
  std::optional<int64_t> integer_value;  // default or -D, integer types
  Span span;
  bool fixed = false;  // --fix (float types): real_value is compiled into the code
  // How the value is computed if none is given. real_value or integer_value above is then the
  // result with all defaults.
  std::optional<Derivation> derived = {};
  // Integer types: the value as an affine function of open params, which replaces the param in the
  // code.
  std::optional<Affine> affine = {};

  // The param does not exist at run time: its value is compiled in, no graph refers to it, and a
  // run cannot set it.
  bool folded() const { return integer_value || fixed || affine; }
  // An integer param that may occur in bounds and gets its value before a run.
  bool open() const { return !is_float(type) && !folded(); }
};

// Expressions evaluated at every point of a box. results[c] has the type of the c-th component that
// the piece writes; for a storage type, the graph ends in a Convert to it. If there are several
// targets, their components follow one another.
struct Piece {
  Box region;
  std::vector<std::string> index_names;  // per dimension; "" if the program gives no name
  Graph graph;
  std::vector<NodeId> results;
  Span span;
};

struct Function {  // a stencil function
  std::string name;
  std::vector<FieldId> targets;  // at least one, without duplicates, all on the same box
  std::vector<Piece> pieces;
  Span span;
  // By output: the function does not compute this component, so its results are the present value.
  // Empty: all outputs are computed. Values of fixed edge points are stored only in others.
  std::vector<bool> kept = {};
  bool keeps(size_t output) const { return output < kept.size() && kept[output]; }
};

// Consecutive functions that run several times in order within each step. `time` does not change
// between the iterations.
struct Repeat {
  size_t first = 0, end = 0;  // the range [first, end) of Program::functions, not empty
  int64_t iterations = 1;     // at least 2
  Span span;
};

struct Init {  // initial value of every level of a field, over its whole box
  FieldId field;
  Piece piece;
};

struct Program;

enum class Reducer { Sum, Prod, Min, Max };
// The neutral element of the reducer for this type: 0, 1, the largest or the smallest value.
Constant neutral(Reducer reducer, Scalar type);
// Evaluated after steps every, 2 * every, ... The result is one value. If a reduction runs over
// only some of the grid's dimensions, its result is a profile instead. The profile has the other
// dimensions, with a value for every index of the region in them.
struct Reduction {
  std::string name;
  Reducer reducer;
  Piece piece;  // one result: the value to reduce
  int64_t every = 1;
  Span span;
  // Set if functions or reductions read this one: it is then evaluated within every step, after the
  // first `place` functions have run.
  std::optional<size_t> place = {};
  // The profile or series that it fills; nullopt if it gives one value.
  std::optional<FieldId> target = {};
  // Set for a record: the set of points at which it samples. Each evaluation fills the next row of
  // the target, a series on these points. The entry of a point is the weighted sum of the reduced
  // expression over the grid points to which the point has a weight (compiler/reference/points.h).
  std::optional<FieldId> at = {};
};

// The order in which a reduction combines values (docs/reference/language.md). It suits parallel
// machines and does not depend on the machine. The region is cut into tiles, starting at its low
// corner. Lane l of a tile combines the points l, l + kReductionLanes, ... of the tile, numbered
// row-major in a whole tile. The lanes are then combined pairwise: lane l with lane l + s for s =
// kReductionLanes/2, ..., 2, 1. The values of the tiles, numbered row-major, are combined in the
// same way. A reduction that gives a profile does the same for each point of the profile, over the
// box of reduced dimensions, with kProfileLanes lanes.
constexpr int kReductionLanes = 256;
constexpr int kProfileLanes = 16;
constexpr int kReductionTilePoints = 1024;
// The tile's length per dimension in grid points, outermost first.
std::vector<int64_t> reduction_tile(int rank);
// The type in which a reduction is computed. Its value has this type.
Scalar value_type(const Reduction& reduction);
// A component of a field that a record reads without further computation, at the end of a step.
struct Sampled {
  FieldId field;
  int component;
};
// The component that `record` samples. nullopt if it reduces another expression, or if the
// program's steps are cut into phases.
std::optional<Sampled> sampled_by(const Program& program, const Reduction& record);
// The row of a record that is filled after `steps_done` steps.
inline int64_t row_at(const Reduction& record, int64_t steps_done) {
  return steps_done / record.every - 1;
}
// The dimensions of the grid over which a reduction runs, ascending.
std::vector<int> reduced_dimensions(const Program& program, const Reduction& reduction);
// The reduction that computes this profile or series.
std::optional<ReductionId> reduction_into(const Program& program, FieldId field);
// The reductions that are evaluated within a step after `functions` functions have run, in order.
std::vector<ReductionId> reductions_at(const Program& program, size_t functions);
// The reductions that a graph reads, ascending, without duplicates.
std::vector<ReductionId> reductions_read(const Graph& graph);
// The smallest number of steps between two evaluations of a reduction that is evaluated between
// time tiles. nullopt if there is no such reduction: reductions within steps and sampled records do
// not count.
std::optional<int64_t> steps_between_evaluations(const Program& program);
// True if some reduction is evaluated within steps.
bool reduces_in_steps(const Program& program);

// The stop condition: the run ends when it is true. It is evaluated after every step that evaluates
// one of its reductions, or after every step if it reads none.
struct Stop {
  Graph graph;
  NodeId condition;
  Span span;
};

// A condition that must hold before a run: at least one of `any_nonnegative` is >= 0.
struct Check {
  std::vector<Affine> any_nonnegative;
  std::string code;     // error code if the check fails
  std::string message;  // "access A[-2] leaves the grid"
  Span span;
};

// An upper limit for the steps of a run. For further steps, a series has no values or a record has
// no rows.
struct StepLimit {
  Affine steps;
  std::string message;  // "series w has values up to time K-1"
  std::string hint;     // how to allow more steps
  Span span;
  friend bool operator==(const StepLimit&, const StepLimit&) = default;
};

struct Requirement {  // require condition: a Bool graph over params
  Graph graph;
  NodeId condition;
  std::string text;  // as written
  Span span;
};

// The positions of the points of a dimension in space: index i lies at origin + i * spacing. Both
// are of the type `real` and computed by a graph over params. `admissible` is true if the spacing
// is positive and both values are finite.
struct Axis {
  Graph graph;
  NodeId origin, spacing;
  NodeId admissible;                      // a Bool
  std::string origin_text, spacing_text;  // as written
  Span origin_span, spacing_span;         // invalid if the program does not give the value
};

// Consecutive functions of a step that a schedule can tile together. A step is cut at each
// reduction with a place in the step, and at the beginning and end of each repeat. Schedules tile
// every phase separately.
struct Phase {
  size_t first = 0, end = 0;  // into Program::functions
  int64_t iterations = 1;     // per step
};

// For a program that is one phase of another program: identifies the phase.
struct PhaseOf {
  const Program* whole;  // must outlive this
  Phase phase;
};

struct Program {
  std::string name;           // from the file name, a valid C identifier
  Scalar real = Scalar::F32;  // what `real` means
  FpMode fp = FpMode::Contract;
  IdVector<ParamId, Param> params;
  Box grid;
  std::vector<Axis> axes;  // per dimension of the grid; empty: index i lies at i
  Span grid_span;
  std::optional<Affine> steps;  // nullopt: every run must specify the number
  IdVector<FieldId, Field> fields;
  std::vector<Function> functions;
  std::vector<Repeat> repeats = {};  // in order, disjoint
  std::vector<Init> inits;  // at most one per field, in order; a field without one starts at 0
  IdVector<ReductionId, Reduction> reductions;
  std::optional<Stop> stop;
  std::vector<Requirement> requirements;
  std::vector<Check> checks;  // conditions that sema could not prove because params are open
  std::vector<StepLimit> step_limits;
  // Affine functions of the open params that are nonnegative in every valid run.
  std::vector<Affine> facts = {};
  std::optional<PhaseOf> phase_of = {};  // set only by phase_program()
  // Per dimension, or empty: the number of points at the low and at the high end of the grid that a
  // time tile need not compute correctly. Only the program of a subdomain has them.
  std::vector<std::array<int64_t, 2>> rim = {};
  std::shared_ptr<const Subdomain> subdomain = {};  // set only by decompose::restrict_to()
};

// The given rule on all sides of all dimensions.
std::vector<Boundary> uniform_boundary(int rank, const BoundaryRule& rule);
// True if an access may leave the field in dimension d on a side that has a rule of this kind. On
// the whole grid, an access may leave the field on the side that its offset points to; near a
// sub-grid, on both.
bool meets(const Field& field, const Access& access, size_t d, BoundaryKind kind);

std::vector<std::string> param_names(const Program& program);
bool writes(const Function& function, FieldId field);
bool is_written(const Program& program, FieldId field);  // by a stencil function
bool changes(const Program& program, FieldId field);     // by a stencil function or a reduction
// True if functions or reductions read the component but none computes it. A function that writes
// other components of the field and keeps this one does not compute it.
bool is_read_only(const Program& program, FieldId field, int component);
bool has_initial_value(const Program& program, FieldId field);  // by an init
bool is_record(const Program& program, FieldId field);  // a series that a record fills row by row

// The component that a result of a function's pieces is written to.
struct Output {
  FieldId field;
  int component;
  Scalar type;
};
std::vector<Output> outputs(const Program& program, const Function& function);
const Box& target_box(const Program& program, const Function& function);
std::string target_names(const Program& program, const Function& function);  // "A, B"
// True if the result is the present value of the output at the same point, so nothing needs to be
// written.
bool keeps(const Piece& piece, NodeId result, const Output& output);

// The number of arithmetic operations that the results of `piece` need, without conversions and
// without operations that are computed once for all points (uniform.h).
int count_operations(const Piece& piece);

// The number of floating-point operations (sums, products, quotients, roots, functions, minima,
// ...) in the results of `piece` as the program writes them. It does not depend on --fp: a fused
// multiply-add counts as a product and a sum. A repeated subexpression counts once. Signs,
// comparisons, selections, conversions and operations that are computed once for all points do not
// count.
int count_flops(const Piece& piece);

// The phases of a step, in order. Each function is in exactly one. If nothing cuts the step, there
// is one phase with one iteration.
std::vector<Phase> phases(const Program& program);
// True if something cuts the step, even if it has only one phase.
bool cuts_steps(const Program& program);
// A phase as a program of its own, whose step is one iteration of the phase. It has all fields,
// params and axes of `whole`, but only the functions of the phase, and no inits, reductions or stop
// condition. `whole` must outlive the result.
Program phase_program(const Program& whole, const Phase& phase);
// The program that `program` is a phase of, or `program` itself.
const Program& whole_of(const Program& program);
// True if all iterations of a time tile have the same `time`, because they belong to one step.
bool time_stands_still(const Program& program);
// By FieldId: true if an earlier phase of the step has written the field, so that its levels have
// already advanced when this program's step begins.
std::vector<bool> advanced_before(const Program& program);

}  // namespace stencil::ir
