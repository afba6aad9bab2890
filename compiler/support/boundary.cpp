// The table of boundary rules and what follows from a row.
#include "compiler/support/boundary.h"

namespace stencil {

bool BoundaryRow::plain() const {
  return sign > 0 && addend == BoundaryAddend::None && image != BoundaryImage::Cell &&
         image != BoundaryImage::Line;
}

BoundaryKind BoundaryRow::stored() const {
  switch (image) {
    case BoundaryImage::Nowhere:
      return BoundaryKind::None;
    case BoundaryImage::Given:
      return BoundaryKind::Constant;
    case BoundaryImage::Edge:
    case BoundaryImage::Line:
      return BoundaryKind::Clamp;
    case BoundaryImage::Point:
    case BoundaryImage::Cell:
      return BoundaryKind::Mirror;
    case BoundaryImage::Wrap:
      return BoundaryKind::Periodic;
  }
  return BoundaryKind::None;
}

const std::vector<BoundaryRow>& boundary_rows() {
  static const std::vector<BoundaryRow> kRows = {
#define STENCIL_BOUNDARY(kind, keyword, takes, image, sign, addend, adjoint, documentation) \
  {BoundaryKind::kind,     keyword, BoundaryTakes::takes, BoundaryImage::image, sign,       \
   BoundaryAddend::addend, adjoint, documentation},
#include "compiler/support/boundaries.def"
  };
  return kRows;
}

const BoundaryRow& row_of(BoundaryKind kind) {
  return boundary_rows()[static_cast<size_t>(kind)];
}

std::optional<BoundaryKind> find_boundary(std::string_view keyword) {
  for (const BoundaryRow& row : boundary_rows()) {
    if (row.keyword == keyword) return row.kind;
  }
  return std::nullopt;
}

}  // namespace stencil
