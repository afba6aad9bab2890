// The kernel IR: what one thread block does, in a form that every C-like target can print.
//
//   module    = constants kernels plan
//   kernel    = global buffers and scalars (its arguments), buffers of the block and of its
//   threads,
//               body
//   statement = comment | let | store | copy | commit | await | for | if | threads | barrier
//             | shuffle | bulk copies | await bulk | scope
//   expr      = integer | real | bool | variable | operation | load
//
// The body runs once per thread block with the variable `block` (I64, 0 .. number of blocks - 1:
// the launch is one-dimensional, so that no target's limit on a second dimension matters). What the
// threads of a block do in parallel stands inside `Threads` statements, which bind `thread_x`,
// `thread_y`, ... (I32, kThreadNames); everything outside them is uniform over the block. A
// `Barrier` stands between two Threads statements when the second reads what the first wrote to
// shared memory. On a GPU a Threads statement is just a scope; on a CPU it is a loop nest over the
// threads, and barriers vanish. Per-thread buffers live from one Threads statement to the next;
// lets do not. A `Shuffle` hands per-thread values to neighbouring threads; like a barrier it
// stands between Threads statements. So do `BulkCopies`, which a block makes as a whole.
//
// A kernel with threads {1,1,1} and no shared buffers is an ordinary function: host-side loops
// (initial values, the plain sweeps that emitted programs check themselves against) use the same
// IR.
//
// This layer knows nothing of stencils or schedules.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/support/scalar.h"
#include "compiler/support/shape.h"

namespace stencil::kernel {

// --- Expressions: immutable, shared
// ---------------------------------------------------------------

struct ExprNode;
using Expr = std::shared_ptr<const ExprNode>;
using BufferId = int;  // into Kernel::buffers

struct IntegerLiteral {
  int64_t value;
};  // of type Bool (0/1), I32 or I64
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
Expr boolean(bool value);
Expr real(double value, Scalar type);
Expr variable(std::string name, Scalar type = Scalar::I32);
Expr load(BufferId buffer, std::vector<Expr> index, Scalar type);
Expr convert(Expr value, Scalar type);  // nothing to do if it already has the type
// Integer operations on literals are folded, and x+0, x*1, x*0, `and`/`or`/select with a literal
// condition are simplified; float arithmetic is left as it is. Comparisons and And/Or/Not give
// Bool; other results have the type of the last operand.
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
Expr zero(Scalar type);                     // of any type, storage types included

// --- Statements
// --------------------------------------------------------------------------------------

struct Statement;
using Body = std::vector<Statement>;

// Unrolled: written out by the target's compiler. Steps: a few alike parts of a body (sequence.h),
// from one literal to another; written out where threads keep values from one to the next in
// registers, a loop where they do not. Rolled: a loop that compilers are told to leave one.
enum class LoopKind { Serial, Unrolled, Steps, Rolled };
struct Comment {
  std::string text;
};  // one line, or several separated by \n
struct Let {
  std::string name;
  Expr value;
  // A Bool for each value of which the rest of the body is compiled, where the target's language
  // can: so it costs nothing to ask inside of loops.
  bool cases = false;
};  // constant until the end of the enclosing body
struct Store {
  BufferId buffer;
  std::vector<Expr> index;
  Expr value;
};
// `count` elements that lie side by side in the last dimension of both buffers, which are of one
// type. Both places are aligned to `count` elements, so that a target may move them at once.
struct Copy {
  BufferId to;
  std::vector<Expr> to_index;  // of the first element
  BufferId from;
  std::vector<Expr> from_index;
  int count;
  bool async = false;  // Global to Shared: may take effect any time up to an AwaitCopies
};
struct CommitCopies {};  // ends a batch of this thread's async copies
struct AwaitCopies {     // until at most `pending` of this thread's batches are under way
  int pending;
};
struct For {  // for (name = begin; name < end; name += step), name is I32 (I64 if begin is)
  LoopKind kind;
  std::string name;
  Expr begin, end;
  int64_t step = 1;
  Body body;
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
  std::optional<int64_t> most = {};  // iterations at most, where that is known
  // On what there is anything to do in it, which the loops around it decide; null: always.
  Expr condition = nullptr;
};
struct Threads {
  Body body;
  bool few = false;  // of a row of threads, few have anything to do: no case for vectors
  // Where threads are loops (Kernel::thread_loops): the loops around the body, outermost first, and
  // on what there is anything to do at all, the same for all threads. Besides their names, those of
  // dimensions of one thread are bound, to 0.
  std::vector<Expr> conditions = {};
  std::vector<ThreadLoop> loops = {};
};
struct Barrier {};
// Every thread takes per-thread values of others in its row (the threads that differ in thread_x
// alone): `to` of thread_x is `from` of thread_x + lane, or its own `from` where there is no such
// thread. For every name = 0 .. count-1. No move reads what another one writes. A row has a power
// of two of at most 32 threads.
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
// Boxes of Global buffers that the block sends for and that arrive in shared memory on their own,
// at any time up to the AwaitBulk of the same batch. Batches are numbered from 0 and use the slots
// of a ring in turn (batch % Kernel::bulk_slots): every batch is begun once and awaited once, in
// order and before the kernel ends, and one is begun only when what its slot held before has been
// read, with a barrier in between. Elements outside of the buffer arrive as zeros.
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
struct AwaitBulk {  // for all threads
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

// The variables that tell a thread from the others of its block, by dimension.
constexpr std::array<const char*, kMaxRank> kThreadNames = {
    "thread_x", "thread_y", "thread_z", "thread_w", "thread_v", "thread_u", "thread_s", "thread_r"};

// --- Kernels
// ------------------------------------------------------------------------------------------

// Block: values that are the same for all threads of a block, stored to outside of Threads.
enum class Space { Global, Shared, Block, Thread };

struct Buffer {
  std::string name;
  Scalar type;  // storage types: loads convert (arithmetic_type), stores take a value of the type
  Space space;
  // Global: any I32/I64 expression of constants and scalars; others: literals or constants.
  // Row-major; no extents: a single value (Thread only).
  std::vector<Expr> extents;
  bool read_only = false;  // Global: never stored to by this kernel
  bool wide = false;       // Global: element offsets may pass 2^31, so they are computed in I64
  std::string comment;     // printed beside the declaration; may be empty
  int alignment = 16;      // Shared: of its first element, in bytes
  bool zeroed = false;     // Thread: holds zeros when the kernel begins
  // Thread, where threads are loops: one Threads statement alone uses it, so it lives inside of the
  // loops. Other buffers of threads have a place per thread there: leading dimensions, those of
  // Kernel::threads but for dimensions of one thread, outermost first.
  bool local = false;
};

// What hardware that copies boxes asks for (CUDA Programming Guide, "Tensor Memory Access").
constexpr int kBulkAlignment = 128;  // bytes: where a box arrives in shared memory
constexpr int kBulkUnit = 16;        // bytes: rows of the array and of the box are multiples of it
constexpr int kBulkExtent = 256;     // elements of a box per dimension, at most

// Boxes of one size out of one Global buffer of 2 or 3 dimensions. Targets with bulk copies take a
// description of it as a further argument of the kernel, after the scalars, in this order; others
// do without.
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
  std::string name;             // C identifier, unique in the module
  std::string comment;          // what it does, for the reader of the output
  std::vector<Buffer> buffers;  // the Global ones are arguments, in this order, then the scalars
  std::vector<ScalarArgument> scalars;
  Shape threads;
  int min_blocks = 0;  // launch-bounds hint: resident blocks per multiprocessor; 0: none
  std::vector<BulkSource> bulk_sources;
  int bulk_slots = 0;  // batches of bulk copies that may be under way or in use; 0: there are none
  // The threads of a block are loops, one Threads statement after the other. So there is nothing to
  // wait for: no barriers, shuffles, bulk or async copies.
  bool thread_loops = false;
  Body body;
};

// Hardware numbers the threads of a block in three dimensions: those of z and beyond share the
// third, z running fastest.
std::array<int, 3> hardware_threads(const Kernel& kernel);

struct NamedConstant {  // constexpr int size_x = 512;  // comment
  std::string name;
  Scalar type;
  int64_t value;
  std::string comment;
};

// Where the shared memory of a kernel is, in bytes from its start. Behind the buffers lies a word
// of 8 bytes per slot of bulk copies, by which a target tells what has arrived.
struct SharedLayout {
  std::vector<int64_t> offsets;  // by BufferId; 0 for buffers of other spaces
  int64_t bulk_words = 0;
  int64_t bytes = 0;   // in all
  int alignment = 16;  // of the whole
};
SharedLayout shared_layout(const Kernel& kernel, const std::vector<NamedConstant>& constants);
int64_t shared_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants);

// What the buffers of a block take where its threads are loops: shared ones, and per-thread ones
// once for each thread. The largest number there is if they overflow.
int64_t block_bytes(const Kernel& kernel, const std::vector<NamedConstant>& constants);

}  // namespace stencil::kernel
