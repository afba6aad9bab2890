// What the header of an emitted file declares, in order, independent of the language. The C header
// (header.cpp) and the Fortran module (fortran_module.cpp) print the same list.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/emit/entry_points.h"
#include "compiler/emit/host_api.h"

namespace stencil::emit {

// A comment. "NULL" stands for the language's null pointer.
struct Note {
  std::string text;
  std::optional<std::string> fortran = {};  // in place of `text`; "": not in Fortran
};

// Describes an array of the entry points: a comment.
struct ArrayNote {
  std::string name;
  Scalar type;
  std::vector<kernel::Expr> extents;  // outermost first
  std::string remark = {};            // ", read only"
  // The name of the constant for its extents, for languages that can declare an array by it. Empty
  // if an extent is not known, or for older levels.
  std::string shape = {};
};

struct Constants {
  std::vector<std::pair<std::string, int64_t>> values;
};

// The halo of a box: points below and above, outermost dimension first.
struct HaloWidths {
  std::string name;
  std::vector<std::array<int64_t, 2>> widths;
};

struct Gap {};  // an empty line

using Declaration =
    std::variant<Note, ArrayNote, Structure, Constants, HaloWidths, EntryPoint, Gap>;
using Declarations = std::vector<Declaration>;

// Everything but the declarations for boxes.
Declarations declarations_of(const kernel::Module& module, const HostApi& api,
                             const Dialect& dialect);

// `module`: the declared one, whose params occur in the sizes of arrays.
void declare_in_c(Text& out, const Declarations& declarations, const kernel::Module& module,
                  const Dialect& dialect);

}  // namespace stencil::emit
