// The copies of an array are separate pieces of device memory, and slots are positions in a vector
// of them: rotations and exchanges move handles, not data. A spare copy starts with the contents of
// the newest level, because points that no function writes must be the same in every copy.
//
// User arrays are the first slots of their fields. At the end of a call, level k must be in the
// k-th array.
#include "runtime/devices/plan_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "compiler/kernel/evaluate.h"
#include "compiler/support/try.h"
#include "runtime/devices/bring_home.h"
#include "runtime/devices/plan_points.h"

namespace stencil::runtime {

PlanMemory::~PlanMemory() {
  for (const Accelerator::Memory memory : own_) accelerator_.release(memory);
  for (const Accelerator::Memory memory : scratch_) accelerator_.release(memory);
}

Status PlanMemory::lay_out() {
  for (const kernel::Array& array : plan_.arrays) {
    TRY(lay_out(array));
  }
  slots_.resize(plan_.arrays.size());
  return Done{};
}

Status PlanMemory::take_levels(int array, const Origin& origin) {
  const auto index = static_cast<size_t>(array);
  return is_attached(plan_.arrays[index]) ? adopt(index) : fill(index, origin);
}

Status PlanMemory::place(const kernel::PointSet& set) {
  if (is_attached(plan_.arrays[set.arrays])) {
    return Failure{"R045",
                   fmt::format("the positions of the points '{}' are in device memory", set.name),
                   "give them in host memory: the host sorts them before the run"};
  }
  return place_points(
      plan_, set, state_, [this](const kernel::Expr& expr) { return evaluate(expr); },
      [this](int scratch, std::span<const std::byte> values) -> Status {
        if (values.empty()) return Done{};
        Accelerator::Rows rows = {static_cast<int64_t>(values.size())};
        return accelerator_.upload(this->scratch(scratch), values.data(), rows);
      });
}

std::optional<int64_t> PlanMemory::value_of(const std::string& name) const {
  for (const kernel::NamedConstant& constant : module_.constants) {
    if (constant.name == name) return constant.value;
  }
  for (const kernel::Parameter& parameter : plan_.parameters) {
    const bool found = parameter.name == name && !is_float(parameter.type);
    if (found) return state_.integer_params[parameter.param];
  }
  return std::nullopt;
}

std::optional<int64_t> PlanMemory::evaluate(const kernel::Expr& expr) const {
  return kernel::evaluate(expr, [this](const std::string& name) { return value_of(name); });
}

Status PlanMemory::lay_out(const kernel::Array& array) {
  const reference::FieldData& field = state_.fields[array.field];
  const int64_t element = size_in_bytes(array.type);
  Layout layout{field.extents, field.size_in_bytes(array.component), {0}};
  layout.rows.bytes = layout.bytes;
  if (kernel::is_padded(array) && layout.bytes > 0) {
    const auto pitch = evaluate(array.row_pitch);
    const auto lead = evaluate(kernel::lead_of(array));
    const int64_t row = field.extents.back() * element;
    const int64_t count = layout.bytes / row;
    if (!pitch || !lead || *pitch > INT64_MAX / element / count) {
      return Failure{"R043", fmt::format("the size of {} overflows", array.name), ""};
    }
    layout.extents.back() = *pitch;
    layout.bytes = count * *pitch * element;
    if (*pitch != field.extents.back()) {
      layout.rows = {row, count, *lead * element, *pitch * element};
    }
  }
  layouts_.push_back(std::move(layout));
  return Done{};
}

// Appends "; the program needs 4384 bytes: A 2 x 1024 (1000 without padding), K 1 x 2048;
// reductions 288".
Failure PlanMemory::with_memory_needed(Failure failure) const {
  int64_t total = 0, reductions = 0;
  std::vector<std::string> items;
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    const Layout& layout = layouts_[a];
    total += array.copies * layout.bytes;
    items.push_back(fmt::format("{} {} x {}", array.name, array.copies, layout.bytes));
    const int64_t points = layout.rows.bytes * layout.rows.count;
    if (points != layout.bytes) items.back() += fmt::format(" ({} without padding)", points);
  }
  for (const kernel::Scratch& scratch : plan_.scratch) {
    reductions += bytes_of(scratch).value_or(0);
  }
  failure.message +=
      fmt::format("; the program needs {} bytes: {}", total + reductions, fmt::join(items, ", "));
  if (reductions > 0) failure.message += fmt::format("; reductions {}", reductions);
  return failure;
}

std::optional<int64_t> PlanMemory::bytes_of(const kernel::Scratch& scratch) const {
  const auto elements = evaluate(scratch.elements);
  if (!elements || *elements > INT64_MAX / 8) return std::nullopt;
  return *elements * size_in_bytes(scratch.type);
}

// Memory for a slot.
Result<Accelerator::Memory> PlanMemory::allocate(int64_t bytes) {
  auto memory = accelerator_.allocate(std::max<int64_t>(bytes, 1));
  if (memory.ok()) {
    own_.push_back(memory.value());
    return memory;
  }
  return with_memory_needed(memory.failure());
}

std::optional<size_t> PlanMemory::twin_of(const kernel::Array& array) const {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& own = plan_.arrays[a];
    if (own.field != array.field || own.component != array.component) continue;
    const bool alike = own.levels >= array.levels && !is_attached(own);
    return alike ? std::optional(a) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<int> PlanMemory::levels_from_state(const PlanMemory& origin) const {
  std::vector<int> levels(state_.fields.size(), 0);
  for (const kernel::Array& array : plan_.arrays) {
    if (!origin.twin_of(array)) levels[array.field] = array.levels;
  }
  return levels;
}

void PlanMemory::keep_given(PlanMemory& giver) {
  for (const Accelerator::Memory memory : given_) {
    std::erase(giver.own_, memory);
    own_.push_back(memory);
  }
  given_.clear();
}

// Rows of both layouts are rows of points; dense layouts have all of them in one.
Status PlanMemory::convert(Accelerator::Memory to, const Layout& layout, Accelerator::Memory from,
                           const Layout& of) {
  const int64_t count = std::max(layout.rows.count, of.rows.count);
  const auto in_rows = [count](const Accelerator::Rows& rows) {
    if (rows.count == count) return rows;
    const int64_t bytes = rows.bytes / count;
    return Accelerator::Rows{bytes, count, rows.start, bytes};
  };
  return accelerator_.copy_rows(to, in_rows(layout.rows), from, in_rows(of.rows));
}

Status PlanMemory::fill(size_t index, const Origin& origin) {
  const kernel::Array& array = plan_.arrays[index];
  const reference::FieldData& field = state_.fields[array.field];
  const Layout& layout = layouts_[index];
  auto& slots = slots_[index];
  const auto twin = origin.memory ? origin.memory->twin_of(array) : std::nullopt;
  const Layout* const its = twin ? &origin.memory->layouts_[*twin] : nullptr;
  const auto* const its_slots = twin ? &origin.memory->slots_[*twin] : nullptr;
  const bool alike = its && *its == layout;
  for (int level = 0; level < array.levels; ++level) {
    const auto there = its_slots ? (*its_slots)[static_cast<size_t>(level)] : nullptr;
    if (alike && origin.gives) {
      given_.push_back(there);
      slots.push_back(there);
      continue;
    }
    const auto memory = TRY(allocate(layout.bytes));
    slots.push_back(memory);
    if (layout.bytes == 0) continue;
    if (alike) {
      TRY(accelerator_.copy(memory, there, layout.bytes));
      continue;
    }
    if (kernel::is_padded(array)) {  // padding beside rows is read, but its values are not used
      TRY(accelerator_.clear(memory, layout.bytes));
    }
    TRY(its ? convert(memory, layout, there, *its)
            : accelerator_.upload(memory, field.data(level, array.component), layout.rows));
  }
  return Done{};
}

// A spare copy of the origin already has the values of points that no function writes.
Status PlanMemory::provide(const kernel::ArrayArgument& memory, const Origin& origin) {
  const auto index = static_cast<size_t>(memory.array);
  if (memory.slot == kernel::kScratch) {
    const kernel::Scratch& scratch = plan_.scratch[index];
    const auto bytes = bytes_of(scratch);
    if (!bytes) return Failure{"R043", fmt::format("the size of {} overflows", scratch.name), ""};
    const auto allocated = accelerator_.allocate(*bytes);
    if (!allocated.ok()) return with_memory_needed(allocated.failure());
    scratch_.push_back(allocated.value());
    return Done{};
  }
  const kernel::Array& array = plan_.arrays[index];
  const bool is_aside = memory.slot == array.copies;
  const bool returns = has_attached() && accelerator_.may_be_captured();
  if (is_aside && !is_attached(array) && !returns) return Done{};
  const auto twin = origin.gives ? origin.memory->twin_of(array) : std::nullopt;
  if (twin && !is_aside && origin.memory->layouts_[*twin] == layouts_[index]) {
    const auto& slots = origin.memory->slots_[*twin];
    const auto next = slots_[index].size();
    if (next < slots.size()) {
      given_.push_back(slots[next]);
      slots_[index].push_back(slots[next]);
      return Done{};
    }
  }
  const auto allocated = TRY(allocate(layouts_[index].bytes));
  if (is_aside) {
    aside_[memory.array] = allocated;
  } else {
    slots_[index].push_back(allocated);
  }
  return Done{};
}

Status PlanMemory::copy(int array, int to, int from) {
  const auto index = static_cast<size_t>(array);
  const int64_t bytes = layouts_[index].bytes;
  const Accelerator::Memory memory = slots_[index][to];
  const bool is_given = std::find(given_.begin(), given_.end(), memory) != given_.end();
  if (bytes == 0 || is_given) return Done{};
  return accelerator_.copy(memory, slots_[index][from], bytes);
}

Accelerator::Memory PlanMemory::of(const kernel::ArrayArgument& argument) const {
  const auto index = static_cast<size_t>(argument.array);
  return argument.slot == kernel::kScratch ? scratch_[index] : slots_[index][argument.slot];
}

Accelerator::Shaped PlanMemory::shaped(const kernel::ArrayArgument& argument) const {
  const auto index = static_cast<size_t>(argument.array);
  return {of(argument), layouts_[index].extents, size_in_bytes(plan_.arrays[index].type)};
}

std::optional<PlanMemory::Range> PlanMemory::range_of(const kernel::ExchangeBox& box) const {
  const auto index = static_cast<size_t>(box.array.array);
  const kernel::Array& array = plan_.arrays[index];
  const std::vector<int64_t>& points = state_.fields[array.field].extents;
  const auto lead = evaluate(kernel::lead_of(array));
  int64_t first = 0, count = 1;  // elements
  bool is_whole = true;          // inner dimensions are complete
  for (size_t d = box.counts.size(); d-- > 0;) {
    const auto place = evaluate(box.first[d]);
    if (!place || !lead || *place < 0 || box.counts[d] > points[d] - *place) return std::nullopt;
    const bool all = box.counts[d] == points[d];
    if (!is_whole && box.counts[d] != 1) return std::nullopt;
    int64_t stride = 1;
    for (size_t e = d + 1; e < points.size(); ++e) stride *= layouts_[index].extents[e];
    const bool in_row = d + 1 == points.size() && !all;
    first += (all ? 0 : *place + (in_row ? *lead : 0)) * stride;
    count *= is_whole && all ? layouts_[index].extents[d] : box.counts[d];
    is_whole = is_whole && all;
  }
  const int64_t element = size_in_bytes(array.type);
  return Range{first * element, count * element};
}

void PlanMemory::rotate(int array) {
  auto& slots = slots_[array];
  std::rotate(slots.begin(), slots.end() - 1, slots.end());
}

void PlanMemory::swap_slots(int array, int a, int b) {
  std::swap(slots_[array][a], slots_[array][b]);
}

// Uses the user's arrays as the levels.
Status PlanMemory::adopt(size_t index) {
  const kernel::Array& array = plan_.arrays[index];
  if (layouts_[index].rows.count > 1) {
    return Failure{
        "R045",
        fmt::format("the schedule pads the rows of {}, but the user's array has dense rows",
                    array.name),
        "compile with rows=dense"};
  }
  slots_[index] = homes(array);
  return Done{};
}

Status PlanMemory::bring_home(int array) {
  const kernel::Array& of = plan_.arrays[static_cast<size_t>(array)];
  return is_attached(of) ? bring_home(array, homes(of)) : Done{};
}

Status PlanMemory::bring_back(const std::vector<std::vector<Accelerator::Memory>>& before) {
  for (size_t a = 0; a < slots_.size(); ++a) {
    const auto levels = static_cast<std::ptrdiff_t>(plan_.arrays[a].levels);
    const std::vector<Accelerator::Memory> home(before[a].begin(), before[a].begin() + levels);
    TRY(bring_home(static_cast<int>(a), home));
  }
  slots_ = before;
  return Done{};
}

Status PlanMemory::bring_home(int array, const std::vector<Accelerator::Memory>& home) {
  const auto index = static_cast<size_t>(array);
  const int64_t bytes = layouts_[index].bytes;
  if (bytes == 0) return Done{};
  std::vector<Accelerator::Memory> memory = slots_[index];
  if (const auto aside = aside_.find(array); aside != aside_.end()) {
    memory.push_back(aside->second);
  }
  for (const auto& [to, from] : runtime::bring_home(memory, home)) {
    TRY(accelerator_.copy(to, from, bytes));
  }
  std::copy_n(memory.begin(), slots_[index].size(), slots_[index].begin());
  return Done{};
}

std::optional<size_t> PlanMemory::array_of(const BoxOfField& what) const {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    if (array.field != what.field || array.component != what.component) continue;
    if (what.level < array.levels) return a;
    break;
  }
  return std::nullopt;
}

// Merges neighbouring dimensions whose points have a constant distance: a dense field becomes one
// row, a padded field rows of constant pitch.
std::vector<Accelerator::Rows> PlanMemory::pieces_of(size_t array, const ir::Points& box) const {
  const Layout& layout = layouts_[array];
  const kernel::Array& declared = plan_.arrays[array];
  const reference::FieldData& field = state_.fields[declared.field];
  const int64_t element = size_in_bytes(declared.type);
  Accelerator::Rows rows = {element, 1, layout.rows.start, 0};
  struct Outer {
    int64_t count, distance;  // bytes
  };
  std::vector<Outer> outer;  // innermost first
  int64_t distance = element;
  bool is_dense = true;  // the points so far form one row
  for (size_t d = box.size(); d-- > 0;) {
    const int64_t count = box[d][1] - box[d][0] + 1;
    if (count <= 0) return {};
    rows.start += (box[d][0] - field.box[d][0]) * distance;
    if (count == 1) {
      // its single coordinate is already in `start`
    } else if (is_dense && distance == rows.bytes) {
      rows.bytes *= count;
    } else if (!outer.empty() && distance == outer.back().count * outer.back().distance) {
      outer.back().count *= count;
    } else {
      is_dense = false;
      outer.push_back({count, distance});
    }
    distance *= layout.extents[d];
  }
  if (!outer.empty()) {
    rows.count = outer.front().count;
    rows.pitch = outer.front().distance;
    outer.erase(outer.begin());
  }
  std::vector<Accelerator::Rows> out = {rows};
  for (const Outer& dimension : outer) {
    const std::vector<Accelerator::Rows> inner = std::move(out);
    out.clear();
    for (int64_t at = 0; at < dimension.count; ++at) {
      for (Accelerator::Rows piece : inner) {
        piece.start += at * dimension.distance;
        out.push_back(piece);
      }
    }
  }
  return out;
}

// One copy per plane of the box: rows of equal length and constant pitch.
Result<bool> PlanMemory::read(const BoxOfField& what, std::byte* to) {
  const auto array = array_of(what);
  if (!array || is_attached(plan_.arrays[*array])) return false;
  const Accelerator::Memory memory = slots_[*array][what.level];
  for (const Accelerator::Rows& piece : pieces_of(*array, what.box)) {
    TRY(accelerator_.download(to, memory, piece));
    to += piece.bytes * piece.count;
  }
  return true;
}

Result<std::optional<NonFiniteCount>> PlanMemory::count_non_finite(const BoxOfField& what) {
  const auto array = array_of(what);
  if (!array) return std::optional<NonFiniteCount>();
  if (!is_float(plan_.arrays[*array].type)) return std::optional(NonFiniteCount{});
  const auto counted = TRY(accelerator_.count_non_finite(
      slots_[*array][what.level], plan_.arrays[*array].type, pieces_of(*array, what.box)));
  return std::optional<NonFiniteCount>(counted);
}

Status PlanMemory::put(int scratch, const ScalarBytes& value) {
  return accelerator_.upload(scratch_[scratch], value.bytes, {static_cast<int64_t>(value.size)});
}
Status PlanMemory::take(int scratch, ScalarBytes& value) {
  return accelerator_.download(value.bytes, scratch_[scratch], {static_cast<int64_t>(value.size)});
}

Status PlanMemory::fetch(const std::vector<int>& levels) {
  for (size_t a = 0; a < plan_.arrays.size(); ++a) {
    const kernel::Array& array = plan_.arrays[a];
    const auto f = static_cast<size_t>(array.field);
    if (!array.written || is_attached(array) || f >= levels.size()) continue;
    reference::FieldData& field = state_.fields[f];
    const Accelerator::Rows& rows = layouts_[a].rows;
    for (int level = 0; level < std::min(array.levels, levels[f]) && rows.bytes > 0; ++level) {
      TRY(accelerator_.download(field.data(level, array.component), slots_[a][level], rows));
    }
  }
  return Done{};
}

}  // namespace stencil::runtime
