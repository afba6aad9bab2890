// Settings of a schedule as text: "T=4", "block=32x8", "loads=bulk".
#pragma once

#include <istream>
#include <string>

#include "compiler/schedule/family.h"
#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

// A schedule with one changed setting, and this setting as text: "loads=bulk".
struct Choice {
  std::string setting;
  Schedule schedule;
};
// `schedule` with each possible value of `setting`: all keywords, the usual numbers, or the
// family's shapes, by size.
std::vector<Choice> choices(const Schedule& schedule, const Setting& setting, int rank);
// The time tiles that `choices` tries.
std::vector<int> usual_time_tiles();

// `schedule` with growing tiles: for each length of the shortest tiled side, the tile with the
// fewest points, in order of that length.
std::vector<Schedule> growing_tiles(const Schedule& schedule, int rank);

// Applies the remaining words of a line. Returns false on errors: L001 for a setting that the
// family lacks, L002 for a value out of range or a setting given twice. Accepts old names.
bool parse_settings(const Family& family, std::istream& words, int rank, const Machine& machine,
                    Schedule& schedule, Diagnostics& diagnostics);

// The family that has the settings among `words`, if `family` had one of them in an earlier
// version; else `family`.
std::string present_family(const std::string& family, const std::string& words);

// Block limits of a machine, for messages: "at most 1024 threads per block (64 in z and beyond)".
std::string block_limits(const Machine& machine);

}  // namespace stencil::schedule
