// Random programs on every schedule family and device, compared bit for bit
// with the reference interpreter.
//
//   property_test [--programs n] [--first-seed s] [--device host|cpp|opencl|opencl_loops|cuda]
//                 [--batch n] [--family f ...]
//                 [--threads n] [--time-limit seconds] [--progress] [--coverage] [--shrink]
//                 [--one-mode]        each program in one floating-point mode, chosen by its seed
//                 [--alternate]       each family of a program in one floating-point mode
//   property_test --complete [...]     fails if a family never meets a construct, or if huge sizes
//                                      make lowering slow
//   property_test --lower-only [...]   the same without running anything
//   property_test --parts [...]        cuts all cases into subdomains, not only a few
//                 --gpus n             cuda: spreads the subdomains over n GPUs
//   property_test --boxes [...]        runs all cases in boxes
//   property_test --print seed         prints the program, as a file for stencilc
//
// A case is a program, a floating-point mode, a schedule with random tile sizes, and a number of
// steps that is seldom a multiple of T. Every field and reduction must equal the interpreter's bits
// (NaN equals NaN), and the run must end at the same step. Programs whose sums are exact in any
// order also run under --fp=fast. A failure prints the seed and the program; --first-seed SEED
// --programs 1 reproduces it, and --shrink prints a smaller failing program. No batch starts after
// the time limit. For a run of hours, request many programs and set a limit. Many failures end the
// run, because a GPU whose context is lost fails all later cases.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "compiler/support/numbers.h"
#include "runtime/devices/device_table.h"
#include "tests/property/runner.h"

namespace stencil::property {
namespace {

// The program with its sizes as defaults of the params: a file for stencilc.
std::string with_sizes(const GeneratedProgram& generated) {
  std::string text = generated.text;
  for (const auto& [size, value] : generated.integers) {
    const std::string open = fmt::format("param {} : integer;", size);
    const size_t at = text.find(open);
    if (at == std::string::npos) continue;  // it already has a default
    text.replace(at, open.size(), fmt::format("param {} : integer = {};", size, value));
  }
  return text;
}

struct BatchDevice {
  const char* name;
  RunBatch run;
  const char* needs;    // the runtime device that must be present
  bool is_cpu = false;  // which must run blocks as loops
  bool cuts = true;     // supports decomposed programs
};
constexpr BatchDevice kDevices[] = {{"host", run_on_host, "host"},
                                    {"cpp", run_on_cpp, "reference", false, false},
                                    {"opencl", run_on_opencl, "opencl"},
                                    {"opencl_loops", run_on_opencl_loops, "opencl", true},
                                    {"cuda", run_on_cuda, "cuda"}};

// The functions that run batches on a device; null if the device is unknown.
const BatchDevice* batches_on(const std::string& name) {
  for (const BatchDevice& device : kDevices) {
    if (name == device.name) return &device;
  }
  return nullptr;
}

int main_with(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    const auto number = [&](int64_t least, int64_t most = INT64_MAX) {
      const std::string text = value();
      const auto read = stencil::parse_integer(text, least, most);
      if (read) return *read;
      std::cerr << option << " takes a number from " << least << ", found '" << text << "'\n";
      std::exit(2);
    };
    if (option == "--programs")
      settings.programs = static_cast<int>(number(0, INT32_MAX));
    else if (option == "--first-seed")
      settings.first_seed = static_cast<uint64_t>(number(0));
    else if (option == "--batch")
      settings.batch = static_cast<int>(number(1, INT32_MAX));
    else if (option == "--threads")
      settings.threads = static_cast<int>(number(1, 4096));
    else if (option == "--time-limit")
      settings.time_limit = static_cast<double>(number(0));
    else if (option == "--progress")
      settings.progress = true;
    else if (option == "--coverage")
      settings.coverage = true;
    else if (option == "--shrink")
      settings.shrink = true;
    else if (option == "--complete")
      settings.complete = true;
    else if (option == "--lower-only")
      settings.complete = settings.lower_only = true;
    else if (option == "--device")
      settings.device = value();
    else if (option == "--parts")
      settings.subdomains = true;
    else if (option == "--boxes")
      settings.boxes = true;
    else if (option == "--relays")
      settings.relays = true;
    else if (option == "--gpus")
      settings.gpus = static_cast<int>(number(1, 64));
    else if (option == "--one-mode")
      settings.one_mode = true;
    else if (option == "--alternate")
      settings.alternate = true;
    else if (option == "--family")
      settings.families.emplace_back(value());
    else if (option == "--print") {
      std::cout << with_sizes(random_program(static_cast<uint64_t>(number(0))));
      return 0;
    } else {
      std::cerr << "unknown option " << option << "\n";
      return 2;
    }
  }
  const BatchDevice* device = batches_on(settings.device);
  if (device == nullptr) {
    std::cerr << "batches cannot run on device " << settings.device << "\n";
    return 2;
  }
  settings.run = device->run;
  if (!device->cuts) settings.cut = 0, settings.relayed = 0, settings.boxed = 25;
  if (settings.subdomains && !device->cuts) {
    std::cerr << "cut programs cannot run on device " << settings.device << "\n";
    return 2;
  }
  if (const auto chosen = runtime::choose_device(device->needs); !chosen.ok()) {
    fmt::print("SKIPPED: {}\n", chosen.failure().message);
    return 77;
  } else if (device->is_cpu && !chosen.value().device.machine.threads_are_loops) {
    fmt::print("SKIPPED: {} is no CPU\n", chosen.value().info.description);
    return 77;
  }
  // No batch is compiled twice, so PoCL need not cache.
  setenv("POCL_KERNEL_CACHE", "0", 0);
  // --long (STENCIL_LONG=1): ten times the programs, each in every mode and family.
  if (const char* longer = std::getenv("STENCIL_LONG"); longer && *longer == '1') {
    settings.programs *= 10;
    settings.one_mode = settings.alternate = false;
    settings.families.clear();
  }
  return Runner(settings).run();
}

}  // namespace
}  // namespace stencil::property

int main(int argc, char** argv) {
  setenv("STENCIL_CACHE", "off", 0);  // no random program occurs twice
  return stencil::property::main_with(argc, argv);
}
