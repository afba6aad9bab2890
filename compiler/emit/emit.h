// Emitters: kernel IR to source text. One C-like writer; a target is a row of a table
// (targets.cpp), its dialect a table of spellings (dialect.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/emit/box.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

enum class Target { Cuda, Hip, OpenCl, Cpp };

struct Dialect;  // dialect.h
struct Options;

struct TargetInfo {
  Target target;
  std::string_view name;       // as in --target and --emit
  std::string_view extension;  // of its files: ".cu"
  // Of the C header, in place of the extension. Empty: a file has kernels alone, no host part.
  std::string_view header_ending;
  std::string_view machine;      // whose name stands for it unless another is asked for
  std::string_view compiler;     // command up to the flags; $machine: what it is called
  std::string_view exact_flags;  // under strict and contract
  std::string_view fast_flags;
  const Dialect& (*dialect)(const Options& options);
};

// All of them, the default first.
const std::vector<TargetInfo>& targets();
const TargetInfo& info(Target target);
const TargetInfo* target_called(std::string_view name);  // null: there is none

struct Options {
  Target target = Target::Cuda;
  // Device code alone, for a JIT compiler (NVRTC, OpenCL, Clang in process); no includes. Kernels
  // of C++ then are `void NAME(void* const* arguments, int64_t begin_block, int64_t end_block)`:
  // arrays, then addresses of the scalars.
  bool kernels_only = false;
  // OpenCL, for CPUs: a block is one work-item, whose threads are loops, as in C++.
  bool threads_are_loops = false;
  bool main = false;        // also a program: allocate, initialise, run, time, check
  std::string header_name;  // file name to #include for the declarations; "": declare in place
};

// What a file has beside the module itself: host functions in the same IR, with arrays of the same
// plan order, and threads {1,1,1}.
struct HostModules {
  // Kernels named init_FIELD...; its plan's actions are one Launch per init kernel (slot 0; other
  // slots are copies). For NAME_init.
  kernel::Module initial;
  // The plain sweeps: threads {1,1,1}, one block per launch. Needed with Options::main.
  std::optional<kernel::Module> reference = {};
  // The entry points for boxes.
  std::optional<BoxPart> box = {};
};

// Bytes of shared memory that a CUDA launch of the emitted kernel must request: 0 while static
// arrays do, i.e. up to 48 KiB. More than 0 also needs MaxDynamicSharedMemorySize to be raised.
int64_t dynamic_shared_bytes(const kernel::Kernel& kernel, const kernel::Module& module);

// What a kernel or constant of the module is called in the emitted text.
std::string symbol(const kernel::Module& module, const std::string& name, const Options& options);

// The module as the target gets it: what the target lacks is rewritten. Sound (kernel::verify) if
// `module` is.
kernel::Module legalise(kernel::Module module, const Options& options);
// Host functions of an emitted file, which are C++ whatever the target; kernels for boxes as above.
HostModules legalise(HostModules host, const Options& options);

// Source text of the whole file of what legalise() has made; deterministic. Without `host` there is
// no NAME_init and no main.
std::string write(const kernel::Module& module, const Options& options,
                  const HostModules* host = nullptr);

// Both in one.
std::string emit(const kernel::Module& module, const Options& options,
                 const HostModules* host = nullptr);

// The C header that declares the entry points of an emitted .cu or .cpp. `box`: null, or what there
// is for boxes.
std::string emit_header(const kernel::Module& module, Target target, const BoxPart* box = nullptr);

// How to compile an emitted `file` for a machine, as the tests do: to an object, or if it has a
// main to `executable`.
std::string compile_line(Target target, FpMode fp, const std::string& file,
                         const std::string& executable, std::string_view machine = {});

// Compiler flags that keep the promised bits (for messages, --main comments, and the runtime): e.g.
// "--fmad=false" for CUDA under strict.
std::string required_flags(Target target, FpMode fp);

}  // namespace stencil::emit
