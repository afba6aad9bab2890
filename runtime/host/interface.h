// The interface of libstencil_host.so: C++ kernels compiled in process and run by all CPUs.
//
// Everything that links LLVM, Clang or oneTBB is in that one library, which is opened with dlopen
// when the `host` device is asked for (runtime/devices/host_library.h). Its only exported symbol is
// the function below; a process may have other versions of LLVM beside it. Nothing here throws or
// aborts, and all functions may be called by several threads at once.
#pragma once

#include <stddef.h>
#include <stdint.h>

// What both sides must agree on; a library of another version is refused.
#define STENCIL_HOST_VERSION 4
#define STENCIL_HOST_SYMBOL "stencil_host_interface"

// Symbols of an object made by `compile_c`, for `find`.
#define STENCIL_LIFT_CALL "stencil_lift_call"            // the entry, from the text that was added
#define STENCIL_LIFT_SEEN "stencil_lift_seen"            // void(char*): a byte for each outcome
#define STENCIL_LIFT_UNDEFINED "stencil_lift_undefined"  // int32_t*: gets 1 + the number of a check
// Text: a line for each outcome in their order, then for each check of undefined behaviour:
// possible (0 or 1), line, column, kind, outcome, file ("": the file to lift), separated by tabs.
#define STENCIL_LIFT_TABLE "stencil_lift_table"
// Names for #line: code that is not observed, and a part of the file to lift.
#define STENCIL_LIFT_REGION "stencil_lift_region"

extern "C" {

// Bytes that the library owns until `release` is called.
struct StencilHostBytes {
  char* data;
  size_t size;
};

// What `compile` makes.
enum StencilHostForm {
  kStencilHostObject = 0,  // a relocatable object of the machine it runs on, for `load`
  kStencilHostIr = 1       // the optimised LLVM IR as text, for people and tests
};

struct StencilHostOptions {
  int32_t optimisation;  // 0 to 3, as in -O3
  int32_t fast;          // nonzero: values may change (--fp=fast); else products are never fused
  int32_t form;          // a StencilHostForm
};

struct StencilHostProgram;

// A C or C++ file and how it is compiled.
struct StencilHostCFile {
  const char* file;
  const char* function;      // "": what pragmas mark, or the only loop over a grid
  const char* const* flags;  // of the compiler
  size_t flag_count;
  const char* database;  // the directory of compile_commands.json; "": none
  const char* text;      // what the file is to contain; "": what it does
};

// Blocks `begin` up to but not including `end` of a launch. `arguments`: the arrays, then addresses
// of the scalars, in the order of the kernel.
typedef void (*StencilHostKernel)(void* const* arguments, int64_t begin, int64_t end);

struct StencilHostInterface {
  int32_t version;  // STENCIL_HOST_VERSION

  // "Clang 19.1.7 for znver4": compiler and CPU, for messages.
  const char* (*description)();

  // All that machine code depends on beside source and options: the version of the compiler, the
  // CPU and its features. Objects may be kept and loaded again where this is the same.
  const char* (*target)();

  // Compiles one source file without headers. 0: `out` is what options->form asks for; else it is
  // the compiler's messages.
  int32_t (*compile)(const char* source, size_t size, const StencilHostOptions* options,
                     StencilHostBytes* out);

  // Puts an object into memory; NULL: `error` says why not.
  StencilHostProgram* (*load)(const char* object, size_t size, StencilHostBytes* error);

  // The kernel of this name, valid until the program is unloaded; NULL if there is none.
  StencilHostKernel (*find)(StencilHostProgram* program, const char* name);

  void (*unload)(StencilHostProgram* program);
  void (*release)(StencilHostBytes* bytes);

  // Reads C or C++ for the lifter. 0: `out` is a tree (compiler/lift/c_tree.h); else code, line,
  // column, message and hint, separated by the character 0x1f.
  int32_t (*read_c)(const StencilHostCFile* file, StencilHostBytes* out);

  // Compiles the file with `added` behind its last line, which defines STENCIL_LIFT_CALL. The code
  // observes itself (outcomes.h). 0: `out` is an object with the symbols above; else messages.
  int32_t (*compile_c)(const StencilHostCFile* file, const char* added, size_t size,
                       StencilHostBytes* out);

  // As `load`, for objects of C files: they see all functions of the process.
  StencilHostProgram* (*load_c)(const char* object, size_t size, StencilHostBytes* error);

  // How many threads `run` uses: $STENCIL_THREADS if that is a number from 1 to 4096, else as many
  // as the process has CPUs.
  int32_t (*threads)();

  // Runs all blocks of a launch in any order, and returns when they are done. 0, or nonzero if
  // memory for the threads ran out.
  int32_t (*run)(StencilHostKernel kernel, void* const* arguments, int64_t blocks);
};

__attribute__((visibility("default"))) const StencilHostInterface* stencil_host_interface();

}  // extern "C"
