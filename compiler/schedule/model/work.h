// What a plan asks of a GPU or a CPU, by counting: the input of the model (docs/model.md). Families count
// what their kernels do; the model (predict.h) says how long a machine takes over it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stencil::schedule {

// What a thread executes, by class. Words are of 32 bits.
struct Operations {
  double single = 0;           // arithmetic in single precision or less; a fused product is free
  double real = 0;             // in double precision
  double integer = 0;          // of integers that the program computes with
  double calls = 0;            // subroutines in single precision: divisions, roots, functions
  double real_calls = 0;       // in double precision
  double multiplied = 0;       // divisions by constants that are multiplied out
  double real_multiplied = 0;  // in double precision
  double selects = 0;          // values chosen by a point's place
  double loads = 0;            // words from global memory to registers
  double stores = 0;           // words to global memory
  double copies = 0;           // words that go from global to shared memory on their own
  double bulk = 0;             // bulk copies begun and awaited, a warp's share
  double shared = 0;           // words to and from shared memory
  double conflicts = 0;        // of those, how often each waits for others of its banks, in all
  double shuffles = 0;         // words taken from other threads of the warp
  double accesses = 0;         // instructions that read or write any memory: vectors count once
  double points = 0;           // coordinates of points that are found and tested one by one

  Operations& add(const Operations& other, double times = 1);
  double arithmetic() const;  // operations of the program itself
};

// Instructions that a thread issues in one iteration, as machine code has them.
struct Issued {
  double all = 0;                            // those below among them
  double singles = 0, doubles = 0;           // arithmetic in single and double precision
  double global = 0, shared = 0, local = 0;  // that read or write such memory
  double shuffles = 0, barriers = 0;
  double branches = 0;  // and what goes with them: calls, meeting points of threads
};

// One kernel, launched once or more in a time tile. Its blocks are alike but for those at the ends
// of the grid.
struct Work {
  double launches = 1;       // per time tile
  double blocks = 1;         // of a launch
  int threads = 1;           // per block
  double registers = 32;     // that a thread would take, 32 bits each
  int promised = 0;          // blocks per multiprocessor that registers are rationed for; 0: none
  int64_t shared_bytes = 0;  // per block
  double iterations = 1;     // of a block, one after the other: planes
  Operations iteration;      // of a thread, in each
  double edge_selects = 0;   // further selects in each iteration of blocks at the grid's edge
  double edge = 0;           // part of the blocks that these are
  std::optional<Issued> issued = {};       // in place of `iteration`, where a compiler was asked
  std::optional<Issued> edge_issued = {};  // likewise, of blocks at the grid's edge
  double barriers = 0;                     // per iteration
  int row = 1;                             // threads side by side in x
  double stages = 1;   // per iteration, each waiting for results of the one before
  double points = 1;   // of each stage that a thread computes side by side
  double awaited = 0;  // per iteration: loads under way that a queue of registers moves on, which
                       // waits for them
  double ahead = 0;    // iterations that loads are under way before their values are used
  double bytes = 0;    // of global memory that a block asks for in an iteration
  double compulsory = 1;  // part of them that no other block asks for
  double footprint = 0;   // bytes of all arrays of the launch

  // For CPUs, whose blocks may be larger than the grid and live in caches.
  double inside = 1;       // part of the places of its threads that lie in the grid, on average
  double held_bytes = 0;   // that are come back to, from one plane to the next
  double planes_read = 0;  // bytes of these that a thread asks for in an iteration
};

// The kernels of a time tile of `steps` steps.
struct TileWork {
  int steps = 1;
  double points = 1;  // of the grid
  std::vector<Work> kernels;
  double done = 1;  // part of the steps that a run does, where tiles end early
};

}  // namespace stencil::schedule
