// Random programs on every schedule family and device against the reference interpreter, bit for
// bit.
//
//   property_test [--programs n] [--first-seed s] [--device host|opencl|cuda] [--batch n]
//                 [--threads n] [--time-limit seconds] [--progress] [--coverage]
//   property_test --print seed         the program alone, as a file for stencilc
//
// One case is a program, a floating-point mode, a schedule with random tile sizes and a number of
// steps that T seldom divides. Every field and reduction must hold exactly the interpreter's bits
// (NaN equals NaN), and the run end where the interpreter's does. A failure prints the seed and the
// program, and is reproduced by --first-seed SEED
// --programs 1. With a time limit no batch begins after it; a run of hours is one of many programs
// and a limit. Many failures end the run: a GPU whose context is lost fails all that follows.
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <thread>

#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"
#include "compiler/kernel/passes.h"
#include "compiler/reference/interpreter.h"
#include "compiler/schedule/schedule.h"
#include "runtime/compare.h"
#include "tests/property/batch.h"
#include "tests/property/generator.h"
#include "tests/property/many_dimensions.h"

namespace stencil::property {
namespace {

constexpr std::array kFamilies = {"direct", "overlapped", "streaming"};
constexpr int kTooManyFailures = 100;

struct Settings {
  int programs = 100;
  uint64_t first_seed = 1;
  int batch = 20;                                                       // programs per batch
  int threads = static_cast<int>(std::thread::hardware_concurrency());  // of the host
  double time_limit = 0;                                                // seconds; 0: none
  bool progress = false;                                                // a line after every batch
  bool coverage = false;
  RunBatch run = run_on_host;
  std::string device = "host";
};

struct Tally {
  int programs = 0, cases = 0, failed = 0;
  int refused = 0;                                             // by their schedule
  int limited = 0;                                             // by the device
  std::map<std::string, int> families;                         // family -> cases
  std::map<std::string, std::map<std::string, int>> coverage;  // construct -> family -> cases
};

// --- Data
// ---------------------------------------------------------------------------------------------

// One state in ten holds numbers so small that most operations on them underflow.
void fill(Random& random, reference::State& state) {
  const bool small = random.chance(10);
  for (reference::FieldData& field : state.fields) {
    for (size_t level = 0; level < field.levels.size(); ++level) {
      for (int c = 0; c < field.component_count(); ++c) {
        for (int64_t p = 0; p < field.points; ++p) {
          const Scalar type = field.types[static_cast<size_t>(c)];
          if (is_float(type)) {
            const double scale = !small ? 1 : type == Scalar::F64 ? 0x1p-1060 : 0x1p-138;
            field.set_real(static_cast<int>(level), c, p, scale * (2 * random.unit() - 1));
          } else {
            field.set_integer(static_cast<int>(level), c, p, random.below(8));
          }
        }
      }
    }
  }
}

// The first difference, or "".
std::string difference(const ir::Program& program, const reference::State& expected,
                       const reference::State& got) {
  const auto found = runtime::compare(program, expected, got);
  if (!found) return "";
  return fmt::format("{} value(s) differ, the first is {}: expected {}, got {}", found->count,
                     found->where, found->expected, found->actual);
}

// --- Cases
// --------------------------------------------------------------------------------------------

struct Case {
  Item item;
  reference::State expected;  // the initial state until the batch runs
  std::string text;
};

std::string random_streaming(Random& random, int rank) {
  if (rank < 2 || rank > 3) return "streaming";  // refused by name
  const bool flat = rank == 2;
  const int lanes = random.pick<int>({8, 16, 32});
  const int rows = 32 / lanes * random.pick<int>({1, 1, 2, 4});
  std::string elements = fmt::format("{}", random.pick<int>({1, 2, 3, 4, 4, 8}));
  if (!flat) elements += fmt::format("x{}", random.pick<int>({1, 2, 3, 4}));
  return fmt::format(
      "streaming T={} block={}x{} elements={} chunk={} prefetch={} unroll={} "
      "loads={} edges={}",
      random.between(1, 6), lanes, rows, elements,
      random.pick<std::string>({"auto", "3", "8", "20"}), random.between(0, 2),
      random.pick<std::string>({"auto", "1", "2", "3"}),
      random.pick<std::string>({"registers", "async", "bulk", "bulk", "bulk"}),
      random.chance(80) ? "split" : "tested");
}

std::string random_schedule(Random& random, const std::string& family, int rank) {
  if (family == "streaming") return random_streaming(random, rank);
  if (rank > 3) {
    const std::string shapes = random_shapes(random, rank);
    if (family == "direct") return "direct " + shapes;
    return fmt::format("overlapped T={} {} regions={}", random.between(1, rank == 4 ? 3 : 2),
                       shapes, random.chance(70) ? "shrink" : "hull");
  }
  const int bx = random.pick<int>({4, 8, 16, 32});
  const int by = random.pick<int>({1, 2, 4});
  const int bz = random.pick<int>({1, 2});
  const int ex = random.pick<int>({1, 1, 2, 3});
  const int ey = random.pick<int>({1, 2, 3, 4});
  const int ez = random.pick<int>({1, 2, 4});
  std::string block = fmt::format("{}", rank == 1 ? bx * 4 : bx);
  std::string elements = fmt::format("{}", ex);
  if (rank > 1) block += fmt::format("x{}", by), elements += fmt::format("x{}", ey);
  if (rank > 2) block += fmt::format("x{}", bz), elements += fmt::format("x{}", ez);
  if (family == "direct") return fmt::format("direct block={} elements={}", block, elements);
  return fmt::format("overlapped T={} block={} elements={} regions={}", random.between(1, 6), block,
                     elements, random.chance(70) ? "shrink" : "hull");
}

// Enlarges a tile that is smaller than its halo: twice the threads in every dimension, or, where a
// block has enough of them, twice the elements; one step less. Elements come second because they
// are unrolled: a compiler that optimises takes a minute over hundreds.
std::optional<schedule::Schedule> enlarge(schedule::Schedule schedule, int rank) {
  constexpr int kThreads = 256, kElements = 64;
  int64_t threads = schedule.block.product();
  int elements = 1;
  for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
    if (2 * threads <= kThreads) {
      schedule.block[d] *= 2;
      threads *= 2;
    } else {
      schedule.elements[d] *= 2;
    }
    elements *= schedule.elements[d];
  }
  schedule.time_tile = std::max(1, schedule.time_tile - 1);
  if (elements > kElements) return std::nullopt;
  return schedule;
}

bool has_code(const Diagnostics& diagnostics, const std::string& code) {
  for (const Diagnostic& d : diagnostics.items()) {
    if (d.code == code) return true;
  }
  return false;
}

std::optional<kernel::Module> lower_somehow(const ir::Program& program,
                                            schedule::Schedule& schedule) {
  for (int attempt = 0; attempt < 6; ++attempt) {
    Diagnostics refusals;
    if (auto module = schedule::lower(program, schedule, refusals)) return module;
    if (has_code(refusals, "L025")) {  // no sizes for bulk copies
      schedule.loads = schedule::Loads::Async;
      continue;
    }
    if (has_code(refusals, "L016") && schedule.time_tile > 1) {  // served by one step, perhaps
      schedule.time_tile = 1;
      continue;
    }
    if (!has_code(refusals, "L014")) return std::nullopt;
    const auto larger = enlarge(schedule, program.grid.rank());
    if (!larger) return std::nullopt;
    schedule = *larger;
  }
  return std::nullopt;
}

class Runner {
 public:
  explicit Runner(const Settings& settings) : settings_(settings) {}

  int run() {
    for (int n = 0; n < settings_.programs; ++n) {
      add_program(settings_.first_seed + static_cast<uint64_t>(n));
      if ((n + 1) % settings_.batch != 0) continue;
      flush();
      if (settings_.time_limit > 0 && seconds() > settings_.time_limit) break;
      if (tally_.failed >= kTooManyFailures) break;
    }
    flush();
    if (settings_.coverage) print_coverage();
    for (const auto& [family, cases] : tally_.families) fmt::print("{}: {} cases\n", family, cases);
    fmt::print(
        "{}: {} programs, {} cases, {} refused by their schedule, {} too large for the device\n",
        settings_.device, tally_.programs, tally_.cases, tally_.refused, tally_.limited);
    const int passed = tally_.cases - tally_.limited - tally_.failed;
    fmt::print("{} passed, {} failed\n", passed, tally_.failed);
    return tally_.failed || passed == 0 ? 1 : 0;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void fail(const std::string& label, const std::string& what, const std::string& text) {
    ++tally_.failed;
    if (tally_.failed <= 5) {
      fmt::print("FAILED {}\n  {}\n{}\n", label, what, text);
    } else {
      fmt::print("FAILED {}\n  {}\n", label, what.substr(0, 200));
    }
    std::fflush(stdout);
  }

  void add_program(uint64_t seed) {
    const GeneratedProgram generated = random_program(seed);
    Random random(seed * 77 + 5);
    ++tally_.programs;
    const bool open = random.chance(35);  // sizes known to the compiler, or only at run time
    const Scalar real = random.chance(50) ? Scalar::F32 : Scalar::F64;
    for (FpMode fp : {FpMode::Strict, FpMode::Contract}) {
      ProgramOptions options;
      options.name = fmt::format("p{}_{}", seed, name(fp));
      options.fp = fp;
      options.real = real;
      if (!open) {
        for (const auto& [size, value] : generated.sizes) {
          options.definitions[size] = std::to_string(value);
        }
      }
      const Source source(fmt::format("seed{}.stn", seed), generated.text);
      Diagnostics diagnostics;
      const auto program = load_program(source, options, diagnostics);
      if (!program) return fail(source.name(), render(source, diagnostics), generated.text);
      const auto unsound = ir::verify(*program);
      if (!unsound.empty()) return fail(source.name(), "IR: " + unsound[0], generated.text);
      for (const char* family : kFamilies) {
        add_case(seed, generated, *program, family, random);
      }
    }
  }

  void add_case(uint64_t seed, const GeneratedProgram& generated, ir::Program program,
                const std::string& family, Random& random) {
    Diagnostics diagnostics;
    auto schedule =
        schedule::parse(random_schedule(random, family, generated.rank), program, diagnostics);
    program.name += "_" + family;
    const std::string head = fmt::format("seed {} {} {}", seed, name(program.fp), family);
    if (!schedule) return fail(head, render(Source("", ""), diagnostics), generated.text);
    auto module = lower_somehow(program, *schedule);
    if (!module) {
      ++tally_.refused;
      return;
    }
    std::vector<std::string> where;
    for (const auto& [size, value] : generated.sizes)
      where.push_back(fmt::format("-D {}={}", size, value));
    const int64_t steps = random.between(0, 2 * schedule->time_tile + 1);
    const std::string label =
        fmt::format("seed {} --fp {} --real {} {} --schedule \"{}\" --steps {}", seed,
                    name(program.fp), name(program.real), fmt::join(where, " "),
                    schedule::print(*schedule, generated.rank), steps);
    const auto problems = kernel::verify(*module);
    if (!problems.empty()) return fail(label, "kernel IR: " + problems[0], generated.text);

    std::vector<int64_t> integers(program.params.size(), 0);
    std::vector<double> reals(program.params.size(), 0);
    for (size_t p = 0; p < program.params.size(); ++p) {
      if (program.params[p].real_value) reals[p] = *program.params[p].real_value;
      for (const auto& [size, value] : generated.sizes) {
        if (program.params[p].name == size) integers[p] = value;
      }
    }
    if (ir::failed_checks(program, integers, reals).has_errors()) {
      return fail(label, render(Source("", ""), ir::failed_checks(program, integers, reals)),
                  generated.text);
    }
    std::string error;
    auto state = reference::allocate(program, integers, reals, error);
    if (!state) return fail(label, error, generated.text);
    fill(random, *state);
    Case& added = cases_.emplace_back();
    added.expected = *state;
    added.text = generated.text;
    added.item.program = program;
    added.item.module = std::move(*module);
    added.item.state = std::move(*state);
    added.item.steps = steps;
    added.item.label = label;
    for (const std::string& construct : generated.constructs) ++tally_.coverage[construct][family];
    ++tally_.families[family];
    ++tally_.cases;
  }

  void flush() {
    if (cases_.empty()) return;
    for_each_in_parallel(cases_.size(), settings_.threads, [this](size_t i) {
      reference::advance(cases_[i].item.program, cases_[i].expected, cases_[i].item.steps);
    });
    std::vector<Item> items;
    for (Case& c : cases_) items.push_back(std::move(c.item));
    const std::string problem = settings_.run(items, settings_.threads);
    if (!problem.empty()) fail("batch", problem, "");
    for (size_t i = 0; i < items.size() && problem.empty(); ++i) judge(items[i], cases_[i]);
    cases_.clear();
    if (!settings_.progress) return;
    fmt::print("{:.0f} s: {} programs, {} cases, {} failed\n", seconds(), tally_.programs,
               tally_.cases, tally_.failed);
    std::fflush(stdout);
  }

  void judge(const Item& item, const Case& from) {
    if (item.refused) {
      ++tally_.limited;
      return;
    }
    if (!item.problem.empty()) return fail(item.label, item.problem, from.text);
    const std::string where = difference(item.program, from.expected, item.state);
    if (!where.empty()) fail(item.label, where, from.text);
  }

  void print_coverage() const {
    fmt::print("{:24} {:>10}\n", "construct", fmt::join(kFamilies, " "));
    for (const auto& [construct, families] : tally_.coverage) {
      std::string line = fmt::format("{:24}", construct);
      for (const char* family : kFamilies) {
        const auto found = families.find(family);
        line += fmt::format(" {:>10}", found == families.end() ? 0 : found->second);
      }
      fmt::print("{}\n", line);
    }
  }

  const Settings& settings_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Tally tally_;
  std::vector<Case> cases_;
};

// The program with its sizes as defaults of the params: a file for stencilc.
std::string with_sizes(const GeneratedProgram& generated) {
  std::string text = generated.text;
  for (const auto& [size, value] : generated.sizes) {
    const std::string open = fmt::format("param {} : integer;", size);
    text.replace(text.find(open), open.size(),
                 fmt::format("param {} : integer = {};", size, value));
  }
  return text;
}

struct BatchDevice {
  const char* name;
  RunBatch run;
};
constexpr BatchDevice kDevices[] = {
    {"host", run_on_host}, {"opencl", run_on_opencl}, {"cuda", run_on_cuda}};

// The function that runs batches on a device; null if there is no such device.
RunBatch batches_on(const std::string& name) {
  for (const BatchDevice& device : kDevices) {
    if (name == device.name) return device.run;
  }
  return nullptr;
}

int main_with(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (option == "--programs")
      settings.programs = std::atoi(value());
    else if (option == "--first-seed")
      settings.first_seed = std::strtoull(value(), nullptr, 10);
    else if (option == "--batch")
      settings.batch = std::max(1, std::atoi(value()));
    else if (option == "--threads")
      settings.threads = std::atoi(value());
    else if (option == "--time-limit")
      settings.time_limit = std::atof(value());
    else if (option == "--progress")
      settings.progress = true;
    else if (option == "--coverage")
      settings.coverage = true;
    else if (option == "--device")
      settings.device = value();
    else if (option == "--print") {
      std::cout << with_sizes(random_program(std::strtoull(value(), nullptr, 10)));
      return 0;
    } else {
      std::cerr << "unknown option " << option << "\n";
      return 2;
    }
  }
  settings.run = batches_on(settings.device);
  if (settings.run == nullptr) {
    std::cerr << "no batches run on device " << settings.device << "\n";
    return 2;
  }
  if (const auto chosen = runtime::choose_device(settings.device); !chosen.ok()) {
    fmt::print("SKIPPED: {}\n", chosen.failure().message);
    return 77;
  }
  // --long (STENCIL_LONG=1): ten times the programs.
  if (const char* longer = std::getenv("STENCIL_LONG"); longer && *longer == '1')
    settings.programs *= 10;
  return Runner(settings).run();
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  return stencil::property::main_with(argc, argv);
}
