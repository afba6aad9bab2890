// The part of an emitted file for boxes: kernels and entry points of the box program. The functions
// are in a namespace, because the whole program has kernels of the same names.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/box.h"
#include "compiler/emit/declarations.h"
#include "compiler/emit/dialect.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

struct BoxText {
  std::string text;
  std::set<std::string> kernel_helpers, host_helpers;  // that the text uses
  bool uses_double = false;                            // in kernels
};

// `box` must have been legalized by legalise().
BoxText box_part(const BoxPart& box, const Dialect& dialect);

// Declares NAME_box, NAME_memory, NAME_box_steps and the entry points in a file without a header.
void declare_boxes_in_place(Text& out, const BoxPart& box, const Dialect& dialect);

// The declarations of a header, with NAME_halo and documentation for the user.
Declarations box_declarations(const BoxPart& box, const Dialect& dialect);

}  // namespace stencil::emit
