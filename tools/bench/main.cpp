// stencil_bench: measures and checks the programs of a suite on one device, in one process.
//
//   suite --read_suite--> jobs --Builder (threads)--> kernels --Runner--> records --> JSON, tables
//
// Kernels are compiled for the device at run time, so the binary runs on any machine with a driver
// and NVRTC. Exit status: 0 if all jobs passed, 1 if one failed, 2 for usage and files, 3 without
// the device.
#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <optional>

#include "compiler/support/layout.h"
#include "compiler/support/threads.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"
#include "tools/bench/counts.h"
#include "tools/bench/runner.h"
#include "tools/bench/table.h"
#include "tools/option_values.h"

namespace stencil::bench {
namespace {

constexpr const char* kAbout =
    R"(Measures and checks the programs of a suite on one device.

  stencil_bench tools/bench/suite.json --out results.json --budget 200
  stencil_bench tools/bench/sanitize.json --check-only --device host
  stencil_bench tools/bench/suite.json --counts --out counts.json
  stencil_bench --table results.json

docs/contributing.md describes suites, results, and what is checked against what.)";

enum ExitStatus { kPassed = 0, kFailed = 1, kUsage = 2, kNoDevice = 3 };

struct Arguments {
  std::string suite, out, device = "cuda";
  bool go_on = false;
  bool counts = false;  // needs no device
  std::vector<std::string> tables;
  Settings settings;
};

int report(const Failure& failure, int status) {
  std::fputs(failure.text().c_str(), stderr);
  return status;
}

int print_table(const std::vector<Json>& files) {
  const auto text = table_of(files);
  if (!text.ok()) return report(text.failure(), kUsage);
  std::fputs(text.value().c_str(), stdout);
  return kPassed;
}

int print_tables(const std::vector<std::string>& names) {
  std::vector<Json> files;
  for (const std::string& name : names) {
    const auto text = runtime::read_file(name);
    if (!text.ok()) return report(text.failure(), kUsage);
    files.push_back(Json::parse(text.value(), nullptr, false));
  }
  return print_table(files);
}

// Messages quote programs, which may contain invalid UTF-8.
std::string text_of(const Json& file) {
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Prints the result of a completed job.
void print_progress(const Json& record, size_t number, size_t count) {
  std::string verdict = failure_of(record);
  if (!verdict.empty()) verdict = "FAILED: " + verdict;
  for (const char* key : {"left_out", "refused"}) {
    if (record.contains(key)) verdict = key;
  }
  if (verdict.empty() && record.contains("gcells")) {
    verdict = fmt::format("{:.1f} GCells/s, ", record["gcells"].get<double>());
  }
  if (record.contains("counts")) verdict = "counted";
  if (verdict.empty() || verdict.ends_with(", ")) verdict += record.value("check", "not checked");
  const std::string text = fmt::format("[{}/{}] {}: {}", number, count, title_of(record), verdict);
  std::fputs(wrapped(text, "", "  ").c_str(), stdout);
  std::fflush(stdout);
}

// The records in `out` for this machine; none if the file does not exist.
Result<std::vector<Record>> earlier_results(const std::string& out, const Json& machine) {
  if (!std::filesystem::exists(out)) return std::vector<Record>{};
  const auto text = TRY(runtime::read_file(out));
  const Json file = Json::parse(text, nullptr, false);
  const auto wrong = [&](const std::string& what) {
    return Failure{"U031", fmt::format("'{}' {}", out, what), "name another with --out"};
  };
  if (!file.is_object() || !file.contains("results") || !file["results"].is_array()) {
    return wrong("is not a file of results");
  }
  for (const auto& item : machine.items()) {
    if (!file.contains(item.key()) || file[item.key()] != item.value()) {
      return wrong("has results of another device");
    }
  }
  return std::vector<Record>(file["results"].begin(), file["results"].end());
}

Result<runtime::ChosenDevice> suitable_device(const std::string& name) {
  auto device = runtime::choose_device(name);
  if (!device.ok() || device.value().device.runs_kernels) return device;
  return Failure{"R045", "the reference interpreter cannot be compared with itself",
                 "name another device"};
}

int run(const Arguments& arguments) {
  if (!arguments.out.empty() && runtime::same_file(arguments.out, arguments.suite)) {
    return report({"U031", "the results would overwrite the suite", "name another with --out"},
                  kUsage);
  }
  const auto text = runtime::read_file(arguments.suite);
  if (!text.ok()) return report(text.failure(), kUsage);
  auto jobs = read_suite(text.value());
  if (!jobs.ok()) return report(jobs.failure(), kUsage);
  const size_t count = jobs.value().size();
  Json file{{"device", "none"}, {"machine", kCountedMachine}};
  std::optional<runtime::ChosenDevice> device;
  if (!arguments.counts) {
    auto chosen = suitable_device(arguments.device);
    if (!chosen.ok()) return report(chosen.failure(), kNoDevice);
    device = std::move(chosen).value();
    file = {{"device", device->info.name}, {"machine", device->info.description}};
  }
  Result<std::vector<Record>> earlier = std::vector<Record>{};
  if (arguments.go_on) earlier = earlier_results(arguments.out, file);
  if (!earlier.ok()) return report(earlier.failure(), kUsage);
  file["results"] = earlier.value();
  Status written = Done{};  // check that results can be written before hours of runs
  if (!arguments.out.empty()) {
    written = runtime::write_file_atomically(arguments.out, text_of(file));
  }
  if (!written.ok()) return report(written.failure(), kUsage);
  const auto done = [&](const std::vector<Record>& records) {
    print_progress(records.back(), records.size(), count);
    if (arguments.out.empty()) return;
    file["results"] = records;
    written = runtime::write_file_atomically(arguments.out, text_of(file));
  };
  const Settings& settings = arguments.settings;
  if (device) {
    Runner runner(*device, settings, std::move(jobs).value());
    file["results"] = runner.run(done, earlier.value());
    print_table({file});
  } else {
    file["results"] = count_jobs(jobs.value(), settings, done, earlier.value());
  }
  if (!written.ok()) return report(written.failure(), kUsage);
  const Json& records = file["results"];
  const bool failed = std::any_of(records.begin(), records.end(),
                                  [](const Json& record) { return !failure_of(record).empty(); });
  return failed ? kFailed : kPassed;
}

int main_with(int argc, char** argv) {
  Arguments arguments;
  Settings& settings = arguments.settings;
  // Reserves two CPUs for the measuring thread and the device's driver.
  settings.threads = std::max(1, wanted_threads() - 2);
  CLI::App app(kAbout, "stencil_bench");
  auto* suite = app.add_option("SUITE", arguments.suite, "what to measure, a JSON file");
  auto* out = tool::add_value(app, "--out", tool::some_text("the name of a file", arguments.out),
                              "where results go, written anew after each job");
  app.add_flag("--continue", arguments.go_on, "run only the jobs without results in --out")
      ->disable_flag_override()
      ->needs(out);
  tool::add_value(app, "--device", tool::some_text("the name of a device", arguments.device),
                  "cuda, cuda:1, host, opencl (cuda)");
  tool::add_value(
      app, "--root", tool::some_text("a directory", settings.root),
      "the directory to which the suite's program paths are relative (the current one)");
  const tool::Reader seconds{"a number of seconds above 0", [&](const std::string& text) {
                               settings.budget = parse_real(text).value_or(0);
                               return settings.budget > 0;
                             }};
  tool::add_value(app, "--budget", seconds, "start nothing more after this many seconds");
  const tool::Reader threads{"a number from 1 to 1024", [&](const std::string& text) {
                               settings.threads =
                                   static_cast<int>(parse_integer(text, 1, 1024).value_or(0));
                               return settings.threads > 0;
                             }};
  tool::add_value(app, "--threads", threads, "number of compiler threads");
  app.add_flag("--check-only", settings.check_only,
               "compare schedules with the interpreter at a small size; measure none")
      ->disable_flag_override();
  app.add_flag("--counts", arguments.counts,
               "count what kernels for sm_90 execute; measures nothing, needs no device")
      ->disable_flag_override()
      ->excludes("--check-only", "--device");
  auto* table =
      app.add_option("--table", arguments.tables, "print these result files instead of measuring");
  suite->excludes(table);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ExtrasError&) {
    return report({"U001", fmt::format("unknown argument '{}'", app.remaining().front()),
                   "stencil_bench --help"},
                  kUsage);
  } catch (const CLI::ParseError& error) {
    const tool::Misuse misuse = tool::explain_value(error, app);
    return report({misuse.code, misuse.message, misuse.hint}, kUsage);
  }
  if (!arguments.tables.empty()) return print_tables(arguments.tables);
  if (arguments.suite.empty()) {
    return report({"U032", "no suite given", "stencil_bench --help"}, kUsage);
  }
  return run(arguments);
}

}  // namespace
}  // namespace stencil::bench

int main(int argc, char** argv) {
  // With the cache, compilation times would be those of reading files.
  setenv("STENCIL_CACHE", "off", 0);
  try {
    return stencil::bench::main_with(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("error R046: not enough memory\n", stderr);
    return stencil::bench::kUsage;
  }
}
