// Draws random settings from those that a family declares, and amends refused schedules by the code
// of the refusal. Nothing here depends on a particular family.
#include "tests/property/schedules.h"

#include <algorithm>

#include "compiler/schedule/presets.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/schedule/settings.h"

namespace stencil::property {

namespace {

using schedule::Choice;
using schedule::Schedule;
using schedule::Setting;

// Elements are unrolled, and an optimising compiler takes a minute for hundreds of them.
bool is_small(const Schedule& schedule, int rank) {
  const int deepest = rank < 4 ? 6 : rank == 4 ? 3 : 2;
  return schedule.elements.product() <= 64 && schedule.time_tile <= deepest;
}

// The first word of a setting is refused least often. Later words are therefore drawn more often.
const Choice& draw(Random& random, const std::vector<Choice>& choices, bool words) {
  std::vector<int> weights(choices.size(), 1);
  if (words) weights.back() = static_cast<int>(choices.size());
  return choices[random.weighted(weights)];
}

int shortest_side(const Schedule& schedule, const Schedule& longest, int rank) {
  int shortest = INT_MAX;
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    if (longest.block[axis] * longest.elements[axis] == 1) continue;  // this dimension is not tiled
    shortest = std::min(shortest, schedule.block[axis] * schedule.elements[axis]);
  }
  return shortest;
}

// Takes one step less, and lengthens the shortest side of the tile.
std::optional<Schedule> enlarge(Schedule schedule, int rank) {
  schedule.time_tile = std::max(1, schedule.time_tile - 1);
  const auto tiles = schedule::growing_tiles(schedule, rank);
  const int side = shortest_side(schedule, tiles.back(), rank);
  for (const Schedule& tile : tiles) {
    if (shortest_side(tile, tiles.back(), rank) > side && is_small(tile, rank)) return tile;
  }
  return std::nullopt;
}

// Takes fewer steps first, then half the elements, so that a thread keeps fewer values.
std::optional<Schedule> reduce(Schedule schedule) {
  if (schedule.time_tile > 1) {
    schedule.time_tile = (schedule.time_tile + 1) / 2;
    return schedule;
  }
  for (size_t axis = 0; axis < kMaxRank; ++axis) {
    if (schedule.elements[axis] == 1) continue;
    schedule.elements[axis] /= 2;
    return schedule;
  }
  return std::nullopt;
}

// Makes dependent settings consistent.
Schedule agree(Schedule schedule, int rank) {
  using schedule::Operands;
  auto& own = schedule.of<schedule::SweepsSettings>();
  const int tiled = rank - (schedule.chunk != 0 ? 1 : 0);
  if (own.operands == Operands::Rows && tiled < 2) own.operands = Operands::Tile;
  if (own.operands == Operands::Cache) own.operands = Operands::Shared;
  if (own.operands != Operands::Shared) own.halo = schedule::Halo::Border;
  if (schedule.prefetch > 1) schedule.prefetch = 1;
  if (schedule.prefetch > 0 || own.column != schedule::Column::Cache) {
    schedule.chunk = std::max(schedule.chunk, 3);
  }
  return schedule;
}

// A block that is one plane, otherwise a row.
std::optional<Schedule> reshape(Schedule schedule, int rank) {
  const size_t outermost = static_cast<size_t>(rank) - 1;
  if (schedule.block[outermost] > 1 || schedule.elements[outermost] > 1) {
    schedule.block[outermost] = schedule.elements[outermost] = 1;
    return schedule;
  }
  if (schedule.block == Shape{32}) return std::nullopt;
  schedule.block = {32};
  return schedule;
}

// A preset of the family for grids of this rank.
std::optional<std::string> random_preset(Random& random, const std::string& family, int rank) {
  std::vector<std::string> names;
  for (const schedule::Preset& preset : schedule::preset_table()) {
    const std::string& line = preset.lines[std::min(rank, 3) - 1];
    if (line.rfind(family + " ", 0) == 0) names.push_back("@" + preset.name);
  }
  if (names.empty()) return std::nullopt;
  return random.pick(names);
}

// The next schedule to try, by the code of the refusal.
std::optional<Schedule> amend(Schedule schedule, const std::string& code, int rank) {
  if (code == "L025") {  // sizes do not suit bulk copies
    schedule.of<schedule::StreamingSettings>().loads = schedule::Loads::Async;
    return schedule;
  }
  if (code == "L021") {  // not a linear function with one piece
    schedule.of<schedule::StreamingSettings>().form = schedule::Form::Gather;
    return schedule;
  }
  if (code == "L028") return agree(schedule, rank);
  if (code == "L029") {  // open sizes, or several grids
    schedule.of<schedule::SweepsSettings>().memory = schedule::Memory::Plain;
    return schedule;
  }
  if (code == "L018" && schedule.chunk != 0) {  // no planes to sweep
    schedule.chunk = 0;
    schedule.prefetch = 0;
    auto* sweeps = std::get_if<schedule::SweepsSettings>(&schedule.own);
    if (sweeps) sweeps->column = schedule::Column::Cache;
    return schedule;
  }
  if (code == "L019") return reshape(schedule, rank);
  if (code == "L016" && schedule.time_tile > 1) {  // one step may be accepted
    schedule.time_tile = 1;
    return schedule;
  }
  if (code == "L015" || code == "L020") return reduce(schedule);
  return code == "L014" ? enlarge(schedule, rank) : std::nullopt;
}

}  // namespace

// Rows are padded where that aligns them, unless the schedule says otherwise.
std::string random_schedule(Random& random, const std::string& family, int rank, FpMode fp) {
  if (random.chance(4)) return family;
  if (random.chance(15)) {
    if (const auto preset = random_preset(random, family, rank)) return *preset;
  }
  Schedule schedule = schedule::find_family(family)->blank();
  for (const Setting& setting : schedule::find_family(family)->settings) {
    if (setting.name == schedule::shared::kRows) continue;
    if (setting.reorders && fp != FpMode::Fast) continue;
    std::vector<Choice> choices = schedule::choices(schedule, setting, rank);
    std::erase_if(choices, [&](const Choice& c) { return !is_small(c.schedule, rank); });
    if (choices.empty()) continue;  // none for this rank
    schedule = draw(random, choices, setting.is_word()).schedule;
  }
  const std::string line = print(schedule, rank);
  return random.chance(20) ? line + " rows=dense" : line;
}

std::string random_phase(Random& random, const ir::Program& program) {
  const schedule::Scheduler scheduler(program);
  if (!scheduler.phases().cut()) return "";
  std::vector<std::string> names, families;
  for (const auto& planned : scheduler.phases().all()) names.push_back(planned->name());
  for (const auto& row : schedule::family_table()) families.push_back(row.name);
  const std::string phase = random.pick(names);
  return "; " + phase + ": " +
         random_schedule(random, random.pick(families), program.grid().rank(), program.fp);
}

std::optional<kernel::Module> lower_somehow(const ir::Program& program, Schedule& schedule,
                                            std::string& refusal) {
  schedule::Scheduler scheduler(program);
  for (int attempt = 0; attempt < 10; ++attempt) {
    Diagnostics refusals;
    if (auto module = scheduler.lower(schedule, refusals, schedule::Advice::None)) return module;
    refusal = refusals.items().front().code;
    if (!schedule.phases.empty()) {  // the phase may be what is refused
      schedule.phases.clear();
      continue;
    }
    const auto other = amend(schedule, refusal, program.grid().rank());
    if (!other) return std::nullopt;
    schedule = *other;
  }
  return std::nullopt;
}

}  // namespace stencil::property
