// Physical coordinates of the grid: the attributes `origin` and `spacing`, and the functions that
// read them.
#pragma once

#include <optional>
#include <string>

#include "compiler/sema/environment.h"

namespace stencil::sema {

enum class Coordinate { Position, Origin, Spacing };

// The coordinate function with this name. A declaration of the program may reuse the name.
std::optional<Coordinate> coordinate_named(const std::string& name);

// Sets ir::Program::axes from the attributes of the grid. Must run after the functions are
// declared, because these attributes may apply them.
void declare_coordinates(Environment& env, const ast::Grid& grid);

}  // namespace stencil::sema
