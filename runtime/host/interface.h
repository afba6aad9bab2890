// The interface of libstencil_host.so: C++ kernels compiled in process and run on all CPUs.
//
// Everything that links LLVM, Clang or oneTBB is in this one library, which is opened with dlopen
// when the `host` device is used (runtime/devices/host_library.h). Its only exported symbol is the
// function below, so the process may contain other versions of LLVM. Nothing here throws or aborts,
// and all functions are thread-safe.
#pragma once

#include <stddef.h>
#include <stdint.h>

// What both sides must agree on; a library of another version is refused.
#define STENCIL_HOST_VERSION 6
#define STENCIL_HOST_SYMBOL "stencil_host_interface"

// Symbols of an object made by `compile_c`, for `find`.
#define STENCIL_LIFT_CALL "stencil_lift_call"            // the entry, defined by the added text
#define STENCIL_LIFT_SEEN "stencil_lift_seen"            // void(char*): sets a byte per outcome
#define STENCIL_LIFT_UNDEFINED "stencil_lift_undefined"  // int32_t*: set to 1 + number of a check
// Text: one line per outcome in order, then for each check of undefined behaviour: possible (0 or
// 1), line, column, kind, outcome, file ("": the file to lift), tab-separated.
#define STENCIL_LIFT_TABLE "stencil_lift_table"
// File names for #line: code that is not observed, and a part of the file to lift.
#define STENCIL_LIFT_REGION "stencil_lift_region"

extern "C" {

// Bytes owned by the library until `release` is called.
struct StencilHostBytes {
  char* data;
  size_t size;
};

// Output forms of `compile`.
enum StencilHostForm {
  kStencilHostObject = 0,  // a relocatable object for this machine, input of `load`
  kStencilHostIr = 1       // optimised LLVM IR as text, for people and tests
};

struct StencilHostOptions {
  int32_t optimisation;  // 0 to 3, as in -O3
  int32_t fast;          // nonzero: --fp=fast; otherwise never contracts or reassociates
  int32_t form;          // a StencilHostForm
};

struct StencilHostProgram;

// A C or C++ file and its compile flags.
struct StencilHostCFile {
  const char* file;
  const char* function;      // "": the region marked by pragmas, or the only grid loop
  const char* const* flags;  // of the compiler
  size_t flag_count;
  const char* database;  // the directory of compile_commands.json; "": none
  const char* text;      // replaces the contents of the file; "": read it
  int32_t seconds;       // time limit for Clang
};

// Executes the blocks [begin, end) of a launch. `arguments`: the arrays, then the addresses of the
// scalars, in the order of the kernel's parameters.
typedef void (*StencilHostKernel)(void* const* arguments, int64_t begin, int64_t end);

struct StencilHostInterface {
  int32_t version;  // STENCIL_HOST_VERSION

  // "Clang 19.1.7 for znver4": compiler and CPU, for messages.
  const char* (*description)();

  // Everything besides source and options that determines machine code: compiler version, CPU and
  // its features. Objects may be cached and loaded while this is the same.
  const char* (*target)();

  // Compiles one source file without headers. On 0, `out` has the form options->form; otherwise it
  // has the compiler's messages.
  int32_t (*compile)(const char* source, size_t size, const StencilHostOptions* options,
                     StencilHostBytes* out);

  // Loads an object into memory. On failure returns NULL and sets `error`.
  StencilHostProgram* (*load)(const char* object, size_t size, StencilHostBytes* error);

  // The kernel of this name, valid until the program is unloaded; NULL if there is none.
  StencilHostKernel (*find)(StencilHostProgram* program, const char* name);

  void (*unload)(StencilHostProgram* program);
  void (*release)(StencilHostBytes* bytes);

  // Reads C or C++ for the lifter. 0: `out` is a tree (compiler/lift/c_tree.h); else code, line,
  // column, message and hint, separated by the character 0x1f; or a message alone, if Clang was
  // ended.
  int32_t (*read_c)(const StencilHostCFile* file, StencilHostBytes* out);

  // Compiles the file with `added`, which defines STENCIL_LIFT_CALL, after its last line. The code
  // records its own decisions (outcomes.h). On 0, `out` is an object with the symbols above;
  // otherwise messages.
  int32_t (*compile_c)(const StencilHostCFile* file, const char* added, size_t size,
                       StencilHostBytes* out);

  // Like `load`, for objects of C files, which can use all functions of the process.
  StencilHostProgram* (*load_c)(const char* object, size_t size, StencilHostBytes* error);

  // Number of threads that `run` uses: $STENCIL_THREADS if it is a number from 1 to 4096, otherwise
  // the number of CPUs of the process.
  int32_t (*threads)();

  // Runs all blocks of a launch in any order and waits for them. Nonzero if memory for the threads
  // ran out.
  int32_t (*run)(StencilHostKernel kernel, void* const* arguments, int64_t blocks);
};

__attribute__((visibility("default"))) const StencilHostInterface* stencil_host_interface();

}  // extern "C"
