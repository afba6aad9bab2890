// Lowers a box program and makes the part of an emitted file that handles boxes.
#pragma once

#include <optional>
#include <string>

#include "compiler/decompose/box.h"
#include "compiler/emit/box.h"
#include "compiler/schedule/schedule.h"

namespace stencil {

// The kernels of a box program for a schedule line or "auto". The kernels work on the caller's
// dense arrays, so exchanges need not handle padded rows. Errors: L0xx if the line is refused.
std::optional<kernel::Module> lower_boxes(const decompose::BoxProgram& box, const std::string& line,
                                          schedule::Machine machine, Diagnostics& diagnostics);

// `module`: the kernels of `box` from lower_boxes(), which use dense rows.
emit::BoxPart box_part(const decompose::BoxProgram& box, kernel::Module module);

}  // namespace stencil
