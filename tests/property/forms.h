// Expression forms as tables: a new operation needs only a new row.
#pragma once

#include <string>
#include <vector>

namespace stencil::property {

// A text with holes, each a $ and a letter:
//   $x  a floating-point expression      $r  an access in floating point   $u  a literal below 1
//   $i  a small integer                  $n  the name of an index          $o  a comparison
//   $c  a condition
//   $C $N $T  comprehensions: along an axis, of two names, with a table    $L  a local value
//   $F  a call of a function               $a  a profile, read at the point or beside it
//   $p  the position of the point     $d  a dimension
//   $P  values of points
// The following holes have the same value at all points:
//   $s  a series      $S  a series of integers
//   $U  a floating-point expression      $I  an integer below 1000     $D  a condition
// A form is not drawn if one of its holes cannot be filled.
struct Form {
  int weight;
  std::string text;
  const char* construct = nullptr;  // its row in the coverage table, or null
  bool nests() const;               // has expressions as operands
};

const std::vector<Form>& floating_forms();  // most values are about as large as their operands
const std::vector<Form>& condition_forms();
const std::vector<Form>& integer_forms();  // values below 10^6 in 32 bits, below 10^13 in 64

// Expressions of params, `time` and literals.
const std::vector<Form>& uniform_forms();
const std::vector<Form>& uniform_integer_forms();
const std::vector<Form>& uniform_condition_forms();

}  // namespace stencil::property
