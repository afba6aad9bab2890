// Emitters: kernel IR to source text. There is one writer for all C-like targets. A target is a row
// of a table (targets.cpp), and its dialect a table of spellings (dialect.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/emit/box.h"
#include "compiler/host_ir/passes.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

enum class Target { Cuda, Hip, OpenCl, Cpp };

struct Dialect;  // dialect.h
struct Options;

struct TargetInfo {
  Target target;
  std::string_view name;       // as in --target and --emit
  std::string_view extension;  // of emitted files: ".cu"
  // Replaces the extension in the name of the C header. Empty: a file has only kernels, no host
  // part.
  std::string_view header_ending;
  std::string_view machine;      // the default machine
  std::string_view compiler;     // command without flags; $machine: the machine's name
  std::string_view exact_flags;  // under strict and contract
  std::string_view fast_flags;
  const Dialect& (*dialect)(const Options& options);
};

// All targets, the default first.
const std::vector<TargetInfo>& targets();
const TargetInfo& info(Target target);
const TargetInfo* target_called(std::string_view name);  // null: there is none

struct Options {
  Target target = Target::Cuda;
  // Only device code, for a JIT compiler (NVRTC, OpenCL, Clang in process), without includes. C++
  // kernels are then `void NAME(void* const* arguments, int64_t begin_block, int64_t end_block)`,
  // where `arguments` are the arrays, then addresses of the scalars.
  bool kernels_only = false;
  // OpenCL on CPUs: a block is one work-item that loops over its threads, as in C++.
  bool threads_are_loops = false;
  bool main = false;  // also emit a program: allocate, initialise, run, time, check
  // The only caller gives all params except derived ones. No value then marks a missing param: NaN,
  // infinities and the smallest integers are ordinary values. Entry points compute derived params.
  bool all_given = false;
  std::string header_name;  // file name to #include for the declarations; "": declare in place
};

// Host functions of a file besides the module itself: kernels in the same IR, with the arrays of
// the plan in the same order, and threads {1,1,1}.
struct HostModules {
  // Kernels named init_FIELD.... The plan's actions are one Launch per init kernel, which writes
  // slot 0; the other slots are copies of it. For NAME_init.
  kernel::Module initial;
  // The plain sweeps: threads {1,1,1}, one block per launch. Needed with Options::main.
  std::optional<kernel::Module> reference = {};
  // The entry points for boxes.
  std::optional<BoxPart> box = {};
};

// Bytes of shared memory that a CUDA launch of the emitted kernel must request; 0 if static arrays
// suffice (up to 48 KiB). If it is positive, MaxDynamicSharedMemorySize must be raised too.
int64_t dynamic_shared_bytes(const kernel::Kernel& kernel, const kernel::Module& module);

// The spelling of a kernel or constant of the module in the emitted text.
std::string symbol(const kernel::Module& module, const std::string& name, const Options& options);

// Legalizes the module: rewrites what the target lacks. The result is sound (kernel::verify) if
// `module` is.
kernel::Module legalise(kernel::Module module, const Options& options);
// Legalizes the other parts of an emitted file: host functions, which are C++ for all targets, and
// kernels of boxes.
HostModules legalise(HostModules host, const Options& options);

// The text of a whole file from legalized modules; deterministic. Without `host` there is no
// NAME_init and no main.
std::string write(const kernel::Module& module, const Options& options,
                  const HostModules* host = nullptr);

// The host program whose text the entry points for a target contain. If the target has no host
// part, the host program that a session executes.
host_ir::Program host_program(const kernel::Module& module, Target target);

// legalise() and write().
std::string emit(const kernel::Module& module, const Options& options,
                 const HostModules* host = nullptr);

// The C header that declares the entry points of an emitted .cu or .cpp. `box`: null, or the box
// program.
std::string emit_header(const kernel::Module& module, Target target, const BoxPart* box = nullptr);
// The same as a Fortran module.
std::string emit_fortran_module(const kernel::Module& module, Target target,
                                const BoxPart* box = nullptr);

// How to compile an emitted `file` for a machine, as the tests do: to an object, or to `executable`
// if it has a main.
std::string compile_line(Target target, FpMode fp, const std::string& file,
                         const std::string& executable, std::string_view machine = {});

// Compiler flags without which results may differ in their last bits (for messages, --main
// comments, and the runtime), e.g. "--fmad=false" for CUDA under strict.
std::string required_flags(Target target, FpMode fp);

}  // namespace stencil::emit
