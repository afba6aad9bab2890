// Storage of a program. Sizes are computed with overflow checks before anything is allocated.
// Buffers start zeroed, which defines the values of fields without `init`.
//
// A written field has one buffer more than its history: a function computes the next level into
// `spare`. Everything that it reads thus stays the snapshot that the language promises. A swap of
// pointers completes the function.
#include "compiler/reference/state.h"

#include <sys/mman.h>

#include <new>

#include "compiler/reference/scalar_types.h"
#include "compiler/reference/validate.h"

namespace stencil::reference {
namespace {

// Fills in everything but the buffers; false if the sizes overflow.
bool describe(const ir::Field& field, const std::vector<int64_t>& params, FieldData& data) {
  const std::optional<ConcreteBox> box = concrete(field.box, params);
  if (!box) return false;
  const std::optional<int64_t> points = count_points(*box);
  if (!points) return false;
  data.box = *box;
  data.points = *points;
  for (const auto& [low, high] : *box) data.extents.push_back(high < low ? 0 : high - low + 1);
  int64_t bytes_per_point = 0;
  for (const ir::Component& component : field.components) {
    data.types.push_back(component.type);
    bytes_per_point += size_in_bytes(component.type);
  }
  int64_t bytes = 0;
  return !__builtin_mul_overflow(data.points, bytes_per_point * (field.history + 1), &bytes);
}

FieldData::Level zeroed_level(const FieldData& data) {
  FieldData::Level level;
  for (int c = 0; c < data.component_count(); ++c) {
    level.emplace_back(static_cast<size_t>(data.size_in_bytes(c)));
  }
  return level;
}

template <class Value>
Value load(const FieldData& data, int level, int component, int64_t position) {
  return with_type(data.types[component], [&](auto zero) {
    using T = decltype(zero);
    return convert<Value>(reinterpret_cast<const T*>(data.data(level, component))[position]);
  });
}

template <class Value>
void store(FieldData& data, int level, int component, int64_t position, Value value) {
  with_type(data.types[component], [&](auto zero) {
    using T = decltype(zero);
    reinterpret_cast<T*>(data.data(level, component))[position] = convert<T>(value);
  });
}

// The system allocates a page at the first write, which dominates the cost of initial values. Huge
// pages cost less; the system may refuse them.
void ask_for_huge_pages(std::byte* memory, size_t bytes) {
  constexpr size_t kPage = size_t{2} << 20;
  const size_t before = (kPage - reinterpret_cast<uintptr_t>(memory) % kPage) % kPage;
  if (bytes < before + kPage) return;
  ::madvise(memory + before, (bytes - before) / kPage * kPage, MADV_HUGEPAGE);
}

}  // namespace

Buffer::Buffer(size_t bytes)
    : own_(static_cast<std::byte*>(std::calloc(bytes, 1))), data_(own_.get()), size_(bytes) {
  if (data_ == nullptr && bytes > 0) throw std::bad_alloc();
  ask_for_huge_pages(data_, bytes);
}

std::optional<ConcreteBox> concrete(const ir::Box& box, const std::vector<int64_t>& params) {
  ConcreteBox result;
  for (const ir::Range& range : box.ranges) {
    const std::optional<int64_t> low = ir::evaluate(range.low, params);
    const std::optional<int64_t> high = ir::evaluate(range.high, params);
    if (!low || !high) return std::nullopt;
    for (const int64_t bound : {*low, *high}) {
      if (bound > kLargestCoordinate || bound < -kLargestCoordinate) return std::nullopt;
    }
    result.push_back({*low, *high});
  }
  return result;
}

std::optional<int64_t> count_points(const ConcreteBox& box) {
  for (const auto& [low, high] : box) {
    if (high < low) return 0;
  }
  int64_t points = 1;
  for (const auto& [low, high] : box) {
    if (__builtin_mul_overflow(points, high - low + 1, &points)) return std::nullopt;
  }
  return points;
}

int64_t FieldData::size_in_bytes(int component) const {
  return points * stencil::size_in_bytes(types[component]);
}

int64_t FieldData::position(const std::vector<int64_t>& point) const {
  int64_t result = 0;
  for (size_t d = 0; d < extents.size(); ++d) result = result * extents[d] + (point[d] - box[d][0]);
  return result;
}

std::vector<int64_t> FieldData::point(int64_t position) const {
  std::vector<int64_t> point(extents.size());
  for (size_t d = extents.size(); d-- > 0;) {
    point[d] = box[d][0] + position % extents[d];
    position /= extents[d];
  }
  return point;
}

double FieldData::real(int level, int component, int64_t position) const {
  return load<double>(*this, level, component, position);
}
int64_t FieldData::integer(int level, int component, int64_t position) const {
  return load<int64_t>(*this, level, component, position);
}
void FieldData::set_real(int level, int component, int64_t position, double value) {
  store(*this, level, component, position, value);
}
void FieldData::set_integer(int level, int component, int64_t position, int64_t value) {
  store(*this, level, component, position, value);
}

std::optional<State> lay_out(const ir::Program& program, std::vector<int64_t> integer_params,
                             std::vector<double> real_params, std::string& error) {
  State state;
  integer_params.resize(program.params.size());
  real_params.resize(program.params.size());
  state.integer_params = std::move(integer_params);
  state.real_params = std::move(real_params);
  for (const ir::Field& field : program.fields) {
    FieldData data;
    if (!describe(field, state.integer_params, data)) {
      error = "field '" + field.name + "' is too large";
      return std::nullopt;
    }
    state.fields.push_back(std::move(data));
  }
  for (const ir::Reduction& reduction : program.reductions) {
    state.reductions.push_back({.type = ir::value_type(reduction)});
  }
  error = refusal(program, state);
  if (!error.empty()) return std::nullopt;
  return state;
}

void provide(const ir::Program& program, ir::FieldId field, State& state) {
  FieldData& data = state.fields[field];
  const int history = program.fields[field].history;
  for (int level = static_cast<int>(data.levels.size()); level < history; ++level) {
    data.levels.push_back(zeroed_level(data));
  }
  if (ir::changes(program, field) && !ir::is_record(program, field))
    data.spare = zeroed_level(data);
}

std::optional<State> allocate(const ir::Program& program, std::vector<int64_t> integer_params,
                              std::vector<double> real_params, std::string& error) {
  auto state = lay_out(program, std::move(integer_params), std::move(real_params), error);
  for (size_t f = 0; state && f < state->fields.size(); ++f) {
    provide(program, static_cast<ir::FieldId>(f), *state);
  }
  return state;
}

}  // namespace stencil::reference
