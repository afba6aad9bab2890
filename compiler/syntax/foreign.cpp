// The table is small and searched only after an error, so it is neither sorted nor hashed.
#include "compiler/syntax/foreign.h"

#include <algorithm>

namespace stencil {
namespace {

struct WordRow {
  Foreign kind;
  std::string_view words;  // separated by blanks
  std::string_view hint;   // "{}" stands for the word
};

constexpr std::string_view kIndices =
    "the coordinates of the point are named in the region, [i in 0..N-1], or behind the field of "
    "an init, A[i]";
constexpr std::string_view kNoLoops =
    "a stencil is computed at every point of its region, and steps repeat by themselves";
constexpr std::string_view kOutput = "'stencilc run' writes fields: --out A=a.npy, --out A=a.png";
constexpr std::string_view kDifferences =
    "derivatives are written as differences, as in '(A[1] - A[-1])/2'";
constexpr std::string_view kLaplacian =
    "declare a function, 'function lap(u : field) = u[-1] - 2*u[0] + u[1];', and write 'lap(A)'";
constexpr std::string_view kRandom =
    "write 'random(i, seed)' with the name of each index and an integer: a number in [0, 1)";
constexpr std::string_view kNotBuiltIn =
    "not built in; there are exp, log, pow, sqrt, erf, sin, asin, sinh, asinh and similar ones";

constexpr WordRow kWords[] = {
    {Foreign::Value, "PI Pi M_PI", "write 'pi'"},
    {Foreign::Value, "i j k l ii jj kk ix iy iz idx index", kIndices},
    {Foreign::Value, "x y z xx yy zz X Y Z",
     "the coordinate of a point is 'position(i)', with the i of a box [i in ...] or of an init"},
    {Foreign::Value, "dx dy dz hx hy hz",
     "declare it, 'param {} : real = 0.1;', or give the grid a 'spacing' and write 'spacing(0)'"},
    {Foreign::Value, "dt", "declare it: 'param dt : real = 0.1;'"},
    {Foreign::Value, "N M nx ny nz Nx Ny Nz NX NY NZ nt Nt NT",
     "declare it: 'param {} : integer = 64;'"},
    {Foreign::Value, "e E M_E", "write 'exp(1.0)'"},
    {Foreign::Value, "random", kRandom},
    {Foreign::Value, "real float double integer long half",
     "it is a type: a conversion is a call, '{}(x)'"},
    {Foreign::Value, "t step it", "the index of the current step is 'time'"},
    {Foreign::Value, "True TRUE", "write 'true'"},
    {Foreign::Value, "False FALSE", "write 'false'"},
    {Foreign::Value, "nan NaN NAN", "there is no literal for NaN; x != x holds only for NaN"},
    {Foreign::Value, "inf Inf INFINITY", "there is no literal for infinity"},
    {Foreign::Value, "NULL nullptr None nil",
     "values are numbers, and a field has one at each point"},
    {Foreign::Value, "end",
     "there is no word for the last index: write N-1 in a region; reads are relative to the point"},
    {Foreign::Value, "np numpy math std",
     "there are no modules: functions are called by their names alone, 'sin(x)'"},

    {Foreign::Value, "fine coarse", "write the name of a field after it: '{} u[0]'"},

    {Foreign::Function, "fabs fabsf iabs labs", "write 'abs'"},
    {Foreign::Function, "fmax fmaxf maximum amax", "write 'max'"},
    {Foreign::Function, "fmin fminf minimum amin", "write 'min'"},
    {Foreign::Function, "if iif ifelse where merge cond piecewise",
     "write 'select(condition, a, b)'"},
    {Foreign::Function, "fine coarse", "write the field without parentheses: '{} u[0]'"},
    {Foreign::Function, "int int32", "write 'integer(x)'"},
    {Foreign::Function, "int64", "write 'long(x)'"},
    {Foreign::Function, "float32 single", "write 'float(x)'"},
    {Foreign::Function, "float64 dble", "write 'double(x)'"},
    {Foreign::Function, "pi", "'pi' is not a function: omit the parentheses"},
    {Foreign::Function, "clip clamp", "write 'min(max(x, low), high)'"},
    {Foreign::Function, "heaviside step", "write 'select(x >= 0, 1, 0)'"},
    {Foreign::Function, "lerp mix", "write 'a + t*(b - a)'"},
    {Foreign::Function, "abs2", "write 'x*x'"},
    {Foreign::Function, "rand uniform noise drand48", kRandom},
    {Foreign::Function, "randn normal gauss",
     "'random(i, seed)' is uniform in [0, 1): of two such numbers r and s, "
     "'sqrt(-2*log(1 - r))*cos(2*pi*s)' is normal"},
    {Foreign::Function, "shape size len length ndim",
     "sizes are params: 'param N : integer = 64;' and 'grid G = [0..N-1];'"},
    {Foreign::Function, "conv convolve convolve2d correlate",
     "write the sum over the neighbours: 'sum(a in -1..1 : w[a+1] * A[a])'"},
    {Foreign::Function, "cross", "write each component of the product"},
    {Foreign::Function, "nint rint lround anint",
     "write 'round(x)', which rounds halves away from zero"},
    {Foreign::Function, "fix aint", "write 'trunc(x)'"},
    {Foreign::Function, "sgn signum", "write 'sign(x)'"},
    {Foreign::Function, "mod fmod", "for integers write a % b, for reals a - b*floor(a/b)"},
    {Foreign::Function, "sqr square", "write 'x*x'"},
    {Foreign::Function, "arcsin", "write 'asin(x)'"},
    {Foreign::Function, "arccos", "write 'acos(x)'"},
    {Foreign::Function, "arctan", "write 'atan(x)'"},
    {Foreign::Function, "arctan2", "write 'atan2(y, x)'"},
    {Foreign::Function, "tgamma lgamma expm1 log1p j0 j1 y0 y1 sinc", kNotBuiltIn},
    {Foreign::Function, "ln alog dlog logf", "write 'log'"},
    {Foreign::Function, "power powf", "write 'pow(x, y)'"},
    {Foreign::Function, "roll shift circshift cshift",
     "a neighbour is read at its offset, as in A[-1]; 'boundary periodic' wraps around"},
    {Foreign::Function, "mean avg average",
     "divide a sum: 'sum(a in -1..1 : A[a])/3' for neighbours, 'reduce' for all points"},
    {Foreign::Function, "norm norm2 dot",
     "write the products: 'sqrt(v[0]*v[0] + v[1]*v[1])'; for a sum over all points use 'reduce'"},
    {Foreign::Function, "range arange linspace", "a range is written 'low..high', as in '0..N-1'"},
    {Foreign::Function, "time", "'time' is not a function: omit the parentheses"},
    {Foreign::Function, "lap laplace laplacian Laplacian del2", kLaplacian},
    {Foreign::Function,
     "gradient grad div divergence curl rot diff D Dx Dy Dz dx dy dz dxx dyy dzz", kDifferences},
    {Foreign::Function, "zeros ones", "one value stands for all points: 'init A = 0;'"},
    {Foreign::Function, "Eq", "write 'stencil n : F on REGION = expression;'"},
    {Foreign::Function, "print printf disp", kOutput},
    {Foreign::Function, "sum prod min max",
     "over neighbours: 'sum(a in -1..1 : A[a])'; over all points: 'reduce r = sum(A[0]) on G;'"},

    {Foreign::Reducer, "mean avg average", "divide a sum by the number of points"},
    {Foreign::Reducer, "maximum amax", "write 'max'"},
    {Foreign::Reducer, "minimum amin", "write 'min'"},
    {Foreign::Reducer, "norm norm2 l2", "write the square root of a 'sum' of squares"},

    {Foreign::Region, "interior inner inside", "declare it: 'subgrid {} of G = [1..N-2];'"},
    {Foreign::Region, "all domain whole everywhere", "write the name of the grid"},

    {Foreign::Type, "int Integer INTEGER int32 int32_t i32", "write 'integer'"},
    {Foreign::Type, "int64 int64_t i64 size_t", "write 'long'"},
    {Foreign::Type, "float32 single f32 REAL", "write 'float', or 'real'"},
    {Foreign::Type, "float64 f64 real64", "write 'double', or 'real' and --real double"},
    {Foreign::Type, "float16 f16 fp16", "write 'half'"},
    {Foreign::Type, "bfloat16 bf16", "write 'bfloat'"},
    {Foreign::Type, "int8 int8_t i8 char", "write 'byte'"},
    {Foreign::Type, "uint8 uint8_t u8 uchar", "write 'ubyte'"},
    {Foreign::Type, "int16 int16_t i16", "write 'short'"},
    {Foreign::Type, "uint16 uint16_t u16", "write 'ushort'"},
    {Foreign::Type, "boolean logical", "write 'bool'"},
    {Foreign::Type, "bool", "use an integer that is 0 or 1"},  // for a param
    {Foreign::Type, "float2 double2 real2 vec2", "write 'vector 2 of real'"},
    {Foreign::Type, "float3 double3 real3 vec3", "write 'vector 3 of real'"},
    {Foreign::Type, "float4 double4 real4 vec4", "write 'vector 4 of real'"},
    {Foreign::Type, "complex complex64 complex128",
     "use a field of '{ re : real, im : real }' and write products by components"},
    {Foreign::Type, "uint unsigned uint32 uint32_t", "write 'integer', which has a sign"},

    {Foreign::Item, "const var let int float double real integer parameter constexpr auto",
     "a value is declared with its type: 'param N : integer = 16;'"},
    {Foreign::Item, "for while do", kNoLoops},
    {Foreign::Item, "if",
     "an 'if' stands in a block of statements; a choice of values is 'select(condition, a, b)'"},
    {Foreign::Item, "struct typedef class", "write 'type name = { a : real, b : real };'"},
    {Foreign::Item, "def void func fn subroutine", "write 'function f(u : field) = expression;'"},
    {Foreign::Item, "import include use using from", "a program is one file"},
    {Foreign::Item, "program module implicit",
     "a program is a list of items and has no header line"},
    {Foreign::Item, "assert assume", "write 'require condition;'"},
    {Foreign::Item, "initial initialize initialise", "write 'init A = 1;'"},
    {Foreign::Item, "boundary",
     "a boundary is an attribute of its field: 'field A : real on G boundary periodic;'"},
    {Foreign::Item, "print printf disp write output plot save show", kOutput},
    {Foreign::Item, "steps", "steps are an attribute of the grid: 'grid G = [0..N-1] steps 100;'"},
    {Foreign::Item, "vector array", "write 'field A : real on G;'"},

    {Foreign::Member, "dx dy dz dx2 dy2 dz2 dt dt2 laplace", kDifferences},
    {Foreign::Member, "forward", "a stencil gives the new value: 'stencil n : F on REGION = e;'"},
    {Foreign::Member, "backward", "the previous level is 'A@-1[0]'; the field needs 'history 2'"},
};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = 0; at <= words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

bool are_foreign_synonyms(Foreign kind, std::string_view word, std::string_view other) {
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const WordRow& row) {
    return row.kind == kind && has_word(row.words, word) && has_word(row.words, other);
  });
}

std::string hint_for_foreign_word(Foreign kind, std::string_view word) {
  for (const WordRow& row : kWords) {
    const bool function = kind == Foreign::Value && row.kind == Foreign::Function;
    if (row.kind != kind && !function) continue;
    if (!has_word(row.words, word)) continue;
    std::string hint(row.hint);
    if (const size_t hole = hint.find("{}"); hole != hint.npos) hint.replace(hole, 2, word);
    return hint;
  }
  return {};
}

}  // namespace stencil
