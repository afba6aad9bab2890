// Every example x schedule x real type through NVRTC to machine code for sm_80 and sm_90: the CUDA
// compiler accepts what is emitted, without a GPU. NVRTC is opened at run time; a machine without
// it skips.
//
//   nvrtc_test DIRECTORY-OF-EXAMPLES [SHARD SHARDS]
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "compiler/driver/compile.h"
#include "compiler/driver/frontend.h"

namespace {

using namespace stencil;

// The few functions of NVRTC that are needed (CUDA toolkit documentation, "NVRTC").
struct Nvrtc {
  using Program = struct ProgramTag*;
  int (*create)(Program*, const char*, const char*, int, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(Program, int, const char* const*) = nullptr;
  int (*log_size)(Program, size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*cubin_size)(Program, size_t*) = nullptr;
  int (*destroy)(Program*) = nullptr;

  bool open() {
    void* library = nullptr;
    for (const char* name :
         {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}) {
      if (!library) library = dlopen(name, RTLD_NOW);
    }
    if (!library) return false;
    const auto find = [&](const char* name) { return dlsym(library, name); };
    create = reinterpret_cast<decltype(create)>(find("nvrtcCreateProgram"));
    compile = reinterpret_cast<decltype(compile)>(find("nvrtcCompileProgram"));
    log_size = reinterpret_cast<decltype(log_size)>(find("nvrtcGetProgramLogSize"));
    log = reinterpret_cast<decltype(log)>(find("nvrtcGetProgramLog"));
    cubin_size = reinterpret_cast<decltype(cubin_size)>(find("nvrtcGetCUBINSize"));
    destroy = reinterpret_cast<decltype(destroy)>(find("nvrtcDestroyProgram"));
    return create && compile && log_size && log && cubin_size && destroy;
  }

  // The compiler's complaint, or "".
  std::string to_machine_code(const std::string& source, const std::string& architecture) const {
    Program program = nullptr;
    if (create(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr)) return "no program";
    const std::string arch = "--gpu-architecture=" + architecture;
    const char* const options[] = {arch.c_str(), "--fmad=false", "--std=c++17"};
    const int status = compile(program, 3, options);
    size_t size = 0;
    std::string complaint;
    if (status) {
      log_size(program, &size);
      complaint.resize(size);
      log(program, complaint.data());
    } else if (cubin_size(program, &size) || size == 0) {
      complaint = "no machine code";
    }
    destroy(&program);
    return complaint;
  }
};

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
  bool needs_sm_90 = false;
};
// Of the streaming family: all ways to load planes, and sums as planes arrive.
constexpr Way kWays[] = {
    {"direct", FpMode::Contract},
    {"overlapped", FpMode::Contract},
    {"streaming T=3 loads=async prefetch=2 edges=split", FpMode::Contract},
    {"streaming T=1 loads=registers prefetch=1 edges=tested", FpMode::Contract},
    {"streaming T=2 loads=bulk prefetch=1 edges=split", FpMode::Contract, true},
    {"streaming T=1 form=scatter", FpMode::Fast},
};

void compile_example(const Nvrtc& nvrtc, const std::filesystem::path& path, const Way& way,
                     Scalar real, Tally& tally) {
  const Source source(path.filename().string(), read(path));
  ProgramOptions options;
  options.name = path.stem().string();
  options.real = real;
  options.fp = way.fp;
  const std::string label =
      fmt::format("{} {} {} {}", source.name(), name(real), name(way.fp), way.schedule);
  Diagnostics diagnostics;
  const auto program = load_program(source, options, diagnostics);
  CompileRequest request;
  request.schedule = way.schedule;
  request.emit.kernels_only = true;
  const auto compiled = program ? compile(*program, source, request, diagnostics) : std::nullopt;
  if (!compiled) {
    const bool refusal = program && diagnostics.items().back().code[0] == 'L';
    ++(refusal ? tally.refused : tally.failed);
    fmt::print("{:36} {}\n", label, diagnostics.items().back().message);
    return;
  }
  for (const char* architecture : {"sm_80", "sm_90"}) {
    if (way.needs_sm_90 && std::string_view(architecture) != "sm_90") continue;
    const std::string complaint = nvrtc.to_machine_code(compiled->text, architecture);
    ++(complaint.empty() ? tally.passed : tally.failed);
    if (!complaint.empty()) fmt::print("{} {}: FAILED\n{}\n", label, architecture, complaint);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Nvrtc nvrtc;
  if (!nvrtc.open()) {
    fmt::print("SKIPPED: NVRTC is not installed on this machine\n");
    return 77;
  }
  const int shard = argc > 3 ? std::atoi(argv[2]) : 0;
  const int shards = argc > 3 ? std::atoi(argv[3]) : 1;
  std::vector<std::filesystem::path> examples;
  for (const auto& entry :
       std::filesystem::directory_iterator(argc > 1 ? argv[1] : "dsl-examples")) {
    if (entry.path().extension() == ".stn") examples.push_back(entry.path());
  }
  std::sort(examples.begin(), examples.end());
  Tally tally;
  int number = 0;
  for (const auto& example : examples) {
    for (const Way& way : kWays) {
      if (number++ % shards != shard) continue;
      for (const Scalar real : {Scalar::F32, Scalar::F64}) {
        compile_example(nvrtc, example, way, real, tally);
      }
    }
  }
  fmt::print("{} refused by their schedule\n{} passed, {} failed\n", tally.refused, tally.passed,
             tally.failed);
  return tally.failed || !tally.passed ? 1 : 0;
}
