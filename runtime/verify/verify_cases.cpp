// The choice of cases decides what `verify` can find. Errors of tiled code occur at edges: grids
// smaller than a halo, tiles that end one point before or after the grid, last time tiles of one
// step. So sizes, blocks and step counts are chosen around these edges and kept small: a hundred
// small cases find more than one large one and take less time.
#include "runtime/verify/verify_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <set>

#include "compiler/driver/brief_schedule.h"
#include "compiler/ir/passes.h"
#include "compiler/schedule/scheduler.h"
#include "compiler/schedule/settings.h"

namespace stencil::runtime {

namespace {

// --- Schedules

// The schedule of a line if the program can be lowered with it; otherwise the refusal.
ScheduleCase try_schedule(schedule::Scheduler& scheduler, const std::string& line) {
  const int rank = scheduler.program().grid().rank();
  ScheduleCase out{line, {}, "", scheduler.machine().threads_are_loops, ""};
  Diagnostics diagnostics;
  const auto schedule = scheduler.parse(line, diagnostics);
  if (schedule && scheduler.plan(*schedule, diagnostics, schedule::Advice::None)) {
    out.schedule = schedule;
    out.line = schedule::print(*schedule, rank);
  }
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity == Severity::Error && out.refusal.empty())
      out.refusal = diagnostic.message;
  }
  return out;
}

// The smallest tile, with the other settings of `usual`, that writes a few points in each tiled
// dimension.
ScheduleCase small_tile(schedule::Scheduler& scheduler, const schedule::Schedule& usual) {
  constexpr int64_t kFewPoints = 4;
  const int rank = scheduler.program().grid().rank();
  ScheduleCase best;
  for (const schedule::Schedule& tile : schedule::growing_tiles(usual, rank)) {
    ScheduleCase attempt = try_schedule(scheduler, schedule::print(tile, rank));
    if (!attempt.schedule) {
      if (best.line.empty()) best = std::move(attempt);  // reported if no tile fits
      continue;
    }
    Diagnostics none;
    const auto output = scheduler.plan(*attempt.schedule, none)->cost().output;
    best = std::move(attempt);
    bool enough = true;  // in all tiled dimensions
    for (size_t axis = 0; axis < output.size(); ++axis) {
      const bool tiled = tile.block[axis] * tile.elements[axis] > 1;
      enough &= !tiled || output[output.size() - 1 - axis] >= kFewPoints;
    }
    if (enough) break;
  }
  return best;
}

// The schedule with the second keyword of a setting. Further keywords, and other row layouts, only
// apply to certain array sizes, so they are not tried.
std::optional<schedule::Schedule> other_word(const schedule::Schedule& usual,
                                             const schedule::Setting& setting, int rank) {
  if (!setting.is_word() || setting.name == schedule::shared::kRows) return std::nullopt;
  return schedule::choices(usual, setting, rank)[1].schedule;
}

// Small tiles of the family with `steps` steps; with `other_words`, also with alternative settings
// where the program supports them.
ScheduleCase small_tile(schedule::Scheduler& scheduler, const schedule::Family& family, int steps,
                        bool other_words) {
  constexpr int kFewPlanes = 5;
  schedule::Schedule usual = family.blank();
  usual.time_tile = steps;
  if (family.has(schedule::shared::kChunk)) usual.chunk = kFewPlanes;
  ScheduleCase best = small_tile(scheduler, usual);
  for (const schedule::Setting& setting : family.settings) {
    const auto other = other_word(usual, setting, scheduler.program().grid().rank());
    if (!other_words || !other || !best.schedule) continue;
    ScheduleCase attempt = small_tile(scheduler, *other);
    if (!attempt.schedule) continue;
    usual = *other;
    best = std::move(attempt);
  }
  return best;
}

std::vector<ScheduleCase> cases_of(const ir::Program& program, const std::string& line, bool quick,
                                   Diagnostics& diagnostics) {
  schedule::Scheduler gpu(program, schedule::gpu()), cpu(program, schedule::cpu());
  std::vector<ScheduleCase> out;
  if (!line.empty() && line != "auto") {
    // Try the GPU first, because it supports smaller blocks. The CPU has more space for arrays.
    Diagnostics refused;
    ScheduleCase anywhere;
    if (gpu.parse(line, refused)) anywhere = try_schedule(gpu, line);
    if (anywhere.schedule) return {anywhere};
    if (!cpu.parse(line, diagnostics)) return out;
    ScheduleCase on_cpu = try_schedule(cpu, line);
    return {on_cpu.schedule || anywhere.line.empty() ? on_cpu : anywhere};
  }
  out.push_back(try_schedule(gpu, "auto"));
  out.push_back(try_schedule(cpu, "auto"));
  for (const schedule::Family& family : schedule::family_table()) {
    if (!family.has(schedule::shared::kTimeTile)) {
      if (!family.on_request) out.push_back(try_schedule(gpu, family.name));
      if (!quick) out.push_back(small_tile(gpu, family, 1, false));
      continue;
    }
    for (const int steps : quick ? std::vector{1, 3} : std::vector{1, 2, 3, 5}) {
      for (const bool other_words : {false, true}) {
        if (quick && other_words && steps == 1) continue;
        out.push_back(small_tile(gpu, family, steps, other_words));
      }
    }
  }
  std::set<std::string> seen;  // one row per schedule and per reason of refusal
  std::erase_if(out, [&](const ScheduleCase& c) {
    return !seen.insert(c.schedule ? c.line : c.refusal).second;
  });
  return out;
}

}  // namespace

std::vector<ScheduleCase> choose_schedules(const ir::Program& program, const std::string& line,
                                           bool quick, Diagnostics& diagnostics) {
  std::vector<ScheduleCase> cases = cases_of(program, line, quick, diagnostics);
  for (ScheduleCase& each : cases) {
    each.brief = each.schedule
                     ? brief_schedule(*each.schedule, program, {schedule::gpu(), schedule::cpu()})
                     : each.line;
  }
  return cases;
}

void mark_in_use(const ir::Program& program, const std::string& device,
                 const schedule::Machine& machine, const std::string& line,
                 std::vector<ScheduleCase>& cases) {
  schedule::Scheduler scheduler(program, machine);
  ScheduleCase used = try_schedule(scheduler, line);
  if (!used.schedule) used = try_schedule(scheduler, "auto");  // as a run does
  if (!used.schedule) return;
  auto found = std::find_if(cases.begin(), cases.end(), [&](const ScheduleCase& each) {
    return each.schedule && each.line == used.line;
  });
  if (found == cases.end()) {
    used.brief = brief_schedule(*used.schedule, program, {schedule::gpu(), schedule::cpu()});
    found = cases.insert(cases.begin(), std::move(used));
  }
  found->in_use.push_back(device);
}

std::vector<int64_t> choose_steps(const ir::Program& program, int time_tile, bool quick) {
  constexpr int64_t kMost = 200;
  const int64_t t = time_tile;
  std::set<int64_t> steps = {1, t + 1, 2 * t - 1};
  if (!quick) steps.insert({0, t, 2 * t + 1});
  for (const ir::Reduction& reduction : program.reductions) {
    if (reduction.every >= kMost / 2) continue;
    steps.insert(2 * reduction.every + 1);
    if (!quick) steps.insert(reduction.every);
  }
  return {steps.begin(), steps.end()};
}

// --- Sizes

namespace {

using Integers = std::map<std::string, int64_t>;

void collect(const ir::Affine& affine, std::set<ir::ParamId>& params) {
  for (const auto& [param, coefficient] : affine.terms) params.insert(param);
}

void collect(const ir::Box& box, std::set<ir::ParamId>& params) {
  for (const ir::Range& range : box.ranges) {
    collect(range.low, params);
    collect(range.high, params);
  }
}

// Whether the param, if left open, occurs in the bounds of some box.
bool is_size(const ir::Program& program, const std::string& name) {
  std::set<ir::ParamId> used;
  collect(program.grid(), used);
  for (const ir::Field& field : program.fields) collect(field.box, used);
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) collect(piece.region, used);
  }
  return std::any_of(used.begin(), used.end(),
                     [&](ir::ParamId id) { return program.params[id].name == name; });
}

class SizeChooser {
 public:
  SizeChooser(const ast::Program& tree, const Source& source, const ProgramOptions& options)
      : tree_(tree), source_(source), options_(options) {}

  SizeCases choose(const std::vector<schedule::Schedule>& schedules, bool quick);

 private:
  std::optional<ir::Program> analyze(const ProgramOptions& options) const {
    Diagnostics ignored;
    return stencil::analyze(tree_, source_, options, ignored);
  }
  bool follows(const std::string& name, const std::vector<std::string>& names) const;
  std::vector<std::string> size_params() const;
  std::optional<SizeCase> at(const Integers& values) const;
  Integers spread(const std::vector<std::string>& names, const std::vector<int64_t>& lengths,
                  size_t first) const;
  void add(const std::vector<std::string>& names, const std::vector<int64_t>& lengths, size_t most,
           bool spread_out, SizeCases& out);

  const ast::Program& tree_;
  const Source& source_;
  const ProgramOptions& options_;
  std::set<std::string> seen_;
};

// Whether the param derives from those in `names` if these are open.
bool SizeChooser::follows(const std::string& name, const std::vector<std::string>& names) const {
  ProgramOptions options = options_;
  for (const std::string& other : names) {
    if (other == name) continue;
    options.definitions.erase(other);
    options.open.insert(other);
  }
  const auto program = analyze(options);
  return program &&
         std::any_of(program->params.begin(), program->params.end(), [&](const ir::Param& param) {
           return param.name == name && (param.derived || param.affine);
         });
}

// Integer params without a value from -D that are sizes and can be left open. Derived params stay
// derived.
std::vector<std::string> SizeChooser::size_params() const {
  std::vector<std::string> names;
  const auto base = analyze(options_);
  if (!base) return names;
  for (const ir::Param& param : base->params) {
    const bool given = options_.definitions.count(param.name) && !options_.open.count(param.name);
    if (!is_integer(param.type) || given) continue;
    ProgramOptions options = options_;
    options.definitions.erase(param.name);
    options.open.insert(param.name);
    const auto open = analyze(options);
    if (open && is_size(*open, param.name)) names.push_back(param.name);
  }
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (!follows(name, names)) out.push_back(name);
  }
  return out;
}

// The program at these sizes, if it accepts them and is small enough to be interpreted many times.
std::optional<SizeCase> SizeChooser::at(const Integers& values) const {
  constexpr double kMostPoints = 40'000;
  ProgramOptions options = options_;
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) {
    options.open.erase(name);
    options.definitions[name] = std::to_string(value);
    parts.push_back(fmt::format("{} = {}", name, value));
  }
  auto program = analyze(options);
  if (!program) return std::nullopt;
  auto params = bind_params(*program, options_.definitions);
  if (!params.ok() ||
      ir::failed_checks(*program, params.value().integers, params.value().reals).has_errors()) {
    return std::nullopt;
  }
  double most = 1;
  for (const ir::Field& field : program->fields) {
    const auto box = reference::concrete(field.box, params.value().integers);
    const auto points = box ? reference::count_points(*box) : std::nullopt;
    if (!points || *points == 0) return std::nullopt;
    most = std::max(most, static_cast<double>(*points));
  }
  if (most > kMostPoints && !values.empty()) return std::nullopt;
  const std::string label =
      parts.empty() ? "as written" : fmt::format("{}", fmt::join(parts, ", "));
  options.fixed.clear();
  auto reference = analyze(options);
  if (!reference) return std::nullopt;
  return SizeCase{label, std::move(*program), std::move(*reference), std::move(params).value()};
}

// One length per param; after the first round, different params get different lengths.
Integers SizeChooser::spread(const std::vector<std::string>& names,
                             const std::vector<int64_t>& lengths, size_t first) const {
  Integers values;
  for (size_t p = 0; p < names.size(); ++p) {
    values[names[p]] = lengths[(first + p * (first % 3)) % lengths.size()];
  }
  return values;
}

// Adds up to `most` of the sizes with these lengths: the first ones or, if `spread_out`,
// alternately the largest and the smallest remaining.
void SizeChooser::add(const std::vector<std::string>& names, const std::vector<int64_t>& lengths,
                      size_t most, bool spread_out, SizeCases& out) {
  std::deque<SizeCase> sizes;
  for (size_t i = 0; i < lengths.size() && (spread_out || sizes.size() < most); ++i) {
    auto size = at(spread(names, lengths, i));
    if (size && seen_.insert(size->label).second) sizes.push_back(std::move(*size));
  }
  for (size_t added = 0; added < most && !sizes.empty(); ++added) {
    const bool last = spread_out && added % 2 == 0;
    out.closed.push_back(std::move(last ? sizes.back() : sizes.front()));
    last ? sizes.pop_back() : sizes.pop_front();
  }
}

SizeCases SizeChooser::choose(const std::vector<schedule::Schedule>& schedules, bool quick) {
  SizeCases out;
  const std::vector<std::string> names = size_params();
  if (names.empty()) {
    if (auto size = at({})) out.closed.push_back(std::move(*size));
    return out;
  }
  ProgramOptions options = options_;
  for (const std::string& name : names) {
    options.definitions.erase(name);
    options.open.insert(name);
  }
  out.open = analyze(options);

  std::set<int64_t> edges;
  if (out.open) {
    for (const schedule::Schedule& schedule : schedules) {
      auto cost = schedule::measure(*out.open, schedule);
      if (!cost) cost = schedule::measure(*out.open, schedule, schedule::cpu());
      if (!cost) continue;
      for (const int64_t n : cost->output) edges.insert({n - 1, n, n + 1, 2 * n + 1, 2 * n + 2});
    }
  }
  add(names, {1, 2, 3, 4, 5, 6, 7}, quick ? 2 : 4, false, out);
  if (!edges.empty()) add(names, {edges.begin(), edges.end()}, quick ? 2 : 6, true, out);
  add(names, {23, 37, 53, 101, 131, 197, 257, 521, 1031, 4099}, quick ? 1 : 2, false, out);

  Integers own;
  if (const auto base = analyze(options_)) {
    for (const ir::Param& param : base->params) {
      const bool varies = std::find(names.begin(), names.end(), param.name) != names.end();
      if (varies && param.integer_value) own[param.name] = *param.integer_value;
    }
  }
  if (own.size() != names.size()) return out;
  auto size = at(own);
  if (size && seen_.insert(size->label).second) out.closed.push_back(std::move(*size));
  return out;
}

}  // namespace

SizeCases choose_sizes(const ast::Program& tree, const Source& source,
                       const ProgramOptions& options,
                       const std::vector<schedule::Schedule>& schedules, bool quick) {
  return SizeChooser(tree, source, options).choose(schedules, quick);
}

// --- Initial data

namespace {

// SplitMix64: a good generator in three lines, identical on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

}  // namespace

void fill_randomly(reference::State& state, uint64_t seed, bool positive) {
  Random random(seed);
  for (reference::FieldData& field : state.fields) {
    for (int level = 0; level < static_cast<int>(field.levels.size()); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        const Scalar type = field.types[c];
        for (int64_t i = 0; i < field.points; ++i) {
          if (is_float(type)) {
            const double unit = random.unit();
            field.set_real(level, c, i, positive ? 0.25 + unit : 2 * unit - 1);
          } else {
            field.set_integer(level, c, i, static_cast<int64_t>(random.next() % 2));
          }
        }
      }
    }
  }
}

}  // namespace stencil::runtime
