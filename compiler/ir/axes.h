// The physical coordinates of the grid's points, once the params are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/program.h"
#include "compiler/support/diagnostic.h"

namespace stencil::ir {

// Index i lies at origin + i * spacing. Both are values of the type `real`.
struct AxisValue {
  double origin = 0, spacing = 1;
  double at(int64_t index) const { return origin + static_cast<double>(index) * spacing; }
  friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

// Those of each dimension of the grid, for values of the params by ParamId.
std::vector<AxisValue> axis_values(const Program& program, const std::vector<int64_t>& integers,
                                   const std::vector<double>& reals);
// Those of each dimension of a field. Steps lie at their numbers.
std::vector<AxisValue> axes_of(const Field& field, const std::vector<AxisValue>& grid);
// What a dimension of a field is called: "x" is the grid's last; "time" for steps.
std::string axis_name(const Program& program, const Field& field, size_t d);

// The same for the values that params have in the program; nothing if one that is needed has none.
std::optional<std::vector<AxisValue>> default_axis_values(const Program& program);

// A value in the fewest digits that read back as it in the type `real`.
std::string print_coordinate(const Program& program, double value);

// The values of no param are needed.
bool is_known(const Axis& axis);

// Appends S046 for axes that are not admissible: for values of the params, or of those that are
// known without any.
void check_axes(const Program& program, const std::vector<int64_t>& integers,
                const std::vector<double>& reals, Diagnostics& out);
void check_known_axes(const Program& program, Diagnostics& out);

}  // namespace stencil::ir
