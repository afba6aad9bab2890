// The part of an emitted file that is for boxes: kernels and entry points of the box program, in a
// namespace, for they are called what those of the whole are called.
#pragma once

#include <set>
#include <string>

#include "compiler/emit/box.h"
#include "compiler/emit/dialect.h"
#include "compiler/emit/text.h"

namespace stencil::emit {

struct BoxText {
  std::string text;
  std::set<std::string> kernel_helpers, host_helpers;  // that it uses
  bool uses_double = false;                            // in kernels
};

// `box` is as legalise() has made it.
BoxText box_part(const BoxPart& box, const Dialect& dialect);

// NAME_box, NAME_memory, NAME_box_steps and the entry points, in a file without a header.
void declare_boxes_in_place(Text& out, const BoxPart& box, const Dialect& dialect);

// For a header: these, NAME_halo, and what their user has to know.
void declare_boxes(Text& out, const BoxPart& box, const Dialect& dialect);

}  // namespace stencil::emit
