// The boundary rules of fields, as a table (boundaries.def).
#pragma once

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

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

  constexpr bool takes_value() const { return takes != BoundaryTakes::Nothing; }
  // The letter that stands for the value in messages and documentation.
  constexpr std::string_view value_name() const {
    return takes == BoundaryTakes::Nothing ? "" : takes == BoundaryTakes::Value ? "c" : "g";
  }
  // The rule gives the value of the field at the image, without sign and addend. Schedules accept
  // these rules; passes replace all others by selects (compiler/ir/lower/boundaries.h).
  constexpr bool plain() const {
    return sign > 0 && addend == BoundaryAddend::None && image != BoundaryImage::Cell &&
           image != BoundaryImage::Line;
  }
  // The image of a place beyond one edge lies at the opposite edge, so both edges of a dimension
  // must have the same rule.
  constexpr bool joins_edges() const { return image == BoundaryImage::Wrap; }
  // The plain rule that finds the image of a place.
  constexpr BoundaryKind stored() const;
};

// All rules, in the order of BoundaryKind.
inline constexpr BoundaryRow kBoundaryRows[] = {
#define STENCIL_BOUNDARY(kind, keyword, takes, image, sign, addend, adjoint, documentation) \
  {BoundaryKind::kind,     keyword, BoundaryTakes::takes, BoundaryImage::image, sign,       \
   BoundaryAddend::addend, adjoint, documentation},
#include "compiler/support/boundaries.def"
};

constexpr BoundaryKind BoundaryRow::stored() const {
  const BoundaryImage found = image == BoundaryImage::Cell   ? BoundaryImage::Point
                              : image == BoundaryImage::Line ? BoundaryImage::Edge
                                                             : image;
  for (const BoundaryRow& row : kBoundaryRows) {
    if (row.plain() && row.image == found) return row.kind;
  }
  return BoundaryKind::None;
}

constexpr const BoundaryRow& row_of(BoundaryKind kind) {
  return kBoundaryRows[static_cast<size_t>(kind)];
}

// The rule with this keyword.
std::optional<BoundaryKind> find_boundary(std::string_view keyword);
// The rule that gives the value at this image, with the sign and without an addend.
std::optional<BoundaryKind> find_boundary(BoundaryImage image, int sign);

// Passes "none, constant c, clamp, ... or periodic", all rules as programs write them, to `add` in
// parts.
template <typename Add>
constexpr void list_boundaries(Add add) {
  for (size_t i = 0; i < std::size(kBoundaryRows); ++i) {
    const BoundaryRow& row = kBoundaryRows[i];
    if (i > 0) add(i + 1 < std::size(kBoundaryRows) ? ", " : " or ");
    add(row.keyword);
    if (row.takes_value()) add(" ");
    add(row.value_name());
  }
}

// The plain rules, with numbers only: "none, a number, clamp, mirror or periodic".
std::string plain_boundary_list();

}  // namespace stencil
