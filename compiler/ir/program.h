// The stencil IR: a program after semantic analysis. Everything is resolved: functions are inlined,
// comprehensions unrolled, tables and fixed integer params folded, structures and vectors split
// into scalar components, types explicit, every access proved or its check recorded.
//
//   program      = name real fp params domains steps fields functions start run inits reductions
//                  requirements checks step_limits facts origin
//   domain       = name box axes subgrids coarsened span
//   subgrid      = name box
//   coarsening   = of ratios cells
//   field        = name components domain box kind history constant boundary span
//   kind         = OnGrid | Profile | Series | PointSet | AtPoints
//   function     = name targets pieces span kept domain
//   origin       = phase rim subdomain
//   piece        = region index_names graph results span
//   start        = Sequence
//   run          = While
//   step         = Sequence | Apply | Repeat | Reduce | While
//   sequence     = step...
//   apply        = function
//   repeat       = iterations body span
//   reduce       = reduction
//   while        = until body
//   reduction    = name reducer piece every span in_step target at domain
//   node         = Constant | ParamRef | Index | Time | ReductionRef | Access | Operation
//   access       = field component level maps escapes excess in_place per_step at_points
//                  weights_in_double
//   indexmap     = offset scale divisor
//
// A function computes its targets in one sweep: all pieces read the values from before the sweep,
// and pieces do not overlap. Expressions are graphs (graph.h).
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
#include "compiler/ir/graph.h"
#include "compiler/ir/subdomain.h"
#include "compiler/support/boundary.h"
#include "compiler/support/ids.h"
#include "compiler/support/scalar.h"
#include "compiler/support/shape.h"
#include "compiler/support/source.h"

namespace stencil::ir {

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

// Where a field has values, and what the dimensions of its box mean. Schedules tile only fields on
// the grid. Kernels read the others directly from memory. Those are constant and have one level,
// with two exceptions: a profile that a reduction computes (Reduction::target), which has a second
// level if the program reads NAME@-1, and a record (Reduction::at), which the run fills row by row
// and the program cannot read.
struct OnGrid {};               // a value at every point of a box of the domain
struct Profile {                // a value for every index in some of the domain's dimensions
  std::vector<int> dimensions;  // of the domain, ascending, not all
};
struct Series {  // a value or a profile for every step: the first dimension is the step
  std::vector<int> dimensions;  // the others, as in a profile
};
// A set of points, indexed by the number of the point. Its F64 components are the position in grid
// coordinates, one per dimension of the domain, outermost first. If the program gives the weights,
// they follow: `width` of them per dimension, those of dimension 0 first. Reading a set at a grid
// point gives the sum of the weights that its points have there (compiler/reference/points.h).
struct PointSet {
  FieldId id;                   // of the field itself
  int width = 2;                // grid points per dimension to which a point has a weight
  bool weighted = false;        // the program gives the weights; otherwise multilinear, width 2
  Scalar weight = Scalar::F32;  // type of the stored weights: F64 if any use of them is in F64
  Box within = {};              // the points must lie in this box of the domain
};
// A value per point of a set. Reading such a field at a grid point gives the sum of (value * weight
// of the point at this grid point) over all points of the set.
struct AtPoints {
  FieldId set;
  bool per_step = false;  // a record: the first dimension is its row
};

// Entries of Field::dimensions() that are not dimensions of the domain: the steps of the run, and
// the points of a set.
constexpr int kTime = -1;
constexpr int kPoints = -2;

struct Field {
  std::string name;
  std::vector<Component> components;
  DomainId domain = 0;
  Box box;  // the points that exist, in coordinates of the domain; of a series: step numbers from 0
  std::variant<OnGrid, Profile, Series, PointSet, AtPoints> kind = OnGrid{};
  int history = 1;  // levels that exist: @0, @-1, ... @-(history-1)
  bool constant = false;
  // Per dimension, outermost first, applied independently. If an access leaves the field in several
  // dimensions with a constant rule, the first of them decides the value.
  std::vector<Boundary> boundary;
  Span span;

  // The meaning of each dimension of `box`: kTime, kPoints or the number of a dimension of the
  // domain, ascending. Empty for a field on the grid, which has all of them.
  std::vector<int> dimensions() const;
  int dimension(size_t d) const { return read_in_place() ? dimensions()[d] : static_cast<int>(d); }
  bool read_in_place() const { return !std::holds_alternative<OnGrid>(kind); }
  bool is_series() const { return read_in_place() && dimensions().front() == kTime; }
  // For a set of points and for a field with one value per point: the set.
  std::optional<FieldId> set() const;
  const PointSet* as_point_set() const { return std::get_if<PointSet>(&kind); }
  bool is_point_set() const { return as_point_set() != nullptr; }
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
  DomainId domain = 0;  // that of the targets
  bool keeps(size_t output) const { return output < kept.size() && kept[output]; }
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
  // Functions or reductions read this one: a Reduce of the step evaluates it, in every step.
  bool in_step = false;
  // The profile or series that it fills; nullopt if it gives one value.
  std::optional<FieldId> target = {};
  // Set for a record: the set of points at which it samples. Each evaluation fills the next row of
  // the target, a series on these points. The entry of a point is the weighted sum of the reduced
  // expression over the grid points to which the point has a weight (compiler/reference/points.h).
  std::optional<FieldId> at = {};
  DomainId domain = 0;  // the region belongs to it
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
// The reductions that a graph reads, ascending, without duplicates.
std::vector<ReductionId> reductions_read(const Graph& graph);
// The smallest number of steps between two evaluations of a reduction that is evaluated between
// time tiles. nullopt if there is no such reduction: reductions within steps and sampled records do
// not count.
std::optional<int64_t> steps_between_evaluations(const Program& program);
// True if some reduction is evaluated within steps, and if a step has repeats.
bool reduces_in_steps(const Program& program);
bool repeats_in_steps(const Program& program);

// The stop condition: the run ends when it is true. It is evaluated after every step that evaluates
// one of its reductions, or after every step if it reads none.
struct Stop {
  Graph graph;
  NodeId condition;
  Span span;
};

// --- A step --------------------------------------------------------------------------------------

struct Step;
using Sequence = std::vector<Step>;  // one after another

struct Apply {      // computes the new values of a function's targets
  size_t function;  // into Program::functions
  friend bool operator==(const Apply&, const Apply&) = default;
};
// Evaluates a reduction. Reductions that no Reduce evaluates are evaluated after the step, if it is
// one of their `every` steps.
struct Reduce {
  ReductionId reduction;
  friend bool operator==(const Reduce&, const Reduce&) = default;
};
// The body runs several times. `time` does not change between the iterations. The functions of the
// body write only fields with one level, because levels advance once per step.
struct Repeat {
  int64_t iterations;  // at least 2
  Sequence body;       // not empty
  Span span = {};
};
// The body runs until the condition holds. The loop over the steps of a run is one, and no other
// loop of this kind exists yet.
struct While {
  std::optional<Stop> until = {};
  Sequence body;
};
struct Step {
  std::variant<Sequence, Apply, Repeat, Reduce, While> kind;

  template <class Kind>
  Step(Kind kind) : kind(std::move(kind)) {}
  // In program.cpp: if GCC 12 inlines these, it warns of uninitialized members.
  Step(const Step&);
  Step(Step&&) noexcept;
  Step& operator=(const Step&);
  Step& operator=(Step&&) noexcept;
  ~Step();
};

// Calls `visit` with every step of the sequence in order, outer ones first.
// The number of applications that the text of the step has before the Reduce of a reduction.
// nullopt if the reduction is not evaluated in the step.
std::optional<size_t> functions_before(const Program& program, ReductionId reduction);
// True if the step first applies the function before the Reduce of the reduction.
bool applied_before(const Program& program, size_t function, ReductionId reduction);
// Whether the tree applies function 0, 1, ... in order, each once.
bool applies_in_order(const Program& program);

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

// A part of a domain that the program names. It is kept for readers of the program: fields and
// regions have boxes of their own.
struct Subgrid {
  std::string name;
  Box box;
};
// How the points of a domain lie among those of another one: per dimension with the ratio r, point
// i is point r * i of the other domain or, if `cells` is set, covers the cells r * i to r * i +
// r-1.
struct Coarsening {
  DomainId of;
  std::vector<int> ratios;  // per dimension, at least 1
  bool cells = false;
};
// A grid. Each field and each function belongs to one, and so does each reduction. All domains have
// the same rank.
struct Domain {
  std::string name;  // as the program calls it
  Box box;
  std::vector<Axis> axes = {};               // per dimension; empty: index i lies at i
  std::vector<Subgrid> subgrids = {};        // those that contain every point of their box
  std::optional<Coarsening> coarsened = {};  // absent for the first domain
  Span span = {};
};

// Consecutive functions of a step that a schedule can tile together. A step is cut at each Reduce,
// at the beginning and end of each Repeat, and where the domain of the functions changes. If there
// are several domains, a Repeat gives iterations to the phases beside it. Schedules tile every
// phase separately.
struct Phase {
  std::vector<size_t> functions;  // into Program::functions, in order; one may stand twice
  int64_t iterations = 1;         // in a row
  int64_t times = 1;              // per step: the iterations of the loops around the phase
  // By FieldId: an earlier phase of the step has written the field, so that its levels have already
  // advanced when this phase begins.
  std::vector<bool> advanced = {};

  int64_t iterations_per_step() const { return iterations * times; }
};
// True if the phases do the same work, so that one plan serves both.
bool are_alike(const Program& program, const Phase& a, const Phase& b);
// A step as schedules see it: phases, reductions and loops, one after another.
struct StepPart;
struct Evaluations {
  std::vector<ReductionId> reductions;  // may be empty
};
struct Loop {  // a repeat whose body is more than one phase
  int64_t iterations;
  std::vector<StepPart> body;
};
struct StepPart {
  std::variant<Evaluations, Phase, Loop> kind;
};

// For a program that is one phase of another program: identifies the phase.
struct PhaseOf {
  const Program* whole;  // must outlive this
  Phase phase;
};
// How a program was made from another one. A program of semantic analysis has none of these.
struct Origin {
  std::optional<PhaseOf> phase = {};  // set by phase_program()
  // Per dimension, or empty: the number of points at the low and at the high end of the grid that a
  // time tile need not compute correctly, because the program is that of a subdomain. Only in
  // programs with one domain.
  std::vector<std::array<int64_t, 2>> rim = {};
  std::shared_ptr<const Subdomain> subdomain = {};  // set by decompose::restrict_to()
};

struct Program {
  std::string name;           // from the file name, a valid C identifier
  Scalar real = Scalar::F32;  // what `real` means
  FpMode fp = FpMode::Contract;
  IdVector<ParamId, Param> params;
  IdVector<DomainId, Domain> domains = {Domain{}};  // at least one
  std::optional<Affine> steps;                      // nullopt: every run must specify the number
  IdVector<FieldId, Field> fields;
  std::vector<Function> functions;  // in the order in which `start` and the step first apply them
  Sequence start = {};              // applied once, before the first step of a run from step 0
  While run = {};                   // the loop over the steps
  std::vector<Init> inits;  // at most one per field, in order; a field without one starts at 0
  IdVector<ReductionId, Reduction> reductions;
  std::vector<Requirement> requirements;
  std::vector<Check> checks;  // conditions that sema could not prove because params are open
  std::vector<StepLimit> step_limits;
  // Affine functions of the open params that are nonnegative in every valid run.
  std::vector<Affine> facts = {};
  Origin origin = {};

  // The domain of the functions of a phase. In a whole program, the first one, from which the
  // others are derived.
  const Domain& domain() const { return domains[domain_id()]; }
  Domain& domain() { return domains[domain_id()]; }
  const Box& grid() const { return domain().box; }
  DomainId domain_id() const { return origin.phase ? functions.front().domain : DomainId(0); }
};
// The index maps of accesses at the points of domain `from` to a field of domain `to`, with offset
// 0: one per dimension. Offsets count points of the finer grid.
std::vector<IndexMap> maps_between(const Program& program, DomainId from, DomainId to);

// The given rule on all sides of all dimensions.
std::vector<Boundary> uniform_boundary(int rank, const BoundaryRule& rule);
// True if an access may leave the field in dimension d on a side that has a rule of this kind. On
// the whole grid, an access may leave the field on the side that its offset points to; near a
// sub-grid, on both.
bool meets(const Field& field, const Access& access, size_t d, BoundaryKind kind);

// Calls `visit` with every step of the sequence in order, outer ones first.
template <class Visit>
void for_each_step(const Sequence& sequence, const Visit& visit) {
  for (const Step& step : sequence) {
    visit(step);
    if (const auto* inner = std::get_if<Sequence>(&step.kind)) for_each_step(*inner, visit);
    if (const auto* repeat = std::get_if<Repeat>(&step.kind)) for_each_step(repeat->body, visit);
    if (const auto* loop = std::get_if<While>(&step.kind)) for_each_step(loop->body, visit);
  }
}

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

// The parts of a step. Evaluations stand before each phase and at the end of the step; they may be
// empty. If nothing cuts the step, there is one phase with one iteration.
std::vector<StepPart> parts_of_step(const Program& program);
// The parts of `start`, which have no evaluations.
std::vector<StepPart> parts_of_start(const Program& program);
// The evaluations and phases of a step in the order of the text, without the loops around them.
std::vector<std::variant<Evaluations, Phase>> leaves_of_step(const Program& program);
// The phases of a step, in the order of the text, and those of `start`.
std::vector<Phase> phases(const Program& program);
std::vector<Phase> phases_of_start(const Program& program);
// True if something cuts the step, even if it has only one phase. A program is also cut if it has
// functions of other domains than the first, or if it does not apply all functions in their order,
// each once.
bool cuts_steps(const Program& program);
// A sequence that applies functions 0, 1, ... in order.
Sequence applied_in_order(size_t functions);
// A phase as a program of its own, whose step is one iteration of the phase. It has all fields,
// params and axes of `whole`, but only the functions of the phase, and no inits, reductions or stop
// condition. `whole` must outlive the result.
Program phase_program(const Program& whole, const Phase& phase);
// The program that `program` is a phase of, or `program` itself.
const Program& whole_of(const Program& program);
// True if all iterations of a time tile have the same `time`, because they belong to one step.
bool time_stands_still(const Program& program);
// Phase::advanced if the program is a phase.
std::vector<bool> advanced_before(const Program& program);

}  // namespace stencil::ir
