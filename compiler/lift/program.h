// Writes an execution as the text of a program and describes how its fields and params map to C.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/lift/order.h"
#include "compiler/lift/shape.h"
#include "compiler/syntax/ast.h"

namespace stencil::lifter {

// The C storage of one level of a field when the loop begins. After s steps, level k of a field
// with `copies` buffers is where level (k - s) mod copies was.
struct FieldBinding {
  std::string field;
  int level = 0;                    // 0 is the newest
  int copies = 1;                   // number of buffers that rotate with each step
  int array = -1;                   // index into Execution::arrays
  std::vector<int64_t> subscripts;  // for each dimension: a constant >= 0, kSpace or kBufferSlot
  int64_t buffer_slot = -1;         // the subscript at kBufferSlot in the first step
  std::vector<X> extents;  // for each dimension of the array; at kBufferSlot the number of buffers
  // For each dimension: first element and length of the field. lows is null if there are no ghost
  // cells.
  std::vector<X> lows, lengths;
  std::vector<bool> copied;  // for each dimension: ghost cells initially hold copies
  bool written = false;
  bool over_time = false;  // the first space dimension is the time step
};
constexpr int64_t kSpace = -1, kBufferSlot = -2;

struct ParamBinding {
  std::string param;
  int symbol = -1;
};

// Positions of a point set: in each dimension a constant, plus an element of an integer array for
// each point.
struct PointSetBinding {
  struct Coordinate {
    int array = -1;                        // -1: no array
    X offset = nullptr, stride = nullptr;  // element of point 0, and distance between points
    X constant = nullptr;
    X extent = nullptr;  // of the grid
  };
  std::string name;
  X count = nullptr;
  std::vector<Coordinate> place;
  bool given = false;  // positions come from arrays; otherwise the program has an init
};

// A series or field on points, or a record, stored in a C array.
struct PointFieldBinding {
  std::string field, set;
  int array = -1;
  X count = nullptr;
  X offset = nullptr, point_stride = nullptr,
    time_stride = nullptr;  // in elements; time_stride is null if it does not depend on the step
  bool written = false;
};

// An assumption that some valid calls of the original do not satisfy.
struct Exclusion {
  std::string text;     // "n >= 3", "the return value of 'f'"
  bool above = false;   // it bounds a size or another number from above
  bool result = false;  // `text` is a result that the program does not compute, not a condition
};

struct LiftedProgram {
  std::string text;
  std::vector<FieldBinding> fields;
  std::vector<ParamBinding> params;
  std::vector<PointSetBinding> point_sets;
  std::vector<PointFieldBinding> point_fields;
  X steps = nullptr;                 // null: one step
  std::vector<std::string> assumed;  // assumptions, as sentences
  std::vector<Exclusion> excluded;   // those that restrict the use of the program
  int functions = 0;
  std::vector<std::string> reductions;  // names, in the order of the execution
  std::vector<ArrayReach> reaches;      // of arrays whose length C does not declare
  bool sums = false;          // floating-point sums are computed in another order than in C
  bool sums_in_step = false;  // and arrays depend on them
  bool single = false;        // some sums and powers are computed in float
  bool powers = false;  // pow(x, 3) is computed as a product, which may differ in the last bits
  // A distance that depends on sizes: the program compiles only if these sizes have values.
  std::optional<Refusal> sized;
};

// The exclusions in one line: "for n >= 3 and m >= n only; without the return value of 'f'". "" if
// there are none.
std::string exclusions(const LiftedProgram& program);

// `title`: the name of the source in the comment at the top.
LiftedProgram write_program(Pool& pool, Execution& execution, const std::string& title,
                            const std::string& file, bool keep_ghosts);

}  // namespace stencil::lifter
