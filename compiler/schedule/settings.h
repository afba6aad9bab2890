// The settings of a schedule as text: "T=4", "block=32x8", "loads=bulk".
#pragma once

#include <istream>
#include <string>

#include "compiler/schedule/family.h"
#include "compiler/support/diagnostic.h"

namespace stencil::schedule {

constexpr int kMaxTimeTile = 64;  // T

// A schedule with some value of a setting, which is text as well: "loads=bulk".
struct Choice {
  std::string setting;
  Schedule schedule;
};
// `schedule` with each of the words that the setting may be, or each of the usual numbers, or each
// of the shapes that its family has; by size.
std::vector<Choice> choices(const Schedule& schedule, Setting setting, int rank);
// The time tiles among those.
const std::vector<int>& usual_time_tiles();
// True if the setting is a word.
bool is_word(Setting setting);

// `schedule` with tiles that grow: of those with one more point on the shortest side that is tiled,
// the one with the fewest points.
std::vector<Schedule> growing_tiles(const Schedule& schedule, int rank);

// Applies the words that are left of a line. L001 for a setting that the family lacks, L002 for a
// value out of range and a setting given twice; false then.
bool parse_settings(const Family& family, std::istream& words, int rank, const Machine& machine,
                    Schedule& schedule, Diagnostics& diagnostics);

// What blocks a machine takes, for messages: "at most 1024 threads per block (64 in z and beyond)".
std::string block_limits(const Machine& machine);

}  // namespace stencil::schedule
