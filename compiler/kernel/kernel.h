// The kernel IR: what one thread block does, in a form that every C-like target can print.
//
//   module    = constants kernels plan
//   kernel    = global buffers and scalars (its arguments), buffers of the block and its threads,
//               body
//   statement = comment | let | store | copy | commit | await | for | if | threads | barrier
//             | shuffle | bulk copies | await bulk | scope
//   expr      = integer | real | bool | variable | operation | load
//
// The body runs once per thread block with the variable `block` (I64, 0 .. number of blocks - 1).
// Launches are one-dimensional, so no target's limit on a second grid dimension matters. Parallel
// work of a block's threads stands in `Threads` statements, which bind `thread_x`, `thread_y`, ...
// (I32, kThreadNames). Everything outside them is uniform over the block. A `Barrier` separates two
// Threads statements if the second reads what the first wrote to shared memory. On a GPU a Threads
// statement is just a scope. On a CPU it is a loop nest over the threads, and barriers vanish.
// Per-thread buffers keep their values from one Threads statement to the next; lets do not. A
// `Shuffle` passes per-thread values to neighbouring threads. Shuffles and barriers stand between
// Threads statements. So do `BulkCopies`, which the block executes as a whole.
//
// A kernel with threads {1,1,1} and no shared buffers is an ordinary function. Host-side loops
// (initial values, the plain sweeps against which emitted programs check themselves) use the same
// IR.
//
// This header does not depend on stencils or schedules. plan.h refers to fields and params of the
// program by number.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/support/ids.h"
#include "compiler/support/scalar.h"
#include "compiler/support/shape.h"

namespace stencil::kernel {

// --- Expressions: immutable, shared

struct ExprNode;
using Expr = std::shared_ptr<const ExprNode>;
using BufferId = Id<struct Buffer>;  // into Kernel::buffers

struct IntegerLiteral {
  int64_t value;
  // The name of a constant of the module that has this value, or "". Files show the name.
  // Passes see the value, and what they fold from it has no name.
  std::string name = {};
};  // of type Bool (0/1), I32 or I64; only an I32 has a name
struct RealLiteral {
  double value;
};  // of type F32 (already rounded) or F64
struct Variable {
  std::string name;
};  // loop variable, let, scalar argument or named constant
struct Operation {
  Op op;
  std::vector<Expr> operands;
};
struct Load {
  BufferId buffer;
  std::vector<Expr> index;
};  // one I32/I64 index per dimension, from 0

struct ExprNode {
  std::variant<IntegerLiteral, RealLiteral, Variable, Operation, Load> kind;
  Scalar type;
};

Expr integer(int64_t value, Scalar type = Scalar::I32);
Expr named_integer(int64_t value, std::string name);
Expr boolean(bool value);
Expr real(double value, Scalar type);
Expr variable(std::string name, Scalar type = Scalar::I32);
Expr load(BufferId buffer, std::vector<Expr> index, Scalar type);
Expr convert(Expr value, Scalar type);  // returns `value` itself if it has the type
Expr as_long(const Expr& value);        // convert(value, Scalar::I64)
// Folds integer operations on literals and simplifies x+0, x*1, x*0, and `and`/`or`/select with a
// literal condition. Float arithmetic is left as it is. Comparisons and And/Or/Not yield Bool;
// other operations have the type of the last operand.
Expr operation(Op op, std::vector<Expr> operands);
inline Expr add(Expr a, Expr b) {
  return operation(Op::Add, {std::move(a), std::move(b)});
}
inline Expr sub(Expr a, Expr b) {
  return operation(Op::Sub, {std::move(a), std::move(b)});
}
inline Expr mul(Expr a, Expr b) {
  return operation(Op::Mul, {std::move(a), std::move(b)});
}
inline Expr less(Expr a, Expr b) {
  return operation(Op::Lt, {std::move(a), std::move(b)});
}
inline Expr less_equal(Expr a, Expr b) {
  return operation(Op::Le, {std::move(a), std::move(b)});
}
Expr all_of(std::vector<Expr> conditions);  // `true` if empty
Expr zero(Scalar type);                     // any type, including storage types

// --- Statements

struct Statement;
using Body = std::vector<Statement>;

// Unrolled: the target's compiler unrolls it. Steps: iterates over similar parts of a body
// (sequence.h); both bounds are literals. A Steps loop is unrolled if threads keep values in
// registers from one step to the next; otherwise it stays a loop. Rolled: compilers are told not to
// unroll it.
enum class LoopKind { Serial, Unrolled, Steps, Rolled };
struct Comment {
  std::string text;
};  // one line, or several separated by \n
struct Let {
  std::string name;
  Expr value;
  // For a Bool: the rest of the body is compiled once for each value, if the target's language
  // supports this. Testing it inside loops is then free.
  bool cases = false;
};  // constant until the end of the enclosing body
struct Store {
  BufferId buffer;
  std::vector<Expr> index;
  Expr value;
};
// Copies `count` elements. They are contiguous in the last dimension of both buffers, and both
// buffers have the same type. Both places are aligned to `count` elements, so a target may move
// them in one access.
struct Copy {
  BufferId to;
  std::vector<Expr> to_index;  // of the first element
  BufferId from;
  std::vector<Expr> from_index;
  int count;
  bool async = false;  // Global to Shared: may complete any time up to an AwaitCopies
};
struct CommitCopies {};  // ends a batch of this thread's async copies
struct AwaitCopies {     // waits until at most `pending` of this thread's batches are in flight
  int pending;
};
struct For {  // for (name = begin; name < end; name += step), name is I32 (I64 if begin is)
  LoopKind kind;
  std::string name;
  Expr begin, end;
  int64_t step = 1;
  Body body;
  std::string step_name = {};  // as IntegerLiteral::name
};
struct If {
  Expr condition;
  Body then;
  Body otherwise;
};
// for (name = begin; name < end; ++name), all I32; the bounds are the same for all threads.
struct ThreadLoop {
  std::string name;
  Expr begin, end;
  std::optional<int64_t> most = {};  // upper bound of the trip count, if known
  // The loop runs only if this condition holds. It reads only variables of enclosing loops. Null:
  // the loop always runs.
  Expr condition = nullptr;
};
struct Threads {
  Body body;
  bool few = false;  // few threads of a row are active, so the loop should not be vectorised
  // If threads are loops (Kernel::thread_loops): the loops around the body, outermost first, and
  // the conditions for running them at all, uniform over the threads. The names of dimensions with
  // one thread are bound to 0.
  std::vector<Expr> conditions = {};
  std::vector<ThreadLoop> loops = {};
};
struct Barrier {
  bool global =
      false;  // also orders what the block's threads write to and read from Global buffers
};
// Every thread reads per-thread buffers of other threads in its row (the threads that differ only
// in thread_x). In a move, a thread copies `from` of the thread with thread_x + lane to its own
// `to`. If there is no such thread, it copies its own `from`. All moves are done for name = 0 ..
// count-1. No move reads an element that another move writes. The row length is a power of two, at
// most 32 threads.
struct Shuffle {
  struct Move {
    BufferId to;
    std::vector<Expr> to_index;
    BufferId from;
    std::vector<Expr> from_index;
    int lane;
  };
  std::string name;  // I32; defined if count > 1
  int count = 1;
  std::vector<Move> moves;
};
// Requests for boxes of Global buffers. The boxes arrive in shared memory asynchronously, at any
// time up to the AwaitBulk of the same batch. Batches are numbered from 0 and use the indices of a
// ring in turn (batch % Kernel::bulk_batches). Every batch is started once and awaited once, in
// order, before the kernel ends. A batch starts only after the previous contents of its ring index
// have been read, with a barrier in between. Elements outside the buffer arrive as zeros.
struct BulkCopy {
  int source;                  // into Kernel::bulk_sources: the buffer, and the size of the box
  std::vector<Expr> origin;    // of the box, one I32 index per dimension; may lie outside
  BufferId to;                 // Shared
  std::vector<Expr> to_index;  // of the first element, a multiple of kBulkAlignment bytes; the box
};                             // runs along the last dimensions of `to` and is dense there
struct BulkCopies {
  Expr batch;  // I32
  std::vector<BulkCopy> copies;
};
struct AwaitBulk {  // all threads wait
  Expr batch;       // I32
};
struct Scope {
  Body body;
};  // { ... }: limits the lets in it

struct Statement {
  std::variant<Comment, Let, Store, Copy, CommitCopies, AwaitCopies, For, If, Threads, Barrier,
               Shuffle, BulkCopies, AwaitBulk, Scope>
      kind;
};

// The variables that identify a thread within its block, by dimension.
constexpr std::array<const char*, kMaxRank> kThreadNames = {
    "thread_x", "thread_y", "thread_z", "thread_w", "thread_v", "thread_u", "thread_s", "thread_r"};

// --- Kernels

// Block: values that are uniform over a block, stored to outside of Threads.
enum class Space { Global, Shared, Block, Thread };

struct Buffer {
  std::string name;
  Scalar type;  // loads convert storage types (arithmetic_type), stores take a value of the type
  Space space;
  // Global: any I32/I64 expression of constants and scalars; others: literals or constants.
  // Row-major. Empty: a single value (Thread only).
  std::vector<Expr> extents;
  bool read_only = false;  // Global: never stored to by this kernel
  bool wide = false;       // Global: element offsets may exceed 2^31, so they are computed in I64
  std::string comment;     // printed next to the declaration; may be empty
  int alignment = 16;      // Shared: of the first element, in bytes
  bool zeroed = false;     // Thread: holds zeros when the kernel begins
  // Thread buffers, if threads are loops: only one Threads statement uses the buffer, so it is
  // declared inside the loops. All other per-thread buffers then have one place per thread: leading
  // dimensions equal to those of Kernel::threads, outermost first, without dimensions of one
  // thread.
  bool local = false;
};

// Requirements of hardware that copies boxes (CUDA Programming Guide, "Tensor Memory Access").
constexpr int kBulkAlignment = 128;  // bytes: alignment of a box in shared memory
constexpr int kBulkUnit = 16;        // bytes: alignment of rows of the array and of the box
constexpr int kBulkExtent = 256;     // largest extent of a box per dimension, in elements

// Boxes of one size from one Global buffer of 2 or 3 dimensions. Targets with bulk copies pass a
// descriptor of each source as a further kernel argument, after the scalars, in this order. Other
// targets have no such arguments.
struct BulkSource {
  std::string name;      // of the argument
  BufferId buffer;       // read_only; its rows are known to be multiples of kBulkUnit
  std::vector<int> box;  // elements per dimension of the buffer, outermost first
};

struct ScalarArgument {
  std::string name;
  Scalar type;
};

struct Kernel {
  std::string name;     // C identifier, unique in the module
  std::string comment;  // what it does, printed above the kernel
  IdVector<BufferId, Buffer>
      buffers;  // the Global ones are arguments, in this order, then the scalars
  std::vector<ScalarArgument> scalars;
  Shape threads;
  std::array<std::string, kMaxRank> thread_counts = {};  // names of `threads`, as in literals
  int min_blocks = 0;  // launch-bounds hint: blocks per multiprocessor; 0: no hint
  std::vector<BulkSource> bulk_sources;
  int bulk_batches = 0;  // batches of bulk copies in flight or in use at most; 0: no bulk copies
  // Threads are loops, and Threads statements run one after the other. There are no barriers,
  // shuffles, bulk or async copies.
  bool thread_loops = false;
  Body body;
};

// Block dimensions in hardware, which has three: dimensions z and beyond share the third, with z
// running fastest.
std::array<int, 3> hardware_threads(const Kernel& kernel);

struct NamedConstant {  // constexpr int size_x = 512;  // comment
  std::string name;
  Scalar type;
  int64_t value;
  std::string comment;
};

// Layout of a kernel's shared memory, in bytes from its start. After the buffers there is one word
// of 8 bytes per batch in Kernel::bulk_batches, which targets use to track arrival.
struct SharedLayout {
  std::vector<int64_t> offsets;  // by BufferId; 0 for buffers of other spaces
  int64_t bulk_words = 0;
  int64_t bytes = 0;   // total
  int alignment = 16;  // of the whole memory
};
SharedLayout shared_layout(const Kernel& kernel, const std::vector<NamedConstant>& constants);
int64_t shared_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants);

// Bytes of a block's buffers if its threads are loops: shared buffers, and per-thread buffers once
// per thread. INT64_MAX on overflow.
int64_t block_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants);

}  // namespace stencil::kernel
