// Connects database, programs and devices.
#include "runtime/tune/tuned.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <mutex>

#include "compiler/schedule/family.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/try.h"

namespace stencil::tune {

namespace {

std::mutex note_mutex;
std::optional<Failure> noted;

void note(const Failure& failure) {
  const std::lock_guard<std::mutex> held(note_mutex);
  if (!noted) noted = failure;
}

std::string date_of(int64_t when) {
  const std::time_t seconds = when;
  std::tm date{};
  if (gmtime_r(&seconds, &date) == nullptr) return "an unknown day";
  return fmt::format("{}-{:02}-{:02}", date.tm_year + int64_t{1900}, date.tm_mon + 1, date.tm_mday);
}

// Excludes empty lines and "auto".
bool names_family(const std::string& line) {
  return schedule::find_family(line.substr(0, line.find(' '))) != nullptr;
}

std::string origin_of(const Suggestion& found, const std::vector<Entry>& known) {
  if (found.from.size() == 2) {
    return fmt::format("tuned: measured at {} and {}", print(found.from[0]), print(found.from[1]));
  }
  int64_t when = 0;
  for (const Entry& entry : known) {
    const bool meant = entry.sizes == found.from[0] && entry.schedule == found.schedule;
    if (meant) when = entry.when;
  }
  return fmt::format("tuned: measured at {} on {}", print(found.from[0]), date_of(when));
}

}  // namespace

std::optional<runtime::KnownLine> tuned_line(const ir::Program& program,
                                             const runtime::ChosenDevice& device) {
  const DatabaseSettings settings = database_settings();
  const auto sizes = sizes_of(program);
  if (settings.path.empty() || !sizes) return std::nullopt;
  auto known = Database(settings.path).near(key_of(program, device));
  if (!known.ok()) {
    note(known.failure());
    return std::nullopt;
  }
  std::erase_if(known.value(), [](const Entry& entry) { return !names_family(entry.schedule); });
  for (Entry& entry : known.value()) {  // lines are compared as texts
    entry.schedule = schedule::with_present_names(entry.schedule);
  }
  const auto found = interpolate(known.value(), *sizes);
  if (!found) return std::nullopt;
  return runtime::KnownLine{found->schedule, origin_of(*found, known.value())};
}

Result<bool> remember(const ir::Program& program, const runtime::Params& params,
                      const runtime::ChosenDevice& device, const Timings& timings) {
  const DatabaseSettings settings = database_settings();
  const auto sizes = sizes_of(program, params.integers);
  if (settings.path.empty() || !sizes) return false;
  using Clock = std::chrono::system_clock;
  const int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now().time_since_epoch()).count();
  const Key key = key_of(program, device);
  std::vector<Entry> entries;
  for (const Timed& timed : timings.candidates) {
    if (timed.runs == 0 || timed.seconds <= 0) continue;
    entries.push_back({key, program.name, *sizes, timed.line, timed.seconds, timed.spread,
                       timed.runs, now, code_version()});
  }
  if (entries.empty()) return false;
  TRY(Database(settings.path).record(entries));
  return true;
}

std::optional<Failure> database_failure() {
  const std::lock_guard<std::mutex> held(note_mutex);
  return noted;
}

}  // namespace stencil::tune
