// What every module lowered from one program has in common, and points and boxes of its grid as
// kernel expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/parts/names.h"
#include "compiler/schedule/parts/rows.h"

namespace stencil::schedule {

// A point of the grid: one I32 expression per dimension, outermost first, in grid coordinates.
using Point = std::vector<kernel::Expr>;

// What is common to every module lowered from one program, whatever the schedule. That of a phase
// is the whole program's.
class Interface {
 public:
  explicit Interface(const ir::Program& program, Rows rows = Rows::Dense);

  const ir::Program& program() const { return program_; }
  int rank() const { return program_.grid.rank(); }
  const Names& names() const { return names_; }
  // For further kernels and memory of a module: with the names of those that it has taken.
  Names names_in(const kernel::Module& module) const;

  // The module without kernels and actions: constants, arrays (with one copy each), params, checks.
  kernel::Module empty_module() const;

  // Of the plan: that of a set of points.
  const kernel::PointSet& point_set(ir::FieldId set) const;

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
  void limit_coordinates(std::vector<kernel::Check>& checks) const;
  kernel::Expr lead(ir::FieldId field, int component) const;  // of its rows
  void lay_out(Rows rows);
  void provide_points(ir::FieldId set);

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
  std::vector<kernel::PointSet> point_sets_;
  std::map<ir::FieldId, int> set_of_field_;
  std::vector<kernel::Scratch> tables_;  // of points: the first of the plan's scratch memory
};

// The coordinate names of a grid: {"x"}, {"y", "x"}, ... {"w", "z", "y", "x"}, ...
std::vector<std::string> axis_names(int rank);

}  // namespace stencil::schedule
