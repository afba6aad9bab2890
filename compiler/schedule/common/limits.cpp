#include "compiler/schedule/common/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/common/interface.h"
#include "compiler/schedule/family.h"

namespace stencil::schedule {

namespace {

bool has_elements(const Schedule& schedule) {
  return find_family(schedule.family)->has(shared::kElements);
}

}  // namespace

int64_t bytes_per_point(const ir::Field& field) {
  int64_t bytes = 0;
  for (const ir::Component& component : field.components) bytes += size_in_bytes(component.type);
  return bytes;
}

int64_t bounded_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t bounded_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

std::optional<int64_t> known_extent(const ir::Program& program, int dimension) {
  const ir::Range& range = program.grid().ranges[dimension];
  const ir::Affine length = range.high - range.low + 1;
  if (!length.is_constant()) return std::nullopt;
  return std::max<int64_t>(length.constant, 1);
}

Schedule with_fewer_threads(Schedule schedule, const Machine& machine) {
  const auto halve = [&](size_t axis) {
    if (schedule.block[axis] % 2 != 0) return false;
    schedule.block[axis] /= 2;
    schedule.elements[axis] *= 2;
    return true;
  };
  while (schedule.block[0] > machine.threads_in_x && halve(0)) continue;
  while (schedule.block[1] > machine.threads_in_y && halve(1)) continue;
  while (!takes_block(machine, schedule.block)) {
    size_t axis = kMaxRank;
    while (axis-- > 0 && !halve(axis)) continue;
    if (axis >= kMaxRank) break;  // all lengths are odd
  }
  return schedule;
}

bool pays(const TileSides& sides) {
  return std::all_of(sides.begin(), sides.end(),
                     [](const TileSide& side) { return 2 * side.core() >= side.cover; });
}

void refuse_small_tile(const ir::Program& program, const Schedule& schedule, const TileSides& sides,
                       Diagnostics& diagnostics) {
  for (const TileSide& side : sides) {
    if (side.core() >= 1) continue;
    const std::string axis = axis_names(program.grid().rank())[side.dimension];
    const bool elements = has_elements(schedule);
    Diagnostic& error = diagnostics.error(
        "L014", {},
        fmt::format("{} refused: the tile is smaller than its halo in {}", schedule.family, axis));
    error.expected =
        fmt::format("{} of at least {} for T={}", elements ? "block x elements" : "a block",
                    side.margin.low + side.margin.high + 1, schedule.time_tile);
    error.found = fmt::format("{}", side.cover);
    error.hint = elements ? "fewer steps per tile, a larger block or more elements per thread"
                          : "fewer steps per tile or a larger block";
    return;
  }
}

void refuse_shared_bytes(const Schedule& schedule, const std::string& what, int64_t bytes,
                         const Machine& machine, Diagnostics& diagnostics) {
  if (bytes <= machine.shared_bytes) return;
  Diagnostic& error = diagnostics.error(
      "L015", {}, fmt::format("{} refused: {} exceed shared memory", schedule.family, what));
  error.expected = fmt::format("at most {} bytes per block", machine.shared_bytes);
  error.found = fmt::format("{} bytes", bytes);
  error.hint = has_elements(schedule)
                   ? "fewer steps per tile, fewer elements per thread or a smaller block"
                   : "fewer steps per tile or a smaller block";
}

void refuse_block_bytes(const Schedule& schedule, int64_t bytes, const Machine& machine,
                        Diagnostics& diagnostics) {
  if (bytes <= machine.block_bytes) return;
  Diagnostic& error = diagnostics.error(
      "L015", {},
      fmt::format("{} refused: the arrays of a block exceed the stack of a CPU thread",
                  schedule.family));
  error.expected = fmt::format("at most {} bytes per block", machine.block_bytes);
  error.found = fmt::format("{} bytes", bytes);
  error.hint = "a smaller block, fewer elements per thread or fewer steps per tile";
}

void refuse_advanced_levels(const ir::Program& program, const Schedule& schedule,
                            Diagnostics& diagnostics) {
  const std::vector<bool> advanced = ir::advanced_before(program);
  for (const ir::Function& function : program.functions) {
    for (const ir::FieldId target : function.targets) {
      const ir::Field& field = program.fields[target];
      if (field.history == 1 || !advanced[target]) continue;
      diagnostics
          .error("L027", function.span,
                 fmt::format("{} refused: '{}' of {} levels is written in several phases of the "
                             "step",
                             schedule.family, field.name, field.history))
          .hint = "write it in one phase, or use --schedule direct";
      return;
    }
  }
}

void refuse_line(const ir::Program& program, const Schedule& schedule, Diagnostics& diagnostics) {
  if (program.grid().rank() > 1) return;
  diagnostics
      .error("L018", program.domain().span,
             fmt::format("{} refused: the grid has one dimension", schedule.family))
      .hint = "there is nothing to tile beside the streamed dimension; use --schedule overlapped";
}

void refuse_long_halo(const Schedule& schedule, int64_t planes, Diagnostics& diagnostics) {
  if (planes <= kMostHaloPlanes) return;
  Diagnostic& error = diagnostics.error(
      "L026", {},
      fmt::format("{} refused: the halo of a tile has too many planes", schedule.family));
  error.expected = fmt::format("at most {} planes along the streamed dimension", kMostHaloPlanes);
  error.found = fmt::format("{} for T={}", planes, schedule.time_tile);
  error.hint = "fewer steps per tile, or --schedule direct";
}

void refuse_read_outside_halo(const ir::Program& program, const Schedule& schedule,
                              ir::FieldId field, Span span, Diagnostics& diagnostics) {
  const std::string& name = program.fields[field].name;
  diagnostics
      .error("L016", span,
             fmt::format("{} refused: the boundary of '{}' may read outside the halo",
                         schedule.family, name))
      .hint = "declare the field on the whole grid, or use --schedule overlapped or direct";
}

}  // namespace stencil::schedule
