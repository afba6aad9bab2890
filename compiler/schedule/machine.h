// Machine parameters, on which proposing, choosing and refusing schedules depend. If the device is
// present, the runtime queries them. For code that will run elsewhere, they come from a table. Two
// machine-dependent facts are kept elsewhere: families list the tiles that were fastest on an H200,
// and the CUDA dialect contains the limits of the smallest multiprocessor.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/plan.h"

namespace stencil::schedule {

struct Machine {
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();
  std::string name = "sm_90";  // value of --machine; the architecture's name in compilers
  std::string description = "NVIDIA H200";
  bool threads_are_loops = false;  // CPU: one thread executes a whole block, in its caches
  bool shuffles = true;            // has warp shuffles; else emulated through shared memory
  bool in_place = false;           // kernels work in the user's own arrays: rows=auto means dense

  // Limits of a block.
  int threads = 1024;
  int threads_in_x = 1024;  // threads in x, at most
  int threads_in_y = 1024;  // threads in y, at most
  int threads_from_z = 64;  // threads in z and beyond, at most
  int64_t shared_bytes = 227 << 10;
  int64_t block_bytes = kUnlimited;  // shared memory and per-thread arrays of a block on the stack
  int registers_per_thread = 255;    // 32 bits each

  // Limits of a multiprocessor.
  int multiprocessors = 132;
  int warp = 32;       // threads per warp
  int schedulers = 4;  // warp schedulers, each with its share of warps and registers
  int threads_per_multiprocessor = 2048;
  int blocks_per_multiprocessor = 32;
  int registers = 65536;             // 32 bits each
  int64_t reserved_bytes = 1 << 10;  // shared memory that the system reserves per block

  // The whole device. Rates are sustained by kernels, not data-sheet peaks.
  double bytes_per_second = 4.2e12;        // memory bandwidth
  double instructions_per_second = 32e12;  // thread instructions, single precision
  double double_cost = 2;                  // single-precision instructions per double-precision one
  double cache_bytes_per_second = 20e12;   // bandwidth of the shared last-level cache
  double clock = 1.9e9;                    // multiprocessor cycles per second, under load
  double launch_seconds = 3e-6;            // launch overhead: gap between two kernels
  int64_t cache_bytes = 50 << 20;          // last-level cache, shared by all multiprocessors
};

// Rows "sm_90" and "cpu" of the table.
Machine gpu();
Machine cpu();

// All machines of the table, GPUs by age.
const std::vector<Machine>& machine_table();
// The row of that name; nullopt if there is none.
std::optional<Machine> find_machine(const std::string& name);

// Column names, and the machine's parameters as text, for a table of machines.
std::vector<std::string> machine_columns();
std::vector<std::string> describe(const Machine& machine);

// Whether the machine's limits allow a block of this shape.
bool takes_block(const Machine& machine, const Shape& block);

// Properties that a CUDA device reports; 0: unknown.
struct CudaLimits {
  std::string name;
  int architecture = 0;  // 90 for sm_90
  int multiprocessors = 0;
  int kilohertz = 0;                       // peak clock of the multiprocessors
  int memory_kilohertz = 0, bus_bits = 0;  // memory clock (two transfers per cycle) and bus width
  int shared_bytes = 0;                    // per block, at most
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0;
  int registers = 0;  // per multiprocessor
  int cache_bytes = 0;
};
// For a device in the table, the table's rates. For others, rates derived from the device's clocks
// and the row of its architecture, or of the newest older one.
Machine cuda_gpu(const CudaLimits& limits);

// The CPU that runs the compiler, with this many threads.
Machine this_cpu(int threads);

// Properties that an OpenCL device reports.
struct OpenClLimits {
  int64_t work_group = 0;                        // work-items, at most
  std::array<int64_t, 3> work_group_sides = {};  // per dimension
  int64_t local_bytes = 0;                       // per work-group
  int64_t compute_units = 0;
};
// A GPU or another accelerator: work-items are the threads of blocks.
Machine opencl_gpu(const OpenClLimits& limits);
// A CPU: a work-group is one work-item that loops over the threads of a block.
Machine opencl_cpu(const OpenClLimits& limits);

}  // namespace stencil::schedule
