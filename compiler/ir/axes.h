// Physical coordinates of the grid points for given values of the params.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// Index i lies at origin + i * spacing. Both values are exact in the type `real`.
struct AxisValue {
  double origin = 0, spacing = 1;
  double at(int64_t index) const { return origin + static_cast<double>(index) * spacing; }
  friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

// Where the points of a domain lie in dimension d, in indices of the first domain: index i lies at
// ratio * i + shift. A point of a grid of cells lies in the middle of the cells that it covers.
struct PlaceInFirstDomain {
  double ratio = 1, shift = 0;
};
PlaceInFirstDomain place_in_first_domain(const Program& program, DomainId domain, int d);

// The axes of the first grid, per dimension, for values of the params by ParamId.
std::vector<AxisValue> axis_values(const Program& program, const std::vector<int64_t>& integers,
                                   const std::vector<double>& reals);
// The axes of a field, per dimension, from those of the first grid. Steps and numbers of points are
// their own coordinates.
std::vector<AxisValue> axes_of(const Program& program, const Field& field,
                               const std::vector<AxisValue>& first);
// True if the coordinates of the field's points are their indices, because the program gives none.
bool indices_are_coordinates(const Program& program, const Field& field);
// The name of dimension d of a field: "x" for the grid's last dimension, "time" for steps, "point"
// for the points of a set.
std::string axis_name(const Program& program, const Field& field, size_t d);

// The axes of the first grid for the default values of the params. nullopt if a param that the axes
// need has no default.
std::optional<std::vector<AxisValue>> default_axis_values(const Program& program);

// The shortest decimal text that reads back as `value` in the type `real`.
std::string print_coordinate(const Program& program, double value);

// True if the axis depends on no param.
bool is_known(const Axis& axis);

// Both functions append S046 for axes that are not admissible. check_axes checks the axes for the
// given values of the params; check_known_axes checks the axes that depend on no param.
void check_axes(const Program& program, const std::vector<int64_t>& integers,
                const std::vector<double>& reals, Diagnostics& out);
void check_known_axes(const Program& program, Diagnostics& out);

}  // namespace stencil::ir
