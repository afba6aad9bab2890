// What a kernel does, by counting: operations, bytes and barriers of one block.
//
// Counted is the IR as it stands, best that of a target (emit::legalise), for it is what is
// printed. Loops of a known number of iterations are multiplied out; those written out by compilers
// (Unrolled, Steps), iteration by iteration, as their variable decides conditions. A condition that
// is known costs nothing, and one of its sides counts, also where it chooses between values. Where
// the number is not known, or a condition, the counts are those of one iteration, or of each side,
// and whoever asks says how often: for a point and a step, divide by those that a block completes.
//
// Not counted: what compilers take away (an expression that two statements have in common, values
// that loops do not change) or add (registers that do not suffice, conversions of halves), the
// arithmetic of addresses beyond the indices themselves, the steps of loops, and what caches do: a
// byte of global memory counts as often as it is asked for. Nodes that are shared within one
// statement count once.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/kernel/evaluate.h"

namespace stencil::kernel {

// Of one type.
struct FloatOperations {
  double add = 0;  // and subtractions
  double multiply = 0;
  double fma = 0;
  double divide = 0;    // and remainders
  double root = 0;      // and reciprocal ones
  double function = 0;  // exp, log, pow, sin, ...
  double simple = 0;    // min, max, abs, negation, floor, ceil
};

// Counts an operator on floats, so many times, where it belongs.
void add_operation(Op op, FloatOperations& to, double times);
void add_operations(FloatOperations& to, const FloatOperations& other, double times);

struct Bytes {
  double read = 0, written = 0;
};

struct Tally {
  FloatOperations single, real;  // F32, F64
  double integer = 0;            // indices among them
  double compare = 0;            // and, or, not among them
  double select = 0;
  double convert = 0;          // between types of arithmetic
  double shuffle = 0;          // values that a thread takes from another
  double branch = 0;           // conditions that are asked
  double barrier = 0;          // per block, waits for bulk copies among them
  std::array<Bytes, 4> bytes;  // by Space: Global, Shared, Block, Thread

  const Bytes& of(Space space) const { return bytes[static_cast<size_t>(space)]; }
  // Adds another one, so many times.
  void add(const Tally& other, double times = 1);
};

struct Count {
  // A loop of which it is not known how often it runs.
  struct Loop;
  // A condition that is not known.
  struct Choice;

  Tally threads;  // of all threads together, in their parallel sections
  Tally block;    // once per block: what stands outside of them, which a GPU's threads all do
  std::vector<Loop> loops;
  std::vector<Choice> choices;

  // Everything, with so many iterations of each loop, and so large a part of the times (0 to 1)
  // that each condition holds.
  using Iterations = std::function<double(const Loop& loop)>;
  using Share = std::function<double(const Choice& choice)>;
  Count total(const Iterations& iterations, const Share& share) const;
};
struct Count::Loop {
  std::string name;
  Expr begin, end;
  int64_t step = 1;
  std::optional<int64_t> most = {};  // iterations at most, where that is known
  // What one iteration does, added up over all places and times of the loop: `copies` of it are in
  // the code once Unrolled and Steps are written out, and loops of a known number of iterations
  // around them start loops `starts` times.
  Count iteration;
  double copies = 1, starts = 1;
};
struct Count::Choice {
  Expr condition;
  Count then, otherwise;
};

// Per block, with what is known of its variables: params, constants, `block`. Constants of the
// module are known by themselves.
Count count(const Kernel& kernel, const std::vector<NamedConstant>& constants,
            const Environment& known = {});

}  // namespace stencil::kernel
