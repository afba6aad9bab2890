// Files of a run: fields as arrays and pictures, series of them, checkpoints. docs/running.md says
// what is in them.
//
// A file is written beside its place and renamed when it is complete: whatever was there stays
// whole until then. Files that are written together appear all or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stencil/version.h"

namespace stencil {

// A file that shows fields. Its extension is its format: .npy an array, .png a picture of a plane,
// .vti ImageData for ParaView.
struct Output {
  std::string path = {};
  // "A", "U@-1" (a level), "S.rho" (a component): one for .npy and .png. One or more for .vti; none
  // there is the newest level of all fields.
  std::vector<std::string> fields = {};
  // Of a .png file: which plane, by the grid coordinates of all dimensions but the last two,
  // outermost first. Those that are not given are in the middle.
  std::vector<std::optional<int64_t>> plane = {};
  // Of a .png file: the values of the first and the last colour; without, the least and greatest.
  std::optional<std::pair<double, double>> range = {};
  bool plain = false;  // of a .png file: the data alone, without title, axes and colour bar
};

struct ReductionValue;  // stencil/state.h

// What a run writes.
struct RunFiles {
  std::vector<Output> outputs = {};  // when it ends, also if it was interrupted
  // Steps: the outputs at step 0 and after each step that is a multiple of it, too, numbered:
  // "x.npy" is "x_000100.npy" at step 100. For .vti files there is a collection, "x.pvd". 0: no
  // series.
  int64_t every = 0;
  std::string checkpoint = {};    // its file, written when the run ends; empty: none
  int64_t checkpoint_steps = 0;   // and after each step that is a multiple of this; 0: not by steps
  double checkpoint_seconds = 0;  // and so long after the last one; 0: not by time
  // A .csv file to which each evaluation of a reduction is appended; empty: none. A run that goes
  // on from a checkpoint goes on with it, from the checkpoint's step.
  std::string history = {};
  // Called with the reductions that a step has evaluated, after it; empty: nothing is called.
  std::function<void(int64_t step, const std::vector<ReductionValue>& evaluated)> evaluated = {};
};

// Unlinks the temporary files of all that is being written in the process, which must end then. May
// be called in a signal handler.
STENCIL_API void remove_temporary_files() noexcept;

}  // namespace stencil
