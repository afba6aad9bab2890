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

// The C storage of one level of a field at the beginning of the loop. If a field has `copies`
// buffers, level k after s steps is in the storage that level (k - s) mod copies had at the
// beginning.
struct FieldBinding {
  std::string field;
  int level = 0;   // 0 is the newest
  int copies = 1;  // number of buffers that rotate with each step
  int array = -1;  // index into Execution::arrays
  // For each dimension of the array: a constant >= 0, kSpace or kBufferSlot.
  std::vector<int64_t> subscripts;
  int64_t buffer_slot = -1;  // the value of the subscript kBufferSlot in the first step
  std::vector<X> extents;  // for each dimension of the array; at kBufferSlot the number of buffers
  // For each dimension: first element and length of the field. Without ghost cells, lows is null.
  std::vector<X> lows, lengths;
  // For each dimension: the sign with which ghost cells initially hold copies of points, or 0.
  std::vector<int> copied;
  bool written = false;
  bool over_time = false;  // the first space dimension is the time step
};
constexpr int64_t kSpace = -1, kBufferSlot = -2;

struct ParamBinding {
  std::string param;
  int symbol = -1;
};

// Positions of a point set. In each dimension, a position is a constant plus, if given, an element
// of an integer array.
struct PointSetBinding {
  struct Coordinate {
    int array = -1;                        // -1: no array
    X offset = nullptr, stride = nullptr;  // element of point 0, and distance between points
    X constant = nullptr;
    X extent = nullptr;  // of the grid in this dimension
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
  // In elements; time_stride is null if the element does not depend on the step.
  X offset = nullptr, point_stride = nullptr, time_stride = nullptr;
  bool written = false;
};

// An assumption that some valid calls of the original violate.
struct Exclusion {
  std::string text;    // "n >= 3", "the return value of 'f'"
  bool above = false;  // the condition limits a number, such as a size, from above
  // `text` names a result that the program does not compute; it is not a condition.
  bool result = false;
};

struct LiftedProgram {
  std::string text;
  std::vector<FieldBinding> fields;
  std::vector<ParamBinding> params;
  std::vector<PointSetBinding> point_sets;
  std::vector<PointFieldBinding> point_fields;
  X steps = nullptr;                 // null: one step
  std::vector<std::string> assumed;  // assumptions, as sentences
  std::vector<Exclusion> excluded;   // the assumptions that restrict the use of the program
  int functions = 0;
  std::vector<std::string> reductions;  // names, in the order of the execution
  std::vector<ArrayReach> reaches;      // for arrays whose length C does not declare
  bool sums = false;          // floating-point sums are computed in another order than in C
  bool sums_in_step = false;  // arrays depend on such sums
  bool single = false;        // the program computes some sums and powers in float
  bool powers = false;  // pow(x, 3) is computed as a product, which may differ in the last bits
  // Set if a distance depends on sizes: the program compiles only if these sizes have values.
  std::optional<Refusal> sized;
};

// The exclusions in one line, such as "for n >= 3 and m >= n only; without the return value of
// 'f'". "" if there are no exclusions.
std::string exclusions(const LiftedProgram& program);

// `title`: the name of the C source, for the comment at the top.
LiftedProgram write_program(Pool& pool, Execution& execution, const std::string& title,
                            const std::string& file, bool keep_ghosts);

}  // namespace stencil::lifter
