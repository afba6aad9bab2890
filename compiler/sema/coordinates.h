// Physical coordinates of the grid: what `origin` and `spacing` declare, and the functions that
// read it.
#pragma once

#include <optional>
#include <string>

#include "compiler/sema/environment.h"

namespace stencil::sema {

enum class Coordinate { Position, Origin, Spacing };

// The function of that name, which a declaration of the program may take.
std::optional<Coordinate> coordinate_named(const std::string& name);

// ir::Program::axes of the grid's attributes. After the functions, which they may apply.
void declare_coordinates(Environment& env, const ast::Grid& grid);

}  // namespace stencil::sema
