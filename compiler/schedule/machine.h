// A machine is a value: the numbers of a device by which schedules are made, chosen and refused. It
// is found out from a device that is present (runtime), or it is a row of the table here, for code
// that will run elsewhere. Beside it, families list tiles that were the fastest on an H200, and the
// CUDA dialect knows what the smallest multiprocessor holds.
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
  std::string name = "sm_90";  // as --machine takes it, and compilers call the architecture
  std::string description = "NVIDIA H200";
  bool threads_are_loops = false;  // a block is done by one thread of a CPU, in its caches
  bool shuffles = true;            // a thread reads its neighbours' registers; else by a detour
                                   // through memory that the block shares
  bool in_place = false;           // kernels work in the user's own arrays: rows=auto means dense

  // A block, at most.
  int threads = 1024;
  int threads_in_x = 1024;  // of those, in x
  int threads_in_y = 1024;  // in y
  int threads_from_z = 64;  // in z and beyond
  int64_t shared_bytes = 227 << 10;
  int64_t block_bytes = kUnlimited;  // shared, and what its threads keep: on the stack of one
  int registers_per_thread = 255;    // of 32 bits

  // A multiprocessor, which does blocks side by side.
  int multiprocessors = 132;
  int warp = 32;       // threads that run together
  int schedulers = 4;  // among which the warps and registers are dealt out
  int resident_threads = 2048;
  int resident_blocks = 32;
  int registers = 65536;             // of 32 bits
  int64_t reserved_bytes = 1 << 10;  // of shared memory, per block, taken by the system

  // The whole. Rates are what kernels reach, not what data sheets say.
  double bytes_per_second = 4.2e12;        // to and from memory
  double instructions_per_second = 32e12;  // of threads, in single precision
  double double_cost = 2;                  // instructions that one in double precision counts as
  double cache_bytes_per_second = 20e12;   // to and from the cache that all share
  double clock = 1.9e9;                    // cycles per second of a multiprocessor, under load
  double launch_seconds = 3e-6;            // from the end of a kernel to the start of the next
  int64_t cache_bytes = 50 << 20;          // that all multiprocessors share
};

// Rows "sm_90" and "cpu" of the table, for those who only want one.
Machine gpu();
Machine cpu();

// Every machine of the table, GPUs by age.
const std::vector<Machine>& machine_table();
// The row of that name, or nothing.
std::optional<Machine> find_machine(const std::string& name);

// Its numbers for people, in columns of these names.
std::vector<std::string> machine_columns();
std::vector<std::string> describe(const Machine& machine);

// True if a block of these threads is not too large for the machine.
bool takes_block(const Machine& machine, const Shape& block);

// What a CUDA device says of itself; 0: nothing.
struct CudaLimits {
  std::string name;
  int architecture = 0;  // 90 for sm_90
  int multiprocessors = 0;
  int kilohertz = 0;                       // of the multiprocessors, at most
  int memory_kilohertz = 0, bus_bits = 0;  // of memory, which moves bits twice a cycle
  int shared_bytes = 0;                    // of a block, at most
  int resident_threads = 0, resident_blocks = 0, registers = 0;  // of a multiprocessor
  int cache_bytes = 0;
};
// Rates of a device that the table describes are the table's; of others, what its clocks make of
// the row of that architecture, or of the last one before it.
Machine cuda_gpu(const CudaLimits& limits);

// The CPU that runs the compiler, with so many threads.
Machine this_cpu(int threads);

// What an OpenCL device says of itself.
struct OpenClLimits {
  int64_t work_group = 0;                        // work-items, at most
  std::array<int64_t, 3> work_group_sides = {};  // in each dimension
  int64_t local_bytes = 0;                       // of a work-group
  int64_t compute_units = 0;
};
// A GPU or another accelerator, whose work-items are the threads of blocks.
Machine opencl_gpu(const OpenClLimits& limits);
// A CPU, of which a work-group is one work-item with loops over the threads of a block.
Machine opencl_cpu(const OpenClLimits& limits);

}  // namespace stencil::schedule
