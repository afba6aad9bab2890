// Rows are few and looked at only when there is an error, so nothing is sorted or hashed.
#include "compiler/syntax/foreign.h"

#include <algorithm>
#include <array>
#include <span>

#include "compiler/syntax/messages.h"

namespace stencil {
namespace {

struct WordRow {
  Foreign kind;
  std::string_view words;  // with blanks between them
  std::string_view hint;
};

constexpr std::string_view kIndices =
    "the coordinates of the point are named in the region, [i in 0..N-1], or behind the field of "
    "an init, A[i]";
constexpr std::string_view kNoLoops =
    "a stencil is computed at every point of its region, and steps repeat by themselves";
constexpr std::string_view kNotBuiltIn =
    "not built in; there are exp, log, pow, sqrt, sin, cos, tan and tanh";

constexpr WordRow kWords[] = {
    {Foreign::Value, "pi PI Pi M_PI", "declare it: param pi : real = 3.141592653589793;"},
    {Foreign::Value, "i j k l", kIndices},
    {Foreign::Value, "t step it", "the index of the running step is 'time'"},
    {Foreign::Value, "True TRUE", "write 'true'"},
    {Foreign::Value, "False FALSE", "write 'false'"},
    {Foreign::Value, "nan NaN NAN", "no literal stands for it; x != x holds for NaN only"},
    {Foreign::Value, "inf Inf INFINITY", "no literal stands for it"},

    {Foreign::Function, "fabs fabsf iabs labs", "write 'abs'"},
    {Foreign::Function, "fmax fmaxf maximum amax", "write 'max'"},
    {Foreign::Function, "fmin fminf minimum amin", "write 'min'"},
    {Foreign::Function, "if iif where merge cond", "write 'select(condition, a, b)'"},
    {Foreign::Function, "int trunc", "write 'integer(x)'"},
    {Foreign::Function, "round nint rint", "write 'floor(x + 0.5)'"},
    {Foreign::Function, "sign sgn", "write 'select(x < 0, -1, 1)'"},
    {Foreign::Function, "mod fmod", "of integers it is a % b; of reals a - b*floor(a/b)"},
    {Foreign::Function, "sqr square", "write 'x*x'"},
    {Foreign::Function, "log10", "write 'log(x)/log(10.0)'"},
    {Foreign::Function, "log2", "write 'log(x)/log(2.0)'"},
    {Foreign::Function, "sinh", "write '(exp(x) - exp(-x))/2'"},
    {Foreign::Function, "cosh", "write '(exp(x) + exp(-x))/2'"},
    {Foreign::Function, "asin acos atan atan2 erf cbrt hypot", kNotBuiltIn},
    {Foreign::Function, "sum prod min max",
     "over neighbours: 'sum(a in -1..1 : A[a])'; over all points: 'reduce r = sum(A[0]) on G;'"},

    {Foreign::Reducer, "mean avg average", "divide a sum by the number of points"},
    {Foreign::Reducer, "maximum amax", "write 'max'"},
    {Foreign::Reducer, "minimum amin", "write 'min'"},
    {Foreign::Reducer, "norm l2", "it is the root of a 'sum' of squares"},

    {Foreign::Type, "int Integer INTEGER int32 int32_t i32", "write 'integer'"},
    {Foreign::Type, "int64 int64_t i64 size_t", "write 'long'"},
    {Foreign::Type, "float32 single f32 REAL", "write 'float', or 'real'"},
    {Foreign::Type, "float64 f64 real64", "write 'double', or 'real' and --real double"},
    {Foreign::Type, "float16 f16 fp16", "write 'half'"},
    {Foreign::Type, "bfloat16 bf16", "write 'bfloat'"},
    {Foreign::Type, "bool boolean logical", "an integer of 0 and 1 serves"},
    {Foreign::Type, "float2 float3 float4 double2 double3 double4 real2 real3 real4",
     "write 'vector 3 of real'"},

    {Foreign::Item, "const var let int float double real integer parameter constexpr auto",
     "a value is declared with its type: 'param N : integer = 16;'"},
    {Foreign::Item, "for while do", kNoLoops},
    {Foreign::Item, "if", "a choice is part of a value: 'select(condition, a, b)'"},
    {Foreign::Item, "struct typedef class", "write 'type name = { a : real, b : real };'"},
    {Foreign::Item, "def void func fn", "write 'function f(u : field) = expression;'"},
    {Foreign::Item, "import include use using", "a program is one file"},
    {Foreign::Item, "steps", "the steps stand behind the grid: 'grid G = [0..N-1] steps 100;'"},
    {Foreign::Item, "vector array", "write 'field A : real on G;'"},

    {Foreign::Boundary, "dirichlet Dirichlet fixed zero value",
     "write 'constant 0', with the value beyond the edge"},
    {Foreign::Boundary, "neumann Neumann edge nearest replicate", "write 'clamp'"},
    {Foreign::Boundary, "reflect reflecting symmetric reflective", "write 'mirror'"},
    {Foreign::Boundary, "wrap cyclic circular", "write 'periodic'"},
};

using grammar::box_close;
using grammar::bracket_close;
using grammar::call_close;
using grammar::end;
using grammar::paren_close;

template <typename... Rules>
constexpr std::array<std::string_view, sizeof...(Rules)> kDue = {kExpectation<Rules>.expected...};

constexpr std::span<const std::string_view> kAnything = {};

constexpr std::string_view kUnequal = "'not equal' is written '!='";
constexpr std::string_view kWholeValue = "a stencil gives the whole new value, as in 'A[0] + 1'";
constexpr std::string_view kSelect = "a choice is written 'select(condition, a, b)'";

struct TokenRow {
  std::string_view token;
  char before;  // 0: whatever
  std::span<const std::string_view> due;
  std::string_view hint;
};

// The first row that fits counts.
const TokenRow kTokens[] = {
    {"&", '&', kAnything, "the logical operator is written 'and'"},
    {"|", '|', kAnything, "the logical operator is written 'or'"},
    {"*", '*', kAnything, "a power is written 'x*x', or 'pow(x, y)'"},
    {"+", '+', kAnything, kWholeValue},
    {"=", '+', kAnything, kWholeValue},
    {"=", '-', kAnything, kWholeValue},
    {"=", '*', kAnything, kWholeValue},
    {"=", '/', kAnything, kUnequal},
    {">", '<', kAnything, kUnequal},
    {"=", 0, kDue<end, grammar::grid_end, paren_close, call_close>, "equality is written '=='"},
    {"=", 0, kDue<grammar::colon>, "a type comes first, as in 'param N : integer = 16;'"},
    {"?", 0, kAnything, kSelect},
    {"if", 0, kDue<end, paren_close, call_close>, kSelect},
    {"\"", 0, kAnything, "there are no strings"},
    {"#", 0, kAnything, "a comment begins with '//'"},
    {":", 0, kDue<box_close>, "a range is written 'low..high'; both ends belong to it"},
    {":", 0, kDue<bracket_close>,
     "a read has one offset per dimension; neighbours are added up by 'sum(a in -1..1 : A[a])'"},
    {".", '.', kAnything, "a range has two dots: 'low..high'"},
    {"in", 0, kDue<box_close>, "only the boxes of stencils and reductions name their indices"},
    {"let", 0, kDue<grammar::body_close>, "local values come first in a body"},
    {"let", 0, kDue<grammar::primary>,
     "local values stand in a body: '{ let x = 1; [0..N-1] = x; }'"},
    {"[", 0, kDue<grammar::primary>, "several values stand in braces: '{1, 2}'"},
    {"[", 0, kDue<grammar::keyword<grammar::on_>>,
     "a field has no extents: its grid has; for several values a point write 'vector 3 of real'"},
    {"(", 0, kDue<grammar::assign>,
     "the names of indices stand in brackets, as in 'init A[i] = i;'"},
    {"<", 0, kDue<grammar::primary>, "a vector is written 'vector 3 of real'"},
    {"periodic", 0, kDue<end>, "write 'boundary periodic'"},
    {"clamp", 0, kDue<end>, "write 'boundary clamp'"},
    {"mirror", 0, kDue<end>, "write 'boundary mirror'"},
};

}  // namespace

std::string_view hint_for_foreign_word(Foreign kind, std::string_view word) {
  for (const WordRow& row : kWords) {
    const bool function = kind == Foreign::Value && row.kind == Foreign::Function;
    if (row.kind != kind && !function) continue;
    for (size_t at = 0; at <= row.words.size();) {
      const size_t end = std::min(row.words.find(' ', at), row.words.size());
      if (row.words.substr(at, end - at) == word) return row.hint;
      at = end + 1;
    }
  }
  return {};
}

std::string_view hint_for_foreign_token(std::string_view token, char before,
                                        std::string_view expected) {
  for (const TokenRow& row : kTokens) {
    if (row.token != token || (row.before != 0 && row.before != before)) continue;
    const bool due = std::find(row.due.begin(), row.due.end(), expected) != row.due.end();
    if (due || row.due.empty()) return row.hint;
  }
  return {};
}

}  // namespace stencil
