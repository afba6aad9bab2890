// What is known of schedules that were measured, and what follows for sizes that were not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/devices/device_table.h"
#include "runtime/tune/fingerprint.h"
#include "stencil/result.h"

namespace stencil::tune {

// What was measured where: entries of one key are compared.
struct Key {
  std::string device;    // a name of the table of devices
  std::string machine;   // its hardware: "NVIDIA H200, 132 cores"
  std::string program;   // fingerprint()
  std::string real, fp;  // "float", "contract"
  friend bool operator==(const Key&, const Key&) = default;
};

// The hardware of a device, without driver and compilers, and how much of it the process has.
std::string machine_name(const runtime::ChosenDevice& device);
Key key_of(const ir::Program& program, const runtime::ChosenDevice& device);

// One schedule, timed at one size.
struct Entry {
  Key key;
  std::string name;  // of the program, for people
  Sizes sizes;
  std::string schedule;  // the whole line
  double seconds = 0;    // per step: the median of the runs
  double spread = 0;     // seconds per step: the median distance of a run from that
  int64_t runs = 0;
  int64_t when = 0;     // seconds since 1970, UTC
  std::string version;  // code_version() of the stencilc that measured it
  friend bool operator==(const Entry&, const Entry&) = default;
};

// What is wrong with an entry, from outside: "seconds is not above 0"; "" if nothing is.
std::string flaw_of(const Entry& entry);

// The version of stencilc and of the code that it makes; entries of another one are not used.
std::string code_version();

// A line for some sizes, and what it was concluded from.
struct Suggestion {
  std::string schedule;
  double seconds = 0;       // per step, measured or expected
  std::vector<Sizes> from;  // one: measured there; two: the sizes between which it was interpolated
  bool exact = false;       // measured at these very sizes
};

// The line to take at `sizes`, of `known`, which are entries of one key and version.
//
//   1. Measured at these sizes: the quickest line there.
//   2. For each line that was measured at sizes on both sides, all extents at most those of `sizes`
//      and all at least those: the logarithm of its seconds per point and step, linear in the
//      logarithm of the points between the two that are nearest in points. The quickest by that.
//   3. Else the quickest line of the nearest sizes of which no extent is off by more than a factor
//      of 2: nearest by the sum of the logarithms of these factors.
//
// Nothing if there is none of these.
std::optional<Suggestion> interpolate(const std::vector<Entry>& known, const Sizes& sizes);

}  // namespace stencil::tune
