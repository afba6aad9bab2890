// `stencilc explain`: the properties of a program and the reasons for the compiler's choices.
//
// All data is computed by the analyses and the schedules; this file only formats it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compiler/analysis/time_tile.h"
#include "compiler/driver/brief_schedule.h"
#include "compiler/driver/compile.h"
#include "compiler/ir/axes.h"
#include "compiler/kernel/passes.h"
#include "compiler/schedule/common/describe.h"
#include "compiler/schedule/common/rows.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/presets.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/support/layout.h"

namespace stencil {

namespace {

using analysis::Margin;
using Row = std::vector<std::string>;

std::string table(const std::vector<Row>& rows, const std::string& indent) {
  return table(rows, TableStyle{.indent = indent});
}

// Origin and length per dimension, in the notation of Holewinski et al. (ICS'12): (x0 - 2, l0 + 5).
std::string print(const Margin& margin) {
  const bool one = margin.size() == 1;
  std::vector<std::string> parts;
  for (size_t d = 0; d < margin.size(); ++d) {
    const std::string axis = kAxes[margin.size() - 1 - d];
    const auto [low, high] = margin[d];
    const std::string origin = low ? fmt::format("{}0-{}", axis, low) : axis + "0";
    const std::string length = one ? "l0" : "l" + axis;
    parts.push_back(fmt::format("({}, {}{})", origin, length,
                                low + high ? fmt::format("+{}", low + high) : ""));
  }
  return fmt::format("{}", fmt::join(parts, " x "));
}

std::string print_halo(const Margin& margin) {
  std::vector<std::string> parts;
  for (const auto& [low, high] : margin) parts.push_back(fmt::format("{}+{}", low, high));
  return fmt::format("{}", fmt::join(parts, " x "));
}

std::string level_name(const ir::Field& field, size_t level) {
  return level ? fmt::format("{}@-{}", field.name, level) : field.name;
}

// Coordinates of the grid, if declared: as written, and at the default values of params.
std::string coordinate_section(const ir::Program& program) {
  if (program.domain().axes.empty()) return "";
  const auto known = ir::default_axis_values(program);
  const auto value = [&](const std::string& text, double number) {
    const std::string printed = known ? ir::print_coordinate(program, number) : text;
    return printed == text ? text : fmt::format("{} = {}", text, printed);
  };
  std::vector<Row> rows = {{"dimension", "origin", "spacing"}};
  for (size_t d = 0; d < program.domain().axes.size(); ++d) {
    const ir::Axis& axis = program.domain().axes[d];
    const ir::AxisValue at = known ? (*known)[d] : ir::AxisValue{};
    rows.push_back({kAxes[program.domain().axes.size() - 1 - d], value(axis.origin_text, at.origin),
                    value(axis.spacing_text, at.spacing)});
  }
  return "Coordinates: index i of a dimension lies at origin + i * spacing\n" + table(rows, "  ") +
         "\n";
}

std::string stencil_section(const ir::Program& program) {
  std::vector<Row> rows = {{"function", "writes", "reads (offsets low..high)", "operations"}};
  for (const ir::Function& function : program.functions) {
    const std::vector<std::string> reads = schedule::describe_reads(program, function);
    int operations = 0;
    for (const ir::Piece& piece : function.pieces) {
      operations = std::max(operations, ir::count_operations(piece));
    }
    rows.push_back({function.name, ir::target_names(program, function),
                    reads.empty() ? "-" : fmt::format("{}", fmt::join(reads, " ")),
                    fmt::format("{}", operations)});
  }
  const bool in_order = program.start.empty() && ir::applies_in_order(program);
  return (in_order ? "Stencil functions, in order\n"
                   : "Stencil functions, in the order of their first applications\n") +
         table(rows, "  ");
}

// `one`: the noun for a step of the tile, "step" or "iteration".
std::string tile_section(const ir::Program& program, int steps, const std::string& one = "step") {
  const analysis::TimeTile tile = analysis::unroll(program, steps);
  std::string out = fmt::format(
      "Time tile of {} {}{}: boxes needed for an output box of origin x0 and length l0\n", steps,
      one, steps == 1 ? "" : "s");
  std::vector<Row> rows = {{"step", "function", "computes", "on"}};
  for (const analysis::Stage& stage : tile.stages) {
    const ir::Function& function = program.functions[stage.function];
    rows.push_back({fmt::format("{}", stage.step + 1), function.name,
                    ir::target_names(program, function),
                    stage.computed.empty() ? "- (replaced unread)" : print(stage.computed)});
  }
  out += table(rows, "  ");
  rows = {{"field", "box", "halo low+high"}};
  for (const analysis::Version& version : tile.versions) {
    if (!version.in_memory() || !version.needed) continue;
    rows.push_back({level_name(program.fields[version.field], static_cast<size_t>(version.level)),
                    print(*version.needed), print_halo(*version.needed)});
  }
  if (rows.size() == 1) return out;  // it reads no fields of its grid
  return out + "\nBoxes that a tile reads from memory\n" + table(rows, "  ");
}

// The change that would make a schedule faster.
const char* way_out(schedule::Limit limit) {
  switch (limit) {
    case schedule::Limit::Memory:
      return "fewer bytes per point and step: more steps per tile, or a tile with less halo";
    case schedule::Limit::Cache:
      return "fewer redundant reads by neighbouring blocks: larger tiles";
    case schedule::Limit::Instructions:
      return "fewer instructions per point and step: less redundant work, or more points per "
             "thread";
    case schedule::Limit::Latency:
      return "more threads to hide the latency: fewer registers, smaller tiles, a larger "
             "grid";
    case schedule::Limit::Tail:
      return "a fuller last wave of blocks: another tile or chunk";
    case schedule::Limit::Launch:
      return "more work per launch: more steps per tile, a larger grid";
  }
  return "";
}

std::string rate_of(const schedule::Prediction& prediction) {
  return fmt::format("{:.3g}", 1e-9 * prediction.points_per_second);
}

// The prediction for the schedule and for neighbouring time tiles. Empty if the model does not know
// the family of the schedule.
std::vector<Row> expected_rows(schedule::Scheduler& scheduler, const schedule::Schedule& schedule) {
  const auto expected = schedule::predict(scheduler, schedule);
  if (!expected) return {};
  const schedule::Prediction& prediction = expected->prediction;
  std::vector<Row> rows;
  rows.push_back(
      {"expected", fmt::format("{} GCells/s; {} alone would take {:.0f}% of the time{}",
                               rate_of(prediction), name(prediction.limit),
                               100 * prediction.of(prediction.limit) / prediction.seconds,
                               prediction.spills ? "; registers spill" : "")});
  rows.push_back({"faster with", way_out(prediction.limit)});
  if (!schedule::find_family(schedule.family)->has(schedule::shared::kTimeTile)) return rows;
  std::string others;
  for (const int change : {-2, -1, 1, 2}) {
    schedule::Schedule other = schedule;
    other.time_tile += change;
    if (other.time_tile < 1) continue;
    const auto neighbour = schedule::predict(scheduler, other);
    others += fmt::format("{}T={} {}", others.empty() ? "" : ", ", other.time_tile,
                          neighbour ? rate_of(neighbour->prediction) : "refused");
  }
  rows.push_back({"other T", others + " GCells/s expected"});
  return rows;
}

std::string schedule_section(schedule::Scheduler& scheduler, const schedule::Schedule& schedule,
                             const std::string& line, const std::string& why) {
  Diagnostics none;
  const schedule::Footprint cost = scheduler.plan(schedule, none)->cost();
  const schedule::Machine& machine = scheduler.machine();
  const std::vector<Row> expected = expected_rows(scheduler, schedule);
  std::vector<std::string> output(cost.output.size());
  std::transform(cost.output.rbegin(), cost.output.rend(), output.begin(),
                 [](int64_t n) { return fmt::format("{}", n); });
  std::vector<Row> rows = {
      {"schedule", line},
      {"chosen", why},
      {"kernels for", fmt::format("{} ({})", machine.name, machine.description)},
      {"output per block", fmt::format("{} points (x first)", fmt::join(output, " x "))},
      {"threads per block", fmt::format("{}", cost.threads)},
      {"shared memory", fmt::format("{} bytes per block", cost.shared_bytes)},
      {"redundant work", fmt::format("{:.3f} points computed per useful point", cost.redundancy)},
      {"bytes read", fmt::format("{:.2f} per point and step", cost.bytes_read)},
      {"bytes written", fmt::format("{:.2f} per point and step", cost.bytes_written)},
  };
  rows.insert(rows.end(), expected.begin(), expected.end());
  return "Schedule\n" + table(rows, "  ");
}

// Lists the arrays with padded rows. Empty if there are no such arrays.
std::string rows_section(const kernel::Module& module) {
  std::string out;
  for (const std::string& line : schedule::describe_rows(module)) {
    out += wrapped(line, "  ", "    ");
  }
  if (out.empty()) return "";
  return "Rows in device memory (rows=dense leaves them as they are in the user's arrays)\n" + out +
         "\n";
}

// Describes the tiles that compute `done` steps or iterations.
std::string tiles_of(int64_t done, int time_tile, const char* one) {
  const int64_t whole = done / time_tile, rest = done % time_tile;
  std::string tiles = fmt::format("{} x {} {}{}", whole, time_tile, one, time_tile == 1 ? "" : "s");
  if (rest > 0) tiles += fmt::format(", then {}", rest);
  return whole > 0 ? tiles : fmt::format("1 x {}", rest);
}

// The number of launches in a step that is cut into phases.
int64_t launches_of_step(const kernel::Plan& plan) {
  int64_t launches = 0;
  kernel::for_each_launch_of_tile(plan, 1, 1,
                                  [&](const auto&, int64_t, int64_t times) { launches += times; });
  return launches;
}

// How often a phase runs in a step, all of its occurrences together.
std::string times_in_step(int64_t times, int64_t iterations) {
  if (times > 1 && iterations > 1) return fmt::format("{} x {} times", times, iterations);
  return times * iterations == 1 ? "once" : fmt::format("{} times", times * iterations);
}

// The phases of a step, the reason for them, and their cost. Empty if the step is not cut into
// phases.
std::string phase_section(const schedule::Phases& phases, const ir::Program& program,
                          const schedule::Schedule& schedule, const kernel::Module& module) {
  if (!phases.cut()) return "";
  const bool several =
      std::any_of(program.functions.begin(), program.functions.end(),
                  [&](const ir::Function& of) { return of.domain != program.domain_id(); });
  std::vector<Row> rows = {{"phase", "functions", "in a step", "tiles"}};
  if (several) rows.front().emplace_back("grid");
  for (const auto& planned : phases.all()) {
    std::vector<std::string> names;
    for (const ir::Function& function : planned->tiles.program().functions) {
      names.push_back(function.name);
    }
    const int64_t iterations = planned->phase.iterations;
    const auto times = static_cast<int64_t>(planned->iterations) / iterations;
    const int time_tile = std::max(planned->limited(schedule).time_tile, 1);
    rows.push_back({fmt::format("{}", rows.size()), fmt::format("{}", fmt::join(names, ", ")),
                    times == 0 ? "only in start" : times_in_step(times, iterations),
                    iterations == 1 ? "one" : tiles_of(iterations, time_tile, "iteration")});
    if (several) rows.back().push_back(planned->tiles.program().domain().name);
  }
  const auto in_step =
      std::count_if(program.reductions.begin(), program.reductions.end(),
                    [](const ir::Reduction& reduction) { return reduction.in_step; });
  std::vector<std::string> cuts;
  if (in_step > 0) cuts.emplace_back("where it reads a reduction");
  if (ir::repeats_in_steps(program)) cuts.emplace_back("where a repeat begins and ends");
  if (several) cuts.emplace_back("where the grid of the functions changes");
  const std::string why =
      cuts.empty() ? "" : fmt::format(", which is cut {}", fmt::join(cuts, ", and "));
  const std::string of_reductions =
      in_step > 0
          ? fmt::format(", {} of them for reductions, whose values stay on the device", 2 * in_step)
          : "";
  return fmt::format("Phases of the step{}\n", why) + table(rows, "  ") +
         wrapped(fmt::format("a step is {} launches{}; between two of them all fields go through "
                             "memory, and no time tile reaches beyond its phase",
                             launches_of_step(module.plan), of_reductions),
                 "  ", "  ") +
         "\n";
}

// Describes the place of a reduction within the step.
std::string place_of(const ir::Program& program, ir::ReductionId reduction) {
  std::optional<size_t> before, after;  // the functions applied next to it
  bool seen = false;
  ir::for_each_step(program.run.body, [&](const ir::Step& step) {
    const auto* reduce = std::get_if<ir::Reduce>(&step.kind);
    seen |= reduce && reduce->reduction == reduction;
    const auto* apply = std::get_if<ir::Apply>(&step.kind);
    if (!apply) return;
    if (!seen) before = apply->function;
    if (seen && !after) after = apply->function;
  });
  if (before) return "after " + program.functions[*before].name;
  return after ? "before " + program.functions[*after].name : "";
}

// Describes when reductions run, and their effect on time tiles and the host. Empty if there are no
// reductions.
std::string reduction_section(const ir::Program& program, const kernel::Module& module,
                              int time_tile) {
  if (program.reductions.empty()) return "";
  std::vector<Row> rows = {{"reduction", "evaluated", "tiles between evaluations"}};
  for (const ir::Reduction& reduction : program.reductions) {
    std::string name = reduction.name;
    if (reduction.at) {
      name += fmt::format(" at {}", program.fields[*reduction.at].name);
    } else if (reduction.target) {
      name += fmt::format(" over {}", fmt::join(ir::reduced_dimensions(program, reduction), ", "));
    }
    if (reduction.in_step) {
      const auto id = static_cast<ir::ReductionId>(&reduction - program.reductions.data());
      rows.push_back({name, "in the step, " + place_of(program, id), "none"});
      continue;
    }
    rows.push_back({name,
                    reduction.every == 1 ? "after every step"
                                         : fmt::format("after every {} steps", reduction.every),
                    ir::sampled_by(program, reduction)
                        ? "any: tiles sample it"
                        : tiles_of(reduction.every, time_tile, "step")});
  }
  std::string out =
      "Reductions: a time tile ends before each evaluation; separate kernels, fixed order\n";
  out += table(rows, "  ");
  if (program.run.until) {
    out += "  stop: one flag is read back after each evaluation of a reduction in the condition;\n";
    out +=
        kernel::answer_point(module)
            ? "  the next tile is launched meanwhile and writes spare copies, which are dropped if "
              "the run ends\n"
        : ir::reduces_in_steps(program)
            ? "  the next step waits for the flag, because it replaces the values of reductions\n"
        : ir::cuts_steps(program)
            ? "  the next step waits for the flag, because launches of a step depend on each "
              "other\n"
            : "  the next tile waits for the flag, because it writes in place\n";
  }
  return out + "\n";
}

// Whether a line quotes the program or underlines such a quotation.
bool is_quotation(const std::string& line) {
  const size_t bar = line.find(" | ");
  return bar != line.npos && line.find_first_not_of(" 0123456789") > bar;
}

// Wraps the lines of a message. Quoted lines are cut after the underlined place.
std::string fitted(const std::string& message) {
  std::vector<std::string> lines;
  std::istringstream stream(message);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::string& line = lines[i];
    if (!is_quotation(line)) {
      out += wrapped(line, "", std::string(10, ' '));
      continue;
    }
    size_t end = kLineWidth - 4;
    const bool points = i + 1 < lines.size() && is_quotation(lines[i + 1]);
    if (line.size() > kLineWidth && points && lines[i + 1].size() <= end) {
      // Do not cut inside a UTF-8 character.
      while ((static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
      line = line.substr(0, end) + " ...";
    }
    out += line + "\n";
  }
  return out;
}

// Lists all schedules that the program cannot have, with reasons.
std::string refusal_section(const ir::Program& program, const Source& source,
                            const schedule::Machine& machine) {
  std::string out;
  for (const schedule::Refusal& refusal : schedule::refusals(program, machine)) {
    out += wrapped(refusal.line, "  ", "    ") + fitted(render(source, refusal.reasons));
  }
  return "Refusals: schedules that do not support this program (a family's defaults, or one "
         "setting changed)\n" +
         (out.empty() ? "  none\n" : out);
}

// Describes where the settings of a given line come from.
std::string given(const std::string& line) {
  std::istringstream words(line);
  std::string name, further;
  words >> name;
  std::getline(words >> std::ws, further);
  for (const schedule::Preset& preset : schedule::preset_table()) {
    if (name != "@" + preset.name) continue;
    const std::string changed = further.empty() ? "" : fmt::format("; changed by {}", further);
    return fmt::format("given as {}: {} ({}){}", name, preset.summary, preset.source, changed);
  }
  return "given";
}

}  // namespace

std::string explain(const ir::Program& program, const Source& source,
                    const std::string& schedule_line, Diagnostics& diagnostics,
                    const schedule::Machine& machine, bool all_settings) {
  const bool automatic = schedule_line.empty() || schedule_line == "auto";
  schedule::Scheduler scheduler(program, machine);
  const auto schedule = scheduler.parse(schedule_line, diagnostics);
  if (!schedule) return "";
  const auto module = scheduler.lower(*schedule, diagnostics);
  if (!module) return "";
  std::string why = automatic ? "" : given(schedule_line);
  if (automatic) {
    Diagnostics passed_over;
    const schedule::Proposal& chosen = scheduler.choose(&passed_over);
    for (const Diagnostic& d : passed_over.items()) why += d.message + "; ";
    why += chosen.why;
  }
  std::string out = fmt::format("Program {}\n\n", program.name) + coordinate_section(program) +
                    stencil_section(program) + "\n";
  const schedule::Phases& phases = scheduler.phases();
  const std::string cuts = phase_section(phases, program, *schedule, *module);
  out += cuts;
  if (cuts.empty()) out += tile_section(program, std::max(schedule->time_tile, 1)) + "\n";
  for (size_t p = 0; !cuts.empty() && p < phases.all().size(); ++p) {
    const int steps = std::max(phases.all()[p]->limited(*schedule).time_tile, 1);
    out += fmt::format("Phase {}. ", p + 1);
    out += tile_section(phases.all()[p]->tiles.program(), steps, "iteration") + "\n";
  }
  const std::string line = all_settings ? schedule::print(*schedule, program.grid().rank())
                                        : brief_schedule(*schedule, program, {machine});
  out += schedule_section(scheduler, *schedule, line, why) + "\n";
  const int time_tile = std::max(phases.cut() ? 1 : schedule->time_tile, 1);
  out += rows_section(*module) + reduction_section(program, *module, time_tile);
  return out + refusal_section(program, source, machine);
}

}  // namespace stencil
