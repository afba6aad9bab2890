// The building blocks that all schedule families share: names, the interface of a module (arrays,
// params, checks), points and boxes as kernel expressions, the evaluation of a piece at a point,
// and the division of a box into tiles.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/analysis/tiles.h"
#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/rows.h"

namespace stencil::schedule {

// Hands out names that are unique in a kernel and its module. What the program calls something
// keeps that name; what the compiler makes up gets a number if the program uses the name anywhere,
// be it in another kernel.
class Names {
 public:
  // What others have handed out, which a name is to differ from as well.
  using Apart = std::initializer_list<const Names*>;
  // For what the compiler makes up.
  std::string unique(const std::string& wanted, Apart apart = {});
  // For what the program calls so; numbered only where something of that name is in scope.
  std::string keep(const std::string& name, Apart apart = {});
  // For a value with this ir::Node::hint, which may be empty.
  std::string name(const std::string& hint, Apart apart = {}) {
    return hint.empty() ? unique("v", apart) : keep(hint, apart);
  }
  void reserve(const std::string& name) { taken_.insert(name); }
  void reserve(const Names& names) { taken_.insert(names.taken_.begin(), names.taken_.end()); }
  // The program calls something so, somewhere.
  void set_aside(const std::string& name) { set_aside_.insert(name); }

 private:
  bool is_free(const std::string& name, Apart apart) const;

  std::set<std::string> taken_, set_aside_;
};

// A point of the grid: one I32 expression per dimension, outermost first, in grid coordinates.
using Point = std::vector<kernel::Expr>;

// What is common to every module lowered from one program, whatever the schedule.
class Interface {
 public:
  explicit Interface(const ir::Program& program, Rows rows = Rows::Dense);

  const ir::Program& program() const { return program_; }
  int rank() const { return program_.grid.rank(); }
  const Names& names() const { return names_; }

  // The module without kernels and actions: constants, arrays (with one copy each), params, checks.
  kernel::Module empty_module() const;

  int array_of(ir::FieldId field, int component) const;  // index into Plan::arrays
  int components(ir::FieldId field) const;
  kernel::Expr param(ir::ParamId id) const;  // the variable it is in kernels

  kernel::Expr affine(const ir::Affine& value) const;       // I32
  kernel::Expr affine_long(const ir::Affine& value) const;  // I64
  kernel::Expr low(const ir::Box& box, int dimension) const {
    return affine(box.ranges[static_cast<size_t>(dimension)].low);
  }
  // The upper bound, written with the named size of the grid where that reads better.
  kernel::Expr high(const ir::Box& box, int dimension) const;
  kernel::Expr extent(const ir::Box& box, int dimension) const;  // I32, number of points

  // point lies in `box`; comparisons that hold for every point of `within` (if given) are left out.
  kernel::Expr inside(const Point& point, const ir::Box& box,
                      const ir::Box* within = nullptr) const;

  // The index of a point in the memory of a field's component.
  std::vector<kernel::Expr> index(const Point& point, ir::FieldId field, int component) const;
  // Rows are cut into vectors of `length` elements, a power of two whose bytes row_alignment() is
  // a multiple of: the places in x where the first vector with points of the field begins, and
  // the last.
  kernel::Expr first_vector(ir::FieldId field, int component, int64_t length) const;
  kernel::Expr last_vector(ir::FieldId field, int component, int64_t length) const;
  int64_t row_alignment(ir::FieldId field, int component) const;  // RowLayout::alignment

  kernel::Buffer global_buffer(ir::FieldId field, int component, std::string name,
                               bool read_only) const;
  std::string array_name(ir::FieldId field, int component) const;
  // "A" for level 0, "A_1" for level @-1, "A_next" and "A_next_1" for spares, as many as there are
  // levels, or what is free instead.
  std::string slot_name(ir::FieldId field, int component, int slot) const;

 private:
  bool wide(const ir::Box& box, bool padded) const;  // may take 2^31 elements or more
  void set_program_names_aside();
  void name_sizes();
  kernel::Expr lead(ir::FieldId field, int component) const;  // of its rows
  void lay_out(Rows rows);

  const ir::Program& program_;
  Names names_;
  std::vector<kernel::NamedConstant> sizes_;  // size_x, size_y, ... where the grid's are known, and
                                              // pitches of rows
  std::vector<std::string> param_names_;      // in kernels, by ParamId
  std::vector<std::vector<std::string>> slot_names_;  // [array][slot]
  std::vector<std::vector<int>> first_array_;         // [field][component]
  std::vector<kernel::Array> arrays_;
  std::vector<int64_t> alignments_;  // of rows, by array
  std::vector<kernel::Parameter> parameters_;
};

// The coordinate names of a grid: {"x"}, {"y", "x"}, ... {"w", "z", "y", "x"}, ...
std::vector<std::string> axis_names(int rank);

// --- Evaluating a piece
// -------------------------------------------------------------------------------

class Landings;  // boundaries, below

// The value of an access when the piece is evaluated at `point`.
using ReadAccess = std::function<kernel::Expr(const ir::Access&, Landings&)>;
// The value of a reduction; only a stop condition needs one.
using ReadReduction = std::function<kernel::Expr(ir::ReductionId)>;

class KernelScope;  // kernel_scope.h

// Evaluates every result of a graph at `point`: appends lets for values that are named or used more
// than once to `body` and returns one expression per result. What is the same at all points becomes
// a value of the whole kernel instead. `time` (I32) is the index of the running step. `names` keeps
// the lets apart from what is in scope.
std::vector<kernel::Expr> evaluate(const Interface& interface, const ir::Graph& graph,
                                   const std::vector<ir::NodeId>& results, const Point& point,
                                   const kernel::Expr& time, const ReadAccess& read,
                                   KernelScope& scope, Names names, kernel::Body& body,
                                   const ReadReduction& reductions = {});

// A graph over params alone (a requirement, a param that follows from others) as one expression.
kernel::Expr value_on_params(const Interface& interface, const ir::Graph& graph, ir::NodeId value);

// --- Boundaries
// -----------------------------------------------------------------------------------------

// Where an access lands: the coordinates it reads after the field's boundary rules, which lie in
// the field, and the constants that count instead: the first whose `inside` does not hold.
struct Landing {
  struct Constant {
    kernel::Expr inside;
    double value;
  };
  Point point;
  std::vector<Constant> constants;
};
Landing land(const Interface& interface, const ir::Access& access, const Point& from);

// The same for all accesses of a piece evaluated at one point. What a rule makes of a coordinate
// depends on dimension, offset, rule and domain: if several accesses land there, or if it is used
// again and again, it becomes a let of `body` when it is first asked for.
class Landings {
 public:
  Landings(const Interface& interface, const ir::Graph& graph, const std::vector<bool>& needed,
           const Point& from, Names& names, kernel::Body& body);

  // `again`: the landing's coordinates are used several times for this access alone.
  Landing land(const ir::Access& access, bool again = false);

 private:
  struct Coordinate {
    kernel::Expr at;                       // null: not asked for yet
    kernel::Expr inside_low, inside_high;  // null: no constant on that side
    int uses = 0;
  };
  // Dimension, offset, escapes, rules, and the range of the domain.
  using Key = std::vector<int64_t>;
  Key key_of(const ir::Access& access, size_t d) const;

  const Interface& interface_;
  const Point& from_;
  Names& names_;
  kernel::Body& body_;
  std::map<Key, Coordinate> coordinates_;
};
// The value of an access: `loaded`, which was read at the landing, or one of its constants.
kernel::Expr apply_boundary(const Landing& landing, kernel::Expr loaded);

struct FarRead {
  size_t function;  // that reads, into Program::functions
  ir::FieldId field;
  Span span;  // of the access
};
// All accesses that land far (analysis::lands_far), function by function.
std::vector<FarRead> far_reads(const ir::Program& program);

// Dimensions in which a tile holds images of the points on the far side of the grid instead of
// applying the rule of a periodic field: those in which a field that is periodic there, and spans
// the grid, is read across its edge. `written_only`: fields that nobody writes do not count, for
// they are read from memory.
std::vector<bool> image_dimensions(const ir::Program& program, bool written_only);

// The point of a place in a tile lies in `box`. In dimensions with images it is a point of the
// grid; in others the place itself, which may lie beyond the grid.
kernel::Expr exists(const Interface& interface, const Point& point, const ir::Box& box,
                    const std::vector<bool>& images);

// The coordinate, in dimension d, of the point that a place is an image of. The place lies at most
// `below` points below the box and `above` points above it.
kernel::Expr wrap(const Interface& interface, const ir::Box& box, int d, const kernel::Expr& at,
                  int64_t below, int64_t above);

// --- Tiling
// ------------------------------------------------------------------------------------------

// A box cut into equal tiles, one per thread block; tiles are numbered with x running fastest.
struct Tiling {
  kernel::Expr blocks;  // I64: number of tiles
  kernel::Body lets;    // defines the origin of this block's tile, from `block`
  Point origin;         // grid coordinates of the tile's first point
};
struct TileLength {
  int64_t points;
  kernel::Expr expr;  // the same as I32: a literal or a named constant
};
// `lengths`: per dimension, outermost first.
Tiling tile_box(const Interface& interface, const ir::Box& box,
                const std::vector<TileLength>& lengths, Names& names);

// Steps of the tiles that a schedule's kernels serve: T, T/2, ... 1, so that any number of steps is
// done with at most two launches of each of the shorter ones.
std::vector<int> tile_sizes(int time_tile);

// A kernel that serves tiles of one number of steps, to be added to the module.
struct KernelOfSteps {
  const Interface& interface;
  std::string name;
  int steps;
  bool or_fewer;  // it serves tiles of fewer steps as well
  kernel::Module& module;
};
// The module of a schedule, with one kernel for tiles of any size or one for each of tile_sizes(),
// named after the program and `what`; `add` makes one of them, with its launch.
kernel::Module lower_tile_sizes(const ir::Program& program, const Schedule& schedule,
                                const std::string& what, bool one_kernel,
                                const std::function<void(const KernelOfSteps&)>& add);

// How many tiles of a length, laid side by side, cover dimension d of the grid but for `spared` of
// its points; at least one if it has points at all. I32.
kernel::Expr tiles_along(const Interface& interface, int d, const TileLength& length,
                         int64_t spared);

// Threads and elements of a schedule, given x first, for dimension d of a grid of `rank` (outermost
// first).
int along(const Shape& shape, int rank, int dimension);

// The variables through which a kernel knows its place in time (I32).
inline kernel::Expr first_step() {
  return kernel::variable("first_step");
}  // of this tile
inline kernel::Expr step_count() {
  return kernel::variable("steps");
}  // to do in this tile

// Gives the kernel a scalar argument for each param, first_step and steps that its body and buffers
// name, and the launch the values to pass.
void bind_scalars(const kernel::Plan& plan, kernel::Kernel& kernel, kernel::Launch& launch);

// The comment lines on fields and params that every module's header carries.
std::vector<std::string> describe(const ir::Program& program);
// One line per field level that a time tile of `steps` needs: how far beyond the tile, per
// dimension.
std::vector<std::string> describe_halos(const ir::Program& program, int steps);

}  // namespace stencil::schedule
