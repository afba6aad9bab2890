// Properties shared by all modules lowered from one program, and points and boxes of its grid as
// kernel expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/kernel/plan.h"
#include "compiler/schedule/common/names.h"
#include "compiler/schedule/common/rows.h"

namespace stencil::schedule {

// A point of the grid: one I32 expression per dimension, outermost first, in grid coordinates.
using Point = std::vector<kernel::Expr>;

// Properties shared by all modules lowered from one program, for any schedule. Phases use the
// interface of the whole program.
class Interface {
 public:
  explicit Interface(const ir::Program& program, Rows rows = Rows::Dense);

  const ir::Program& program() const { return program_; }
  int rank() const { return program_.grid().rank(); }
  const Names& names() const { return names_; }
  // Names for further kernels and memory of a module, excluding names that it already uses.
  Names names_in(const kernel::Module& module) const;

  // A module without kernels and actions: constants, arrays (one copy each), params, checks.
  kernel::Module empty_module() const;

  // The plan's tables of a point set.
  const kernel::PointSet& point_set(ir::FieldId set) const;

  int array_of(ir::FieldId field, int component) const;  // index into Plan::arrays
  int components(ir::FieldId field) const;
  kernel::Expr param(ir::ParamId id) const;  // its variable in kernels

  kernel::Expr affine(const ir::Affine& value) const;       // I32
  kernel::Expr affine_long(const ir::Affine& value) const;  // I64
  kernel::Expr low(const ir::Box& box, int dimension) const {
    return affine(box.ranges[dimension].low);
  }
  // The upper bound, in terms of the grid's named size if the bound is close to it.
  kernel::Expr high(const ir::Box& box, int dimension) const;
  kernel::Expr extent(const ir::Box& box, int dimension) const;  // I32, number of points

  // Condition: `point` lies in `box`. Omits comparisons that hold for every point of `within`.
  kernel::Expr inside(const Point& point, const ir::Box& box,
                      const ir::Box* within = nullptr) const;

  // The index of a point in the memory of a component.
  std::vector<kernel::Expr> index(const Point& point, ir::FieldId field, int component) const;
  // The x coordinates at which the first and the last vector with points of the field start.
  // `length`: elements per vector, a power of two; its size in bytes must divide row_alignment().
  kernel::Expr first_vector(ir::FieldId field, int component, int64_t length) const;
  kernel::Expr last_vector(ir::FieldId field, int component, int64_t length) const;
  int64_t row_alignment(ir::FieldId field, int component) const;  // RowLayout::alignment

  kernel::Buffer global_buffer(ir::FieldId field, int component, std::string name,
                               bool read_only) const;
  std::string array_name(ir::FieldId field, int component) const;
  // "A" for level 0, "A_1" for level @-1, "A_next" and "A_next_1" for spare slots (as many as
  // levels), or a unique variant of these names.
  std::string slot_name(ir::FieldId field, int component, int slot) const;

 private:
  // A known extent of a grid.
  struct NamedSize {
    ir::Range range;
    int dimension;
    std::string name;
  };
  const NamedSize* named_size(const ir::Range& range, int dimension) const;
  bool wide(const ir::Box& box, bool padded) const;  // may have 2^31 elements or more
  void set_program_names_aside();
  void name_sizes();
  void limit_coordinates(std::vector<kernel::Check>& checks) const;
  kernel::Expr lead(ir::FieldId field, int component) const;  // of the component's rows
  void lay_out(Rows rows);
  void provide_points(ir::FieldId set);

  const ir::Program& program_;
  Names names_;
  std::vector<kernel::NamedConstant> sizes_;  // size_x, size_y, ... if the grid's size is known,
                                              // and row pitches
  std::vector<NamedSize> named_sizes_;
  std::vector<std::string> param_names_;              // in kernels, by ParamId
  std::vector<std::vector<std::string>> slot_names_;  // [array][slot]
  std::vector<std::vector<int>> first_array_;         // [field][component]
  std::vector<kernel::Array> arrays_;
  std::vector<int64_t> alignments_;  // of rows, by array
  std::vector<kernel::Parameter> parameters_;
  std::vector<kernel::PointSet> point_sets_;
  std::map<ir::FieldId, int> set_of_field_;
  std::vector<kernel::Scratch> tables_;  // of point sets; the first entries of Plan::scratch
};

// Names of a grid's coordinates: {"x"}, {"y", "x"}, ... {"w", "z", "y", "x"}, ...
std::vector<std::string> axis_names(int rank);

}  // namespace stencil::schedule
