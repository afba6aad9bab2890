// The kernel cache's record of the schedules that runs have compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/devices/kernel_cache.h"
#include "runtime/tune/run_ahead.h"

namespace stencil::tune {

// The fastest schedule line, and what it was compared with.
struct Choice {
  std::string line;
  int64_t timed = 0;   // number of lines timed
  double seconds = 0;  // length of the run that they were timed for
};

std::string text_of(const Choice& choice);
std::optional<Choice> choice_of(const std::string& text);
bool is_choice(const std::string& text);

// The record of this program at this size on this device. A time tile is never longer than the run,
// so the choice for a short run does not apply to others.
runtime::CacheKey key_of_choice(const ir::Program& program, const KnownRun& run);

// Replaces the record.
void keep(const runtime::CacheKey& key, const Choice& choice);

}  // namespace stencil::tune
