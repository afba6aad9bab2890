// The kernel is PTX, which the driver compiles in a few milliseconds, so the check does not need
// NVRTC. There is one kernel per element size. A block takes a row; its threads take adjacent
// elements, and each thread issues several loads before it uses the first, because the kernel is
// bound by memory latency. At its end a thread adds its counts to three counters, only if it has
// found something.
#include "runtime/devices/cuda_non_finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "runtime/devices/cuda_queue.h"

namespace stencil::runtime::cuda {

namespace {

constexpr unsigned kCountingThreads = 256;
constexpr int kLoadsAhead = 4;  // loads per thread in flight
constexpr int64_t kLongestRow =
    16 * kCountingThreads * kLoadsAhead;  // elements; longer rows are split
constexpr unsigned kMostCountingBlocks = 4096;

// The kernel's results, in device memory.
struct Counters {
  uint64_t nans = 0, infinities = 0;
  uint64_t first = UINT64_MAX;
};

std::string counting_name(int element) {
  return fmt::format("stencilc_non_finite_{}", element);
}

// The code for one element: the exponent is all ones if the magnitude is at least that of infinity.
std::string look_at_value(int load, const std::string& type) {
  return fmt::format(R"(
  setp.lt.{1} %p1, %v{0}, %infinity;
  @%p1 bra FINE{0};
  setp.eq.{1} %p2, %v{0}, %infinity;
  @%p2 add.u64 %infinities, %infinities, 1;
  @!%p2 add.u64 %nans, %nans, 1;
  mad.lo.u64 %position, %row, %length, %c{0};
  add.u64 %position, %position, %before;
  min.u64 %first, %first, %position;
FINE{0}:)",
                     load, type);
}

std::string counting_text(int element) {
  const std::string bits = element == 8 ? "64" : "32";
  const std::string type = "u" + bits;
  const std::string load = element == 2 ? "ld.global.u16 %h, [%address];\n  cvt.u32.u16 %v{0}, %h;"
                                        : fmt::format("ld.global.u{} %v{{0}}, [%address];", bits);
  const std::string magnitude = element == 8   ? "0x7fffffffffffffff"
                                : element == 4 ? "0x7fffffff"
                                               : "0x7fff";
  std::string loads, looks, registers;
  for (int l = 0; l < kLoadsAhead; ++l) {
    registers += fmt::format("  .reg .u64 %c{0};\n  .reg .{1} %v{0};\n", l, type);
    loads += fmt::format(R"(
  add.u64 %c{0}, %column, {1};
  mov.{2} %v{0}, 0;
  setp.ge.u64 %p1, %c{0}, %length;
  @%p1 bra LOADED{0};
  mad.lo.u64 %address, %c{0}, {3}, %start;
  {4}
  and.b{5} %v{0}, %v{0}, {6};
LOADED{0}:)",
                         l, l * kCountingThreads, type, element, fmt::format(fmt::runtime(load), l),
                         bits, magnitude);
    looks += look_at_value(l, type);
  }
  return fmt::format(R"(
.visible .entry {0}(.param .u64 p_memory, .param .u64 p_rows, .param .u64 p_length,
                    .param .u64 p_pitch, .param .u64 p_before, .param .u64 p_infinity,
                    .param .u64 p_counters)
{{
  .reg .pred %p1, %p2;
  .reg .u16 %h;
  .reg .u32 %r;
  .reg .{1} %infinity;
  .reg .u64 %memory, %rows, %length, %pitch, %before, %counters, %row, %blocks, %thread, %column,
            %start, %address, %position, %nans, %infinities, %first, %any, %wide;
{2}
  ld.param.u64 %memory, [p_memory];
  cvta.to.global.u64 %memory, %memory;
  ld.param.u64 %rows, [p_rows];
  ld.param.u64 %length, [p_length];
  ld.param.u64 %pitch, [p_pitch];
  ld.param.u64 %before, [p_before];
  ld.param.u64 %wide, [p_infinity];
  cvt.{1}.u64 %infinity, %wide;
  ld.param.u64 %counters, [p_counters];
  cvta.to.global.u64 %counters, %counters;
  mov.u32 %r, %ctaid.x;
  cvt.u64.u32 %row, %r;
  mov.u32 %r, %nctaid.x;
  cvt.u64.u32 %blocks, %r;
  mov.u32 %r, %tid.x;
  cvt.u64.u32 %thread, %r;
  mov.u64 %nans, 0;
  mov.u64 %infinities, 0;
  mov.u64 %first, 0xffffffffffffffff;
ROW:
  setp.ge.u64 %p1, %row, %rows;
  @%p1 bra DONE;
  mad.lo.u64 %start, %row, %pitch, %memory;
  mov.u64 %column, %thread;
COLUMN:
  setp.ge.u64 %p1, %column, %length;
  @%p1 bra NEXT;{3}{4}
  add.u64 %column, %column, {5};
  bra COLUMN;
NEXT:
  add.u64 %row, %row, %blocks;
  bra ROW;
DONE:
  add.u64 %any, %nans, %infinities;
  setp.eq.u64 %p1, %any, 0;
  @%p1 bra END;
  red.global.add.u64 [%counters], %nans;
  red.global.add.u64 [%counters+8], %infinities;
  red.global.min.u64 [%counters+16], %first;
END:
  ret;
}}
)",
                     counting_name(element), type, registers, loads, looks,
                     kLoadsAhead * kCountingThreads);
}

std::string counting_module() {
  std::string text = ".version 6.4\n.target sm_70\n.address_size 64\n";
  for (const int element : {2, 4, 8}) text += counting_text(element);
  return text;
}

// The kernel for this element size in a context, loaded once. Null: the driver rejects it.
Function counting_kernel(Context context, int element) {
  static std::mutex mutex;
  static std::map<Context, Module> modules;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = modules.try_emplace(context, nullptr);
  if (is_new && driver().cuModuleLoadData(&found->second, counting_module().c_str()) != 0) {
    found->second = nullptr;
  }
  Function function = nullptr;
  if (!found->second) return nullptr;
  const std::string name = counting_name(element);
  const Code code = driver().cuModuleGetFunction(&function, found->second, name.c_str());
  return code == 0 ? function : nullptr;
}

}  // namespace

Result<std::optional<NonFiniteCount>> count_non_finite(
    Context context, Stream stream, Address memory, Scalar type,
    const std::vector<Accelerator::Rows>& pieces) {
  const auto none = std::optional<NonFiniteCount>();
  const int element = size_in_bytes(type);
  const Function function = counting_kernel(context, element);
  if (!function) return none;
  const Driver& cu = driver();
  Address counters = 0;
  Code code = cu.cuMemAlloc(&counters, sizeof(Counters));
  if (code != 0) return none;
  Counters counted;
  code = cu.cuMemcpyHtoDAsync(counters, &counted, sizeof counted, stream);
  uint64_t before = 0, infinity = infinity_bits(type);
  for (const Accelerator::Rows& piece : pieces) {
    for (const Accelerator::Rows& rows : short_rows(piece, kLongestRow * element)) {
      Address start = memory + static_cast<Address>(rows.start);
      auto count = static_cast<uint64_t>(rows.count);
      auto length = static_cast<uint64_t>(rows.bytes / element);
      auto pitch = static_cast<uint64_t>(rows.pitch);
      void* arguments[] = {&start, &count, &length, &pitch, &before, &infinity, &counters};
      LaunchConfig config{};
      config.grid[0] = static_cast<unsigned>(std::min<uint64_t>(count, kMostCountingBlocks));
      config.grid[1] = config.grid[2] = 1;
      config.block[0] = kCountingThreads;
      config.block[1] = config.block[2] = 1;
      config.stream = stream;
      if (code == 0) code = cu.cuLaunchKernelEx(&config, function, arguments, nullptr);
      before += count * length;
    }
  }
  if (code == 0) code = cu.cuMemcpyDtoHAsync(&counted, counters, sizeof counted, stream);
  if (code == 0) code = cu.cuStreamSynchronize(stream);
  cu.cuMemFree(counters);
  if (code != 0) return driver_failure("to count NaN", code);
  NonFiniteCount out{static_cast<int64_t>(counted.nans), static_cast<int64_t>(counted.infinities)};
  if (counted.nans + counted.infinities > 0) out.first = static_cast<int64_t>(counted.first);
  return std::optional<NonFiniteCount>(out);
}

}  // namespace stencil::runtime::cuda
