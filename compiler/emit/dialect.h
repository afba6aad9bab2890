// A dialect is a table: how one C-like language spells what the kernel IR says, what it lacks, and
// what host code around the kernels calls. Passes, writer and drivers ask nothing else of a target.
// Adding one is adding a file with its table, and a row in targets.cpp.
#pragma once

#include <array>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/support/scalar.h"

namespace stencil::emit {

// A function of the language: its name by result type. Empty: not there, a helper serves instead.
struct Intrinsic {
  Op op;
  std::string_view integer, wide, single, real;  // I32, I64, F32, F64
};

// A function that the emitted file defines when it is used. In `text`, $fn is the qualifier of
// functions, $long the 64-bit integer type and $half the storage type of half and bfloat.
struct Helper {
  std::string_view name;
  std::vector<std::string_view> needs;  // other helpers
  std::string_view text;
};

// The beginning of a kernel's definition, up to its name.
struct KernelHead {
  std::string line;         // above
  std::string_view result;  // type, with a blank behind it; empty: it is in `line`
  std::string_view helper;  // that the line uses; may be empty
};

struct Dialect {
  std::string_view name;
  // In the order of Scalar; half and bfloat as 16 stored bits, bool as a value: stored() is a byte.
  std::array<std::string_view, kScalarTypes> types;
  std::string_view wide_suffix;  // of 64-bit literals
  // The unsigned integer of as many bits as the type, I32 or I64, has.
  std::string_view bits_type(Scalar of) const {
    if (of != Scalar::I64) return "unsigned";
    return wide_suffix == "LL" ? "unsigned long long" : "unsigned long";
  }
  std::string_view function;       // qualifier of helper functions
  std::string_view both_function;  // that the host calls, too; empty: the same
  // Lines that name a constant, with holes for type, name and value: I32 and I64.
  std::string_view constant[2];
  // Null: kernels are functions that do all of their blocks, in a loop.
  KernelHead (*kernel_head)(const kernel::Kernel& kernel, bool exported) = nullptr;
  std::string_view restrict_keyword;
  std::string_view global_pointer;  // qualifier of a pointer argument, with its space
  std::string_view shared_array;    // likewise of an array that a block shares; {}: its alignment
  // What a block may have in such arrays, in bytes. If it needs more, they are parts of one array
  // of bytes, sized by the launch; a line that declares `shared_memory` so, with a hole for its
  // alignment.
  int64_t static_shared_bytes = std::numeric_limits<int64_t>::max();
  std::string_view dynamic_shared;
  std::string_view barrier;          // statement
  std::string_view zeros = " = {}";  // initialiser of an array
  std::string_view unroll;           // line before a loop; may be empty
  std::string_view rolled;           // line before one that is to stay a loop; may be empty
  // Loops over steps are written out by the language, through the helper `steps`: for values that
  // are to be in registers before a compiler sees a loop. Else they are loops, with `unroll`.
  bool static_steps = false;
  // The language writes out what follows a Let with `cases`, through the helper `cases`.
  bool static_cases = false;
  std::string_view short_loop;   // line before a loop over threads that is too short for vectors
  std::string_view block_index;  // implicit threads, or a block per call
  // Value of the thread so many lanes below and above in a row of threads: calls up to the value,
  // which lanes and row length follow. Empty: Shuffles go through shared memory.
  std::string_view shuffle[2];
  // Vector types by element type (Scalar's order) and length 2 or 4; empty: Copies move elements.
  std::array<std::string_view, kScalarTypes> vectors[2];
  bool async_copies = false;  // Copies may run on their own; else they are made at once
  // Type of the kernel argument that describes a BulkSource, a helper of the name `tensor_map`, and
  // a line that declares the words that tell which have arrived, with holes for name and number.
  // Empty: bulk copies are made by the threads of a block.
  std::string_view tensor_map;
  std::string_view bulk_words;
  std::string_view describe_boxes;  // host function that fills in such a description
  std::array<std::string_view, 3> thread_index;
  bool implicit_threads = true;  // false: Threads become loops over the threads
  bool block_ranges = false;     // the caller shares the blocks of a launch: kernels take a range
  // A line ahead of what a thread of the host does under --fp=fast, which needs the helper
  // `flush_subnormals`; empty where flags of the compiler or of the driver say it.
  std::string_view flush_subnormals;
  std::string_view infinity[2];  // F32, F64
  std::string_view nan[2];
  // Functions that multiply without being fused into a neighbouring addition, for a compiler that
  // fuses unless told otherwise; empty where a pragma in the file forbids it.
  std::string_view product[2];
  // Divisions take long and fma does not, so a division by a constant is multiplied out.
  bool multiplies_divisions = false;
  std::string_view prelude;  // what the file begins with, of kernels for a compiler without headers
  // What stands below the includes, of a file whose kernels use doubles or do not.
  std::string (*file_head)(const kernel::Module& module, bool doubles) = nullptr;
  // The library that host code has memory, copies and launches from: what its names begin with
  // (cudaMalloc), its headers for files and for their headers, and how a result is ignored. Those
  // of other libraries mean the same. Empty: kernels work in the memory of the host, which calls
  // them.
  std::string_view runtime;
  std::string_view runtime_header, runtime_api_header;
  std::string_view ignored;
  std::vector<Intrinsic> intrinsics;
  std::vector<Intrinsic> fast_intrinsics;  // --fp=fast prefers these
  std::vector<Helper> helpers;  // before the common ones (helpers.cpp), which they replace
  // What names of the program must not be spelled like, besides keywords (names.cpp): texts of
  // reserved_names.h, words, and what words begin with.
  std::vector<std::string_view> declared;
  std::set<std::string> reserved;
  std::vector<std::string> reserved_prefixes;

  bool has_device() const { return !runtime.empty(); }
  std::string_view type(Scalar scalar) const { return types[static_cast<size_t>(scalar)]; }
  // Of an element of an array. Not every language has arrays of bools that kernels may take.
  std::string_view stored(Scalar scalar) const {
    return type(scalar == Scalar::Bool ? Scalar::U8 : scalar);
  }
};

// Helpers of C++ on GPUs.
std::vector<Helper> gpu_helpers();

// What keeps a C++ compiler from changing values by its flags or its defaults, or refuses.
std::string arithmetic_of_file(FpMode fp);

// Text of the host in which $api is what names of the runtime begin with, and $ignored stands ahead
// of calls whose result is dropped.
std::string device_text(std::string text, const Dialect& dialect);

// Bytes of shared memory that a launch must request: 0 while static arrays do.
int64_t dynamic_shared_bytes(const kernel::Kernel& kernel, const kernel::Module& module,
                             const Dialect& dialect);

const Dialect& cuda_dialect();
const Dialect& cuda_jit_dialect();  // without <stdint.h>
const Dialect& hip_dialect();
const Dialect& opencl_dialect();
const Dialect& opencl_loops_dialect();  // a block is one work-item, threads are loops
const Dialect& cpp_dialect();
const Dialect& cpp_jit_dialect();  // without headers; kernels for a range of blocks

}  // namespace stencil::emit
