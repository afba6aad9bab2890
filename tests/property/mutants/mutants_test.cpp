// Mutants of the programs in dsl-examples/. If the front end accepts a mutant, its results must
// equal those of the reference interpreter bit for bit under --fp=strict, with the schedule of
// `auto` and with a random one. Mutants are like programs that people write, including their
// mistakes.
//
//   property_mutants [--programs n] [--first-seed s] [--device host|cpp] [--batch n] [--threads n]
//                    [--time-limit seconds] [--progress]
//   property_mutants --print seed       the mutant, as a file for stencilc
//
// --programs counts the mutants that the front end accepts. A failure prints the seed and the
// mutant; --first-seed SEED --programs 1 runs it again. A crash by a signal prints the batch.
#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/machine.h"
#include "compiler/schedule/schedule.h"
#include "compiler/support/numbers.h"
#include "compiler/support/threads.h"
#include "runtime/devices/device_table.h"
#include "tests/property/case.h"
#include "tests/property/examples.h"
#include "tests/property/mutants/mutate.h"
#include "tests/property/schedules.h"

namespace stencil::property {
namespace {

constexpr int64_t kPoints = 700;   // most points of an example before mutation
constexpr double kMostWork = 3e6;  // most node evaluations of a case, approximately
constexpr int kShownFailures = 10, kTooManyFailures = 100;

struct Settings {
  int programs = 100;
  int batch = 10;
  int threads = wanted_threads();
  uint64_t first_seed = 1;
  double time_limit = 0;
  bool progress = false;
  RunBatch run = run_on_host;
};

char present_batch[200] = "";

void died(int signal) {
  const auto say = [](const char* text) { (void)!write(2, text, std::strlen(text)); };
  say(signal == SIGPROF ? "\nENDLESS in " : "\nCRASHED in ");
  say(present_batch);
  say("\n");
  _exit(1);
}

// Limits the CPU time of a batch.
void limit_time(int seconds) {
  itimerval limit = {};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

std::string mutant(uint64_t seed, const std::vector<Example>& examples) {
  Random random(seed * 31 + 11);
  std::string text = random.pick(examples).text;
  const int changes = 1 + random.weighted({60, 25, 15});
  for (int change = 0; change < changes; ++change) text = mutated(text, random);
  return text;
}

// Approximate work of `steps` steps; more than the limit if an extent is unknown.
double work_of(const ir::Program& program, int64_t steps) {
  double points = 1, nodes = 1;
  for (const ir::Range& range : program.grid().ranges) {
    points *= std::max(1.0, static_cast<double>(range.high.constant - range.low.constant + 1));
  }
  for (const ir::Field& field : program.fields) {
    double values = field.history * static_cast<double>(field.components.size());
    for (const ir::Range& range : field.box.ranges) {
      values *= std::max(1.0, static_cast<double>(range.high.constant - range.low.constant + 1));
    }
    nodes += values / points;  // includes initialisation and comparison
  }
  double iterations = 1;
  for (const ir::Phase& phase : ir::phases(program)) {
    iterations = std::max(iterations, static_cast<double>(phase.iterations_per_step()));
  }
  double a_step = 0;
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) a_step += piece.graph.size();
  }
  for (const ir::Reduction& reduction : program.reductions) a_step += reduction.piece.graph.size();
  return points * (nodes + a_step * iterations * static_cast<double>(std::max<int64_t>(steps, 1)));
}

class Mutants {
 public:
  explicit Mutants(const Settings& settings)
      : settings_(settings), examples_(small_examples(kPoints)) {}

  int run() {
    signal(SIGSEGV, died);
    signal(SIGFPE, died);
    signal(SIGABRT, died);
    signal(SIGPROF, died);
    uint64_t seed = settings_.first_seed;
    while (accepted_ < settings_.programs && failed_ < kTooManyFailures) {
      const uint64_t first = seed;
      const int before = accepted_;
      std::snprintf(present_batch, sizeof present_batch, "the mutants from seed %llu on",
                    static_cast<unsigned long long>(first));
      limit_time(600);
      std::vector<Case> cases;
      while (accepted_ < settings_.programs && accepted_ - before < settings_.batch) {
        add(seed++, cases);
      }
      run_batch(cases);
      limit_time(0);
      if (settings_.progress) {
        fmt::print("{:.0f} s: {} of {} mutants accepted, {} tried, {} cases, {} failed\n",
                   seconds(), accepted_, settings_.programs, tried_, cases_, failed_);
        std::fflush(stdout);
      }
      if (settings_.time_limit > 0 && seconds() > settings_.time_limit) break;
    }
    fmt::print(
        "{} mutants accepted of {}, {} too large; {} cases, {} refused by their schedule, {} "
        "failed\n",
        accepted_, tried_, large_, cases_, refused_, failed_);
    return failed_ > 0 || cases_ == 0 ? 1 : 0;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void fail(const std::string& label, const std::string& what, const std::string& text) {
    ++failed_;
    fmt::print("FAILED {}\n  {}\n{}\n", label, what.substr(0, 4000),
               failed_ <= kShownFailures ? text : "");
    std::fflush(stdout);
  }

  void add(uint64_t seed, std::vector<Case>& cases) {
    ++tried_;
    Random random(seed * 57 + 3);
    Recipe recipe;
    recipe.program.text = mutant(seed, examples_);
    recipe.seed = seed;
    recipe.name = fmt::format("m{}", seed);
    recipe.real = random.chance(50) ? Scalar::F64 : Scalar::F32;
    recipe.data_seed = random.next();
    Diagnostics diagnostics;
    const auto program = load(recipe, diagnostics);
    if (!program) return;
    recipe.program.rank = program->grid().rank();
    const bool open = std::any_of(program->params.begin(), program->params.end(),
                                  [](const ir::Param& param) { return param.open(); });
    recipe.steps = random.below(7);
    if (open || work_of(*program, recipe.steps) > kMostWork) {
      ++large_;
      return;
    }
    ++accepted_;
    const auto unsound = ir::verify(*program);
    if (!unsound.empty()) return fail(label(recipe), "IR: " + unsound[0], recipe.program.text);
    const std::string& family = random.pick(schedule::family_table()).name;
    const std::string line = random_schedule(random, family, recipe.program.rank, program->fp);
    for (const bool automatic : {true, false}) {
      ir::Program named = *program;
      named.name = recipe.name = fmt::format("m{}_{}", seed, automatic ? "auto" : "random");
      Diagnostics refusals;
      auto schedule = automatic ? std::optional(schedule::choose(named, nullptr, schedule::cpu()))
                                : schedule::parse(line, named, refusals);
      if (!schedule) {
        ++refused_;
        continue;
      }
      std::string refusal, problem;
      auto module = lower_somehow(named, *schedule, refusal);
      if (!module) {
        ++refused_;
        continue;
      }
      recipe.schedule = schedule::print(*schedule, recipe.program.rank);
      auto made = prepare(recipe, named, std::move(*module), problem);
      // Known sizes that the run's checks refuse, or that exceed memory.
      if (!made) {
        if (problem.rfind("kernel IR", 0) == 0) fail(label(recipe), problem, recipe.program.text);
        ++refused_;
        continue;
      }
      cases.push_back(std::move(*made));
      ++cases_;
    }
  }

  void run_batch(std::vector<Case>& cases) {
    if (cases.empty()) return;
    in_ranges(
        static_cast<int64_t>(cases.size()), 1, [&](int64_t i, int64_t) { expect(cases[i]); },
        settings_.threads);
    std::vector<Item> items;
    for (Case& made : cases) items.push_back(std::move(made.item));
    const std::string problem = settings_.run(items, {settings_.threads, 1});
    if (!problem.empty()) return fail("batch", problem, present_batch);
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].refused) continue;
      cases[i].item = std::move(items[i]);
      const std::string wrong = judge(cases[i]);
      if (!wrong.empty()) fail(label(cases[i].recipe), wrong, cases[i].recipe.program.text);
    }
  }

  const Settings& settings_;
  const std::vector<Example> examples_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int tried_ = 0, accepted_ = 0, large_ = 0, cases_ = 0, refused_ = 0, failed_ = 0;
};

int main_with(int argc, char** argv) {
  Settings settings;
  std::string device = "host";
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    const auto number = [&](int64_t least, int64_t most = INT32_MAX) {
      const std::string text = value();
      if (const auto read = parse_integer(text, least, most)) return *read;
      std::cerr << option << " takes a number from " << least << ", found '" << text << "'\n";
      std::exit(2);
    };
    if (option == "--programs")
      settings.programs = static_cast<int>(number(1));
    else if (option == "--batch")
      settings.batch = static_cast<int>(number(1));
    else if (option == "--threads")
      settings.threads = static_cast<int>(number(1, 4096));
    else if (option == "--first-seed")
      settings.first_seed = static_cast<uint64_t>(number(0, INT64_MAX));
    else if (option == "--time-limit")
      settings.time_limit = static_cast<double>(number(0));
    else if (option == "--progress")
      settings.progress = true;
    else if (option == "--device")
      device = value();
    else if (option == "--print") {
      std::cout << mutant(static_cast<uint64_t>(number(0, INT64_MAX)), small_examples(kPoints));
      return 0;
    } else {
      std::cerr << "unknown option " << option << "\n";
      return 2;
    }
  }
  if (device != "host" && device != "cpp") {
    std::cerr << "mutants cannot run on device " << device << "\n";
    return 2;
  }
  if (device == "cpp") settings.run = run_on_cpp;
  if (const auto chosen = runtime::choose_device("host"); device == "host" && !chosen.ok()) {
    fmt::print("SKIPPED: {}\n", chosen.failure().message);
    return 77;
  }
  if (const char* longer = std::getenv("STENCIL_LONG"); longer && *longer == '1') {
    settings.programs *= 20;
  }
  return Mutants(settings).run();
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  setenv("STENCIL_CACHE", "off", 0);
  return stencil::property::main_with(argc, argv);
}
