// The boundary rules of fields, as a table (boundaries.def).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace stencil {

enum class BoundaryKind {
#define STENCIL_BOUNDARY(kind, keyword, takes, image, sign, addend, adjoint, documentation) kind,
#include "compiler/support/boundaries.def"
};

enum class BoundaryTakes { Nothing, Value, Slope };
enum class BoundaryImage { Nowhere, Given, Edge, Point, Cell, Line, Wrap };
enum class BoundaryAddend { None, Rise, Twice };

// A row of boundaries.def, which describes the members.
struct BoundaryRow {
  BoundaryKind kind;
  std::string_view keyword;
  BoundaryTakes takes;
  BoundaryImage image;
  int sign;
  BoundaryAddend addend;
  std::string_view adjoint, documentation;

  bool takes_value() const { return takes != BoundaryTakes::Nothing; }
  // The rule gives the value of the field at the image, without sign and addend. Schedules accept
  // these rules; passes replace all others by selects (compiler/ir/lower/boundaries.h).
  bool plain() const;
  // The plain rule that finds the image of a place.
  BoundaryKind stored() const;
};

// All rules, in the order of BoundaryKind.
const std::vector<BoundaryRow>& boundary_rows();
const BoundaryRow& row_of(BoundaryKind kind);
// The rule with this keyword.
std::optional<BoundaryKind> find_boundary(std::string_view keyword);

}  // namespace stencil
