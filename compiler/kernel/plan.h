// The host driver as data: which arrays exist, which kernels run in which order, and when slots
// change roles. The host program (host_ir/program.h) is made from it. Emitted drivers print that
// program and the runtime executes it, so both give the same results.
//
//   if (first step of the run is 0) start...   // actions, once
//   for (step = 0; step < steps; step += count) {
//     count = steps_of_tile(plan, steps - step, step);
//     actions...                      // launches, rotations, swaps, halo exchanges, repeats
//     reductions due at step + count  // their launches
//     stop                            // if one of its reductions was due and all have values
//   }
//
// The actions are a tree: a repeat has actions of its own, and may stand in another repeat.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/kernel/kernel.h"

namespace stencil::kernel {

// One scalar component of one field in device memory, in one or more copies of equal shape, called
// slots. Slot 0 is the newest level, slot k is level @-k for k < levels. Slots from `levels` on are
// spares, to which the next results are written.
struct Array {
  std::string name;  // C identifier: "A", "S_rho", "f_2"
  Scalar type;
  std::vector<Expr> extents;  // in grid points, outermost first, over constants and size params
  // Kernels may use a larger row pitch (distance between rows, the last dimension) than the row
  // length. Without a pitch the array is dense, as it always is in the user's memory. Padding
  // elements have unspecified values that no result depends on.
  Expr row_pitch = nullptr;  // elements between the starts of rows, over constants and size params
  Expr row_lead = nullptr;   // elements of a row before its first point; null: none
  int levels = 1;
  int copies = 1;
  bool written = false;  // false: a coefficient, which is copied to the device and never back
  int field = 0;         // ids of the stencil program, for the runtime
  int component = 0;
};

inline bool is_padded(const Array& array) {
  return array.row_pitch != nullptr;
}
// The extents of the array in device memory: rows have the row pitch. The kernels' buffers have
// these extents.
inline std::vector<Expr> stored_extents(const Array& array) {
  std::vector<Expr> extents = array.extents;
  if (is_padded(array)) extents.back() = array.row_pitch;
  return extents;
}
inline Expr lead_of(const Array& array) {
  return array.row_lead ? array.row_lead : integer(0);
}

// A scalar that the user gives at run time.
struct Parameter {
  std::string name;
  Scalar type;
  std::optional<double> real_default;
  std::optional<int64_t> integer_default;
  bool is_size = false;  // occurs in array extents
  int param = 0;         // ParamId of the stencil program
  // The largest magnitude of an integer parameter for which no size computed from it overflows 64
  // bits.
  int64_t most = std::numeric_limits<int64_t>::max();
  // The value if the user gives none: an expression over earlier parameters. Each operation is
  // rounded separately. Null if the parameter is not derived. The default above is its value when
  // all parameters have their defaults.
  Expr derived = nullptr;
  std::string derived_text = {};  // as written in the program
};

// A value compiled into the code although it derives from parameters. At run time the parameters
// must yield this value.
struct Pinned {
  std::string name;
  Scalar type;
  Expr derived;  // as in Parameter
  std::string derived_text;
  double real = 0;  // the value, by type
  int64_t integer = 0;
};

// Memory used only within the run, neither input nor output. Its contents are unspecified until a
// launch writes them.
struct Scratch {
  std::string name;  // C identifier
  Scalar type;
  Expr elements;  // I64, at least 1, over constants and parameters
};

// Lookup tables in scratch memory for a set of points: they find the grid points at which a point
// of the set has a weight (support/place_points.h). The executor of the plan fills them from the
// positions of the points before the first launch. It refuses the run if a point lies outside its
// allowed range.
constexpr int kPointBucket = 32;  // grid points per bucket
constexpr int kPointRows = 8;     // rows per group
struct PointSet {
  std::string name;  // as the program calls it
  int arrays;        // index into Plan::arrays: the first position array (F64), one per dimension.
                     // If the program gives the weights, these follow, `width` per dimension
  int width;         // grid points to which a point has a weight, per dimension
  bool weighted;     // weights are given by the program; else multilinear
  Expr points;       // I64: number of points
  std::vector<Expr> low, high;    // I64: bounds of the grid, per dimension
  std::vector<Expr> first, last;  // I64: allowed range of the positions
  // For a subdomain of a decomposed program, whose grid has the bounds `low` and `high`: the
  // subdomain evaluates records only at the points in this box. Per dimension {low, high}, a
  // position p is in the box if low <= p < high + 1. Empty: records are evaluated at all points.
  std::vector<std::array<int64_t, 2>> owned = {};
  Scalar weight;  // F32 or F64
  // Into Plan::scratch: I32, except `weights`.
  int slabs, starts, columns, numbers, weights, entries, firsts, counts;
};

// Number of arrays of a set: its positions, and its weights if it has any.
inline int arrays_of(const PointSet& set) {
  return static_cast<int>(set.low.size()) * (set.weighted ? set.width + 1 : 1);
}

struct ArrayArgument {
  int array;  // into Plan::arrays; if slot is kScratch, into Plan::scratch
  int slot;
};
constexpr int kScratch = -1;
constexpr int kNoScratch = -1;   // for an index into Plan::scratch
constexpr int kNoArray = -1;     // for an index into Plan::arrays
constexpr int kNoExchange = -1;  // for an index into Plan::exchanges

struct ParameterArgument {
  int parameter;
};
struct FirstStep {};  // I32: index of the first step of this tile (`time` in the program)
struct StepCount {};  // I32: steps of this tile, 1 .. time_tile
// I64: the number of the launch's first block if its blocks are launched in several parts
// (Launch::outer_blocks); otherwise 0. Numbers wrap around after the last block, so the blocks at
// both ends can be launched together.
struct FirstBlock {};
using ScalarValue = std::variant<ParameterArgument, FirstStep, StepCount, FirstBlock>;

struct Launch {
  int kernel;
  std::vector<ArrayArgument> arrays;  // one per Global buffer of the kernel, in order
  std::vector<ScalarValue> scalars;   // one per scalar of the kernel, in order
  Expr blocks;                        // I64, over constants and parameters; 0: no launch
  int steps = 0;                      // only in tiles of this many steps; 0: in all tiles
  // One per BulkSource of the kernel, in order: the array that it describes. On a target with bulk
  // copies the launch passes these after the scalars. In CUDA each is a CUtensorMap (by value, 128
  // bytes, aligned to 64), made by cuTensorMapEncodeTiled for the slot's current address. Its
  // dimensions are stored_extents() and its box is BulkSource::box, both innermost first. Strides
  // are dense, elements are unsigned integers of the array's element size, with no interleaving, no
  // swizzle, element strides of 1, and zeros outside. The address is a multiple of kBulkUnit.
  std::vector<ArrayArgument> bulk_sources = {};
  int exchange = kNoExchange;  // into Plan::exchanges: executed after this launch
  // In a subdomain: how many blocks at the beginning and at the end of the launch touch the halos.
  // These blocks compute everything that the exchange after the tile sends, and no other block
  // reads what the previous exchange received. {0, 0}: not known. If not {0, 0}, the kernel has a
  // FirstBlock argument, so that they can be launched separately.
  std::array<int64_t, 2> outer_blocks = {0, 0};
};
struct Rotate {
  int array;
  int steps = 1;  // only in tiles of at least this many steps
};                // slot k becomes slot k+1, the last becomes slot 0
struct SwapSlots {
  int array;
  int a, b;
};  // swaps two slots

// Exchanges the halos of a subdomain of a decomposed program when it is reached. With a common
// tile, it stands before the other actions of its loop, and is executed before a tile: after every
// `tiles_per_exchange` tiles of `common_tile` iterations, and in the first iteration of a repeat.
// All subdomains have the same common tile. A schedule may cut it into shorter tiles. If fewer
// iterations are left, the common tile is halved until it fits.
struct HaloExchange {
  size_t exchange = 0;      // into Plan::exchanges
  int64_t common_tile = 0;  // 0: executed whenever it is reached
  int64_t tiles_per_exchange = 1;
};

struct Action;

// Actions that run in tiles of several iterations: the steps of a plan, or the iterations of a
// repeat. Loops that contain a repeat have tiles of one iteration.
//
// Launches and rotations name the tiles they are for instead of standing in a body per tile size:
// if any size is allowed, only rotations differ between the sizes.
struct Loop {
  int time_tile = 1;  // iterations of a full tile
  // Allowed numbers of iterations of a tile, descending from time_tile to 1; empty: any up to
  // time_tile.
  std::vector<int> tile_sizes = {};
  std::vector<Action> actions;
};

// Actions that run several times in each iteration of the loop in which they stand.
//
//   for (done = 0; done < iterations; done += count) {
//     count = largest_tile(repeat, iterations - done);
//     actions...
//   }
//
// StepCount in these launches is `count`; FirstStep remains the index of the step.
struct Repeat : Loop {
  int64_t iterations = 1;  // at least 1
};

struct Action : std::variant<Launch, Rotate, SwapSlots, HaloExchange, Repeat> {
  using variant::variant;
};

// Values computed from the arrays after every `every` steps: one number, or all elements of a user
// array. Tiles end at steps where a reduction is due.
//
// An `in_step` reduction is computed within every step, by launches among the actions. Kernels may
// read its value from its memory, and tiles have one step. `replaced` keeps the value of the
// previous evaluation; a reduction into an array uses the array's next level for this, if it has
// one.
//
// For floating-point reductions, `first_nan` stores the number of steps after which a value was
// first NaN, or 0 if none was. Before the first launch the executor of the plan writes the current
// value there, which is not 0 if an earlier run of the same state found a NaN.
struct Reduction {
  std::string name;
  Scalar type;  // of the value: I32, I64, F32 or F64
  int64_t every = 1;
  std::vector<Launch> launches;  // in order; FirstStep and StepCount are those of the previous
                                 // tile; empty if `in_step`
  int result = kNoScratch;       // into Plan::scratch: one element, the value
  int first_nan = kNoScratch;    // into Plan::scratch: one I32; kNoScratch for integers
  bool in_step = false;
  int replaced = kNoScratch;  // into Plan::scratch: one element; kNoScratch if no kernel reads it
  int array = kNoArray;  // into Plan::arrays: its elements are the values, and `result` is not used
  // Each evaluation fills the next row of `array`; rows are not checked for NaN.
  bool record = false;
  // For a record whose rows may be due in the middle of a tile: memory for samples, one value per
  // step of the tile and entry of the record's set. The tile samples in every step but its last;
  // the record's launches then fill all rows that were due in the tile.
  int samples = kNoScratch;  // into Plan::scratch
};

// Ends the run when a condition holds. The condition is evaluated at the end of a tile if one of
// its reductions was evaluated there and all of them have values. If it names no reduction, it is
// evaluated after every step. It does not hold while one of its reductions is NaN.
struct Stop {
  std::vector<int> reductions;  // named in the condition, into Plan::reductions
  Launch launch;
  int result = 0;  // into Plan::scratch: one I32, nonzero if the condition holds
};

// The messages that a subdomain of a decomposed program (ir/subdomain.h) exchanges with others.
// Outgoing values are packed into one buffer, and ranges of that buffer are sent to other
// subdomains. Incoming values are received into ranges of a second buffer and unpacked from there.
// Both buffers hold values of several types, each box aligned to 16 bytes.
//
// Boxes that are contiguous in memory, such as whole planes of the outermost dimension, may be
// copied from array to array without packing, if all halos of all subdomains are contiguous.
struct ExchangeBox {
  ArrayArgument array;
  std::vector<Expr> first;      // its position in the array's extents, over constants
  std::vector<int64_t> counts;  // points, per dimension
};
struct ExchangeMessage {
  int subdomain = 0;
  int send_tag = 0, receive_tag = 0;
  int64_t send_offset = 0, send_bytes = 0;  // in the buffer; 0 bytes: nothing is sent
  int64_t receive_offset = 0, receive_bytes = 0;
  // The array boxes in the message, in the order of packing; empty if the message contains scratch
  // memory.
  std::vector<ExchangeBox> sent = {}, received = {};
};
struct Exchange {
  std::optional<Launch> pack, unpack;           // nullopt: nothing to send, or to receive
  int send = kNoScratch, receive = kNoScratch;  // into Plan::scratch: I64
  std::vector<ExchangeMessage> messages;
};
struct Check {     // must hold before memory is allocated
  Expr condition;  // Bool, over parameters
  std::string message;
};

struct StepLimit {  // of a run, from step 0 on
  Expr steps;       // I64, over parameters: the largest number of steps
  std::string message;
};

struct Plan : Loop {                // over the steps
  Loop start = {};                  // before the first step of a run from step 0, once
  int64_t most_steps = 2147483647;  // limit of a run, from step 0 on
  std::vector<Array> arrays;
  std::vector<Expr> grid = {};  // extents, I64; empty if an array has these
  std::vector<Parameter> parameters;
  std::vector<Pinned> pinned = {};
  std::vector<Check> checks;
  std::vector<StepLimit> step_limits = {};
  std::optional<Expr> default_steps;  // I64, over parameters
  std::vector<Scratch> scratch;
  std::vector<PointSet> point_sets = {};
  std::vector<Reduction> reductions;
  std::optional<Stop> stop;
  // For a subdomain of a decomposed program, otherwise empty. Emitted drivers do not support such
  // runs.
  std::vector<Exchange> exchanges = {};
  Expr points;  // I64: useful point updates per step, for GCells/s (points of the grid)
};

// Visits every action of the tree in order, together with its loop; a repeat before its actions.
// The actions of a plan begin with those of its start.
template <class AnyLoop, class Visit>
void for_each_action(AnyLoop& loop, const Visit& visit) {
  if constexpr (requires { loop.start; }) for_each_action(loop.start, visit);
  for (auto& action : loop.actions) {
    visit(action, loop);
    if (auto* repeat = std::get_if<Repeat>(&action)) for_each_action(*repeat, visit);
  }
}

// Every launch of the plan: those of the actions, reductions, stop condition and exchanges.
template <class AnyPlan, class Visit>
void for_each_launch(AnyPlan& plan, const Visit& visit) {
  for_each_action(plan, [&](auto& action, const Loop&) {
    if (auto* launch = std::get_if<Launch>(&action)) visit(*launch);
  });
  for (auto& reduction : plan.reductions) {
    for (auto& launch : reduction.launches) visit(launch);
  }
  if (plan.stop) visit(plan.stop->launch);
  for (auto& exchange : plan.exchanges) {
    if (exchange.pack) visit(*exchange.pack);
    if (exchange.unpack) visit(*exchange.unpack);
  }
}

// True if the slots of the array change roles in the steps.
inline bool changes_slots(const Plan& plan, int array) {
  bool found = false;
  for_each_action(plan, [&](const Action& action, const Loop&) {
    const auto* rotate = std::get_if<Rotate>(&action);
    const auto* swap = std::get_if<SwapSlots>(&action);
    found = found || (rotate && rotate->array == array) || (swap && swap->array == array);
  });
  return found;
}

// The exchange before the tiles of a loop that counts them; null: none.
inline const HaloExchange* counted_exchange(const Loop& loop) {
  if (loop.actions.empty()) return nullptr;
  const auto* halo = std::get_if<HaloExchange>(&loop.actions.front());
  return halo && halo->common_tile > 0 ? halo : nullptr;
}

inline bool has_value(const Reduction& reduction) {
  return reduction.result != kNoScratch;
}

inline bool is_sampled(const Reduction& reduction) {
  return reduction.samples != kNoScratch;
}
// Number of evaluations during or at the end of the `count` steps that begin at step `first`.
inline int64_t evaluations(const Reduction& reduction, int64_t first, int64_t count) {
  return (first + count) / reduction.every - first / reduction.every;
}

// The largest tile of at most `left` (at least 1) iterations.
inline int64_t largest_tile(const Loop& loop, int64_t left) {
  for (int size : loop.tile_sizes) {
    if (size <= left) return size;
  }
  return left < loop.time_tile ? left : loop.time_tile;
}

inline bool is_for_tile(const Launch& launch, int64_t count) {
  return launch.steps == 0 || launch.steps == count;
}

// Visits the launches of `times` tiles of `count` iterations, with those of all repeats in them, as
// visit(launch, count, times): the launch runs `times` times in tiles of `count` iterations.
template <class Visit>
void for_each_launch_of_tile(const Loop& loop, int64_t count, int64_t times, const Visit& visit) {
  for (const Action& action : loop.actions) {
    if (const auto* launch = std::get_if<Launch>(&action)) {
      if (is_for_tile(*launch, count)) visit(*launch, count, times);
    } else if (const auto* repeat = std::get_if<Repeat>(&action)) {
      for (int64_t left = repeat->iterations; left > 0;) {
        const int64_t size = largest_tile(*repeat, left), tiles = left / size;
        for_each_launch_of_tile(*repeat, size, times * tiles, visit);
        left -= tiles * size;
      }
    }
  }
}

// Number of steps that may run before a reduction or the stop condition is due, at most `left` (at
// least 1). The first of these steps has index `step`.
inline int64_t steps_until_due(const Plan& plan, int64_t left, int64_t step) {
  for (const Reduction& reduction : plan.reductions) {
    if (is_sampled(reduction)) continue;
    left = std::min(left, reduction.every - step % reduction.every);
  }
  if (plan.stop && plan.stop->reductions.empty()) left = 1;
  return left;
}
// The number of steps of the next tile, whose first step has index `step`, if `left` steps (at
// least 1) remain.
inline int64_t steps_of_tile(const Plan& plan, int64_t left, int64_t step = 0) {
  return largest_tile(plan, steps_until_due(plan, left, step));
}

// The launch of a tile of `count` steps, if that is a single launch with outer blocks; otherwise
// null.
inline const Launch* launch_with_outer_blocks(const Plan& plan, int64_t count) {
  if (count != largest_tile(plan, count)) return nullptr;
  const Launch* found = nullptr;
  for (const Action& action : plan.actions) {
    const auto* launch = std::get_if<Launch>(&action);
    if (std::holds_alternative<Repeat>(action)) return nullptr;
    if (!launch || !is_for_tile(*launch, count)) continue;
    if (found) return nullptr;
    found = launch;
  }
  const bool apart = found && found->outer_blocks[0] + found->outer_blocks[1] > 0;
  return apart ? found : nullptr;
}
// The exchange of a subdomain that it may do while the interior of a tile is computed; null: none.
inline const HaloExchange* exchange_beside_tiles(const Plan& plan) {
  const HaloExchange* halo = counted_exchange(plan);
  if (!halo || plan.stop) return nullptr;
  return launch_with_outer_blocks(plan, halo->common_tile) ? halo : nullptr;
}

// The smallest number of steps that can be repeated without shortening a tile.
inline int64_t steps_of_period(const Plan& plan) {
  const HaloExchange* halo = counted_exchange(plan);
  const int64_t between = halo ? halo->common_tile * halo->tiles_per_exchange : 1;
  return std::max<int64_t>(plan.time_tile, between);
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
