// The host driver as data: which arrays exist, which kernels run in which order, when copies trade
// places. The emitted drivers print it, the runtime executes it: same data, same result.
//
//   for (step = 0; step < steps; step += count) {
//     count = steps_of_tile(plan, steps - step, step);
//     actions...                      // launches, rotations, exchanges; some of them repeated
//     reductions due at step + count  // their launches
//     stop                            // if a reduction it names was due, and all have a value
//   }
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

// One scalar component of one field in device memory, in one or more equally shaped copies, called
// slots. Slot 0 is the newest level, slot k is level @-k for k < levels, and slots from `levels` on
// are spares that the next results are written to.
struct Array {
  std::string name;  // C identifier: "A", "S_rho", "f_2"
  Scalar type;
  std::vector<Expr> extents;  // in grid points, outermost first, over constants and size params
  // Rows (the last dimension) may lie further apart in the memory that kernels use than they are
  // long. Without a pitch the array is dense, as it always is in the user's memory. What the
  // elements beside a row's points hold is unspecified, and nothing depends on it.
  Expr row_pitch = nullptr;  // elements from one row to the next, over constants and size params
  Expr row_lead = nullptr;   // elements of a row ahead of its first point; null: none
  int levels = 1;
  int copies = 1;
  bool written = false;  // false: a coefficient; copied to the device, never back
  int field = 0;         // ids of the stencil program, for the runtime
  int component = 0;
};

inline bool is_padded(const Array& array) {
  return array.row_pitch != nullptr;
}
// The extents of the memory that kernels use: their buffers have these.
inline std::vector<Expr> stored_extents(const Array& array) {
  std::vector<Expr> extents = array.extents;
  if (is_padded(array)) extents.back() = array.row_pitch;
  return extents;
}
inline Expr lead_of(const Array& array) {
  return array.row_lead ? array.row_lead : integer(0);
}

// A scalar the user gives at run time.
struct Parameter {
  std::string name;
  Scalar type;
  std::optional<double> real_default;
  std::optional<int64_t> integer_default;
  bool is_size = false;  // takes part in array extents
  int param = 0;         // ParamId of the stencil program
  // The largest magnitude of an integer parameter at which no size computed from it overflows 64
  // bits.
  int64_t most = std::numeric_limits<int64_t>::max();
  // Null, or what it is unless the user gives it: over parameters before it, each operation rounded
  // by itself. The default above is its value with all defaults.
  Expr derived = nullptr;
  std::string derived_text = {};  // as the program writes it
};

// A value that is part of the code although it follows from parameters: what these give must be
// that value.
struct Pinned {
  std::string name;
  Scalar type;
  Expr derived;  // as in Parameter
  std::string derived_text;
  double real = 0;  // the value, by type
  int64_t integer = 0;
};

// Memory that belongs to the run alone: nobody gives it or gets it back. Its contents are
// unspecified until a launch writes them.
struct Scratch {
  std::string name;  // C identifier
  Scalar type;
  Expr elements;  // I64, at least 1, over constants and parameters
};

// Where the points of a set weigh, by tables in scratch memory (support/place_points.h). Whoever
// executes the plan fills them from the places of the points before the first launch, or refuses
// the run if one of them does not lie where it has to.
constexpr int kPointBucket = 32;  // grid points of a bucket
constexpr int kPointRows = 8;     // rows of a group
struct PointSet {
  std::string name;  // as the program calls it
  int arrays;        // into Plan::arrays: the first of its places (F64), one per dimension; with
                     // weights of the program's these follow, `width` of each dimension
  int width;         // grid points that a point weighs in a dimension
  bool weighted;     // by the program; else multilinear
  Expr points;       // I64: how many
  std::vector<Expr> low, high;    // I64, of the grid, per dimension
  std::vector<Expr> first, last;  // I64: where the points have to lie
  // Of a part of a decomposed program, whose grid `low` and `high` are: records are made at the
  // points that lie in this box, from its low coordinates up to the next whole numbers after its
  // high ones. Empty: at all.
  std::vector<std::array<int64_t, 2>> owned = {};
  Scalar weight;  // F32 or F64
  // Into Plan::scratch: I32, but `weights`.
  int slabs, starts, columns, numbers, weights, entries, firsts, counts;
};

// Of its places, and of its weights if it has them.
inline int arrays_of(const PointSet& set) {
  return static_cast<int>(set.low.size()) * (set.weighted ? set.width + 1 : 1);
}

struct ArrayArgument {
  int array;  // into Plan::arrays; with slot kScratch: into Plan::scratch
  int slot;
};
constexpr int kScratch = -1;
constexpr int kNoScratch = -1;  // for an index into Plan::scratch
constexpr int kNoArray = -1;    // for an index into Plan::arrays
constexpr int kNoSwap = -1;     // for an index into Plan::swaps

struct ParameterArgument {
  int parameter;
};
struct FirstStep {};  // I32: index of the first step of this tile (`time` in the program)
struct StepCount {};  // I32: steps to do in this tile, 1 .. time_tile
// I64: the number of the launch's first block, where its blocks are launched in several runs
// (Launch::outer_blocks); else 0. Numbers wrap around behind the last block, so that the blocks at
// both ends can be one run.
struct FirstBlock {};
using ScalarValue = std::variant<ParameterArgument, FirstStep, StepCount, FirstBlock>;

struct Launch {
  int kernel;
  std::vector<ArrayArgument> arrays;  // one per Global buffer of the kernel, in order
  std::vector<ScalarValue> scalars;   // one per scalar of the kernel, in order
  Expr blocks;                        // I64, over constants and parameters; 0: nothing to launch
  int steps = 0;                      // serves tiles of so many steps only; 0: all
  // One per BulkSource of the kernel, in order: whose memory it describes. On a target with bulk
  // copies the launch passes these after the scalars. In CUDA each is a CUtensorMap (by value, 128
  // bytes at a multiple of 64), made by cuTensorMapEncodeTiled for the slot's address in hand:
  // dimensions are stored_extents() and the box is BulkSource::box, both innermost first; strides
  // are dense; elements are unsigned integers of the array's size; no interleaving, no swizzle,
  // element strides of 1, zeros outside. The address is a multiple of kBulkUnit.
  std::vector<ArrayArgument> bulk_sources = {};
  int swap = kNoSwap;  // into Plan::swaps: done behind it
  // Of a part: so many blocks, the first and the last, make all that a swap behind the tile gives
  // to other parts, and only they read what the swap ahead of it has brought. 0 and 0: not known.
  // The kernel takes FirstBlock.
  std::array<int64_t, 2> outer_blocks = {0, 0};
};
struct Rotate {
  int array;
  int steps = 1;  // only in tiles of at least so many steps
};                // every slot moves one on: slot k becomes k+1, the last becomes 0
struct Exchange {
  int array;
  int a, b;
};  // two slots trade places
using Action = std::variant<Launch, Rotate, Exchange>;

// Actions that are done several times in each tile of steps, which have one step then: for tiles of
// iterations, until all are done.
//
//   for (done = 0; done < iterations; done += count) {
//     count = iterations_of_tile(repeat, iterations - done);
//     actions [first, end)
//   }
//
// In its launches StepCount is that count; FirstStep stays the index of the step.
struct Repeat {
  size_t first = 0, end = 0;         // into Plan::actions
  int64_t iterations = 1;            // at least 1
  int time_tile = 1;                 // iterations of a whole tile
  std::vector<int> tile_sizes = {};  // as Plan::tile_sizes
};

// A value computed from the arrays after every `every` steps, or values of a whole array, which is
// one of the user's. Tiles end where one is due.
//
// One `in_step` is computed within every step instead, by launches among the actions, whose kernels
// may read it where it lies; tiles have one step then. `replaced` keeps the value that the last
// evaluation replaced; that of an array is its next level, where it has one.
//
// Of one in floating point, `first_nan` keeps when it, or some of its values, was first NaN: the
// steps done by then. Whoever executes the plan puts there what the run so far has come to, 0 if it
// never was, before the first launch.
struct Reduction {
  std::string name;
  Scalar type;  // of the value: I32, I64, F32 or F64
  int64_t every = 1;
  std::vector<Launch> launches;  // in order; FirstStep and StepCount are those of the tile before;
                                 // in the step: none
  int result = kNoScratch;       // into Plan::scratch: its one element is the value
  int first_nan = kNoScratch;    // into Plan::scratch: one I32; of integers none
  bool in_step = false;
  int replaced = kNoScratch;  // into Plan::scratch: one element; none where nobody reads it
  int array = kNoArray;  // into Plan::arrays: its elements are the values, and there is no `result`
  // Each evaluation fills the next row of `array`; nobody asks for NaN.
  bool record = false;
  // Of a record that tiles sample in each of their steps but the last: where they leave that, a
  // value for every step of a tile and entry of its set. Its launches fill all rows that are due in
  // the tile, which need not end there.
  int samples = kNoScratch;  // into Plan::scratch
};

// Ends the run where a condition holds. It is asked after a tile at whose end a reduction it names
// was evaluated (after every step if it names none), once all that it names have a value. It does
// not hold while one of them is NaN.
struct Stop {
  std::vector<int> reductions;  // that the condition names, into Plan::reductions
  Launch launch;
  int result = 0;  // into Plan::scratch: one I32, not 0 if the condition holds
};

// What a part of a decomposed program (ir/part.h) exchanges with the others: values are packed into
// one buffer, from where ranges go to other parts, and unpacked from another, into which ranges
// come from them. Both hold values of several types, each piece at a multiple of 16 bytes.
//
// Boxes that are ranges of memory, as whole planes of the outermost dimension are, may go from
// array to array without packing, if all parts agree that all halos are such ranges.
struct SwapBox {
  ArrayArgument array;
  std::vector<Expr> first;      // its place in the array's extents, over constants
  std::vector<int64_t> counts;  // points, per dimension
};
struct SwapMessage {
  int part = 0;
  int send_tag = 0, receive_tag = 0;
  int64_t send_offset = 0, send_bytes = 0;  // in the buffer; no bytes: nothing is sent
  int64_t receive_offset = 0, receive_bytes = 0;
  // The boxes of arrays that it consists of, in the order of packing; none if it has scratch
  // memory.
  std::vector<SwapBox> sent = {}, received = {};
};
struct Swap {
  std::optional<Launch> pack, unpack;           // nothing: there is nothing to send, or to receive
  int send = kNoScratch, receive = kNoScratch;  // into Plan::scratch: I64
  std::vector<SwapMessage> messages;
};
// A swap ahead of actions, which are done in rounds of `round` steps or iterations: after so many
// rounds, and at the beginning of every step if that is cut. A round is a tile, unless the schedule
// of this part alone has shorter ones: parts do the same rounds. Where fewer steps are left, rounds
// are halved until they fit.
struct HaloSwap {
  size_t action = 0;  // into Plan::actions: the swap comes ahead of it
  size_t swap = 0;    // into Plan::swaps
  int64_t round = 1, rounds = 1;
  bool each_step = false;
};

struct Check {     // must hold before anything is allocated
  Expr condition;  // Bool, over parameters
  std::string message;
};

struct StepLimit {  // of a run, from step 0 on
  Expr steps;       // I64, over parameters: at most so many
  std::string message;
};

struct Plan {
  int time_tile = 1;  // steps of a whole tile
  // Steps that a tile may have, descending from time_tile to 1; empty: any up to time_tile.
  std::vector<int> tile_sizes;
  int64_t most_steps = 2147483647;  // that a run may have, from step 0 on
  std::vector<Array> arrays;
  std::vector<Expr> grid = {};  // extents, I64, if no array has these; else none
  std::vector<Parameter> parameters;
  std::vector<Pinned> pinned = {};
  std::vector<Check> checks;
  std::vector<StepLimit> step_limits = {};
  std::optional<Expr> default_steps;  // I64, over parameters
  std::vector<Action> actions;
  std::vector<Repeat> repeats = {};  // in order, apart from each other
  std::vector<Scratch> scratch;
  std::vector<PointSet> point_sets = {};
  std::vector<Reduction> reductions;
  std::optional<Stop> stop;
  // Of a part of a decomposed program, else none. Emitted drivers do not take part in such runs.
  std::vector<Swap> swaps = {};
  std::vector<HaloSwap> halos = {};  // in the order of their actions
  Expr points;  // I64: useful point updates per step, for GCells/s (points of the grid)
};

// Every launch of the plan: of the actions, reductions, stop condition and swaps.
inline void for_each_launch(const Plan& plan, const std::function<void(const Launch&)>& visit) {
  for (const Action& action : plan.actions) {
    if (const auto* launch = std::get_if<Launch>(&action)) visit(*launch);
  }
  for (const Reduction& reduction : plan.reductions) {
    for (const Launch& launch : reduction.launches) visit(launch);
  }
  if (plan.stop) visit(plan.stop->launch);
  for (const Swap& swap : plan.swaps) {
    if (swap.pack) visit(*swap.pack);
    if (swap.unpack) visit(*swap.unpack);
  }
}

// Actions that follow one another and are done equally often in a tile of steps: once, or as their
// repeat says.
struct Run {
  size_t first, end;     // into Plan::actions
  const Repeat* repeat;  // null: once
};
inline std::vector<Run> runs(const Plan& plan) {
  std::vector<Run> out;
  size_t next = 0;
  for (const Repeat& repeat : plan.repeats) {
    if (next < repeat.first) out.push_back({next, repeat.first, nullptr});
    out.push_back({repeat.first, repeat.end, &repeat});
    next = repeat.end;
  }
  if (next < plan.actions.size()) out.push_back({next, plan.actions.size(), nullptr});
  return out;
}

inline bool has_value(const Reduction& reduction) {
  return reduction.result != kNoScratch;
}

inline bool is_due(const Reduction& reduction, int64_t steps_done) {
  return steps_done % reduction.every == 0;
}
inline bool is_sampled(const Reduction& reduction) {
  return reduction.samples != kNoScratch;
}
// How often it is evaluated in or behind `count` steps from `first` on.
inline int64_t evaluations(const Reduction& reduction, int64_t first, int64_t count) {
  return (first + count) / reduction.every - first / reduction.every;
}

// The largest tile of at most `left` (at least 1), where there may be any up to `whole`, or those
// of `sizes`.
inline int64_t largest_tile(int whole, const std::vector<int>& sizes, int64_t left) {
  for (int size : sizes) {
    if (size <= left) return size;
  }
  return left < whole ? left : whole;
}
inline int64_t iterations_of_tile(const Repeat& repeat, int64_t left) {
  return largest_tile(repeat.time_tile, repeat.tile_sizes, left);
}

// How many of `left` steps (at least 1), the first of which has index `step`, may follow one
// another before something is evaluated.
inline int64_t steps_until_due(const Plan& plan, int64_t left, int64_t step) {
  for (const Reduction& reduction : plan.reductions) {
    if (is_sampled(reduction)) continue;
    left = std::min(left, reduction.every - step % reduction.every);
  }
  if (plan.stop && plan.stop->reductions.empty()) left = 1;
  return left;
}
// The steps of the next tile, whose first has index `step`, when `left` (at least 1) are to be
// done.
inline int64_t steps_of_tile(const Plan& plan, int64_t left, int64_t step = 0) {
  return largest_tile(plan.time_tile, plan.tile_sizes, steps_until_due(plan, left, step));
}

// The steps of a round where `left` (at least 1) are to be done.
inline int64_t steps_of_round(const HaloSwap& halo, int64_t left) {
  int64_t steps = halo.round;
  while (steps > left) steps /= 2;
  return steps;
}

// What a tile of so many steps launches, if that is one launch with outer blocks; or null.
inline const Launch* launch_with_outer_blocks(const Plan& plan, int64_t count) {
  if (count != largest_tile(plan.time_tile, plan.tile_sizes, count)) return nullptr;
  const Launch* found = nullptr;
  for (const Action& action : plan.actions) {
    const auto* launch = std::get_if<Launch>(&action);
    if (!launch || (launch->steps != 0 && launch->steps != count)) continue;
    if (found) return nullptr;
    found = launch;
  }
  const bool apart = found && found->outer_blocks[0] + found->outer_blocks[1] > 0;
  return apart ? found : nullptr;
}
// A part may exchange halos while the inside of a tile is computed.
inline bool exchanges_beside_tiles(const Plan& plan) {
  return plan.halos.size() == 1 && !plan.halos[0].each_step && !plan.stop && plan.repeats.empty() &&
         launch_with_outer_blocks(plan, plan.halos[0].round) != nullptr;
}

// The least number of steps that are done as one behind the other without a tile being cut short.
inline int64_t steps_of_period(const Plan& plan) {
  int64_t steps = plan.time_tile;
  for (const HaloSwap& halo : plan.halos) {
    if (!halo.each_step) steps = std::max(steps, halo.round * halo.rounds);
  }
  return steps;
}

inline bool is_padded(const Plan& plan) {
  return std::any_of(plan.arrays.begin(), plan.arrays.end(),
                     [](const Array& array) { return is_padded(array); });
}

struct Module {
  std::string name;                 // C identifier, prefix of every emitted function
  std::vector<std::string> header;  // lines of the comment at the top
  std::vector<NamedConstant> constants;
  std::vector<Kernel> kernels;
  Plan plan;
  FpMode fp = FpMode::Contract;
};

}  // namespace stencil::kernel
