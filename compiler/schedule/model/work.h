// The work of a plan by counting: the input of the model (docs/design/model.md). Families count
// what their kernels do; predict.h turns the counts into time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stencil::schedule {

// Operations of a thread, by class. Words are 32 bits.
struct Operations {
  double single = 0;           // arithmetic in single precision or less; FMA counts as one
  double real = 0;             // the same in double precision
  double integer = 0;          // integer arithmetic of the program itself
  double calls = 0;            // subroutines in single precision: division, roots, functions
  double real_calls = 0;       // the same in double precision
  double multiplied = 0;       // divisions by constants, turned into multiplications
  double real_multiplied = 0;  // the same in double precision
  double selects = 0;          // values selected by a point's position
  double loads = 0;            // words from global memory to registers
  double stores = 0;           // words to global memory
  double copies = 0;           // words copied asynchronously from global to shared memory
  double bulk = 0;             // bulk copies started and awaited, per warp
  double shared = 0;           // words to and from shared memory
  double conflicts = 0;        // shared words, times the additional turns that bank conflicts cause
  double shuffles = 0;         // words taken from other threads of the warp
  double accesses = 0;         // memory instructions; a vector access counts once
  double points = 0;           // coordinates of points computed and tested one by one

  Operations& add(const Operations& other, double times = 1);
  double arithmetic() const;  // without memory accesses and overhead
};

// Instructions that a thread issues per iteration, from machine code.
struct Issued {
  double all = 0;                            // total, including those below
  double singles = 0, doubles = 0;           // arithmetic in single and double precision
  double global = 0, shared = 0, local = 0;  // memory instructions
  double shuffles = 0, barriers = 0;
  double branches = 0;  // including calls and reconvergence instructions
};

// One kernel, launched one or more times per time tile. All blocks do the same work except those at
// the grid's edges.
struct Work {
  double launches = 1;       // per time tile
  double blocks = 1;         // per launch
  int threads = 1;           // per block
  double registers = 32;     // wanted per thread, 32 bits each
  int promised = 0;          // blocks per multiprocessor that limit registers; 0: no limit
  int64_t shared_bytes = 0;  // per block
  double iterations = 1;     // sequential iterations of a block: planes
  Operations iteration;      // per thread and iteration
  double edge_selects = 0;   // additional selects per iteration in blocks at the grid's edge
  double edge = 0;           // fraction of the blocks at the grid's edge
  std::optional<Issued> issued = {};       // from machine code, replaces `iteration`
  std::optional<Issued> edge_issued = {};  // the same for blocks at the grid's edge
  double barriers = 0;                     // per iteration
  int row = 1;                             // adjacent threads in x
  double stages = 1;                       // dependent stages per iteration
  double points = 1;                       // independent points per stage and thread
  double awaited = 0;     // loads per iteration that stall: a queue moves their registers too early
  double ahead = 0;       // prefetch distance: iterations between a load and its use
  double bytes = 0;       // global memory traffic of a block per iteration
  double compulsory = 1;  // fraction of these bytes that no other block requests
  double footprint = 0;   // size of all arrays of the launch

  // CPUs only. Blocks may extend beyond the grid and work in caches.
  double inside = 1;       // average fraction of the block's points inside the grid
  double held_bytes = 0;   // working set reused from one plane to the next
  double planes_read = 0;  // part of it that a thread reads per iteration, in bytes
};

// The kernels of a time tile of `steps` steps.
struct TileWork {
  int steps = 1;
  double points = 1;  // of the grid
  std::vector<Work> kernels;
  double done = 1;  // fraction of the steps executed, if tiles end early
};

}  // namespace stencil::schedule
