// Emitted C++ files under AddressSanitizer and UndefinedBehaviorSanitizer. Every entry point is
// called with valid and invalid random arguments: steps, first step, sizes, params, boxes with
// wrong corners, and arrays that are NULL, misaligned or overlapping. Each call must return what
// the interpreter's checks determine, and must not touch other memory. A valid run in several calls
// must give the same bits as in a single call.
//
//   property_entries [--programs n] [--calls n] [--first-seed s] [--batch n] [--time-limit seconds]
//                    [--progress] [--keep]
//
// Programs with even seeds are small versions of dsl-examples/, the others are random. A failure
// names the program and the call. CXX and CXXFLAGS of the environment are used; CXXFLAGS come last.
// --first-seed SEED --programs 1 --keep keeps the file and the script.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "compiler/driver/boxes.h"
#include "compiler/driver/frontend.h"
#include "compiler/emit/emit.h"
#include "compiler/schedule/common/plain.h"
#include "compiler/schedule/family.h"
#include "compiler/schedule/settings.h"
#include "compiler/support/numbers.h"
#include "tests/property/entries/calls.h"
#include "tests/property/examples.h"
#include "tests/property/generator.h"
#include "tests/property/schedules.h"

namespace stencil::property {
namespace {

struct Settings {
  int programs = 12;
  int calls = 120;  // per program
  int batch = 12;   // programs compiled together
  uint64_t first_seed = 1;
  double time_limit = 0;  // seconds; 0: no limit
  bool progress = false, keep = false;
};

constexpr int64_t kPoints = 1500;  // most points of an example

ProgramOptions options_of(uint64_t seed, Random& random) {
  ProgramOptions options;
  options.name = fmt::format("p{}", seed);
  options.fp = random.chance(70) ? FpMode::Strict : FpMode::Contract;
  options.real = random.chance(50) ? Scalar::F64 : Scalar::F32;
  return options;
}

std::optional<ir::Program> loaded(const std::string& text, const ProgramOptions& options) {
  Diagnostics diagnostics;
  return load_program(Source(options.name + ".stn", text), options, diagnostics);
}

// An example, with open sizes if possible.
std::optional<Callee> example(uint64_t seed, const std::vector<Example>& all, Random& random) {
  const Example& chosen = all[seed / 2 % all.size()];
  ProgramOptions options = options_of(seed, random);
  Callee out;
  out.label = chosen.name;
  if (random.chance(75)) {
    for (const auto& [name, value] : chosen.sizes) options.open.insert(name);
  }
  auto program = loaded(chosen.text, options);
  if (program) out.integers = chosen.sizes;
  if (!program) {
    options.open.clear();
    program = loaded(chosen.text, options);
  }
  if (!program) return std::nullopt;
  out.program = std::move(*program);
  return out;
}

std::optional<Callee> random_one(uint64_t seed, Random& random) {
  // Seeds are odd here, and programs on several grids have even ones.
  const GeneratedProgram drawn = random_program(seed % 8 == 1 ? seed + 1 : seed);
  ProgramOptions options = options_of(seed, random);
  Callee out;
  out.label = fmt::format("random program {}", seed);
  const bool open = random.chance(65) && !drawn.sizes_known;
  for (const auto& [name, value] : drawn.integers) {
    if (!open) options.definitions[name] = std::to_string(value);
  }
  auto program = loaded(drawn.text, options);
  if (!program) return std::nullopt;
  out.program = std::move(*program);
  out.integers = drawn.integers;
  return out;
}

// Adds kernels by a random schedule, and boxes if the program supports them.
std::optional<Callee> draw(uint64_t seed, const std::vector<Example>& examples) {
  Random random(seed * 193 + 7);
  auto out = seed % 2 == 0 ? example(seed, examples, random) : random_one(seed, random);
  if (!out) return std::nullopt;
  const int rank = out->program.grid().rank();
  const auto lower = [&](const ir::Program& program, bool dense) -> std::optional<kernel::Module> {
    for (int attempt = 0; attempt < 6; ++attempt) {
      const std::string& family = random.pick(schedule::family_table()).name;
      Diagnostics diagnostics;
      auto schedule =
          schedule::parse(random_schedule(random, family, rank, program.fp), program, diagnostics);
      if (!schedule) continue;
      if (dense) schedule->rows = schedule::Rows::Dense;
      std::string refusal;
      if (auto module = lower_somehow(program, *schedule, refusal)) {
        out->label += ", " + schedule::print(*schedule, rank);
        return module;
      }
    }
    return std::nullopt;
  };
  auto module = lower(out->program, false);
  if (!module) return std::nullopt;
  out->module = std::move(*module);
  Diagnostics refusals;
  out->box = decompose::box_program(out->program, 1 + random.below(6), refusals);
  if (out->box) out->box_module = lower(out->box->program, true);
  if (!out->box_module || kernel::is_padded(out->box_module->plan)) out->box.reset();
  return out;
}

std::string without_includes(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("#include", 0) != 0) out += line + "\n";
  }
  return out;
}

std::string source_of(const std::vector<Callee>& callees) {
  std::string out = fmt::format(
      "#include \"{}/tests/property/entries/harness.h\"\n"
      "#include <algorithm>\n#include <math.h>\n#include <stdint.h>\n"
      "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n",
      STENCIL_SOURCE_DIR);
  std::string table = "int main(int, char** arguments) {\n  harness::Entries entries;\n";
  for (const Callee& callee : callees) {
    emit::Options options;
    options.target = emit::Target::Cpp;
    emit::HostModules host{schedule::lower_initial_values(callee.program)};
    if (callee.box) host.box = box_part(*callee.box, *callee.box_module);
    const std::string& name = callee.module.name;
    out += fmt::format("namespace in_{} {{\n{}}}\n", name,
                       without_includes(emit::emit(callee.module, options, &host)));
    for (const std::string& entry : entry_points(callee)) {
      table += fmt::format(
          "  entries[\"{0}_{1}\"] = [](harness::Arguments from) {{\n"
          "    return harness::invoke(in_{0}::{0}_{1}, from);\n  }};\n",
          name, entry);
    }
  }
  return out + table + "  return harness::run(entries, arguments[1]);\n}\n";
}

class Runner {
 public:
  explicit Runner(const Settings& settings) : settings_(settings) {}

  int run() {
    const std::vector<Example> examples = small_examples(kPoints);
    std::vector<Callee> batch;
    for (int n = 0; n < settings_.programs; ++n) {
      const uint64_t seed = settings_.first_seed + static_cast<uint64_t>(n);
      if (auto drawn = draw(seed, examples)) {
        batch.push_back(std::move(*drawn));
      } else {
        ++refused_;
      }
      if (static_cast<int>(batch.size()) < settings_.batch && n + 1 < settings_.programs) continue;
      if (!batch.empty()) run_batch(batch, seed);
      batch.clear();
      if (settings_.progress) {
        fmt::print("{:.0f} s: {} programs, {} calls, {} of them refused, {} reports\n", seconds(),
                   programs_, calls_, errors_, reports_);
        std::fflush(stdout);
      }
      if (settings_.time_limit > 0 && seconds() > settings_.time_limit) break;
    }
    fmt::print("{} programs ({} could not be lowered), {} calls, {} of them refused, reports={}\n",
               programs_, refused_, calls_, errors_, reports_);
    return reports_ > 0 || calls_ == 0 || errors_ == 0 || errors_ == calls_ ? 1 : 0;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  void report(const std::vector<Callee>& batch, const std::string& what,
              const std::string& directory) {
    ++reports_;
    fmt::print("REPORT {}\n", what.substr(0, 6000));
    for (const Callee& callee : batch) {
      if (batch.size() > 1 && what.find(callee.module.name + "_") == std::string::npos) continue;
      fmt::print("  {}: {}\n", callee.module.name, callee.label);
    }
    if (settings_.keep) fmt::print("  kept: {}\n", directory);
    std::fflush(stdout);
  }

  void run_batch(const std::vector<Callee>& batch, uint64_t seed) {
    std::string directory =
        (std::filesystem::temp_directory_path() / "stencil-entries-XXXXXX").string();
    if (!mkdtemp(directory.data())) return report(batch, "no temporary directory", "");
    std::ofstream(directory + "/entries.cpp") << source_of(batch);
    Random random(seed);
    std::string calls;
    for (const Callee& callee : batch) calls += script(callee, settings_.calls, random);
    std::ofstream(directory + "/script") << calls;
    const char* compiler = std::getenv("CXX");
    const char* flags = std::getenv("CXXFLAGS");
    const auto shell = [&](const std::string& command) {
      const int status =
          std::system(fmt::format("cd {} && {} > log 2>&1", directory, command).c_str());
      std::ostringstream log;
      log << std::ifstream(directory + "/log").rdbuf();
      return std::pair(status, log.str());
    };
    programs_ += static_cast<int>(batch.size());
    const auto [compiled, errors] = shell(fmt::format(
        "{} -std=c++17 -O0 -g1 -w -DSTENCIL_CLONES= -ffp-contract=off -fsanitize=address,undefined "
        "-fno-sanitize-recover=all -o entries entries.cpp {}",
        compiler ? compiler : "g++", flags ? flags : ""));
    if (compiled != 0) {
      report(batch, "compilation failed:\n" + errors, directory);
    } else {
      const auto [status, said] = shell(
          "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:handle_abort=0 "
          "UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 ./entries script");
      const size_t last = said.rfind(" calls, ");
      if (last != std::string::npos) {
        std::istringstream counts(said.substr(said.rfind('\n', last) + 1));
        long long made = 0, refused = 0;
        std::string word;
        counts >> made >> word >> refused;
        calls_ += made;
        errors_ += refused;
      }
      if (status != 0) report(batch, said, directory);
    }
    if (!settings_.keep) std::filesystem::remove_all(directory);
  }

  const Settings& settings_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int programs_ = 0, refused_ = 0, reports_ = 0;
  long long calls_ = 0, errors_ = 0;
};

int main_with(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto number = [&](int64_t least, int64_t most = INT32_MAX) {
      const std::string text = i + 1 < argc ? argv[++i] : "";
      if (const auto read = parse_integer(text, least, most)) return *read;
      std::cerr << option << " takes a number from " << least << ", found '" << text << "'\n";
      std::exit(2);
    };
    if (option == "--programs")
      settings.programs = static_cast<int>(number(1));
    else if (option == "--calls")
      settings.calls = static_cast<int>(number(1));
    else if (option == "--batch")
      settings.batch = static_cast<int>(number(1));
    else if (option == "--first-seed")
      settings.first_seed = static_cast<uint64_t>(number(0, INT64_MAX));
    else if (option == "--time-limit")
      settings.time_limit = static_cast<double>(number(0));
    else if (option == "--progress")
      settings.progress = true;
    else if (option == "--keep")
      settings.keep = true;
    else {
      std::cerr << "unknown option " << option << "\n";
      return 2;
    }
  }
  if (const char* longer = std::getenv("STENCIL_LONG"); longer && *longer == '1') {
    settings.programs *= 10;
  }
  return Runner(settings).run();
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  return stencil::property::main_with(argc, argv);
}
