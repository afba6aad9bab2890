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
// A graph instead of a tree: common subexpressions are one node, every pass is a loop over a vector
// (no recursion, no depth limit), and the interpreter runs it as it stands.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "compiler/ir/affine.h"
#include "compiler/ir/part.h"
#include "compiler/support/scalar.h"
#include "compiler/support/shape.h"
#include "compiler/support/source.h"

namespace stencil::ir {

using FieldId = int;
using NodeId = int;
using ReductionId = int;

// Steps are counted in 32 bits, as `time` is.
constexpr int64_t kLastStep = (int64_t{1} << 31) - 1;

// Coordinates lie within +-kLargestCoordinate, an extent is at most that, and an offset at most
// kLargestOffset, so that index arithmetic in 32 bits cannot overflow anywhere.
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

enum class BoundaryKind { None, Constant, Clamp, Mirror, Periodic };

// What an access finds beyond one edge of a field. Clamp reads the edge point. Mirror reflects
// about it without repeating it (index -1 reads 1); where that leads beyond the other edge, the
// rule there holds, so between two mirrors again and again, and an extent of 1 then reads its only
// point. Periodic wraps. None: there is no such access.
struct BoundaryRule {
  BoundaryKind kind = BoundaryKind::None;
  std::vector<double> values;  // of BoundaryKind::Constant, one per component
  friend bool operator==(const BoundaryRule&, const BoundaryRule&) = default;
};
// The rules of one dimension. Periodic on both sides or on neither.
struct Boundary {
  BoundaryRule low, high;
  bool periodic() const { return low.kind == BoundaryKind::Periodic; }
  bool has(BoundaryKind kind) const { return low.kind == kind || high.kind == kind; }
  friend bool operator==(const Boundary&, const Boundary&) = default;
};

// What a dimension of a field is that is none of the grid: the steps of the run, or the points of a
// set.
constexpr int kTime = -1;
constexpr int kPoints = -2;

// A field has a value at every point of a box of the grid, or is a profile, which lacks some of the
// grid's dimensions, or a series, which has a value for every step. Profiles and series are read
// where they are in memory, whatever the schedule, and are constant, of one level; but for a
// profile that a reduction makes (Reduction::target), which has another level where NAME@-1 is
// read. A record (Reduction::at) is a series that fills as the run goes, and nothing reads it.
//
// A set of points is a field over their numbers: where each of them lies, in grid coordinates, as
// F64 components, a dimension after the other; with weights of the program's, these follow, the
// `width` of dimension 0 first. A field may have a value for each point of a set. At a point of the
// grid, an access of it is the sum of those values, each times the weight that its point has there;
// one of the set is the sum of the weights (compiler/reference/points.h).
struct Field {
  std::string name;
  std::vector<Component> components;
  Box box;          // the points that exist, in grid coordinates; steps count from 0
  int history = 1;  // levels that exist: @0, @-1, ... @-(history-1)
  bool constant = false;
  // Per dimension, outermost first. Dimensions are independent of each other; if several find a
  // constant, the first one's counts.
  std::vector<Boundary> boundary;
  Span span;
  // What the dimensions of the box are: kTime, or numbers of the grid's, ascending. Empty: those of
  // the grid.
  std::vector<int> dimensions = {};

  // Of a set of points, and of what has a value for each of them: the set.
  std::optional<FieldId> points = {};
  // Of a set of points: how many points of the grid each of them weighs in a dimension; 0: of none.
  int width = 0;
  bool weighted = false;           // by the program; else multilinear, with a width of 2
  std::optional<Box> within = {};  // of a set: where its points have to lie

  int dimension(size_t d) const { return dimensions.empty() ? static_cast<int>(d) : dimensions[d]; }
  bool is_series() const { return !dimensions.empty() && dimensions.front() == kTime; }
  bool read_in_place() const { return !dimensions.empty(); }
  bool is_point_set() const { return width > 0; }
};

// --- Graph nodes
// -----------------------------------------------------------------------------------

// A literal of the node's type: `integer` for Bool (0/1), I32, I64; `real` for floats (an F32
// node's value is already rounded to float).
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
// The value that a reduction has, or the one that its last evaluation has replaced. In Stop; and,
// of reductions with a place in the step, in functions and reductions.
struct ReductionRef {
  ReductionId reduction;
  bool replaced = false;
  friend bool operator==(const ReductionRef&, const ReductionRef&) = default;
};
// How many points a region reaches beyond a field's box, in one dimension, at either end: 0 if it
// ends within. Nothing where it is not known to be at most kMostExcess.
struct Excess {
  std::optional<int64_t> below, above;
  friend bool operator==(const Excess&, const Excess&) = default;
};
constexpr int64_t kMostExcess = 4;
struct Access {
  FieldId field;
  int component;             // into Field::components
  int level;                 // 0 is the newest, 1 is @-1, ...
  std::vector<int> offsets;  // relative to the point and the step, one per dimension of the field
  // Per dimension: some point of the region may reach below/above the field's box, so the rule of
  // that side applies. Bits 2d (below) and 2d+1 (above). Zero where the rule is BoundaryKind::None.
  uint32_t escapes = 0;
  // Per dimension, of the region beyond the field's box: it bounds how far from the point a
  // boundary rule leads. Empty if nothing escapes.
  std::vector<Excess> excess = {};
  bool in_place = false;   // Field::read_in_place
  bool per_step = false;   // and it has no dimension but time: one value for all points
  bool at_points = false;  // likewise in place: of a set of points, or a value for each of one
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
  Scalar type;  // of the value: never a storage type except for Convert results that are stored
  Span span;
  std::string hint;  // name of the `let` it came from, for readable output; may be empty
};

// An expression graph. `add` returns an existing node if an equal one (kind and type) is there.
class Graph {
 public:
  NodeId add(Node node);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](NodeId id) const { return nodes_[static_cast<size_t>(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  void name(NodeId id, const std::string& hint);  // keeps the first name given

 private:
  std::vector<Node> nodes_;
  std::unordered_multimap<uint64_t, NodeId> index_;  // hash of kind and type -> node
};

// A default that depends on other params. Wherever params get their values it is computed from
// theirs (derive_params), as written: each operation rounded by itself, floats in double.
struct Derivation {
  Graph graph;       // over params declared before
  NodeId value = 0;  // of the param's type
  std::string text;  // as written
};

struct Param {
  std::string name;
  Scalar type;
  std::optional<double> real_value;      // default or -D, float types
  std::optional<int64_t> integer_value;  // default or -D, integer types
  Span span;
  bool fixed = false;  // --fix, float types: real_value is part of the code
  // Unless a value is given; the values above are then those that it has with all defaults.
  std::optional<Derivation> derived = {};
  // Integer types: an affine function of open params, which stands for the param in the code.
  std::optional<Affine> affine = {};

  // The value is in the code: no graph refers to the param, and nobody gives it at run time.
  bool folded() const { return integer_value || fixed || affine; }
  // Integer params that take part in bounds and get a value before a run.
  bool open() const { return !is_float(type) && !folded(); }
};

// Expressions evaluated at every point of a box. The type of results[c] is the type of component c
// of what is written (for a storage type, the graph ends in a Convert to it); the components of
// several targets follow one another.
struct Piece {
  Box region;
  std::vector<std::string> index_names;  // per dimension; "" if the program gives none
  Graph graph;
  std::vector<NodeId> results;
  Span span;
};

struct Function {  // a stencil function
  std::string name;
  std::vector<FieldId> targets;  // at least one, each once, all on one box
  std::vector<Piece> pieces;
  Span span;
};

// Functions that run several times in order within each step. `time` stands still meanwhile.
struct Repeat {
  size_t first = 0, end = 0;  // into Program::functions: [first, end), at least one
  int64_t iterations = 1;     // above 1
  Span span;
};

struct Init {  // initial value of every level of a field, over its whole box
  FieldId field;
  Piece piece;
};

struct Program;

enum class Reducer { Sum, Prod, Min, Max };
// What combining values of this type begins with: 0, 1, the largest or the least value.
Constant neutral(Reducer reducer, Scalar type);
// Evaluated after steps every, 2*every, ... It gives one value or, over some of the grid's
// dimensions, a profile that has the others, with a value for every index of the region there.
struct Reduction {
  std::string name;
  Reducer reducer;
  Piece piece;  // one result: the value to reduce
  int64_t every = 1;
  Span span;
  // If functions or reductions read it: evaluated within every step instead, once so many functions
  // have run.
  std::optional<size_t> place = {};
  std::optional<FieldId> target = {};  // the profile or series; none: one value
  // Of a record: the set of points. Each evaluation fills the next row of the target, a series at
  // these points, with the sum of what is reduced at the grid points that the point weighs, times
  // their weights (compiler/reference/points.h).
  std::optional<FieldId> at = {};
};

// The order of a reduction (docs/reference/language.md), made for parallel machines and independent
// of all of them: the region is cut into tiles from its low corner on. Lane l of a tile takes the
// tile's points l, l + kReductionLanes, ... (numbered row-major within a whole tile), then lanes
// are combined pairwise: lane l with lane l + s for s = kReductionLanes/2, ... 2, 1. The values of
// the tiles, numbered row-major, are combined in the same way. One that gives a profile does so
// with the box of reduced dimensions at each of its points, by fewer lanes.
constexpr int kReductionLanes = 256;
constexpr int kProfileLanes = 16;
constexpr int kReductionTilePoints = 1024;
// Points of a tile per dimension, outermost first.
std::vector<int64_t> reduction_tile(int rank);
// The type of a reduction's value, in which it is computed.
Scalar value_type(const Reduction& reduction);
// The component of a field that a record samples as it is, at the end of a step.
struct Sampled {
  FieldId field;
  int component;
};
// Nothing for a record of something else, and in programs whose steps are cut.
std::optional<Sampled> sampled_by(const Program& program, const Reduction& record);
// Of a record, the row that is filled when so many steps are done.
inline int64_t row_at(const Reduction& record, int64_t steps_done) {
  return steps_done / record.every - 1;
}
// The dimensions of the grid that a reduction takes in, ascending.
std::vector<int> reduced_dimensions(const Program& program, const Reduction& reduction);
// The one that gives this profile.
std::optional<ReductionId> reduction_into(const Program& program, FieldId field);
// Those that are evaluated within a step once `functions` functions have run, in order.
std::vector<ReductionId> reductions_at(const Program& program, size_t functions);
// The reductions that a graph reads, in order, each once.
std::vector<ReductionId> reductions_read(const Graph& graph);
// From where something is evaluated between tiles of steps to where it is the next time, at least;
// nothing if nothing is, or if it is within steps, or sampled.
std::optional<int64_t> steps_between_evaluations(const Program& program);
// Some reduction is evaluated within steps.
bool reduces_in_steps(const Program& program);

struct Stop {  // ends the run when true; evaluated after every step at which a reduction it names
               // was
  Graph graph;
  NodeId condition;
  Span span;
};

// Something that must hold before a run: at least one of `any_nonnegative` is >= 0.
struct Check {
  std::vector<Affine> any_nonnegative;
  std::string code;     // of the error it becomes
  std::string message;  // "access A[-2] leaves the grid"
  Span span;
};

// A run may have at most so many steps, for a series has no values for more.
struct StepLimit {
  Affine steps;
  std::string message;  // "series w has values up to time K-1"
  std::string hint;     // what lets it have more
  Span span;
  friend bool operator==(const StepLimit&, const StepLimit&) = default;
};

struct Requirement {  // require condition: a Bool graph over params
  Graph graph;
  NodeId condition;
  std::string text;  // as written
  Span span;
};

// Where the points of a dimension lie in space: index i at i * spacing + origin, both of the type
// `real`, in a graph over params. An admissible spacing is positive, and both are finite.
struct Axis {
  Graph graph;
  NodeId origin, spacing;
  NodeId admissible;                      // a Bool
  std::string origin_text, spacing_text;  // as written
  Span origin_span, spacing_span;         // none where the program does not give it
};

// A run of functions of a step that nothing cuts: neither a reduction with a place in the step nor
// the begin or end of a repeat. Schedules tile each phase by itself.
struct Phase {
  size_t first = 0, end = 0;  // into Program::functions
  int64_t iterations = 1;     // in a step
};

// What a program that is a phase of another one is of.
struct PhaseOf {
  const Program* whole;  // outlives it
  Phase phase;
};

struct Program {
  std::string name;           // from the file name, a valid C identifier
  Scalar real = Scalar::F32;  // what `real` means
  FpMode fp = FpMode::Contract;
  std::vector<Param> params;
  Box grid;
  std::vector<Axis> axes;  // of the grid's dimensions; none: every index i lies at i
  Span grid_span;
  std::optional<Affine> steps;  // nothing: must be given for a run
  std::vector<Field> fields;
  std::vector<Function> functions;
  std::vector<Repeat> repeats = {};  // in order, apart from each other
  std::vector<Init> inits;  // at most one per field, in order; a field without one starts at 0
  std::vector<Reduction> reductions;
  std::optional<Stop> stop;
  std::vector<Requirement> requirements;
  std::vector<Check> checks;  // those that could not be proved because params are open
  std::vector<StepLimit> step_limits;
  std::optional<PhaseOf> phase_of = {};  // only where phase_program() made it
  // Per dimension, or empty: so many points at the low and the high end of the grid need not be
  // right when a time tile is done. A part has such a rim.
  std::vector<std::array<int64_t, 2>> rim = {};
  std::shared_ptr<const Part> part = {};  // only where decompose::restrict_to() made it
};

// The same rule on all sides.
std::vector<Boundary> uniform_boundary(int rank, const BoundaryRule& rule);
// Whether an access may meet such a rule in dimension d, at a side at which it may leave the field.
// On the whole grid that is the side its offset points to; near a sub-grid it may be both.
bool meets(const Field& field, const Access& access, size_t d, BoundaryKind kind);

std::vector<std::string> param_names(const Program& program);
bool writes(const Function& function, FieldId field);
bool is_written(const Program& program, FieldId field);         // by some stencil function
bool changes(const Program& program, FieldId field);            // by one, or by a reduction
bool has_initial_value(const Program& program, FieldId field);  // by an init
bool is_record(const Program& program, FieldId field);          // which fills row by row, in place

// What a result of a function's pieces is for.
struct Output {
  FieldId field;
  int component;
  Scalar type;
};
std::vector<Output> outputs(const Program& program, const Function& function);
const Box& target_box(const Program& program, const Function& function);
std::string target_names(const Program& program, const Function& function);  // "A, B"
// The result is the value that the point has already: nothing has to be written there.
bool keeps(const Piece& piece, NodeId result, const Output& output);

// Number of nodes of `piece` reachable from its results that are arithmetic operations, without
// those that are computed once for all points (uniform.h).
int count_operations(const Piece& piece);

// Floating-point operations (sums, products, quotients, roots, functions, minima, ...) that the
// results of `piece` stand for as the program writes them, whatever --fp is: a fused multiply-add
// is a product and a sum, and what occurs again counts once. Signs, comparisons, selections and
// conversions count nothing, nor does what is computed once for all points.
int count_flops(const Piece& piece);

// The phases of a step, in order; every function is in one of them. One of one iteration if nothing
// cuts the step.
std::vector<Phase> phases(const Program& program);
// There is anything that cuts it.
bool cuts_steps(const Program& program);
// A phase as a program of its own, whose step is one iteration: with the fields, params and axes of
// the whole, and what the kernels of the phase need. `whole` must outlive it.
Program phase_program(const Program& whole, const Phase& phase);
// The program that this one is a phase of, or itself.
const Program& whole_of(const Program& program);
// `time` is that of the first step of a tile in all of them: they are iterations within one step.
bool time_stands_still(const Program& program);
// By FieldId: the fields whose levels have moved on when the program's step begins, because an
// earlier phase has written them.
std::vector<bool> advanced_before(const Program& program);

}  // namespace stencil::ir
