// Random stencil programs as loops in C and C++, in the styles in which such codes are written, for
// the way back: what the lifter makes of a text must be the program that it was written from.
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
// What becomes of the buffers of a field with levels at the end of a step.
enum class Turns { Swap, Parity, Shift };
// Where the components of a field are.
enum class Packing { Apart, First, Last };

struct CStyle {
  Layout layout = Layout::Linear;
  Turns turns = Turns::Swap;
  Packing packing = Packing::Apart;
  bool buffered = false;  // fields of one level, too, have two buffers that take turns
  bool oldest = false;    // the new level replaces the oldest one, where points allow it
  bool chain = false;     // a function is one nest with conditions, not one for each piece
  bool in_place = false;  // where no point reads another one that the function writes
  bool shifted = false;   // counters begin at 0, wherever the grid does
  bool helpers = false;   // functions for the edges
  bool restricted = false;
  bool pragmas = false;  // of OpenMP
  int time = 0;          // which kind of time loop
  bool cpp() const { return layout >= Layout::Vector; }
};
CStyle random_style(Random& random);
std::string describe(const CStyle& style);

struct CArray {
  std::string name;
  Scalar type = Scalar::F32;
  std::vector<std::string> lengths;  // as C writes them, outermost first
  std::vector<int64_t> extents;
  bool constant = false;
};

// Where a level of a component is: an array, with the subscripts ahead of and behind those of
// space.
struct CLevel {
  int array = 0;
  std::vector<int64_t> before, after;
};

struct CProgram {
  std::string text, extension;
  std::vector<CArray> arrays;
  std::vector<std::string> params;  // by ParamId; "" of those that do not occur
  // Where a level of a field's component is when so many steps are done.
  CLevel place(int field, int component, int level, int64_t steps) const;

  struct FieldPlaces {
    Turns turns = Turns::Swap;
    bool moves = false;     // its buffers take turns
    bool contents = false;  // and what they hold does, not their names
    int buffers = 1;
    std::vector<std::vector<CLevel>> places;  // by buffer and component
  };
  std::vector<FieldPlaces> fields;
};

// What C, or this printer, cannot say.
struct Unsayable {
  std::string what;
};

// `integers`: values of the params, by ParamId, of which the lengths of arrays follow; `steps`: how
// many are run at most, of which follows whether a series is read beyond its ends.
std::variant<CProgram, Unsayable> write_c(const ir::Program& program, const CStyle& style,
                                          const std::vector<int64_t>& integers, int64_t steps,
                                          uint64_t seed);

}  // namespace stencil::property
