// A dialect is a table. It states how one C-like language spells the kernel IR, which features it
// lacks, and which runtime functions host code calls. Passes, writer and drivers know nothing else
// about a target. A new dialect is a file with its table, and a row in targets.cpp.
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

// A built-in function of the language, with one name per result type. An empty name means that the
// language has no such function; the emitted file then uses a helper.
struct Intrinsic {
  Op op;
  std::string_view integer, wide, single, real;  // I32, I64, F32, F64
};

// A function that the emitted file defines if it is used. In `text`, $fn is the qualifier of
// functions, $long the 64-bit integer type and $half the storage type of half and bfloat.
struct Helper {
  std::string_view name;
  std::vector<std::string_view> needs;  // other helpers
  std::string_view text;
};

// The start of a kernel definition, up to its name.
struct KernelHead {
  std::string line;         // the line above
  std::string_view result;  // type with a trailing blank; empty: it is part of `line`
  std::string_view helper;  // that `line` uses; may be empty
};

struct Dialect {
  std::string_view name;
  // In the order of Scalar. half and bfloat are stored as 16 bits. The entry for bool is the type
  // of values; an array of bools has elements of one byte (stored()).
  std::array<std::string_view, kScalarTypes> types;
  std::string_view wide_suffix;  // of 64-bit literals
  // The unsigned integer type with as many bits as I32 or I64.
  std::string_view bits_type(Scalar of) const {
    if (of != Scalar::I64) return "unsigned";
    return wide_suffix == "LL" ? "unsigned long long" : "unsigned long";
  }
  std::string_view function;       // qualifier of helper functions
  std::string_view both_function;  // qualifier of helpers for host and device; empty: as `function`
  // How constants of I32 and I64 are declared, with placeholders for type, name and value.
  std::string_view constant[2];
  // Null: a kernel is a function that loops over its blocks.
  KernelHead (*kernel_head)(const kernel::Kernel& kernel, bool exported) = nullptr;
  std::string_view restrict_keyword;
  std::string_view global_pointer;  // qualifier of a pointer argument, with its space
  std::string_view shared_array;    // qualifier of an array that a block shares; {}: its alignment
  // Bytes of static shared arrays that a block may declare. If it needs more, they become parts of
  // one dynamic array of bytes, whose size the launch gives. `dynamic_shared` declares this array,
  // `shared_memory`, with a placeholder for its alignment.
  int64_t static_shared_bytes = std::numeric_limits<int64_t>::max();
  std::string_view dynamic_shared;
  std::string_view barrier;          // statement
  std::string_view memory_barrier;   // kernel::Barrier::global
  std::string_view zeros = " = {}";  // initialiser of a zeroed array
  std::string_view unroll;           // line before an unrolled loop; may be empty
  std::string_view rolled;           // line before a loop that must not be unrolled; may be empty
  // True: the language unrolls loops over steps through the helper `steps`, so that per-step values
  // are in registers before the compiler sees any loop. False: `unroll` precedes these loops.
  bool static_steps = false;
  // True: code after a Let with `cases` is instantiated for each value, through the helper `cases`.
  bool static_cases = false;
  std::string_view short_loop;   // line before a thread loop that is too short to vectorise
  std::string_view block_index;  // the block number; empty: kernels get a block or loop over blocks
  // The call that reads the value of the thread `lane` places below [0] or above [1] in the row.
  // This is its text up to the value; the lane and the row length follow the value. Empty: Shuffles
  // go through shared memory.
  std::string_view shuffle[2];
  // Vector types by element type (in the order of Scalar) of length 2 and 4; empty: Copies move
  // elements.
  std::array<std::string_view, kScalarTypes> vectors[2];
  bool async_copies = false;  // Copies may be asynchronous; false: they are synchronous
  // tensor_map: the type of the kernel argument that describes a BulkSource; the helper
  // `tensor_map` defines it. bulk_words: the declaration of the words that track arrival, with
  // placeholders for name and number. Empty: the threads of a block execute bulk copies.
  std::string_view tensor_map;
  std::string_view bulk_words;
  std::string_view describe_boxes;  // host function that fills in such a descriptor
  std::array<std::string_view, 3> thread_index;
  // The compiler duplicates the code after each barrier under a condition (barrier_loops.cpp).
  bool duplicates_after_barriers = false;
  bool implicit_threads = true;  // false: Threads become loops over the threads
  bool block_ranges = false;     // the caller distributes blocks: kernels take a range
  // A statement that begins the work of a host thread under --fp=fast. It needs the helper
  // `flush_subnormals`. Empty if flags of the compiler or driver have this effect.
  std::string_view flush_subnormals;
  std::string_view infinity[2];  // F32, F64
  std::string_view nan[2];
  // Functions for products that the compiler must not fuse into an addition. Empty if a pragma in
  // the file forbids fusion.
  std::string_view product[2];
  // Divisions are slow and fma is fast, so divisions by constants become multiplications.
  bool multiplies_divisions = false;
  std::string_view prelude;  // the beginning of a file of kernels for a compiler without headers
  // The text below the includes; `doubles`: kernels use doubles.
  std::string (*file_head)(const kernel::Module& module, bool doubles) = nullptr;
  // The GPU runtime that host code uses: the prefix of its names (cudaMalloc), its headers for
  // emitted files and for the headers of these, and how a result is ignored. After the prefix, all
  // runtimes use the same names. Empty: kernels work in host memory, and the host calls them.
  std::string_view runtime;
  std::string_view runtime_header, runtime_api_header;
  std::string_view ignored;
  std::vector<Intrinsic> intrinsics;
  std::vector<Intrinsic> fast_intrinsics;  // preferred under --fp=fast
  std::vector<Helper> helpers;  // these replace the common ones (helpers.cpp) of the same name
  // Spellings that names of the program must avoid, besides keywords (names.cpp): tables of
  // reserved_names.h, words, and prefixes.
  std::vector<std::string_view> declared;
  std::set<std::string> reserved;
  std::vector<std::string> reserved_prefixes;

  bool has_device() const { return !runtime.empty(); }
  std::string_view type(Scalar scalar) const { return types[static_cast<size_t>(scalar)]; }
  // The type of an array element. Not every language allows kernels to take arrays of bools.
  std::string_view stored(Scalar scalar) const {
    return type(scalar == Scalar::Bool ? Scalar::U8 : scalar);
  }
};

// Helpers for the C++ dialects of GPUs.
std::vector<Helper> gpu_helpers();

// Pragmas and #error directives for a C++ file, so that no compiler flag or default changes its
// results beyond what `fp` permits.
std::string arithmetic_of_file(FpMode fp);

// Replaces $api by the prefix of the runtime's names, and $ignored, which precedes calls whose
// result is not used.
std::string device_text(std::string text, const Dialect& dialect);

// Bytes of shared memory that a launch must request; 0 if static arrays suffice.
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
