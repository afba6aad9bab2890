// Making, checking and printing host programs.
#pragma once

#include <string>
#include <vector>

#include "compiler/host_ir/program.h"

namespace stencil::host_ir {

struct Options {
  // The step index of the plan starts at 0 in every run. Otherwise it continues earlier runs.
  bool starts_at_zero = false;
  // Work may be launched before the answer of the stop condition is known (kernel::answer_point).
  bool answers_late = true;
  // Launches that repeat within a step are marked as replays. If there are none and the plan has no
  // reductions, the loop over the steps is marked with its cycle.
  bool replays = false;
};

// The host program of the module's plan. Local variables that nothing reads are removed.
Program lower(const kernel::Module& module, const Options& options);

// The program as text (--emit host-ir). The format is stable.
std::string print(const Program& program, const kernel::Module& module);
std::string print(const Body& body, const kernel::Module& module, int indent = 0);

// Checks what writer and runner rely on: variables are defined before use, once per scope, and have
// one type; states and inputs are not redefined; arrays, slots, scratch memory, reductions, sets of
// points and exchanges exist; launches have the step and count that their kernels take, and one
// argument per buffer and scalar; every slot and all scratch memory is provided once, before the
// steps; slots change roles only after a Slots; Ask and Answer alternate, an Answer names the
// scratch memory of the stop condition; a bound launch follows its Bind; the program returns.
// Returns one line per violation; empty if sound. A violation is a bug in the compiler.
std::vector<std::string> verify(const Program& program, const kernel::Module& module);

// --- Passes

// The number of steps after which the launches of the program repeat with the same arguments, all
// in full time tiles; 0: never, or not within a number of tiles that is worth recording.
int64_t steps_of_cycle(const Program& program, const kernel::Plan& plan);
// Recording a cycle takes about as long as queueing three. It pays if a run has this many cycles.
constexpr int64_t kWorthwhileCycles = 8;
// Marks the loop over the steps as one that repeats after `steps` steps (For::cycle).
void set_cycle(Program& program, int64_t steps);

// Marks runs of launches within a step as replays (Replay): at least kFewestLaunches that read no
// index of a step. Returns false if there are none. Unlike a cycle of steps, they may stand between
// evaluations of reductions, and the stop condition may be asked after each step. The program
// exchanges no halos.
constexpr int64_t kFewestLaunches = 8;
bool mark_replays(Program& program, const kernel::Plan& plan);
// True if nothing in the body uses the device except launches of all blocks.
bool holds_only_launches(const Body& body);

// Exchanges the halos of a subdomain while the interior of a tile is computed. Requires
// kernel::exchange_beside_tiles(). `lanes`: the device has two queues; otherwise the interior
// blocks are queued last.
//
// The last tile before an exchange launches its boundary blocks first, in lane 1, followed by the
// exchange; interior blocks run in lane 0. The boundary blocks of this tile wait for the interior
// blocks of the previous tile, and the interior blocks of this tile for the boundary blocks of the
// previous one. Interior blocks read no halo, so they do not wait for the previous exchange unless
// they are gated on the start of this tile's boundary blocks.
void overlap_exchanges(Program& program, const kernel::Plan& plan, bool lanes);

}  // namespace stencil::host_ir
