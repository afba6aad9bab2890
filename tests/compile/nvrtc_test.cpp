// Compiles every example x schedule with NVRTC to machine code, which needs no GPU. The target is
// sm_80, or sm_90 for code that needs it. The real type alternates between schedules, because
// nvcc_test.sh compiles the same code in both types. With STENCIL_LONG=1 both types are compiled
// for both architectures. Skipped on machines without NVRTC.
//
//   nvrtc_test DIRECTORY-OF-EXAMPLES [SHARD SHARDS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "compiler/driver/boxes.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"
#include "compiler/emit/emit.h"
#include "compiler/support/numbers.h"
#include "runtime/devices/nvrtc.h"

namespace {

using namespace stencil;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Tally {
  int passed = 0, failed = 0, refused = 0;
};

struct Way {
  const char* schedule;
  FpMode fp;
  int architecture = 80;
  int64_t boxes = 0;  // if not 0: kernels for boxes with this many steps per call
};
// Every family; `streaming` also with every way to load planes, and with scattered sums.
constexpr Way kWays[] = {
    {"direct", FpMode::Contract},
    {"overlapped", FpMode::Contract},
    {"streaming T=3 loads=async prefetch=2 interior=split", FpMode::Contract},
    {"streaming T=1 loads=registers prefetch=1 interior=tested", FpMode::Contract},
    {"streaming T=2 loads=bulk prefetch=1 interior=split", FpMode::Contract, 90},
    {"streaming T=1 form=scatter", FpMode::Fast},
    {"planes T=2 interior=tested", FpMode::Contract},
    {"streaming T=2 unroll=1", FpMode::Contract, 80, 3},  // unrolled, semi_lagrangian takes minutes
};

// The kernels for `way` as text; nullopt with diagnostics on errors.
std::optional<std::string> kernels_of(const ir::Program& program, const Source& source,
                                      const Way& way, Diagnostics& diagnostics) {
  CompileRequest request;
  request.schedule = way.schedule;
  request.emit.kernels_only = true;
  if (way.boxes == 0) {
    const auto compiled = compile(program, source, request, diagnostics);
    return compiled ? std::optional(compiled->text) : std::nullopt;
  }
  const auto box = decompose::box_program(program, way.boxes, diagnostics);
  const auto module =
      box ? lower_boxes(*box, way.schedule, schedule::gpu(), diagnostics) : std::nullopt;
  return module ? std::optional(emit::emit(*module, request.emit)) : std::nullopt;
}

void compile_example(const runtime::Nvrtc& nvrtc, const std::filesystem::path& path, const Way& way,
                     Scalar real, bool longer, Tally& tally) {
  const Source source(path.filename().string(), read(path));
  ProgramOptions options;
  options.name = path.stem().string();
  options.real = real;
  options.fp = way.fp;
  const std::string label = fmt::format("{} {} {} {}{}", source.name(), name(real), name(way.fp),
                                        way.schedule, way.boxes > 0 ? " boxes" : "");
  Diagnostics diagnostics;
  const auto program = load_program(source, options, diagnostics);
  const auto text = program ? kernels_of(*program, source, way, diagnostics) : std::nullopt;
  if (!text) {
    const bool refusal = program && diagnostics.items().back().code[0] == 'L';
    ++(refusal ? tally.refused : tally.failed);
    fmt::print("{:36} {}\n", label, diagnostics.items().back().message);
    return;
  }
  std::set<int> architectures = {way.architecture};
  if (longer) architectures.insert(90);
  for (const int architecture : architectures) {
    const auto image =
        nvrtc.compile({*text, architecture, emit::required_flags(emit::Target::Cuda, way.fp)});
    ++(image.ok() ? tally.passed : tally.failed);
    if (image.ok()) continue;
    fmt::print("{} sm_{}: FAILED\n{}\n", label, architecture, image.failure().message);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto nvrtc = runtime::Nvrtc::open(0);
  if (!nvrtc.ok()) {
    fmt::print("SKIPPED: {}\n", nvrtc.failure().message);
    return 77;
  }
  const auto shard = argc > 3 ? parse_integer(argv[2], 0) : 0;
  const auto shards = argc > 3 ? parse_integer(argv[3], 1) : 1;
  if (!shard || !shards) return 2;
  std::vector<std::filesystem::path> examples;
  for (const auto& entry :
       std::filesystem::directory_iterator(argc > 1 ? argv[1] : "dsl-examples")) {
    if (entry.path().extension() == ".stn") examples.push_back(entry.path());
  }
  std::sort(examples.begin(), examples.end());
  const char* value = std::getenv("STENCIL_LONG");
  const bool longer = value && *value == '1';
  Tally tally;
  for (size_t e = 0; e < examples.size(); ++e) {
    for (size_t w = 0; w < std::size(kWays); ++w) {
      if (static_cast<int64_t>((e + w / 2) % static_cast<size_t>(*shards)) != *shard) continue;
      for (const Scalar real : {Scalar::F32, Scalar::F64}) {
        if (!longer && (real == Scalar::F64) != ((e + w) % 2 == 1)) continue;
        compile_example(nvrtc.value(), examples[e], kWays[w], real, longer, tally);
      }
    }
  }
  fmt::print("{} refused by their schedule\n{} passed, {} failed\n", tally.refused, tally.passed,
             tally.failed);
  return tally.failed || !tally.passed ? 1 : 0;
}
