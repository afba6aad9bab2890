// A value depends only on its position, so threads can fill parts of a field in parallel.
#include "runtime/tune/field_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/ir/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/reference/points.h"
#include "compiler/support/threads.h"

namespace stencil::tune {

using reference::FieldData;
using reference::State;

namespace {

constexpr size_t kAlignment = 64;

size_t aligned(int64_t bytes) {
  return (static_cast<size_t>(bytes) + kAlignment - 1) / kAlignment * kAlignment;
}

// Bytes of all levels of a state's fields, allocated or not.
size_t storage_of(const ir::Program& program, const State& state) {
  size_t total = 0;
  for (size_t f = 0; f < state.fields.size(); ++f) {
    const FieldData& field = state.fields[f];
    for (int c = 0; c < field.component_count(); ++c) {
      total += static_cast<size_t>(program.fields[f].history) * aligned(field.size_in_bytes(c));
    }
  }
  return total;
}

// 24 pseudo-random bits.
uint32_t bits_at(int64_t position, uint64_t seed) {
  uint64_t h =
      (static_cast<uint64_t>(position) + 1) * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
  return static_cast<uint32_t>(h >> 40);
}

template <class T, class Value>
void fill_with(std::byte* data, int64_t points, uint64_t seed, Value value) {
  in_ranges(points, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T element = value(bits_at(i, seed));
      std::memcpy(data + i * static_cast<int64_t>(sizeof element), &element, sizeof element);
    }
  });
}

void fill_component(FieldData& field, int level, int component, uint64_t seed) {
  std::byte* data = field.data(level, component);
  const int64_t points = field.points;
  const auto low_bit = [](uint32_t bits) { return bits & 1; };
  switch (field.types[component]) {
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
      return fill_with<uint8_t>(data, points, seed, low_bit);
    case Scalar::I16:
    case Scalar::U16:
      return fill_with<uint16_t>(data, points, seed, low_bit);
    case Scalar::I32:
      return fill_with<int32_t>(data, points, seed, low_bit);
    case Scalar::I64:
      return fill_with<int64_t>(data, points, seed, low_bit);
    case Scalar::F16:
      return fill_with<uint16_t>(data, points, seed,
                                 [](uint32_t b) { return 0x3800 | (b & 0x3ff); });
    case Scalar::BF16:
      return fill_with<uint16_t>(data, points, seed,
                                 [](uint32_t b) { return 0x3f00 | (b & 0x7f); });
    case Scalar::F32:
      return fill_with<float>(data, points, seed,
                              [](uint32_t b) { return static_cast<float>(b) * 0x1p-24f; });
    case Scalar::F64:
      return fill_with<double>(data, points, seed, [](uint32_t b) { return b * 0x1p-24; });
  }
}

}  // namespace

std::optional<int64_t> bytes_of_fields(const ir::Program& program, const runtime::Params& params) {
  std::string error;
  const auto state = reference::lay_out(program, params.integers, params.reals, error);
  if (!state) return std::nullopt;
  return static_cast<int64_t>(storage_of(program, *state));
}

FieldMemory::~FieldMemory() {
  if (memory_) munmap(memory_, size_);
}

bool FieldMemory::provide(size_t bytes) {
  if (bytes <= size_) return true;
  if (memory_) munmap(memory_, size_);
  memory_ = nullptr;
  size_ = 0;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, bytes, MADV_HUGEPAGE);
  memory_ = static_cast<std::byte*>(memory);
  size_ = bytes;
  return true;
}

Result<State> FieldMemory::lay_out(const ir::Program& program, const runtime::Params& params) {
  const Diagnostics failed = ir::failed_checks(program, params.integers, params.reals);
  if (failed.has_errors()) return Failure{"", failed.items().front().message, ""};
  std::string error;
  auto state = reference::lay_out(program, params.integers, params.reals, error);
  if (!state) return Failure{"R052", "the fields cannot be allocated: " + error, ""};
  const size_t total = storage_of(program, *state);
  if (!provide(total)) {
    return Failure{"R052", fmt::format("the fields cannot be allocated: {} bytes", total), ""};
  }
  std::byte* at = memory_;
  for (size_t f = 0; f < state->fields.size(); ++f) {
    FieldData& field = state->fields[f];
    field.levels.resize(static_cast<size_t>(program.fields[f].history));
    for (FieldData::Level& level : field.levels) {
      for (int c = 0; c < field.component_count(); ++c) {
        const int64_t bytes = field.size_in_bytes(c);
        level.push_back(reference::Buffer::borrow(at, static_cast<size_t>(bytes)));
        at += aligned(bytes);
      }
    }
  }
  return std::move(*state);
}

namespace {

void begin(State& state) {
  for (reference::ReductionValue& reduction : state.reductions) {
    reduction = {.type = reduction.type};
  }
  state.step = 0;
  state.stopped = false;
}

// Fills some fields; seeds are numbered over all fields.
void fill_some(const ir::Program& program, State& state, const std::vector<bool>& filled) {
  uint64_t seed = 0;
  for (size_t f = 0; f < state.fields.size(); ++f) {
    FieldData& field = state.fields[f];
    for (int level = 0; level < static_cast<int>(field.levels.size()); ++level) {
      for (int c = 0; c < field.component_count(); ++c, ++seed) {
        if (filled[f]) fill_component(field, level, c, seed);
      }
    }
    if (filled[f]) reference::spread_points(program, static_cast<ir::FieldId>(f), state);
  }
}

// The largest magnitude of a component, from a sample of its points.
double largest_of(const FieldData& field, int component) {
  constexpr int64_t kLooked = 4096;
  const int64_t stride = std::max<int64_t>(field.points / kLooked, 1) | 1;
  double largest = 0;
  for (int64_t i = 0; i < field.points; i += stride) {
    const double size = std::fabs(field.real(0, component, i));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

template <class T>
void add_noise(std::byte* data, int64_t points, uint64_t seed, double size) {
  in_ranges(points, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::byte* const at = data + i * static_cast<int64_t>(sizeof(T));
      T element;
      std::memcpy(&element, at, sizeof element);
      element += static_cast<T>(size * bits_at(i, seed) * 0x1p-24);
      std::memcpy(at, &element, sizeof element);
    }
  });
}

void add_noise(FieldData& field, uint64_t seed) {
  constexpr double kNoise = 0x1p-10;
  for (int c = 0; c < field.component_count(); ++c) {
    const Scalar type = field.types[c];
    // Integers and short floats cannot represent the noise.
    if (type != Scalar::F32 && type != Scalar::F64) continue;
    const double largest = largest_of(field, c);
    const double size = kNoise * (largest > 0 ? largest : 1);
    for (int level = 0; level < static_cast<int>(field.levels.size()); ++level, ++seed) {
      std::byte* const data = field.data(level, c);
      if (type == Scalar::F32) add_noise<float>(data, field.points, seed, size);
      if (type == Scalar::F64) add_noise<double>(data, field.points, seed, size);
    }
  }
}

}  // namespace

void fill(const ir::Program& program, State& state) {
  begin(state);
  fill_some(program, state, std::vector<bool>(state.fields.size(), true));
}

void fill_as_begun(const ir::Program& program, State& state, bool noise) {
  begin(state);
  std::vector<bool> random(state.fields.size());
  for (size_t f = 0; f < state.fields.size(); ++f) {
    const auto id = static_cast<ir::FieldId>(f);
    const bool has_init = std::any_of(program.inits.begin(), program.inits.end(),
                                      [&](const ir::Init& init) { return init.field == id; });
    random[f] = !has_init && (program.inits.empty() || !ir::changes(program, id));
  }
  fill_some(program, state, random);
  for (size_t f = 0; f < state.fields.size(); ++f) {
    const auto id = static_cast<ir::FieldId>(f);
    if (random[f]) continue;
    reference::initialise(program, id, state);
    if (noise && ir::changes(program, id)) add_noise(state.fields[f], f << 8);
  }
}

}  // namespace stencil::tune
