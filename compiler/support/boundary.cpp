// The table of boundary rules and what follows from a row.
#include "compiler/support/boundary.h"

#include <vector>

namespace stencil {

std::optional<BoundaryKind> find_boundary(std::string_view keyword) {
  for (const BoundaryRow& row : kBoundaryRows) {
    if (row.keyword == keyword) return row.kind;
  }
  return std::nullopt;
}

std::optional<BoundaryKind> find_boundary(BoundaryImage image, int sign) {
  for (const BoundaryRow& row : kBoundaryRows) {
    const bool found = row.image == image && row.sign == sign;
    if (found && row.addend == BoundaryAddend::None) return row.kind;
  }
  return std::nullopt;
}

std::string plain_boundary_list() {
  std::vector<std::string_view> names;
  for (const BoundaryRow& row : kBoundaryRows) {
    if (row.plain()) names.push_back(row.takes_value() ? "a number" : row.keyword);
  }
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 < names.size() ? ", " : " or ";
    out += names[i];
  }
  return out;
}

}  // namespace stencil
