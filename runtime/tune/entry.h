// Measured schedules, and predictions for sizes that were not measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/devices/device_table.h"
#include "runtime/tune/fingerprint.h"
#include "stencil/result.h"

namespace stencil::tune {

// The context of a measurement: only entries with equal keys are compared.
struct Key {
  std::string device;    // a name of the table of devices
  std::string machine;   // its hardware: "NVIDIA H200, 132 cores"
  std::string program;   // fingerprint()
  std::string real, fp;  // "float", "contract"
  friend bool operator==(const Key&, const Key&) = default;
};

// The hardware of a device without driver and compiler versions, and the part of the hardware that
// this process may use.
std::string machine_name(const runtime::ChosenDevice& device);
Key key_of(const ir::Program& program, const runtime::ChosenDevice& device);

// One schedule, timed at one size.
struct Entry {
  Key key;
  std::string name;  // program name, for people
  Sizes sizes;
  std::string schedule;  // the full line
  double seconds = 0;    // per step: median of the runs
  double spread = 0;     // seconds per step: median absolute deviation
  int64_t runs = 0;
  int64_t when = 0;     // seconds since 1970, UTC
  std::string version;  // code_version() of the stencilc that measured it
  friend bool operator==(const Entry&, const Entry&) = default;
};

// Validates an entry from outside: "seconds is not above 0"; "" if it is valid.
std::string flaw_of(const Entry& entry);

// The version of stencilc and of its generated code; entries of other versions are not used.
std::string code_version();

// A line for some sizes, and the sizes that it is based on.
struct Suggestion {
  std::string schedule;
  double seconds = 0;       // per step, measured or expected
  std::vector<Sizes> from;  // one: measured there; two: interpolated between them
  bool exact = false;       // measured at exactly these sizes
};

// The line to use at `sizes`, according to `known`, entries of one key and version.
//
//   1. Measured at these sizes: the fastest line there.
//   2. For each line measured at smaller sizes (no extent greater) and at larger sizes (no extent
//      less): log-log interpolation of seconds per point and step over the number of points
//      between the two sizes nearest in points. The fastest line by that estimate.
//   3. Otherwise the fastest line of the nearest sizes whose extents all differ by at most a factor
//      of 2; nearest means the least sum of the logarithms of these factors.
//
// nullopt if none of these cases applies.
std::optional<Suggestion> interpolate(const std::vector<Entry>& known, const Sizes& sizes);

}  // namespace stencil::tune
