// Forms of expressions, as tables: to let the generator draw a new operation, add a row.
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
// and of what is the same at all points:
//   $P  what points give
//   $s  a series      $S  one of integers
//   $U  in floating point      $I  an integer below 1000     $D  a condition
// A form is not drawn where one of its holes cannot be filled.
struct Form {
  int weight;
  std::string text;
  const char* construct = nullptr;  // its row in the coverage table, if it has one
  bool nests() const;               // has expressions as operands
};

const std::vector<Form>& floating_forms();  // about as large as their operands, mostly
const std::vector<Form>& condition_forms();
const std::vector<Form>& integer_forms();  // below 10^6 in 32 bits, below 10^13 in 64

// Of params, `time` and literals.
const std::vector<Form>& uniform_forms();
const std::vector<Form>& uniform_integer_forms();
const std::vector<Form>& uniform_condition_forms();

}  // namespace stencil::property
