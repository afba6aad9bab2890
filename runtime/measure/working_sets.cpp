// Chooses working sets from the known cache sizes of a machine.
#include "runtime/measure/working_sets.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "runtime/io/files.h"
#include "runtime/measure/modules.h"

namespace stencil::measure {

namespace {

// Size of the last cache shared by a core of this CPU; sysconf() would add up all caches of the
// system.
int64_t cache_of_core(int64_t otherwise) {
  const auto text = runtime::read_file("/sys/devices/system/cpu/cpu0/cache/index3/size", 1 << 16);
  int64_t kibibytes = 0;
  if (text.ok()) {
    const std::string& digits = text.value();
    std::from_chars(digits.data(), digits.data() + digits.size(), kibibytes);
  }
  return kibibytes > 0 ? kibibytes << 10 : otherwise;
}

int64_t second_cache() {
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : int64_t{1} << 20;
}

int64_t power_of_two(int64_t bytes) {
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max(kChunkBytes, bytes))));
}

}  // namespace

WorkingSets working_sets(const schedule::Machine& machine, int64_t most_bytes) {
  constexpr int64_t kMega = 1 << 20;
  const bool cpu = machine.threads_are_loops;
  const int64_t cache = cpu ? cache_of_core(machine.cache_bytes) : machine.cache_bytes;
  const int64_t last = std::clamp<int64_t>(cache, kMega / 4, 1024 * kMega);
  const int64_t beyond = std::clamp<int64_t>(4 * last, 128 * kMega, (cpu ? 512 : 1024) * kMega);
  const int64_t memory = power_of_two(std::min(2 * power_of_two(beyond - 1), most_bytes));
  WorkingSets sets;
  const auto level = [&](const char* name, int64_t bytes) {
    sets.levels.push_back({name, std::min(power_of_two(bytes), memory)});
  };
  level("L1", kChunkBytes);
  level("L2", cpu ? second_cache() / 2 : last / 4);
  if (cpu) level("L3", last / 4);
  level("memory", memory);
  for (auto bytes = static_cast<double>(last) / 8; bytes < static_cast<double>(memory);
       bytes *= std::sqrt(2)) {
    const int64_t chunks = std::max<int64_t>(1, static_cast<int64_t>(bytes) / kChunkBytes);
    sets.around_cache.push_back(chunks * kChunkBytes);
  }
  sets.around_cache.push_back(memory);
  return sets;
}

}  // namespace stencil::measure
