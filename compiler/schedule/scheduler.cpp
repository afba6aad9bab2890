// Parses and chooses schedules, and lowers them through the family that implements them.
#include "compiler/schedule/scheduler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compiler/ir/lower/passes.h"
#include "compiler/schedule/advice.h"
#include "compiler/schedule/common/describe.h"
#include "compiler/schedule/common/exchange.h"
#include "compiler/schedule/common/reduction.h"
#include "compiler/schedule/common/rows.h"
#include "compiler/schedule/common/samples.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/presets.h"
#include "compiler/schedule/settings.h"

namespace stencil::schedule {

Scheduler::Scheduler(const ir::Program& program, const Machine& machine)
    : program_(program),
      machine_(machine),
      computed_(ir::lower_for_kernels(program, {machine.threads_are_loops})),
      phases_(computed_ ? *computed_ : program_) {}

std::optional<Schedule> Scheduler::parse(const std::string& line, Diagnostics& diagnostics) {
  const size_t end = line.find(';');
  auto schedule = parse_one(line.substr(0, end), diagnostics);
  if (!schedule || end == std::string::npos) return schedule;
  // The settings of a phase replace those that `auto` gave it.
  std::istringstream parts(line.substr(end + 1));
  for (std::string part; std::getline(parts, part, ';');) {
    auto one = parse_phase(part, diagnostics);
    if (!one) return std::nullopt;
    std::erase_if(schedule->phases,
                  [&](const PhaseSchedule& known) { return known.phase == one->phase; });
    schedule->phases.push_back(*std::move(one));
  }
  return schedule;
}

// "smooth+residual: direct block=64x4"
std::optional<PhaseSchedule> Scheduler::parse_phase(const std::string& text,
                                                    Diagnostics& diagnostics) {
  const size_t colon = text.find(':');
  std::istringstream words(text.substr(0, colon));
  PhaseSchedule out;
  for (std::string word; words >> word;) out.phase += (out.phase.empty() ? "" : " ") + word;
  std::vector<std::string> known;
  for (const auto& planned : phases_.all()) {
    known.push_back(planned->name());
    if (colon == std::string::npos || known.back() != out.phase) continue;
    // A program of its own, with the defaults of this phase.
    const ir::Program alone = ir::phase_program(phases_.whole(), planned->phase);
    auto schedule = Scheduler(alone, machine_).parse_one(text.substr(colon + 1), diagnostics);
    if (!schedule) return std::nullopt;
    out.schedule = *std::move(schedule);
    return out;
  }
  Diagnostic& error =
      diagnostics.error("L001", {}, fmt::format("unknown phase '{}' in a schedule", out.phase));
  error.expected = fmt::format("a phase and its settings, such as '{}: direct'",
                               known.size() > 1 ? known.back() : "smooth");
  const std::string near = nearest_name(out.phase, known);
  if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
  if (!phases_.cut()) error.hint = "only a step that is cut into phases has settings by phase";
  return std::nullopt;
}

std::optional<Schedule> Scheduler::parse_one(const std::string& line, Diagnostics& diagnostics) {
  std::istringstream words(line);
  std::string name;
  words >> name;
  if (name.rfind('@', 0) == 0) return parse_preset(name, words, diagnostics);
  if (name.empty() || name == "auto") {  // surrounded by blanks, or with settings
    std::string setting;
    if (!(words >> setting)) return choose().schedule;
    Diagnostic& error = diagnostics.error(
        "L001", {}, fmt::format("schedule 'auto' takes no settings, found '{}'", setting));
    error.hint = "name a family, such as 'overlapped T=4'";
    return std::nullopt;
  }
  const Family* family = find_family(present_family(name, line));
  if (!family) {
    std::vector<std::string> known;
    for (const Family& f : family_table()) known.push_back(f.name);
    Diagnostic& error =
        diagnostics.error("L001", {}, fmt::format("unknown schedule family '{}'", name));
    error.expected = fmt::format("auto, {}", fmt::join(known, ", "));
    const std::string near = nearest_name(name, known);
    if (!near.empty()) error.hint = fmt::format("did you mean '{}'?", near);
    return std::nullopt;
  }
  Schedule schedule = proposal(*family).schedule;
  if (!parse_settings(*family, words, program_.grid().rank(), machine_, schedule, diagnostics))
    return std::nullopt;
  return schedule;
}

std::optional<Schedule> Scheduler::parse_preset(const std::string& name, std::istream& further,
                                                Diagnostics& diagnostics) {
  const int rank = program_.grid().rank();
  const auto line = preset_line(name, rank, diagnostics);
  if (!line) return std::nullopt;
  auto schedule = parse(*line, diagnostics);
  if (!schedule) return std::nullopt;
  std::string settings;
  std::getline(further, settings);
  const Family& family = *find_family(present_family(schedule->family, settings));
  if (family.name != schedule->family) {
    Schedule moved = family.blank();
    static_cast<SharedSettings&>(moved) = *schedule;
    schedule = moved;
  }
  std::istringstream words(settings);
  if (!parse_settings(family, words, rank, machine_, *schedule, diagnostics)) {
    return std::nullopt;
  }
  return schedule;
}

Schedule Scheduler::settled(Schedule schedule) const {
  if (schedule.rows == Rows::Auto) schedule.rows = machine_.in_place ? Rows::Dense : Rows::Padded;
  return schedule;
}

// L002 if the machine does not allow this block shape. This check is needed because proposals
// respect common limits only, and because callers may pass schedules that were never parsed.
bool Scheduler::takes_block(const Schedule& schedule, Diagnostics& diagnostics) const {
  for (const PhaseSchedule& one : schedule.phases) {
    if (!takes_block(one.schedule, diagnostics)) return false;
  }
  if (schedule::takes_block(machine_, schedule.block)) return true;
  Diagnostic& error = diagnostics.error("L002", {}, "bad value of schedule setting 'block'");
  error.expected = block_limits(machine_);
  error.found = stencil::print(schedule.block, program_.grid().rank());
  return false;
}

const Proposal& Scheduler::proposal(const Family& family) {
  const auto known = proposals_.find(family.name);
  if (known != proposals_.end()) return known->second;
  return proposals_[family.name] = phases_.propose(family, machine_);
}

const Proposal& Scheduler::choose(Diagnostics* passed_over) {
  if (!chosen_) {
    const Space space = explore(*this, Effort::Quick);
    if (space.ranked.empty()) return choose_in_order(passed_over);
    const Candidate& best = space.ranked.front();
    chosen_ = {best.schedule, fmt::format("predicted to be the fastest of {} schedules for {}",
                                          space.looked_at, machine_.description)};
    if (phases_.mixed()) {
      const auto choose_alone = [&](const ir::Program& phase) {
        return std::optional(Scheduler(phase, machine_).choose().schedule);
      };
      if (auto composed = by_phases(choose_alone)) chosen_->schedule = *std::move(composed);
    }
    note_others(space);
  }
  if (passed_over) {
    for (const Diagnostic& reason : passed_over_.items()) passed_over->add(reason);
  }
  return *chosen_;
}

std::optional<Schedule> Scheduler::by_phases(const ChooseForPhase& choose) const {
  const auto alone = [&](const PlannedPhase& planned) {
    return choose(ir::phase_program(phases_.whole(), planned.phase));
  };
  auto out = alone(phases_.main());
  if (!out) return std::nullopt;
  const Schedule main = *out;
  for (const PlannedPhase* planned : phases_.considerable(machine_)) {
    auto schedule = alone(*planned);
    if (!schedule) continue;
    if (*schedule == main) continue;
    const std::string name = planned->name();
    const bool known = std::any_of(out->phases.begin(), out->phases.end(),
                                   [&](const PhaseSchedule& one) { return one.phase == name; });
    if (!known) out->phases.push_back({name, *std::move(schedule)});
  }
  Diagnostics refusals;
  return plan_once(*out, refusals) ? out : std::nullopt;
}

// Records why the best schedules of the other families were not chosen.
void Scheduler::note_others(const Space& space) {
  for (const Family& family : family_table()) {
    if (family.on_request || family.name == space.ranked.front().schedule.family) continue;
    const auto best = std::find_if(space.ranked.begin(), space.ranked.end(),
                                   [&](const auto& c) { return c.schedule.family == family.name; });
    std::string why;
    Diagnostics refusals;
    if (best != space.ranked.end()) {
      why = fmt::format("{:.3g} GCells/s expected, limited by {}",
                        1e-9 * best->prediction.points_per_second, name(best->prediction.limit));
    } else if (const PlanPtr plan = plan_once(proposal(family).schedule, refusals)) {
      why = plan->unrewarding();
    } else {
      for (const Diagnostic& refusal : refusals.items()) passed_over_.add(refusal);
      continue;
    }
    const std::string what = fmt::format("{} not chosen: {}", family.name, why);
    passed_over_.add({Severity::Note, "", {}, what, "", "", "", {}});
  }
}

const Proposal& Scheduler::choose_in_order(Diagnostics* passed_over) {
  const std::vector<Family>& families = family_table();
  for (size_t f = 0; f + 1 < families.size(); ++f) {
    if (families[f].on_request) continue;
    const Proposal& offer = proposal(families[f]);
    Diagnostics reasons;
    const PlanPtr plan = this->plan(offer.schedule, reasons, Advice::None);
    const std::string unrewarding = plan ? plan->unrewarding() : "";
    if (plan && unrewarding.empty()) return offer;
    if (!passed_over) continue;
    if (plan) {
      const std::string what = families[f].name + " not chosen: " + unrewarding;
      reasons.add({Severity::Note, "", {}, what, "", "", "", {}});
    }
    for (const Diagnostic& reason : reasons.items()) passed_over->add(reason);
  }
  return proposal(families.back());
}

PlanPtr Scheduler::plan_once(const Schedule& schedule, Diagnostics& diagnostics) const {
  if (!takes_block(schedule, diagnostics)) return nullptr;
  return phases_.plan(*find_family(schedule.family), settled(schedule), machine_, diagnostics);
}

PlanPtr Scheduler::plan(const Schedule& schedule, Diagnostics& diagnostics, Advice advice) {
  PlanPtr& plan = plans_[print(schedule, static_cast<int>(kMaxRank))];
  if (plan || !takes_block(schedule, diagnostics)) return plan;
  const Family& family = *find_family(schedule.family);
  Diagnostics refusals;
  plan = phases_.plan(family, settled(schedule), machine_, refusals);
  if (plan) return plan;
  if (advice == Advice::Given) advise(*this, family, schedule, refusals);
  for (const Diagnostic& refusal : refusals.items()) diagnostics.add(refusal);
  return nullptr;
}

std::optional<kernel::Module> Scheduler::lower(const Schedule& schedule, Diagnostics& diagnostics,
                                               Advice advice) {
  const PlanPtr plan = this->plan(schedule, diagnostics, advice);
  if (!plan) return std::nullopt;
  const Rows rows = settled(schedule).rows;
  const ir::Program& computed = computed_ ? *computed_ : program_;
  const Interface interface(computed, rows);
  kernel::Module module = interface.empty_module();
  provide_samples(interface, settled(schedule).time_tile, module);
  if (!phases_.cut() && program_.origin.subdomain) {
    append_halo(program_.origin.subdomain->halo_exchanges.front(), interface, true, module);
  }
  plan->lower(module);
  set_outer_blocks_apart(module);
  append_reductions(program_, rows, module);
  std::vector<const analysis::TimeTile*> tiles;
  for (const auto& planned : phases_.all()) {
    tiles.push_back(&planned->tiles.of(planned->limited(schedule).time_tile));
  }
  for (std::string& line : describe_halos(program_, tiles)) {
    module.header.push_back(std::move(line));
  }
  for (const std::string& rows : describe_rows(module))
    module.header.push_back("rows      " + rows);
  module.header.push_back("schedule  " + print(schedule, program_.grid().rank()));
  return module;
}

// --- One-shot versions of the queries

std::optional<Schedule> parse(const std::string& line, const ir::Program& program,
                              Diagnostics& diagnostics, const Machine& machine) {
  return Scheduler(program, machine).parse(line, diagnostics);
}

Schedule choose(const ir::Program& program, Diagnostics* passed_over, const Machine& machine) {
  return Scheduler(program, machine).choose(passed_over).schedule;
}

std::optional<kernel::Module> lower(const ir::Program& program, const Schedule& schedule,
                                    Diagnostics& diagnostics, const Machine& machine,
                                    Advice advice) {
  return Scheduler(program, machine).lower(schedule, diagnostics, advice);
}

std::optional<Footprint> measure(const ir::Program& program, const Schedule& schedule,
                                 const Machine& machine) {
  Diagnostics ignored;
  Scheduler scheduler(program, machine);
  const PlanPtr plan = scheduler.plan(schedule, ignored, Advice::None);
  return plan ? std::optional(plan->cost()) : std::nullopt;
}

}  // namespace stencil::schedule
