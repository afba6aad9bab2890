// The functions and structures that an emitted file offers, independent of a language. The driver
// and the C header print them in C; the Fortran module prints them as interfaces
// (fortran_module.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/emit/text.h"
#include "compiler/kernel/plan.h"

namespace stencil::emit {

struct Member {
  std::string name;
  std::variant<Scalar, std::string> type;  // a string: the name of another structure
  int elements = 0;                        // more than 0: an array with this many elements
  std::string comment = {};
};

struct Structure {
  std::string name, comment;
  std::vector<Member> members;
};

struct Argument {
  enum class Kind {
    Elements,   // a pointer to the elements of an array of the plan: float*
    Slots,      // pointers to the copies of an array, between which its levels rotate: float**
    Value,      // a number, passed by value
    Structure,  // a pointer to a structure
    Pointers,   // an array of untyped pointers
    Stream,     // a queue of a GPU
  };
  Kind kind;
  std::string name;
  Scalar type = Scalar::I64;  // of Elements, Slots and Value
  std::string structure = {};
  // Whether the function reads and writes what the argument points to. For Slots and Pointers these
  // are the pointers themselves.
  bool input = true, output = false;
  // Of Elements: points per dimension, outermost first. Empty if a box determines them.
  std::vector<kernel::Expr> extents = {};
  bool known_extents = false;  // all extents are numbers
  // Of Slots: the name of the constant that says how many.
  std::string slots = {};
};

struct EntryPoint {
  std::string name;
  std::vector<Argument> arguments;
  std::string result = {};  // a structure; empty: NULL or an error message
  bool on_device = false;   // Elements point to memory of the device
};

// "const float* A". A stream has the type `$apiStream_t` (device_text()).
std::string c_argument(const Argument& argument);
// "const float*" of an argument of kind Elements.
std::string c_pointer_type(const Argument& argument);
// "const char* heat_run(float* A, int64_t steps)", with break marks.
std::string c_signature(const EntryPoint& entry);
// A typedef.
void declare_in_c(Text& out, const Structure& structure);

}  // namespace stencil::emit
