// The interface of libstencil_host.so, which compiles C++ kernels in process and runs them on all
// CPUs.
//
// All code that links LLVM, Clang or oneTBB is in this library. It is opened with dlopen when the
// `host` device is used (runtime/devices/host_library.h). Its only exported symbol is the function
// below, so the process may contain other versions of LLVM. No function here throws or aborts, and
// all functions are thread-safe.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The version of this interface. A library of another version is refused.
#define STENCIL_HOST_VERSION 6
#define STENCIL_HOST_SYMBOL "stencil_host_interface"

// Symbols of an object made by `compile_c`, for `find`.
#define STENCIL_LIFT_CALL "stencil_lift_call"  // the entry, defined by the added text
#define STENCIL_LIFT_SEEN "stencil_lift_seen"  // void(char*): sets one byte for each outcome
// int32_t*: becomes 1 + the number of the failed check.
#define STENCIL_LIFT_UNDEFINED "stencil_lift_undefined"
// The table as text. It has one line for each outcome in order, then one for each check of
// undefined behaviour. The tab-separated columns are: possible (0 or 1), line, column, kind,
// outcome, file ("": the file to lift).
#define STENCIL_LIFT_TABLE "stencil_lift_table"
// File names in #line directives: one for code that is not observed, one for a part of the file to
// lift.
#define STENCIL_LIFT_REGION "stencil_lift_region"

extern "C" {

// Bytes that the library owns until `release` is called.
struct StencilHostBytes {
  char* data;
  size_t size;
};

// Output forms of `compile`.
enum StencilHostForm {
  kStencilHostObject = 0,  // a relocatable object for this machine, which `load` accepts
  kStencilHostIr = 1       // optimised LLVM IR as text, for people and tests
};

struct StencilHostOptions {
  int32_t optimisation;  // 0 to 3, as in -O3
  int32_t fast;  // nonzero: --fp=fast; zero: operations are never contracted or reassociated
  int32_t form;  // a StencilHostForm
};

struct StencilHostProgram;

// A C or C++ file and its compile flags.
struct StencilHostCFile {
  const char* file;
  const char* function;      // "": the region marked by pragmas, or the only grid loop
  const char* const* flags;  // flags of the C or C++ compiler
  size_t flag_count;
  const char* database;  // the directory that contains compile_commands.json; "": no database
  const char* text;      // replaces the contents of the file; "": read it
  int32_t seconds;       // time limit for Clang
};

// Executes the blocks [begin, end) of a launch. `arguments`: the arrays followed by the addresses
// of the scalars, in the order of the kernel's parameters.
typedef void (*StencilHostKernel)(void* const* arguments, int64_t begin, int64_t end);

struct StencilHostInterface {
  int32_t version;  // STENCIL_HOST_VERSION

  // Compiler and CPU, for messages: "Clang 19.1.7 for znver4".
  const char* (*description)();

  // Everything besides source and options that determines the machine code: compiler version, CPU
  // type and CPU features. Cached objects may be loaded as long as this string is unchanged.
  const char* (*target)();

  // Compiles one source file without headers. If the result is 0, `out` has the form options->form.
  // Otherwise `out` contains the compiler's messages.
  int32_t (*compile)(const char* source, size_t size, const StencilHostOptions* options,
                     StencilHostBytes* out);

  // Loads an object into memory. On failure returns NULL and sets `error`.
  StencilHostProgram* (*load)(const char* object, size_t size, StencilHostBytes* error);

  // The kernel with this name, valid until the program is unloaded. NULL if there is no such
  // kernel.
  StencilHostKernel (*find)(StencilHostProgram* program, const char* name);

  void (*unload)(StencilHostProgram* program);
  void (*release)(StencilHostBytes* bytes);

  // Reads C or C++ for the lifter. If the result is 0, `out` is a tree (compiler/lift/c_tree.h).
  // Otherwise `out` contains code, line, column, message and hint, separated by the character 0x1f.
  // If Clang was stopped, `out` contains only a message.
  int32_t (*read_c)(const StencilHostCFile* file, StencilHostBytes* out);

  // Compiles the file. `added` follows its last line and defines STENCIL_LIFT_CALL. The code
  // records its own decisions (outcomes.h). If the result is 0, `out` is an object with the symbols
  // above. Otherwise `out` contains messages.
  int32_t (*compile_c)(const StencilHostCFile* file, const char* added, size_t size,
                       StencilHostBytes* out);

  // Like `load`, but for objects of C files. These can use all functions of the process.
  StencilHostProgram* (*load_c)(const char* object, size_t size, StencilHostBytes* error);

  // The number of threads that `run` uses. This is $STENCIL_THREADS if its value is a number from 1
  // to 4096, otherwise the number of CPUs available to the process.
  int32_t (*threads)();

  // Runs all blocks of a launch in any order and waits for them. The result is nonzero if there is
  // not enough memory for the threads.
  int32_t (*run)(StencilHostKernel kernel, void* const* arguments, int64_t blocks);
};

__attribute__((visibility("default"))) const StencilHostInterface* stencil_host_interface();

}  // extern "C"
