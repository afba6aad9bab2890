// The result of symbolically executing a region of C: the arrays, the loop nests of a time step and
// what each of them writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// The time of a load: the number of nests before it times kEpoch, plus the number of stores before
// it in its own nest.
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

// A scalar that the region reads and never writes.
struct SymbolInfo {
  std::string name;          // in the program; unique
  std::string c_expression;  // the C expression that reads it: "s->dt", "*dt"
  CScalar type = CScalar::I32;
  int variable = -1;                  // in the tree; the root of `c_expression`
  std::optional<int64_t> value = {};  // value in the file, for a macro or constant
  // For an element of an array that the region does not write: the array and the subscripts.
  int array = -1;
  std::vector<int64_t> element = {};
  // Its memory object, as in ArrayInfo::object; nullopt: a copy owned by the function.
  std::optional<std::string> object = {};
  bool restricted = false;  // reached through a restrict pointer
};

struct ArrayInfo {
  std::string name;          // in the program
  std::string c_expression;  // "A", "s->u"
  CScalar element = CScalar::F64;
  int variable = -1;
  std::vector<X> extents;  // outermost first; null: unknown
  bool linear = false;     // pointer to scalars: subscripts are combined into one
  bool rows = false;       // pointers to rows, or nested vectors
  bool sequence = false;   // std::vector and similar owning containers
  bool view = false;       // std::span, mdspan: does not own its elements
  bool local = false;      // allocated in the region
  bool restricted = false;
  bool constant = false;  // const elements
  // The memory object that the array is part of. Two parts of one object do not overlap. A pointer
  // or reference leads to an object of its own; "" is everything that is declared, such as globals.
  std::string object;
};

struct Domain {
  int index = -1;
  Poly low, high;
  int64_t stride = 1;
  int direction = 1;  // -1: from high to low
  friend bool operator==(const Domain&, const Domain&) = default;
};

struct Store {
  int array = -1;
  std::vector<X> subscripts;
  X value = nullptr;
  std::vector<Domain> domain;  // enclosing loops, outermost first
  CPlace place;
  std::string key;  // identifies the statement in all leaves
  // C stores only if a condition holds: `value` is select(condition, new, old).
  bool guarded = false;
  // The enclosing loops before a domain was split at a condition. If one of them is empty, the
  // store is never executed, even if the sizes violate the requirements of the split.
  std::vector<Domain> unsplit = {};
};

// A loop over space or a single statement. Its domain has one leaf, or several if it was split.
struct Nest {
  // Stores of an iteration in terms of the values before the nest; empty if that is incorrect.
  std::vector<std::vector<Store>> leaves;
  // The same where each store sees the earlier ones, if that differs.
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
  Store point;  // an array that is read at each point, and the enclosing loops
  int64_t epoch = 0;
  bool after = false;    // uses the values after the nest, not before it
  bool in_step = false;  // the step itself reads it
};

// A source or a receiver: a statement at grid points given by data or params.
struct PointStatement {
  Store store;  // in a loop over the point numbers, or in no loop
  int64_t epoch = 0;
  bool record = false;  // records grid values by step; otherwise it changes the grid
};

// The final value of a scalar outside of the region, or the return value.
struct Left {
  std::string c_expression;  // "": the return value
  CScalar type = CScalar::I32;
  X value = nullptr;      // over symbols, reductions and the outcome; null: unknown
  bool variable = false;  // a variable of the function around the region, referred to by name
};

// `if (n < 3) return -1;`, where the program requires the opposite. A caller that replaces the
// original must return under this condition.
struct Exit {
  X condition = nullptr;  // over symbols
  X returned = nullptr;   // null: void or unknown
  std::vector<Left> left;
};

struct Execution {
  std::vector<SymbolInfo> symbols;
  std::vector<ArrayInfo> arrays;
  std::vector<std::string> index_names;
  std::vector<Nest> nests;     // of a step
  bool timed = false;          // there is a time loop
  X steps = nullptr;           // number of iterations of the time loop
  X first = nullptr;           // value of the counter in the first step
  bool at_least_once = false;  // C takes a step even if `steps` is < 1; the program requires >= 1
  std::vector<Rotation> rotations;
  X stop = nullptr;  // ends the time loop after a step
  std::map<X, SumInfo> sums;
  std::vector<PointStatement> points;
  std::vector<Reduction> reductions;                    // in the order of execution in a step
  std::vector<std::pair<X, std::string>> requirements;  // with reasons
  std::vector<Poly> facts;  // polynomials that are >= 0 because of the requirements
  std::vector<std::string> assumptions;
  std::vector<Left> left;
  std::vector<Exit> exits;  // in the order in which they are tested
  // Results of the original that the program does not compute, described in words.
  std::vector<std::string> dropped;
  bool zeros_open =
      false;     // fmax(x, m) may return either of two equal zeros in C, the program keeps m
  CPlace place;  // of the time loop
};

struct ExecuteOptions {
  bool keep_ghosts = false;  // keep ghost cells as copies, for callers that use the whole arrays
  int unroll = 32;  // longest loop, in iterations, that is unrolled unless it is a loop over space
  std::vector<std::string> params = {};  // macros and constants that become symbols
};

// Throws Refusal.
Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options);

}  // namespace stencil::lifter
