// The table of machines. Limits of blocks and multiprocessors are from the CUDA C++ Programming
// Guide (compute capabilities) and AMD's GPU hardware specification tables. Bandwidths are 7/8 of
// the data sheet's, a rate that copies reach. Instruction rates are 95.7 % of one instruction per
// lane and cycle at peak clock, a rate that kernels sustain under load.
#include "compiler/schedule/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace stencil::schedule {

namespace {

constexpr double kCopied = 0.875, kIssued = 0.957;
// Measured on an H200, where cache bandwidth rarely limits; assumed for other GPUs.
constexpr double kCacheToMemory = 4.8;

// Properties in which the GPUs of the table differ.
struct Row {
  const char* name;
  const char* description;
  int multiprocessors;
  int lanes;  // single-precision lanes per multiprocessor
  double gigahertz;
  double gigabytes;  // per second, from the data sheet
  double double_cost;
  int cache_megabytes;
  int shared_kilobytes;  // per block
  int threads_per_multiprocessor, blocks_per_multiprocessor;
  int warp = 32;
  int registers = 65536;
};

constexpr Row kGpus[] = {
    {"sm_75", "NVIDIA T4", 40, 64, 1.59, 320, 32, 4, 64, 1024, 16},
    {"sm_80", "NVIDIA A100", 108, 64, 1.41, 2039, 2, 40, 163, 2048, 32},
    {"sm_86", "NVIDIA RTX A6000", 84, 128, 1.80, 768, 64, 6, 99, 1536, 16},
    {"sm_89", "NVIDIA L40S", 142, 128, 2.52, 864, 64, 96, 99, 1536, 24},
    {"sm_90", "NVIDIA H200", 132, 128, 1.98, 4800, 2, 50, 227, 2048, 32},
    {"sm_100", "NVIDIA B200", 148, 128, 1.965, 8000, 2, 126, 227, 2048, 32},
    {"sm_120", "NVIDIA RTX 5090", 170, 128, 2.41, 1792, 64, 96, 99, 1536, 24},
    {"gfx90a", "AMD Instinct MI210", 104, 64, 1.70, 1638, 1, 8, 64, 2048, 32, 64, 131072},
    {"gfx942", "AMD Instinct MI300X", 304, 128, 2.10, 5300, 2, 32, 64, 2048, 32, 64, 131072},
    {"gfx1100", "AMD Radeon RX 7900 XTX", 96, 128, 2.50, 960, 32, 6, 64, 2048, 32, 32, 98304},
};

Machine made_of(const Row& row) {
  Machine machine;
  machine.name = row.name;
  machine.description = row.description;
  machine.multiprocessors = row.multiprocessors;
  machine.warp = row.warp;
  machine.registers = row.registers;
  machine.shared_bytes = int64_t{row.shared_kilobytes} << 10;
  machine.threads_per_multiprocessor = row.threads_per_multiprocessor;
  machine.blocks_per_multiprocessor = row.blocks_per_multiprocessor;
  machine.bytes_per_second = kCopied * row.gigabytes * 1e9;
  machine.instructions_per_second = kIssued * row.multiprocessors * row.lanes * row.gigahertz * 1e9;
  machine.cache_bytes_per_second = kCacheToMemory * machine.bytes_per_second;
  machine.clock = kIssued * row.gigahertz * 1e9;
  machine.double_cost = row.double_cost;
  machine.cache_bytes = int64_t{row.cache_megabytes} << 20;
  return machine;
}

// Rates of cores with 32-byte vectors on common loops, and of multi-channel memory.
void set_rates(Machine& cpu) {
  constexpr double kLanes = 8, kOfCore = 12e9, kMost = 200e9, kCacheOfCore = 23e9;
  const double cores = cpu.multiprocessors;
  cpu.instructions_per_second = cores * kLanes * cpu.clock;
  cpu.bytes_per_second = std::min(cores * kOfCore, kMost);
  cpu.cache_bytes_per_second = cores * kCacheOfCore;
}

// A block's arrays should stay in the second-level cache, so the GPU sizes above do not apply. The
// arrays are on the stack of the thread that executes the block and may take half of the stack.
Machine usual_cpu() {
  Machine machine;
  machine.name = "cpu";
  machine.description = "a CPU";
  machine.threads = machine.threads_in_x = machine.threads_in_y = machine.threads_from_z = 1 << 20;
  machine.shared_bytes = 1 << 20;
  machine.block_bytes = 2 << 20;
  machine.threads_are_loops = true;
  machine.in_place = true;
  machine.multiprocessors = 16;
  machine.cache_bytes = 32 << 20;
  machine.double_cost = 2;
  machine.clock = 3e9;
  machine.launch_seconds = 10e-6;
  set_rates(machine);
  return machine;
}

}  // namespace

const std::vector<Machine>& machine_table() {
  static const std::vector<Machine> kMachines = [] {
    std::vector<Machine> machines;
    for (const Row& row : kGpus) machines.push_back(made_of(row));
    machines.push_back(usual_cpu());
    return machines;
  }();
  return kMachines;
}

std::optional<Machine> find_machine(const std::string& name) {
  const auto& table = machine_table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Machine& machine) { return machine.name == name; });
  return found == table.end() ? std::nullopt : std::optional(*found);
}

Machine gpu() {
  return *find_machine("sm_90");
}

Machine cpu() {
  return *find_machine("cpu");
}

std::vector<std::string> machine_columns() {
  return {"machine",   "description", "cores", "threads",  "warp",
          "KiB/block", "MiB cache",   "TB/s",  "Tinstr/s", "double"};
}

std::vector<std::string> describe(const Machine& machine) {
  const auto unless_cpu = [&](const std::string& text) {
    return machine.threads_are_loops ? std::string("-") : text;
  };
  return {machine.name,
          machine.description,
          fmt::format("{}", machine.multiprocessors),
          unless_cpu(fmt::format("{}", machine.threads_per_multiprocessor)),
          unless_cpu(fmt::format("{}", machine.warp)),
          fmt::format("{}", machine.shared_bytes >> 10),
          fmt::format("{}", machine.cache_bytes >> 20),
          unless_cpu(fmt::format("{:.2f}", machine.bytes_per_second * 1e-12)),
          unless_cpu(fmt::format("{:.1f}", machine.instructions_per_second * 1e-12)),
          unless_cpu(fmt::format("1/{:g}", machine.double_cost))};
}

bool takes_block(const Machine& machine, const Shape& block) {
  return block.product() <= machine.threads && block[0] <= machine.threads_in_x &&
         block[1] <= machine.threads_in_y && block.product(2) <= machine.threads_from_z;
}

namespace {

// 90 for "sm_90"; 0 for other names.
int architecture_of(const Machine& machine) {
  int number = 0;
  if (machine.name.starts_with("sm_")) {
    std::from_chars(machine.name.data() + 3, machine.name.data() + machine.name.size(), number);
  }
  return number;
}

// A cache size from sysconf, or `otherwise` if the system does not report it.
int64_t cache_or(int name, int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

}  // namespace

Machine cuda_gpu(const CudaLimits& limits) {
  size_t row = 0;
  for (size_t i = 0; i < std::size(kGpus); ++i) {
    const int number = architecture_of(machine_table()[i]);
    if (number > 0 && number <= limits.architecture) row = i;
  }
  Machine machine = machine_table()[row];
  const bool known =
      machine.description == limits.name && machine.multiprocessors == limits.multiprocessors;
  if (known) return machine;
  const auto take = [](auto& to, auto from) {
    if (from > 0) to = from;
  };
  machine.name = fmt::format("sm_{}", limits.architecture);
  machine.description = limits.name;
  take(machine.multiprocessors, limits.multiprocessors);
  take(machine.shared_bytes, int64_t{limits.shared_bytes});
  take(machine.threads_per_multiprocessor, limits.threads_per_multiprocessor);
  take(machine.blocks_per_multiprocessor, limits.blocks_per_multiprocessor);
  take(machine.registers, limits.registers);
  take(machine.cache_bytes, int64_t{limits.cache_bytes});
  take(machine.bytes_per_second, kCopied * 2e3 * limits.memory_kilohertz * limits.bus_bits / 8);
  if (limits.memory_kilohertz > 0 && limits.bus_bits > 0) {
    machine.cache_bytes_per_second = kCacheToMemory * machine.bytes_per_second;
  }
  take(machine.clock, kIssued * 1e3 * limits.kilohertz);
  take(machine.instructions_per_second,
       kIssued * 1e3 * limits.kilohertz * machine.multiprocessors * kGpus[row].lanes);
  return machine;
}

Machine this_cpu(int threads) {
  Machine machine = cpu();
  machine.description = "this CPU";
  machine.multiprocessors = threads;
  set_rates(machine);
  machine.cache_bytes = cache_or(_SC_LEVEL3_CACHE_SIZE, machine.cache_bytes);
  return machine;
}

Machine opencl_gpu(const OpenClLimits& limits) {
  const auto at_most = [](int64_t limit) {
    return static_cast<int>(std::clamp<int64_t>(limit, 1, 1 << 20));
  };
  Machine machine = gpu();
  machine.threads = at_most(limits.work_group);
  machine.threads_in_x = std::min(machine.threads, at_most(limits.work_group_sides[0]));
  machine.threads_in_y = std::min(machine.threads, at_most(limits.work_group_sides[1]));
  machine.threads_from_z = std::min(machine.threads, at_most(limits.work_group_sides[2]));
  machine.shared_bytes = limits.local_bytes;
  machine.multiprocessors = at_most(limits.compute_units);
  machine.shuffles = false;
  machine.name = "opencl";
  machine.description =
      fmt::format("an OpenCL device: {} threads and {} bytes per block, {} compute units",
                  machine.threads, machine.shared_bytes, machine.multiprocessors);
  return machine;
}

// Cache sizes are those of a generic CPU. Shared memory is limited by the device's local memory.
Machine opencl_cpu(const OpenClLimits& limits) {
  Machine machine = cpu();
  machine.shared_bytes = std::min(machine.shared_bytes, limits.local_bytes);
  machine.multiprocessors = opencl_gpu(limits).multiprocessors;
  machine.in_place = false;
  machine.name = "opencl";
  machine.description = "a CPU, through OpenCL";
  return machine;
}

}  // namespace stencil::schedule
