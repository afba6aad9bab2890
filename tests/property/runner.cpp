#include "tests/property/runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "compiler/ir/passes.h"
#include "compiler/schedule/family.h"
#include "compiler/support/work.h"
#include "tests/property/schedules.h"

namespace stencil::property {

namespace {

constexpr int kTooManyFailures = 100;
constexpr int kShownFailures = 5;

// Memory that this process has in RAM (its RSS), in MiB; 0 if unknown.
int64_t rss_megabytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, in_ram = 0;  // pages
  if (!(statm >> total >> in_ram)) return 0;
  return in_ram * sysconf(_SC_PAGESIZE) >> 20;
}

}  // namespace

int Runner::run() {
  for (int n = 0; n < settings_.programs; ++n) {
    add_program(settings_.first_seed + static_cast<uint64_t>(n));
    if ((n + 1) % settings_.batch != 0) continue;
    flush();
    if (settings_.time_limit > 0 && seconds() > settings_.time_limit) break;
    if (failed_ >= kTooManyFailures) break;
  }
  flush();
  if (settings_.coverage) fmt::print("{}{}", coverage_.table(), coverage_.refusals());
  for (const auto& family : schedule::family_table()) {
    fmt::print("{}: {} cases\n", family.name, coverage_.cases(family.name));
  }
  const bool missing = settings_.complete && !judge_coverage();
  if (settings_.lower_only) {
    fmt::print("{} programs, {} cases lowered, {} refused by their schedule, {} failed\n",
               programs_, cases_, refused_, failed_);
    return failed_ || missing ? 1 : 0;
  }
  fmt::print(
      "{}: {} programs, {} cases, {} refused by their schedule, {} too large for the device\n",
      settings_.device, programs_, cases_, refused_, limited_);
  const int passed = cases_ - limited_ - failed_;
  fmt::print(
      "{} passed, {} failed; {} were cut into subdomains, {} done in boxes, {} by several "
      "schedules in turn\n",
      passed, failed_, cut_, boxed_, relayed_);
  return failed_ || passed == 0 || missing ? 1 : 0;
}

bool Runner::judge_coverage() const {
  const bool cuts = settings_.cut > 0 && settings_.families.empty();
  const auto missing = coverage_.missing(!settings_.subdomains && !settings_.boxes, cuts);
  for (const std::string& what : missing) fmt::print("NEVER DRAWN {}\n", what);
  return missing.empty();
}

double Runner::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Runner::fail(const std::string& label, const std::string& what, const std::string& text) {
  ++failed_;
  if (failed_ <= kShownFailures) {
    fmt::print("FAILED {}\n  {}\n{}\n", label, what, text);
  } else {
    fmt::print("FAILED {}\n  {}\n", label, what.substr(0, 200));
  }
  std::fflush(stdout);
}

void Runner::add_program(uint64_t seed) {
  Recipe recipe;
  recipe.program = random_program(seed);
  recipe.seed = seed;
  Random random(seed * 77 + 5);
  ++programs_;
  recipe.open = random.chance(35) && !recipe.program.sizes_known;
  for (const auto& [param, value] : recipe.program.reals) {
    if (random.chance(30)) recipe.fixed.insert(param);
  }
  const bool exact = recipe.program.exact_steps > 0;
  recipe.real = exact || random.chance(50) ? Scalar::F64 : Scalar::F32;
  std::vector<FpMode> modes = {FpMode::Strict, FpMode::Contract};
  if (exact) modes.push_back(FpMode::Fast);
  if (settings_.one_mode) modes = {modes[seed % modes.size()]};
  const auto& families = schedule::family_table();
  // With `alternate`, family number f runs in mode number seed + f (modulo their number).
  const auto runs = [&](size_t family, FpMode fp) {
    return !settings_.alternate || modes[(seed + family) % modes.size()] == fp;
  };
  for (const FpMode fp : modes) {
    recipe.fp = fp;
    recipe.name = module_name(seed, fp, "program");
    Diagnostics diagnostics;
    const auto program = load(recipe, diagnostics);
    const std::string file = fmt::format("seed{}.stn", seed);
    if (!program) {
      return fail(file, render(Source(file, recipe.program.text), diagnostics),
                  recipe.program.text);
    }
    const auto unsound = ir::verify(*program);
    if (!unsound.empty()) return fail(file, "IR: " + unsound[0], recipe.program.text);
    for (size_t f = 0; f < families.size(); ++f) {
      if (runs(f, fp)) add_case(recipe, *program, families[f].name, random);
    }
    if (settings_.complete && fp == modes[0]) lower_huge(recipe);
  }
}

// Lowers the program with extents up to 2^30. Every family must lower or refuse it with about the
// same work as for the drawn sizes.
void Runner::lower_huge(const Recipe& recipe) {
  constexpr int64_t kTimes = 4, kWork = 200'000;
  constexpr int kBits = 45;  // of all extents together, so that fields can be addressed
  Recipe small = recipe, huge = recipe;
  small.open = huge.open = false;
  const int most = std::min(30, kBits / recipe.program.rank);
  Random random(recipe.seed * 77 + 6);  // a separate stream, so that other draws do not change
  for (size_t d = 0; d < static_cast<size_t>(recipe.program.rank); ++d) {
    const int64_t size = (int64_t{1} << most) - random.below(1 << (most - 2));
    huge.program.integers[d].second = recipe.program.valid_size(d, size);
  }
  Diagnostics diagnostics;
  const auto usual = load(small, diagnostics);
  Diagnostics of_huge;
  const auto large = load(huge, of_huge);
  // With huge extents, three times a coordinate may overflow, which S090 reports.
  const auto overflows = [](const Diagnostic& found) {
    return found.severity != Severity::Error || found.code == "S090";
  };
  const auto& found = of_huge.items();
  if (usual && !large && std::all_of(found.begin(), found.end(), overflows)) return;
  for (const Diagnostic& diagnostic : found) diagnostics.add(diagnostic);
  if (!usual || !large) {
    return fail(label(huge), render(Source("", ""), diagnostics), recipe.program.text);
  }
  for (const auto& row : schedule::family_table()) {
    const std::string& family = row.name;
    const auto work = [&](const ir::Program& program) {
      Diagnostics refusals;
      const int64_t before = support::work_done();
      const auto schedule = schedule::parse(family, program, refusals);
      if (schedule) schedule::lower(program, *schedule, refusals);
      return support::work_done() - before;
    };
    const int64_t found = work(*large);
    if (found <= kWork) continue;
    const int64_t expected = work(*usual);
    if (found <= kTimes * expected + kWork) continue;
    fail(label(huge),
         fmt::format("{}: {} operations, {} with the sizes drawn", family, found, expected),
         recipe.program.text);
  }
}

void Runner::add_case(Recipe recipe, ir::Program program, const std::string& family,
                      Random& random) {
  program.name = module_name(recipe.seed, recipe.fp, family);
  recipe.name = program.name;
  recipe.data_seed = random.next();
  const int steps_beyond = random.below(1000);
  Diagnostics diagnostics;
  recipe.schedule = random_schedule(random, family, recipe.program.rank, program.fp);
  const auto& some = settings_.families;
  if (!some.empty() && std::find(some.begin(), some.end(), family) == some.end()) return;
  // Random numbers come from a separate stream, so that all other draws stay the same.
  const bool alone = settings_.subdomains || settings_.boxes || settings_.relays;
  for (const auto& [boxes, chosen] :
       {std::pair(false, settings_.subdomains), {true, settings_.boxes}}) {
    const bool drawn =
        Random(recipe.data_seed + (boxes ? 4 : 1)).chance(boxes ? settings_.boxed : settings_.cut);
    if (chosen || (!alone && drawn)) add_cut_case(recipe, family, steps_beyond, boxes);
  }
  if (settings_.relays || (!alone && Random(recipe.data_seed + 8).chance(settings_.relayed))) {
    add_relay(recipe, steps_beyond);
  }
  if (alone) return;
  Random of_phase(recipe.data_seed + 7);
  if (of_phase.chance(50)) recipe.schedule += random_phase(of_phase, program);
  auto schedule = schedule::parse(recipe.schedule, program, diagnostics);
  if (!schedule) {
    return fail(label(recipe), render(Source("", ""), diagnostics), recipe.program.text);
  }
  std::string refusal;
  auto module = lower_somehow(program, *schedule, refusal);
  if (!module) {
    ++refused_;
    return coverage_.refused(family, refusal, recipe.program.rank);
  }
  recipe.schedule = schedule::print(*schedule, recipe.program.rank);
  recipe.steps = steps_beyond % (2 * schedule->time_tile + 2);
  if (recipe.fp == FpMode::Fast) {
    recipe.steps = std::min<int64_t>(recipe.steps, recipe.program.exact_steps);
  }
  std::string problem;
  auto made = prepare(recipe, program, std::move(*module), problem);
  if (!made) return fail(label(recipe), problem, recipe.program.text);
  coverage_.add(*made, family, *schedule);
  ++cases_;
  (recipe.fp == FpMode::Fast ? fast_ : reproducible_).push_back(std::move(*made));
}

// Adds the case cut into subdomains or boxes, if one of a few random ways is accepted.
void Runner::add_cut_case(const Recipe& whole, const std::string& family, int steps, bool boxes) {
  constexpr int kWays = 4;
  Random random(whole.data_seed + 2);
  std::string refusal;
  for (int way = 0; way < kWays; ++way) {
    Recipe recipe = whole;
    recipe.name += boxes ? "_boxes" : "_cut";
    recipe.boxes = boxes;
    Diagnostics diagnostics;
    const auto drawn = load(recipe, diagnostics);
    auto schedule = drawn ? schedule::parse(recipe.schedule, *drawn, diagnostics) : std::nullopt;
    draw_cuts(random, schedule ? schedule->time_tile : 1, recipe);
    const bool may_be_outer =
        !boxes && schedule && family == "streaming" && recipe.program.rank < 4;
    if (may_be_outer && random.chance(50)) draw_outer_blocks(random, *schedule, recipe);
    const auto program = load(recipe, diagnostics);
    if (!program || !schedule) {
      return fail(label(recipe), render(Source("", ""), diagnostics), recipe.program.text);
    }
    recipe.steps = steps % (2 * schedule->time_tile + recipe.exchange + 2);
    if (recipe.fp == FpMode::Fast) {
      recipe.steps = std::min<int64_t>(recipe.steps, recipe.program.exact_steps);
    }
    std::string problem;
    auto made = boxes ? prepare_boxed(recipe, *program, *schedule, refusal, problem)
                      : prepare_cut(recipe, *program, *schedule, refusal, problem);
    if (!problem.empty()) return fail(label(recipe), problem, recipe.program.text);
    if (!made) continue;
    made->recipe.schedule = schedule::print(*schedule, recipe.program.rank);
    if (boxes) coverage_.add_boxed(*made, family);
    if (!boxes) coverage_.add_cut(*made, family, *schedule);
    ++cases_;
    ++(boxes ? boxed_ : cut_);
    (recipe.fp == FpMode::Fast ? fast_ : reproducible_).push_back(std::move(*made));
    return;
  }
  if (boxes) coverage_.refused_boxed(family, refusal);
  if (!boxes) coverage_.refused_cut(family, refusal);
}

// Adds the case with one or two further schedules, of any family, that take turns with its own.
void Runner::add_relay(Recipe recipe, int steps) {
  if (recipe.fp == FpMode::Fast) return;  // bits may depend on the schedule
  Random random(recipe.data_seed + 9);
  std::vector<std::string> lines = {recipe.schedule};
  std::vector<std::string> families;
  for (const auto& row : schedule::family_table()) families.push_back(row.name);
  for (int further = 1 + random.below(2); further > 0; --further) {
    lines.push_back(random_schedule(random, random.pick(families), recipe.program.rank, recipe.fp));
  }
  std::vector<kernel::Module> modules;
  std::string problem;
  const std::string name = recipe.name;
  std::optional<ir::Program> first;
  Relay relay;
  for (size_t l = 0; l < lines.size(); ++l) {
    recipe.name = fmt::format("{}_relay{}", name, l);
    Diagnostics diagnostics;
    auto program = load(recipe, diagnostics);
    auto schedule = program ? schedule::parse(lines[l], *program, diagnostics) : std::nullopt;
    if (!schedule) {
      return fail(label(recipe), render(Source("", ""), diagnostics), recipe.program.text);
    }
    std::string refusal;
    auto module = lower_somehow(*program, *schedule, refusal);
    if (!module && l == 0) return;
    if (!module) continue;
    if (!first) first = std::move(program);
    lines[l] = schedule::print(*schedule, recipe.program.rank);
    if (l > 0) recipe.relay.push_back(lines[l]);
    relay.lengths.push_back(1 + random.below(2 * schedule->time_tile + 1));
    modules.push_back(std::move(*module));
  }
  recipe.schedule = lines[0];
  recipe.steps = 1 + steps % 20;
  auto made = prepare(recipe, *first, std::move(modules[0]), problem);
  if (!made) return fail(label(recipe), problem, recipe.program.text);
  relay.modules.assign(std::make_move_iterator(modules.begin() + 1),
                       std::make_move_iterator(modules.end()));
  made->item.relay = std::make_shared<const Relay>(std::move(relay));
  ++cases_;
  ++relayed_;
  reproducible_.push_back(std::move(*made));
}

void Runner::flush() {
  run_batch(reproducible_);
  run_batch(fast_);
  if (settings_.progress) print_progress();
}

void Runner::run_batch(std::vector<Case>& cases) {
  if (settings_.lower_only) cases.clear();
  if (cases.empty()) return;
  in_ranges(
      static_cast<int64_t>(cases.size()), 1, [&](int64_t i, int64_t) { expect(cases[i]); },
      settings_.threads);
  std::vector<Item> items;
  for (Case& made : cases) items.push_back(std::move(made.item));
  const std::string problem = settings_.run(items, {settings_.threads, settings_.gpus});
  if (!problem.empty()) fail("batch", problem, "");
  for (size_t i = 0; i < items.size() && problem.empty(); ++i) {
    if (items[i].refused) {
      ++limited_;
      continue;
    }
    cases[i].item = std::move(items[i]);
    const std::string wrong = judge(cases[i]);
    if (wrong.empty()) continue;
    const Recipe& recipe = cases[i].recipe;
    const bool shrinks = settings_.shrink && failed_ < kShownFailures;
    fail(label(recipe), wrong, shrinks ? shrink(recipe, settings_.run) : recipe.program.text);
  }
  cases.clear();
}

void Runner::print_progress() const {
  const double rate = programs_ / std::max(seconds(), 1e-3);
  std::string families;
  for (const auto& family : schedule::family_table()) {
    families += fmt::format("{}{} {}", families.empty() ? "" : ", ", family.name,
                            coverage_.cases(family.name));
  }
  fmt::print("{:.0f} s: {} of {} programs, {} cases ({}), {} failed, {} MB, {:.0f} s to go\n",
             seconds(), programs_, settings_.programs, cases_, families, failed_, rss_megabytes(),
             (settings_.programs - programs_) / rate);
  std::fflush(stdout);
}

}  // namespace stencil::property
