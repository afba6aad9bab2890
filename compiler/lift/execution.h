// The result of symbolically executing a region of C: the arrays, the loop nests of a time step,
// and the stores of each nest.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// The time of a load is kEpoch times the number of earlier nests, plus the number of earlier stores
// in the same nest.
constexpr int64_t kEpoch = 1000000;

struct CPlace {
  int file = 0, line = 0, column = 0;
};

// Thrown when something cannot be lifted; lift() catches it.
struct Refusal {
  std::string code;
  CPlace place;
  std::string message;
  std::string hint = {};
};

// C023: the language cannot represent the number.
[[noreturn]] void refuse_number(const TooLarge& large, CPlace place);

// A scalar that the region reads but never writes.
struct SymbolInfo {
  std::string name;          // in the program; unique
  std::string c_expression;  // the C expression that reads it: "s->dt", "*dt"
  CScalar type = CScalar::I32;
  int variable = -1;                  // the root of `c_expression` in the tree
  std::optional<int64_t> value = {};  // the value of a macro or constant in the file
  // If the scalar is an element of an array that the region does not write: the array and the
  // subscripts.
  int array = -1;
  std::vector<int64_t> element = {};
  // The memory object of the scalar, as in ArrayInfo::object. nullopt: a copy that the function
  // owns.
  std::optional<std::string> object = {};
  bool restricted = false;  // reached through a restrict pointer
};

struct ArrayInfo {
  std::string name;          // in the program
  std::string c_expression;  // "A", "s->u"
  CScalar element = CScalar::F64;
  int variable = -1;
  std::vector<X> extents;  // outermost first; null: unknown
  bool linear = false;     // pointer to scalars: C code combines the subscripts into one
  bool rows = false;       // pointers to rows, or nested vectors
  bool sequence = false;   // std::vector and similar owning containers
  bool view = false;       // std::span, mdspan: does not own its elements
  bool local = false;      // allocated in the region
  bool restricted = false;
  bool constant = false;  // const elements
  // The memory object that contains the array. Two parts of one object do not overlap. A pointer or
  // reference leads to a separate object. "" stands for all declared variables, such as globals.
  std::string object;
};

struct Domain {
  int index = -1;
  Poly low, high;
  int64_t stride = 1;
  int direction = 1;  // -1: the loop runs from high to low
  friend bool operator==(const Domain&, const Domain&) = default;
};

struct Store {
  int array = -1;
  std::vector<X> subscripts;
  X value = nullptr;
  std::vector<Domain> domain;  // enclosing loops, outermost first
  CPlace place;
  std::string key;  // identifies the statement; equal in all leaves
  // C stores only if a condition holds: `value` is select(condition, new, old).
  bool guarded = false;
  // The enclosing loops before a domain was split at a condition. If one of them is empty, C never
  // executes the store, even if the sizes violate the requirements of the split.
  std::vector<Domain> unsplit = {};
};

// A loop over space or a single statement. Its domain has one leaf, or several if it was split.
struct Nest {
  // The stores of an iteration, written with the values before the nest. Empty if that is
  // incorrect.
  std::vector<std::vector<Store>> leaves;
  // The same stores, but each store sees the values of earlier stores. Empty if both versions are
  // equal.
  std::vector<std::vector<Store>> ordered;
  CPlace place;
  int64_t epoch = 0;  // number of the nest
};

struct Rotation {  // the array that a pointer means before and after a step
  int before = -1, after = -1;
};

// A sum, maximum, ... over the loops of a nest.
struct SumInfo {
  std::vector<Domain> domain;  // outermost first
  CPlace place;
  int64_t epoch = 0;  // of the nest
  std::string name;   // of the variable, in the program
};
struct Reduction {
  std::string name, op;
  X value = nullptr;
  Store point;  // an array that the reduction reads at each point, and the enclosing loops
  int64_t epoch = 0;
  bool after = false;    // reads the values after the nest, not those before it
  bool in_step = false;  // the step itself reads the result
};

// A source or a receiver: a statement at grid points given by data or params.
struct PointStatement {
  Store store;  // in a loop over the point numbers, or in no loop
  int64_t epoch = 0;
  bool record = false;  // stores grid values by step; otherwise the statement changes the grid
};

// The final value of a scalar outside of the region, or the return value.
struct Left {
  std::string c_expression;  // "": the return value
  CScalar type = CScalar::I32;
  X value = nullptr;  // an expression of symbols, reductions and the outcome; null: unknown
  // A variable of the function around the region; the name is its C expression.
  bool variable = false;
};

// An early exit such as `if (n < 3) return -1;`. The program requires the opposite of the
// condition. A caller that replaces the original must return if the condition holds.
struct Exit {
  X condition = nullptr;  // over symbols
  X returned = nullptr;   // null: void or unknown
  std::vector<Left> left;
};

struct Execution {
  std::vector<SymbolInfo> symbols;
  std::vector<ArrayInfo> arrays;
  std::vector<std::string> index_names;
  std::vector<Nest> nests;  // nests of one step
  bool timed = false;       // there is a time loop
  X steps = nullptr;        // number of iterations of the time loop
  X first = nullptr;        // value of the counter in the first step
  // C takes a step even if `steps` < 1; the program requires steps >= 1.
  bool at_least_once = false;
  std::vector<Rotation> rotations;
  X stop = nullptr;  // if true after a step, the time loop ends
  std::map<X, SumInfo> sums;
  std::vector<PointStatement> points;
  std::vector<Reduction> reductions;                    // in the order of execution in a step
  std::vector<std::pair<X, std::string>> requirements;  // each with its reason
  std::vector<Poly> facts;  // polynomials that are >= 0 because of the requirements
  std::vector<std::string> assumptions;
  std::vector<Left> left;
  std::vector<Exit> exits;  // in the order in which C tests them
  // Results of the original that the program does not compute, in words.
  std::vector<std::string> dropped;
  bool zeros_open =
      false;     // fmax(x, m) may return either of two equal zeros in C, the program keeps m
  CPlace place;  // of the time loop
};

struct ExecuteOptions {
  // Keep ghost cells that are copies, for callers that use the whole arrays.
  bool keep_ghosts = false;
  // A loop with at most this number of iterations is unrolled, unless it is a loop over space.
  int unroll = 32;
  std::vector<std::string> params = {};  // macros and constants that become symbols
};

// Throws Refusal.
Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options);

}  // namespace stencil::lifter
