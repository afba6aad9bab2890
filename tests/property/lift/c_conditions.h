// Random C functions in which much depends on data: conditions with side effects, integers of
// several types, early returns, structures. They have no undefined behaviour on the data that
// random_data() draws, so any compiler gives the same results.
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
  std::string text;         // of the function `f`, in the language that C and C++ share
  std::string call;         // of `void call(void* const* arguments, long, long)` around it
  int rank = 1;             // lengths n, or n and m; arrays of n * m elements
  bool timed = false;       // a parameter `steps`
  Type result = Type::Int;  // of what it returns
  bool returns = false;
  bool reduces = false;         // a maximum or a count over all points, which it returns
  std::vector<Scalar> scalars;  // beside the lengths and steps
  std::vector<Array> arrays;
  std::vector<double> constants;  // of the text
};

// `call` takes the arrays, then n, m, steps, the scalars, and where the result goes, by address.
ConditionalCode conditional_code(uint64_t seed);

// The name in C and the size in bytes.
const char* name_of(ConditionalCode::Type type);
int size_of(ConditionalCode::Type type);

}  // namespace stencil::property
