// Chooses the layout of rows. The layout affects memory use but no results, so a fixed rule chooses
// it. Rows that are already multiples of 16 bytes stay dense. Others are padded to multiples of 32
// bytes, or 16 bytes if 32 would add more than an eighth. Rows of open length are assumed to be
// long.
#include "compiler/schedule/common/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"

namespace stencil::schedule {

namespace {

constexpr int64_t kVector = 16;                    // bytes that a thread or a bulk copy moves
constexpr int64_t kSector = 32;                    // bytes: granularity of GPU memory
constexpr int64_t kCost = 8;                       // padding may take at most 1/kCost of the row
constexpr int64_t kLongestRow = int64_t{1} << 30;  // bytes; row copies must be below twice this

// The largest power of two known to divide the value, at most kSector.
int64_t power_of_two_in(const ir::Affine& value) {
  int64_t bits = value.constant | kSector;
  for (const auto& [param, coefficient] : value.terms) bits |= coefficient;
  return bits & -bits;
}

// Padding elements of a row; an upper bound if it depends on params.
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
  const ir::Affine shift = row.low - program.domains[field.domain].box.ranges.back().low;
  const int64_t alignment =
      std::min(size * std::min(power_of_two_in(extent), power_of_two_in(shift)), kSector);
  const RowLayout dense = {0, alignment};
  if (rows == Rows::Dense || program.grid().rank() == 1 || alignment >= kVector) return dense;
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
