// Static counts of what a kernel does: operations, bytes and barriers of one block.
//
// The counts are those of the IR as given. Pass the IR that was legalized for a target
// (emit::legalise), because targets print that form. Loops with a known trip count are multiplied
// out. Loops that compilers unroll (Unrolled, Steps) are counted iteration by iteration, because
// conditions in them may depend on the loop variable. If a condition, also that of a select, is
// known, it costs nothing and only the taken side counts. If a trip count or condition is unknown,
// the result holds the counts of one iteration, or of each side, and the caller supplies the trip
// count or probability. For counts per point and step, divide by the point updates that a block
// completes.
//
// Not counted: what compilers remove (common subexpressions of two statements, loop invariants) or
// add (spills, conversions of halves), address arithmetic beyond the indices themselves, loop
// increments, and caches: a byte of global memory counts each time it is requested. Nodes shared
// within one statement count once.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/evaluate.h"

namespace stencil::kernel {

// Operations on one floating-point type.
struct FloatOperations {
  double add = 0;  // and subtractions
  double multiply = 0;
  double fma = 0;
  double divide = 0;    // including remainders
  double root = 0;      // including reciprocal roots
  double function = 0;  // exp, log, pow, sin, ...
  double simple = 0;    // min, max, abs, negation, floor, ceil
};

// Adds `times` executions of a floating-point operator to the matching counter.
void add_operation(Op op, FloatOperations& to, double times);
void add_operations(FloatOperations& to, const FloatOperations& other, double times);

struct Bytes {
  double read = 0, written = 0;
};

struct Tally {
  FloatOperations single, real;  // F32, F64
  double integer = 0;            // including index arithmetic
  double compare = 0;            // excluding `and`, `or`
  double select = 0;
  double convert = 0;          // between arithmetic types
  double shuffle = 0;          // values that a thread takes from another thread
  double branch = 0;           // evaluated conditions
  double barrier = 0;          // per block, including waits for bulk copies
  std::array<Bytes, 4> bytes;  // by Space: Global, Shared, Block, Thread

  const Bytes& of(Space space) const { return bytes[static_cast<size_t>(space)]; }
  // Adds `other`, `times` times.
  void add(const Tally& other, double times = 1);
};

struct Count {
  // A loop with an unknown trip count.
  struct Loop;
  // An unknown condition.
  struct Choice;

  Tally threads;  // parallel sections, summed over all threads
  Tally block;    // code outside the parallel sections, once per block; each GPU thread executes it
  std::vector<Loop> loops;
  std::vector<Choice> choices;

  // The sum of all counts, given the trip count of each loop and the probability (0 to 1) that each
  // condition holds.
  using Iterations = std::function<double(const Loop& loop)>;
  using Share = std::function<double(const Choice& choice)>;
  Count total(const Iterations& iterations, const Share& share) const;
};
struct Count::Loop {
  std::string name;
  Expr begin, end;
  int64_t step = 1;
  std::optional<int64_t> most = {};  // upper bound of the trip count, if known
  // Counts of one iteration, summed over all places and executions of the loop. `copies` is the
  // number of copies in the code after Unrolled and Steps loops are unrolled. `starts` is the
  // number of times that enclosing loops with known trip counts start the loop.
  Count iteration;
  double copies = 1, starts = 1;
};
struct Count::Choice {
  Expr condition;
  Count then, otherwise;
};

// Counts of one block. `known` gives values of its variables: params, constants, `block`. Constants
// of the module need not be given.
Count count(const Kernel& kernel, const std::vector<NamedConstant>& constants,
            const Environment& known = {});

}  // namespace stencil::kernel
