// A value is neither NaN nor infinite unless all bits of its exponent are set, so a look is one
// pass over memory: blocks of values are asked as a whole, by a loop without a branch that becomes
// vectors, and only where some value says yes are they counted one by one.
#include "runtime/run/non_finite.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "compiler/support/threads.h"

namespace stencil::runtime {

namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kValuesAtOnce = int64_t{1} << 20;  // by a thread

struct Count {
  int64_t nans = 0, infinities = 0;
  int64_t first = -1;  // position; -1: none
};

template <class Bits>
bool any_in(const Bits* values, int64_t count, Bits exponent) {
  Bits any = 0;
  for (int64_t i = 0; i < count; ++i) any |= (values[i] & exponent) == exponent;
  return any != 0;
}

template <class Bits>
Count count_in(const Bits* values, int64_t begin, int64_t end, Bits exponent, Bits magnitude) {
  Count out;
  for (int64_t block = begin; block < end; block += kBlock) {
    const int64_t block_end = std::min(block + kBlock, end);
    if (!any_in(values + block, block_end - block, exponent)) continue;
    for (int64_t i = block; i < block_end; ++i) {
      const auto bits = static_cast<Bits>(values[i] & magnitude);
      if (bits < exponent) continue;
      ++(bits == exponent ? out.infinities : out.nans);
      if (out.first < 0) out.first = i;
    }
  }
  return out;
}

// `exponent`: the bits of an infinity.
template <class Bits>
Count count_all(const std::byte* memory, int64_t count, Bits exponent) {
  const auto* values = reinterpret_cast<const Bits*>(memory);
  const auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  std::mutex mutex;
  Count all;
  in_ranges(count, kValuesAtOnce, [&](int64_t begin, int64_t end) {
    const Count here = count_in(values, begin, end, exponent, magnitude);
    if (here.first < 0) return;
    const std::lock_guard<std::mutex> lock(mutex);
    all.nans += here.nans;
    all.infinities += here.infinities;
    all.first = all.first < 0 ? here.first : std::min(all.first, here.first);
  });
  return all;
}

Count count_of(Scalar type, const std::byte* memory, int64_t count) {
  switch (type) {
    case Scalar::F16:
      return count_all<uint16_t>(memory, count, 0x7c00);
    case Scalar::BF16:
      return count_all<uint16_t>(memory, count, 0x7f80);
    case Scalar::F32:
      return count_all<uint32_t>(memory, count, 0x7f800000);
    case Scalar::F64:
      return count_all<uint64_t>(memory, count, 0x7ff0000000000000);
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::I32:
    case Scalar::I64:
      break;
  }
  return {};
}

}  // namespace

NonFinite count_non_finite(const reference::FieldData& field, const Selection& place) {
  NonFinite out{place, field.points, 0, 0, {}, 0};
  const Count count = count_of(field.types[static_cast<size_t>(place.component)],
                               field.data(place.level, place.component), field.points);
  out.nans = count.nans;
  out.infinities = count.infinities;
  if (count.first >= 0) out.first = field.point(count.first);
  return out;
}

NonFiniteWatch::NonFiniteWatch(const ir::Program& program, const std::vector<Output>& outputs) {
  const auto add = [this](const Selection& place) {
    const bool there = std::any_of(places_.begin(), places_.end(),
                                   [&](const NonFinite& other) { return other.place == place; });
    if (!there) places_.push_back({place, 0, 0, 0, {}, 0});
  };
  for (const Output& output : outputs) {
    for (const Selection& shown : output.selections) {
      const auto components =
          static_cast<int>(program.fields[static_cast<size_t>(shown.field)].components.size());
      const int first = std::max(shown.component, 0);
      const int end = shown.component < 0 ? components : shown.component + 1;
      for (int c = first; c < end; ++c) add({shown.field, shown.level, c});
    }
  }
}

void NonFiniteWatch::look(const reference::State& state) {
  for (NonFinite& known : places_) {
    const auto& field = state.fields[static_cast<size_t>(known.place.field)];
    NonFinite now = count_non_finite(field, known.place);
    now.step = known.any() ? known.step : state.step;
    known = std::move(now);
  }
}

Event NonFiniteWatch::watched(Event event) {
  event.action = [this, action = std::move(event.action)](const reference::State& state) {
    Status done = action(state);
    if (done.ok()) look(state);
    return done;
  };
  return event;
}

std::vector<NonFinite> NonFiniteWatch::found() const {
  std::vector<NonFinite> out;
  std::copy_if(places_.begin(), places_.end(), std::back_inserter(out),
               [](const NonFinite& place) { return place.any(); });
  return out;
}

}  // namespace stencil::runtime
