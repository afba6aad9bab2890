// The choice of a layout. It costs memory and changes no result, so it is made by a rule: rows that
// are multiples of 16 bytes already stay as they are; others are padded to the larger of 32 and 16
// bytes that takes at most an eighth of the row more. A row whose length is open is taken for a
// long one.
#include "compiler/schedule/parts/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"

namespace stencil::schedule {

namespace {

constexpr int64_t kVector = 16;                    // bytes: what a thread or a bulk copy moves
constexpr int64_t kSector = 32;                    // bytes: what a GPU's memory moves
constexpr int64_t kCost = 8;                       // padding takes at most one part in so many
constexpr int64_t kLongestRow = int64_t{1} << 30;  // bytes: copies of rows take less than twice it

// The largest power of two known to divide it, at most kSector.
int64_t power_of_two_in(const ir::Affine& value) {
  int64_t bits = value.constant | kSector;
  for (const auto& [param, coefficient] : value.terms) bits |= coefficient;
  return bits & -bits;
}

// Elements that are no points in a row of units; the most there may be if that depends on params.
int64_t padding(const ir::Affine& extent, const ir::Affine& shift, int64_t unit) {
  if (!extent.is_constant() || !shift.is_constant()) return 2 * (unit - 1);
  const int64_t used = (shift.constant & (unit - 1)) + extent.constant;
  return (used + unit - 1) / unit * unit - extent.constant;
}

}  // namespace

RowLayout lay_out_rows(const ir::Program& program, const ir::Field& field, Scalar type, Rows rows) {
  const int64_t size = size_in_bytes(type);
  if (field.read_in_place()) return {0, size};
  const ir::Range& row = field.box.ranges.back();
  const ir::Affine extent = row.high - row.low + 1;
  const ir::Affine shift = row.low - program.grid.ranges.back().low;
  const int64_t alignment =
      std::min(size * std::min(power_of_two_in(extent), power_of_two_in(shift)), kSector);
  const RowLayout dense = {0, alignment};
  if (rows == Rows::Dense || program.grid.rank() == 1 || alignment >= kVector) return dense;
  if (extent.is_constant() && extent.constant > kLongestRow / size) return dense;
  for (const int64_t bytes : {kSector, kVector}) {
    const int64_t unit = bytes / size;
    const int64_t cost = padding(extent, shift, unit);
    if (!extent.is_constant() || kCost * cost <= extent.constant) return {unit, bytes};
  }
  return dense;
}

std::vector<std::string> describe_rows(const kernel::Module& module) {
  const auto constant = [&](const std::string& name) -> std::optional<int64_t> {
    for (const kernel::NamedConstant& known : module.constants) {
      if (known.name == name) return known.value;
    }
    return std::nullopt;
  };
  const auto text = [&](const kernel::Expr& expr) {
    const auto value = kernel::evaluate(expr, constant);
    return value ? fmt::format("{}", *value) : kernel::print(expr);
  };
  std::vector<std::string> lines;
  for (const kernel::Array& array : module.plan.arrays) {
    if (!kernel::is_padded(array)) continue;
    const auto pitch = kernel::evaluate(array.row_pitch, constant);
    lines.push_back(
        fmt::format("{}: {} points in {} elements", array.name, text(array.extents.back()),
                    pitch ? fmt::format("{}", *pitch)
                          : fmt::format("the next multiple of {}",
                                        kernel::known_power_of_two(array.row_pitch, constant))));
    if (array.row_lead) lines.back() += fmt::format(", from element {} on", text(array.row_lead));
  }
  return lines;
}

}  // namespace stencil::schedule
