// What running a region of C symbolically gives: the arrays, the loops over space that a step of
// the time loop consists of, and what each of them writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

struct CPlace {
  int file = 0, line = 0, column = 0;
};

// Thrown where something cannot be lifted, caught by lift().
struct Refusal {
  std::string code;
  CPlace place;
  std::string message;
  std::string hint = {};
};

// A scalar that the region reads and nobody writes.
struct SymbolInfo {
  std::string name;  // for the program, distinct
  std::string in_c;  // the expression that reads it: "s->dt", "*dt"
  CScalar type = CScalar::I32;
  int variable = -1;                  // of the tree, by which it is reached
  std::optional<int64_t> value = {};  // of a macro or constant: what it is in the file
};

struct ArrayInfo {
  std::string name;  // for the program
  std::string in_c;  // "A", "s->u"
  CScalar element = CScalar::F64;
  int variable = -1;
  std::vector<X> extents;  // outermost first; null: not known
  bool linear = false;     // a pointer to scalars: subscripts are one sum
  bool rows = false;       // of pointers to rows, or vectors of vectors
  bool sequence = false;   // std::vector and the like, which own their elements
  bool view = false;       // std::span, mdspan: of elements of others
  bool local = false;      // made in the region
  bool restricted = false;
  bool constant = false;  // const elements
};

struct Domain {
  int index = -1;
  Poly low, high;
  int64_t stride = 1;
  int direction = 1;  // -1: from high to low
};

struct Store {
  int array = -1;
  std::vector<X> subscripts;
  X value = nullptr;
  std::vector<Domain> domain;  // loops around it, outermost first
  CPlace place;
  std::string key;  // of the statement, the same in all leaves
};

// A loop over space (or a single statement), in one leaf or several for parts of its domain.
struct Nest {
  // All stores of an iteration as of the values before the nest; empty where that is not known.
  std::vector<std::vector<Store>> leaves;
  // The same with each store as of the values that the stores ahead of it left, where that differs.
  std::vector<std::vector<Store>> ordered;
  CPlace place;
  int64_t epoch = 0;  // nests are numbered
};

struct Rotation {  // a pointer of the time loop: which array it means before a step and after it
  int before = -1, after = -1;
};

struct Execution {
  std::vector<SymbolInfo> symbols;
  std::vector<ArrayInfo> arrays;
  std::vector<std::string> index_names;
  std::vector<Nest> nests;  // of a step
  bool timed = false;       // there is a time loop
  X steps = nullptr;        // how often it runs
  X first = nullptr;        // the value of its counter in the first step
  std::vector<Rotation> rotations;
  X stop = nullptr;                                     // a condition that ends it after a step
  std::vector<std::pair<X, std::string>> requirements;  // and why
  std::vector<Poly> facts;                              // at least 0, as the requirements say
  std::vector<std::string> assumptions;
  std::vector<std::string> left_behind;  // scalars that C sets and the program does not, in C
  CPlace place;                          // of the time loop
};

struct ExecuteOptions {
  int unroll = 32;  // loops of at most as many iterations, known, that are no loops over space
  std::vector<std::string> params = {};  // macros and constants that are symbols
};

// Throws Refusal.
Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options);

}  // namespace stencil::lifter
