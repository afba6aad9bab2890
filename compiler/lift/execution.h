// What running a region of C symbolically gives: the arrays, the loops over space that a step of
// the time loop consists of, and what each of them writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/expr.h"

namespace stencil::lifter {

// When an element was read: the number of the nest ahead of it times kEpoch, plus the number of
// stores of its own nest ahead of it.
constexpr int64_t kEpoch = 1000000;

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

// C023: the language has no such number.
[[noreturn]] void refuse_number(const TooLarge& large, CPlace place);

// A scalar that the region reads and nobody writes.
struct SymbolInfo {
  std::string name;  // for the program, distinct
  std::string in_c;  // the expression that reads it: "s->dt", "*dt"
  CScalar type = CScalar::I32;
  int variable = -1;                  // of the tree, by which it is reached
  std::optional<int64_t> value = {};  // of a macro or constant: what it is in the file
  // An element that nobody writes, of an array that may be a field, too: its subscripts.
  int array = -1;
  std::vector<int64_t> element = {};
  // Where it is in memory, as ArrayInfo::object; nothing: it is a copy that the function owns.
  std::optional<std::string> object = {};
  bool restricted = false;  // reached by a pointer that is `restrict`
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
  // The object that it is a part of: two parts of one object do not overlap. A pointer or reference
  // leads to an object of its own; "": all that is declared, such as globals.
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
  std::vector<Domain> domain;  // loops around it, outermost first
  CPlace place;
  std::string key;  // of the statement, the same in all leaves
  // C stores only where a condition holds: `value` is select(condition, what it stores, the old).
  bool guarded = false;
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

// A sum, a largest value, ... over the loops of a nest.
struct SumInfo {
  std::vector<Domain> domain;  // outermost first
  CPlace place;
  int64_t epoch = 0;  // of the nest
  std::string name;   // for the program, of the variable
};
struct Reduction {
  std::string name, op;
  X value = nullptr;
  Store point;  // an array that is read at each point, and the loops
  int64_t epoch = 0;
  bool after = false;    // of the values that the nest leaves, not of those that it finds
  bool in_step = false;  // the step reads it
};

// A source or a receiver: a statement at places that are data or params.
struct PointStatement {
  Store store;  // in a loop over the numbers of points, or in none
  int64_t epoch = 0;
  bool record = false;  // of the grid, by step; else it changes the grid
};

// What a scalar outside of the region holds afterwards, or what the function returns.
struct Left {
  std::string in_c;  // "": the value returned
  CScalar type = CScalar::I32;
  X value = nullptr;      // of symbols, reductions and the outcome; null: not known
  bool variable = false;  // of the function that a region is in, by its name
};

// `if (n < 3) return -1;`, where the program asks for the opposite: whoever calls the program in
// the place of the original returns as that does.
struct Exit {
  X condition = nullptr;  // of symbols
  X returned = nullptr;   // null: nothing, or not known
  std::vector<Left> left;
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
  X stop = nullptr;  // a condition that ends it after a step
  std::map<X, SumInfo> sums;
  std::vector<PointStatement> points;
  std::vector<Reduction> reductions;                    // in the order of a step
  std::vector<std::pair<X, std::string>> requirements;  // and why
  std::vector<Poly> facts;                              // at least 0, as the requirements say
  std::vector<std::string> assumptions;
  std::vector<Left> left;
  std::vector<Exit> exits;  // in the order in which they are asked
  // What the original hands to its caller and the program does not compute: in words.
  std::vector<std::string> dropped;
  bool zeros_open = false;  // fmax(x, m): of equal zeros C may keep any, the program keeps m
  CPlace place;             // of the time loop
};

struct ExecuteOptions {
  bool keep_ghosts = false;  // ghost cells stay, as copies: for who takes the whole arrays
  int unroll = 32;  // loops of at most as many iterations, known, that are no loops over space
  std::vector<std::string> params = {};  // macros and constants that are symbols
};

// Throws Refusal.
Execution execute(const CTree& tree, Pool& pool, const ExecuteOptions& options);

}  // namespace stencil::lifter
