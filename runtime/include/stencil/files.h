// Files of a run: fields as arrays and pictures, series of such files, checkpoints.
// docs/reference/files.md describes their contents.
//
// Each file is written under a temporary name and renamed when complete, so an existing file stays
// intact until then. Files written together are replaced together or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stencil/version.h"

namespace stencil {

// A file that shows fields. Its extension selects the format: .npy is an array, .nc NetCDF, .vti
// ImageData for ParaView, .png a picture of one plane, .gif and .apng animations of such pictures.
struct Output {
  std::string path = {};
  // "A", "U@-1" (a level), "S.rho" (a component). Any number for .vti and .nc, exactly one for
  // other formats; empty for .vti and .nc means the newest level of every field.
  std::vector<std::string> fields = {};
  // For pictures: the plane to draw, by grid coordinates of all dimensions but the last two,
  // outermost first. Missing coordinates default to the middle.
  std::vector<std::optional<int64_t>> plane = {};
  // For pictures: the values of the first and last colour; default: the least and greatest value,
  // for an animation those of all frames.
  std::optional<std::pair<double, double>> range = {};
  bool plain = false;  // for pictures: only the data, without title, axes and colour bar
  bool flip = false;   // for pictures: the first row of the plane at the bottom, not on top
  // In place of RunFiles::every, which is the default. Outputs of records alone have no series by
  // default, because a record is complete only at the end.
  std::optional<int64_t> every = {};
  double fps = 15;    // for animations: frames per second, 0.1 to 50
  bool cube = false;  // for pictures of fields of rank 3: three faces instead of a plane
};

struct ReductionValue;  // stencil/state.h

// What a run writes.
struct RunFiles {
  std::vector<Output> outputs = {};  // written at the end of the run, also if interrupted
  // In steps: also write the outputs at step 0 and after every multiple of this, with numbered
  // names: "x.npy" becomes "x_000100.npy" at step 100. For .vti files a collection "x.pvd" is
  // written as well. .nc files and animations instead get a record or frame at these steps and at
  // the end. 0: no series. Animations need an interval.
  int64_t every = 0;
  std::string checkpoint = {};    // path, written at the end of the run; empty: none
  int64_t checkpoint_steps = 0;   // also after every multiple of this step; 0: disabled
  double checkpoint_seconds = 0;  // also this many seconds after the last one; 0: disabled
  // A .csv file to which each evaluation of a reduction is appended; empty: none. A run resumed
  // from a checkpoint continues the file from the checkpoint's step.
  std::string history = {};
  // Called after each step that evaluated reductions, with their values; may be empty.
  std::function<void(int64_t step, const std::vector<ReductionValue>& evaluated)> evaluated = {};
};

// Removes the temporary files of all writes in progress. The process must end afterwards.
// Async-signal-safe.
STENCIL_API void remove_temporary_files() noexcept;

}  // namespace stencil
