// Writes random stencil programs as C and C++ loops in common styles. The program that is lifted
// from the text must compute the same as the original.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/program.h"
#include "tests/property/random.h"

namespace stencil::property {

// How an array is declared and indexed.
enum class Layout { Lengths, Rows, Linear, Vector, Span, Mdspan };
// How the buffers of a field change roles at the end of a step: pointers are swapped, the step
// number selects the buffer, or contents are copied.
enum class Turns { Swap, Parity, Shift };
// Components of a field: in separate arrays, or in the first or last dimension of one array.
enum class Packing { Apart, First, Last };

struct CStyle {
  Layout layout = Layout::Linear;
  Turns turns = Turns::Swap;
  Packing packing = Packing::Apart;
  bool buffered = false;  // fields of one level have ping-pong buffers
  bool oldest = false;    // the new level overwrites the oldest one, if reads permit it
  bool chain = false;     // a function is one loop nest with conditions, not one nest per piece
  bool in_place = false;  // a function writes in place if it reads no other point that it writes
  bool shifted = false;   // counters begin at 0, even if the grid does not
  bool helpers = false;   // boundary rules are functions
  bool restricted = false;
  bool pragmas = false;  // of OpenMP
  int time = 0;          // form of the time loop
  bool cpp() const { return layout >= Layout::Vector; }
};
CStyle random_style(Random& random);
std::string describe(const CStyle& style);

struct CArray {
  std::string name;
  Scalar type = Scalar::F32;
  std::vector<std::string> lengths;  // as C expressions, outermost first
  std::vector<int64_t> extents;
  bool constant = false;
};

// The location of a level of a component: an array, and the subscripts before and after the spatial
// ones.
struct CLevel {
  int array = 0;
  std::vector<int64_t> before, after;
};

struct CProgram {
  std::string text, extension;
  std::vector<CArray> arrays;
  std::vector<std::string> params;  // names by ParamId; "" if unused
  // The location of a level of a component after `steps` steps.
  CLevel place(int field, int component, int level, int64_t steps) const;

  struct FieldPlaces {
    Turns turns = Turns::Swap;
    bool moves = false;     // its buffers change roles
    bool contents = false;  // a swap exchanges their contents, not their names
    int buffers = 1;
    std::vector<std::vector<CLevel>> places;  // by buffer and component
  };
  std::vector<FieldPlaces> fields;
};

// Thrown for a construct that C or this writer cannot express.
struct Unsayable {
  std::string what;
};

// `integers`: values of the params by ParamId, which determine the lengths of arrays. `steps`: the
// most steps of a run, which determine whether a series is read beyond its ends.
std::variant<CProgram, Unsayable> write_c(const ir::Program& program, const CStyle& style,
                                          const std::vector<int64_t>& integers, int64_t steps,
                                          uint64_t seed);

}  // namespace stencil::property
