// From an execution to the text of a program, and what its fields and params are in C.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/order.h"
#include "compiler/lift/shape.h"
#include "compiler/syntax/ast.h"

namespace stencil::lifter {

// What a field's level is in C when the loop begins. After s steps, level k of a field with
// `copies` buffers is where level (k - s) mod copies was.
struct FieldBinding {
  std::string field;
  int level = 0;                    // 0 the newest
  int copies = 1;                   // buffers that trade places with each step
  int array = -1;                   // of the execution
  std::vector<int64_t> subscripts;  // of every dimension: at least 0, or one of kSpace and kSlot
  int64_t slot = -1;                // the subscript at kSlot in the first step
  std::vector<X> extents;           // of every dimension of the array; that of copies: their number
  // Of every dimension: where the field begins and how long it is, if it leaves out ghost cells.
  std::vector<X> lows, lengths;
  std::vector<bool> copied;  // of every dimension: its ghost cells hold copies at the beginning
  bool written = false;
  bool over_time = false;  // the first dimension of space is the step
};
constexpr int64_t kSpace = -1, kSlot = -2;

struct ParamBinding {
  std::string param;
  int symbol = -1;
};

// Where the points of a set lie: in each dimension a constant, plus an element of an array of
// integers for each point.
struct PointSetBinding {
  struct Coordinate {
    int array = -1;                        // none
    X offset = nullptr, stride = nullptr;  // of the element of point 0, and from point to point
    X constant = nullptr;
    X extent = nullptr;  // of the grid
  };
  std::string name;
  X count = nullptr;
  std::vector<Coordinate> place;
  bool given = false;  // by arrays; else the program has an init
};

// A series or a field on points, or a record, in an array of C.
struct PointFieldBinding {
  std::string field, set;
  int array = -1;
  X count = nullptr;
  X offset = nullptr, point_stride = nullptr, time_stride = nullptr;  // null: no steps
  bool written = false;
};

// An assumption that some calls of the original do not meet, though it serves them.
struct Exclusion {
  std::string text;     // "n >= 3", "what 'f' returns"
  bool above = false;   // it keeps a size or another number below something
  bool result = false;  // no condition: a result that the program does not compute
};

struct LiftedProgram {
  std::string text;
  std::vector<FieldBinding> fields;
  std::vector<ParamBinding> params;
  std::vector<PointSetBinding> point_sets;
  std::vector<PointFieldBinding> point_fields;
  X steps = nullptr;                 // null: one
  std::vector<std::string> assumed;  // in sentences
  std::vector<Exclusion> excluded;   // of these, what narrows the use of the program
  int functions = 0;
  std::vector<std::string> reductions;  // names, in the order of the execution
  std::vector<ArrayReach> reaches;      // of arrays whose lengths C does not say
  bool sums = false;                    // sums of floating-point numbers, in another order than C's
  bool sums_in_step = false;            // which arrays depend on
  bool single = false;                  // some sums and powers are computed in float
  bool powers = false;  // products in the place of pow(x, 3): not the last bits of C's
  // A distance that depends on sizes: without their values the text is no program.
  std::optional<Refusal> sized;
};

// The exclusions in a line: "for n >= 3 and m >= n only; without what 'f' returns". "": none.
std::string exclusions(const LiftedProgram& program);

// `title`: what the comment at the top calls the source.
LiftedProgram write_program(Pool& pool, Execution& execution, const std::string& title,
                            const std::string& file, bool keep_ghosts);

}  // namespace stencil::lifter
