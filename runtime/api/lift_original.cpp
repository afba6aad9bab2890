#include "runtime/api/lift_original.h"

#include <array>
#include <cstring>
#include <memory>

#include "runtime/api/lift_wrapper.h"

namespace stencil::api {

using lifter::CScalar;

namespace {

bool is_untouched(const char* at, size_t bytes, char guard) {
  return bytes == 0 || (at[0] == guard && std::memcmp(at, at + 1, bytes - 1) == 0);
}

}  // namespace

Result<std::string> Original::compile(const runtime::LiftRequest& request) {
  const CallOfOriginal call = call_of_original(lifted_);
  if (!call.impossible.empty()) return "the original cannot be called: " + call.impossible;
  const auto& library = runtime::HostLibrary::open();
  if (!library.ok()) return library.failure();
  const auto object = library.value().compile_c(request.file, call.text);
  if (!object.ok()) return object.failure().message;
  const auto loaded = library.value().load_c(object.value());
  if (!loaded.ok()) return loaded.failure().message;
  program_ = loaded.value();
  const auto find = [&](const char* name) {
    return reinterpret_cast<void*>(library.value().interface().find(program_.get(), name));
  };
  entry_ = reinterpret_cast<StencilHostKernel>(find(STENCIL_LIFT_CALL));
  seen_ = reinterpret_cast<void (*)(char*)>(find(STENCIL_LIFT_SEEN));
  undefined_ = static_cast<int32_t**>(find(STENCIL_LIFT_UNDEFINED));
  const auto* table = static_cast<const char*>(find(STENCIL_LIFT_TABLE));
  if (entry_ == nullptr || seen_ == nullptr || undefined_ == nullptr || table == nullptr)
    return std::string("the file calls functions that it does not contain");
  outcomes_ = excluded_ = Outcomes(table);
  return std::string();
}

OriginalRun Original::run(const LiftCase& one, std::vector<OriginalArray>& arrays, int patience) {
  const auto& symbols = lifted_.execution.symbols;
  std::vector<std::array<char, 8>> scalars(symbols.size());
  std::vector<void*> arguments;
  for (size_t s = 0; s < symbols.size(); ++s) {
    const auto integer = one.integers.find(static_cast<int>(s));
    const auto real = one.reals.find(static_cast<int>(s));
    const int64_t whole = integer != one.integers.end() ? integer->second : 0;
    const double value = real != one.reals.end() ? real->second : 0;
    const float single = static_cast<float>(value);
    if (symbols[s].type == CScalar::F64) {
      std::memcpy(scalars[s].data(), &value, sizeof value);
    } else if (symbols[s].type == CScalar::F32) {
      std::memcpy(scalars[s].data(), &single, sizeof single);
    } else {
      std::memcpy(scalars[s].data(), &whole, sizeof whole);
    }
    arguments.push_back(scalars[s].data());
  }
  std::vector<int64_t> lengths;
  // Each array lies between blocks of guard memory. C may read beyond the elements that the program
  // needs if the results do not depend on the values there.
  std::vector<std::unique_ptr<SharedMemory>> memory;
  size_t largest = 4096;
  for (const OriginalArray& array : arrays) largest = std::max(largest, array.bytes.size());
  const size_t room = std::max(largest, std::min<size_t>(32 * largest, size_t{1} << 18));
  for (size_t a = 0; a < arrays.size(); ++a) {
    memory.push_back(std::make_unique<SharedMemory>(room + largest + room));
    char* begin = memory[a]->data();
    std::memset(begin, guard_of(a), room + largest + room);
    std::memcpy(begin + room, arrays[a].bytes.data(), arrays[a].bytes.size());
    arguments.push_back(begin + room);
    const size_t ranks = lifted_.execution.arrays[a].extents.size() + 8;
    for (size_t d = 0; d < ranks; ++d) {
      const bool linear = lifted_.execution.arrays[a].extents.size() == 1 && d == 0;
      const int64_t all =
          arrays[a].extents.empty() ? 0 : arrays[a].strides[0] * arrays[a].extents[0];
      lengths.push_back(linear ? all : d < arrays[a].extents.size() ? arrays[a].extents[d] : 0);
    }
  }
  arguments.push_back(lengths.data());
  SharedMemory results(std::max<size_t>(8 * lifted_.execution.left.size(), 8));
  arguments.push_back(results.data());
  std::vector<double> noise = one.noise;
  noise.resize(kNoise, 1);
  arguments.push_back(noise.data());
  SharedMemory seen(outcomes_.size() + 8);
  auto* check = reinterpret_cast<int32_t*>(seen.data());  // before the outcomes
  OriginalRun out;
  out.end = run_in_child(
      [&] {
        *undefined_ = check;
        entry_(arguments.data(), 0, 0);
        seen_(seen.data() + 8);
      },
      patience);
  if (*check != 0) out.undefined = outcomes_.undefined(*check);
  if (!out.end.returned() || !out.undefined.empty()) return out;
  for (size_t a = 0; a < arrays.size(); ++a) {
    const char* begin = memory[a]->data();
    const size_t bytes = arrays[a].bytes.size();
    std::memcpy(arrays[a].bytes.data(), begin + room, bytes);
    if (!is_untouched(begin, room, guard_of(a)) ||
        !is_untouched(begin + room + bytes, room + largest - bytes, guard_of(a))) {
      out.outside = lifted_.execution.arrays[a].c_expression;
    }
  }
  left_.assign(results.data(), results.data() + 8 * lifted_.execution.left.size());
  seen_now_.assign(seen.data() + 8, seen.data() + 8 + outcomes_.size());
  return out;
}

OriginalRun Original::call(const LiftCase& one, std::vector<OriginalArray>& arrays, int patience) {
  OriginalRun out = run(one, arrays, patience);
  if (out.end.returned() && out.undefined.empty()) outcomes_.add(seen_now_.data());
  return out;
}

bool Original::probe(const LiftCase& one, std::vector<OriginalArray> arrays) {
  constexpr int kPatience = 2;
  const OriginalRun out = run(one, arrays, kPatience);
  return out.end.returned() && out.undefined.empty() && excluded_.add(seen_now_.data()) > 0;
}

std::optional<size_t> Original::reads_outside(const LiftCase& one,
                                              const std::vector<OriginalArray>& arrays) {
  constexpr int kPatience = 5;
  std::vector<OriginalArray> before = arrays;
  run(one, before, kPatience);
  const std::vector<char> left = left_;
  const auto depends_on = [&](std::set<size_t> around) {
    std::vector<OriginalArray> after = arrays;
    other_ = std::move(around);
    run(one, after, kPatience);
    other_.clear();
    bool same = left == left_;
    for (size_t k = 0; k < after.size(); ++k) same = same && before[k].bytes == after[k].bytes;
    return !same;
  };
  std::set<size_t> all;
  for (size_t k = 0; k < arrays.size(); ++k) all.insert(k);
  if (!depends_on(all)) return std::nullopt;
  for (size_t k : all) {
    if (depends_on({k})) return k;
  }
  return 0;  // it depends on several arrays together
}

std::vector<Outcome> Original::missing() const {
  return outcomes_.missing_beside(excluded_);
}

}  // namespace stencil::api
