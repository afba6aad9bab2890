// The short line always includes the tile, because the defaults of the tile are computed for each
// program and users do not know them. The defaults of other settings may depend on the tile.
// Settings are therefore added one by one, and the line is parsed again until it gives the same
// schedule.
#include "compiler/driver/brief_schedule.h"

#include <algorithm>
#include <list>
#include <sstream>

#include "compiler/schedule/scheduler.h"

namespace stencil {

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  Words out;
  for (std::string word; stream >> word;) out.push_back(word);
  return out;
}

std::string line_of(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

bool names_the_tile(const std::string& word) {
  return word.starts_with("T=") || word.starts_with("block=") || word.starts_with("elements=");
}

// Parses a line for each of the machines. Machines that refuse the complete line are ignored.
class Readers {
 public:
  Readers(const schedule::Schedule& wanted, const ir::Program& program,
          const std::vector<schedule::Machine>& machines)
      : wanted_(wanted), rank_(program.grid().rank()) {
    for (const schedule::Machine& machine : machines) {
      schedulers_.emplace_back(program, machine);
      const bool takes = read(schedule::print(wanted, rank_), schedulers_.back()) == wanted;
      if (!takes) schedulers_.pop_back();
    }
  }

  bool agree(const std::string& line) {
    return !schedulers_.empty() &&
           std::all_of(schedulers_.begin(), schedulers_.end(),
                       [&](auto& scheduler) { return read(line, scheduler) == wanted_; });
  }

  // Whether all machines fill in this setting when the line omits it.
  bool fill_in(const std::string& line, const std::string& setting) {
    return std::all_of(schedulers_.begin(), schedulers_.end(), [&](auto& scheduler) {
      const auto schedule = read(line, scheduler);
      const Words words = schedule ? words_of(schedule::print(*schedule, rank_)) : Words{};
      return std::count(words.begin(), words.end(), setting) > 0;
    });
  }

 private:
  static std::optional<schedule::Schedule> read(const std::string& line,
                                                schedule::Scheduler& scheduler) {
    Diagnostics ignored;
    return scheduler.parse(line, ignored);
  }

  const schedule::Schedule& wanted_;
  const int rank_;
  std::list<schedule::Scheduler> schedulers_;
};

}  // namespace

std::string brief_schedule(const schedule::Schedule& schedule, const ir::Program& program,
                           const std::vector<schedule::Machine>& machines) {
  const std::string whole = schedule::print(schedule, program.grid().rank());
  Readers readers(schedule, program, machines);
  const Words words = words_of(whole);
  Words kept = {words.front()};
  std::copy_if(words.begin() + 1, words.end(), std::back_inserter(kept), names_the_tile);
  for (size_t w = 1; w < words.size(); ++w) {
    if (readers.agree(line_of(kept))) return line_of(kept);
    if (names_the_tile(words[w]) || readers.fill_in(line_of(kept), words[w])) continue;
    kept.push_back(words[w]);
  }
  return readers.agree(line_of(kept)) ? line_of(kept) : whole;
}

}  // namespace stencil
