// Random C functions with much data-dependent control flow: conditions with side effects, integers
// of several types, early returns, structures. On the data drawn by conditions_test.cpp they have
// no undefined behaviour, so all compilers give the same results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/property/random.h"

namespace stencil::property {

struct ConditionalCode {
  enum class Type : uint8_t { Double, Int, Uchar, Long, Unsigned, Char };
  struct Scalar {
    std::string name;  // in C: "mode", "p->k"
    Type type = Type::Int;
    std::vector<double> constants;  // that the code compares it with
  };
  struct Array {
    std::string name;
    Type type = Type::Double;
  };
  std::string text;         // the function `f`, valid as C and as C++
  std::string call;         // `void call(void* const* arguments, long, long)`, which calls it
  int rank = 1;             // 1: arrays of n elements; 2: of n * m
  bool timed = false;       // has a parameter `steps`
  Type result = Type::Int;  // of the returned value
  bool returns = false;
  bool reduces = false;         // returns a maximum or a count over all points
  std::vector<Scalar> scalars;  // parameters other than lengths and steps
  std::vector<Array> arrays;
  std::vector<double> constants;  // in the text
};

// The arguments of `call` are the addresses of the arrays, n, m, steps, the scalars and the result.
ConditionalCode conditional_code(uint64_t seed);

// The name in C and the size in bytes.
const char* name_of(ConditionalCode::Type type);
int size_of(ConditionalCode::Type type);

}  // namespace stencil::property
