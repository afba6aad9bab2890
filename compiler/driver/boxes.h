// Lowers a box program and makes the part of an emitted file for boxes.
#pragma once

#include <optional>
#include <string>

#include "compiler/decompose/box.h"
#include "compiler/emit/box.h"
#include "compiler/schedule/schedule.h"

namespace stencil {

// The kernels, by a schedule line or "auto". Arrays are the caller's and dense, so exchanges need
// not handle padded rows. Errors: L0xx if the line is refused.
std::optional<kernel::Module> lower_boxes(const decompose::BoxProgram& box, const std::string& line,
                                          schedule::Machine machine, Diagnostics& diagnostics);

// `module` must be that of the box program, with dense rows.
emit::BoxPart box_part(const decompose::BoxProgram& box, kernel::Module module);

}  // namespace stencil
