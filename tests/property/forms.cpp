#include "tests/property/forms.h"

namespace stencil::property {

bool Form::nests() const {
  for (size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    if (std::string("xcCNTLFUID").find(text[at + 1]) != std::string::npos) return true;
  }
  return false;
}

const std::vector<Form>& floating_forms() {
  static const std::vector<Form> kForms = {
      {30, "$r"},
      {9, "$u * $r"},
      {5, "alpha * $r", "real param"},
      {2, "beta * $r", "double param"},
      {2, "$r / gamma", "division by a param"},
      {1, "(0.1 * alpha - 1 / gamma) * $r", "params with literals"},
      {1, "select(alpha < 0.4 and gamma > 2, $x, -$x)", "choice by a param"},
      {1, "(alpha * (1 + alpha / 3) * $x)", "params with literals"},
      {1, "fma(alpha, alpha, 0.3 / gamma) * $x", "params with literals"},
      {1, "(0.001 * gamma / sqrt(alpha) - $x)", "function of params"},
      {1, "0.125 * m", "integer param"},
      {4, "derived_real * $r", "derived param"},
      {3, "derived_double * $r", "derived param"},
      {1, "0.125 * derived_integer", "derived integer param"},
      {1, "group.a * $r", "param that is a structure"},
      {1, "float(group.b[0] - 0.1 * group.b[1]) * $r", "param that is a structure"},
      {4, "-($r)"},
      {2, "0.015625 * time", "time"},
      {4, "0.01 * $n"},
      {3, "0.005 * $p", "position"},
      {1, "0.25 * spacing($d) * $r", "reading the spacing"},
      {1, "(0.01 * origin($d) - $x)", "reading the origin"},
      {6, "($x * $x)"},
      {5, "($x - $x)"},
      {5, "select($c, $x, $x)", "select"},
      {1, "select($c, 1/2, 0) * $x", "select of literals"},
      {1, "0.5 * real($c)", "number of a condition"},
      {3, "sqrt(abs$x)", "sqrt"},
      {2, "rsqrt(1.5 + abs$x)", "rsqrt"},
      {4, "$x / (2 + abs($r))", "division"},
      {3, "fma($r, 0.5, $x)", "fma"},
      {2, "fma($x, $r, -$x)", "fma"},
      {4, "floor(4 * $r) / 4", "floor, ceil"},
      {1, "ceil(8 * $r) * 0.125", "floor, ceil"},
      {2, "round(4 * $x) / 4", "round, trunc"},
      {1, "trunc(8 * $r) * 0.125", "round, trunc"},
      {2, "0.125 * sign$x", "sign"},
      {2, "pow($x, 2)", "power of products"},
      {1, "pow(1.5 + abs$x, -3)", "power of products"},
      {1, "0.25 * pi * $r", "pi"},
      {1, "$x * (1 + lshr($i - 5, 28) % 3)", "logical shift"},
      {1, "$x * (1 + lshr(0x7F - $i, $i) % 0b11)", "logical shift"},
      {2, "(0.1 * time + $x) * 0.5", "weak value"},
      {1, "1.0 / ($n - $n + 3) * $x", "weak value"},
      {1, "select(0.1 * time < 0.3, $x, sqrt(time))", "weak value"},
      {2, "(random(integer($i), time, 7) - 0.5) * $x", "random"},
      {1, "0.5 * random(time, $i)", "random"},
      {4, "min($x, $x)", "min, max"},
      {3, "max($x, $r, $x)", "min, max"},
      {2, "0.5 * double$x", "conversion to double"},
      {2, "0.5 * float$x", "conversion to float"},
      {2, "$x * (1 + $i % 3)", "promotion"},
      {3, "$a * $x", "profile"},
      {2, "0.5 * $a", "profile"},
      {1, "$P * $x", "points"},
      {2, "$x + $P", "points"},
      {2, "$s * $r", "series"},
      {10, "min(max(0.01 * $t, -1), 1) * $x", "reduction in the step"},
      {5, "select($t $o 0.5, $x, $r)", "reduction in the step"},
      {5, "$C"},
      {2, "$N"},
      {6, "$T"},
      {8, "$L", "let"},
      {8, "$F", "function at an offset"},
      {3, "max(-1.0, min($U, 1.0)) * $x", "uniform expression"},
      {2, "max(-1.0, min($U, 1.0))", "uniform expression"},
      {2, "fma(max(-1.0, min($U, 1.0)), $x, 1 / (1 + abs$U))", "uniform expression"},
      {1, "select($D, $x, $x)", "uniform condition"},
  };
  return kForms;
}

const std::vector<Form>& condition_forms() {
  static const std::vector<Form> kForms = {
      {8, "$r $o $r"},
      {2, "$r > 0.25"},
      {1, "$i $o $i", "integer comparison"},
      {1, "time % 2 == 0", "time"},
      {1, "$n % 3 != 1"},
      {3, "$M", "congruence of coordinates"},
      {1, "$p $o 2.5", "position"},
      {1, "$c and $c", "and, or, not"},
      {1, "$c or $c", "and, or, not"},
      {1, "not $c", "and, or, not"},
      {1, "$D", "uniform condition"},
      {4, "$b", "condition of a field"},
      {2, "not $b", "condition of a field"},
  };
  return kForms;
}

// No operation overflows, because the language leaves out-of-range results open.
const std::vector<Form>& integer_forms() {
  static const std::vector<Form> kForms = {
      {4, "$i * 2"},
      {2, "$i * $i", "integer product"},
      {2, "($i & $i)", "integer bits"},
      {2, "($i ^ ~$i)", "integer bits"},
      {2, "($i | 3)", "integer bits"},
      {2, "($i << 1)", "integer shifts"},
      {2, "($i >> $i)", "integer shifts"},
      {2, "(($i << $i) & 255)", "integer shifts"},
      {2, "($i / 3)", "integer division"},
      {2, "($i / ($i - 1))", "integer division"},  // may divide by zero, which gives 0, or by -1
      {2, "($i % ($i + 1))", "integer division"},
      {1, "($i / integer($x))", "integer division by a converted float"},
      {1, "($i % integer($x))", "integer division by a converted float"},
      {2, "select($c, $i, $i)", "integer select"},
      {2, "min($i, $i, 5)", "integer min, max"},
      {1, "max($i, -($i))", "integer min, max"},
      {1, "abs($i)", "integer abs"},
      {1, "sum(q in 1..3 : $i >> q)", "integer comprehension"},
      {1, "integer($c)", "number of a condition"},
      {2, "$I", "uniform integer"},
      {1, "select($D, $i, $I)", "uniform condition"},
  };
  return kForms;
}

// Operations with the same bits in all libraries, in all their types.
const std::vector<Form>& uniform_forms() {
  static const std::vector<Form> kForms = {
      {3, "alpha"},
      {2, "beta"},
      {2, "gamma"},
      {4, "0.125 * time"},
      {2, "0.25 * m"},
      {2, "$s", "series"},
      {1, "$u"},
      {3, "0.0625 * $I"},
      {3, "$U + $U"},
      {3, "$U - $U"},
      {4, "$U * $U"},
      {4, "$U / (0.5 + abs$U)"},
      {2, "$U / gamma"},
      {3, "sqrt(abs$U)"},
      {1, "rsqrt(1 + abs$U)"},
      {2, "fma($U, $U, $U)"},
      {2, "-$U"},
      {1, "floor$U"},
      {1, "ceil$U"},
      {2, "min($U, $U)"},
      {2, "max($U, $U, 0.25)"},
      {4, "select($D, $U, $U)"},
      {1, "real$D"},
      {1, "double$U"},
      {1, "float$U"},
  };
  return kForms;
}

const std::vector<Form>& uniform_integer_forms() {
  static const std::vector<Form> kForms = {
      {6, "time"},
      {3, "m"},
      {2, "$S", "series of integers"},
      {2, "($I + $I) % 997"},
      {2, "($I - $I) % 997"},
      {2, "$I * $I % 997"},
      {2, "$I / $I"},  // may divide by zero, which gives 0
      {2, "$I % (time - 2)"},
      {1, "($I & 255) ^ ($I & 127)"},
      {1, "($I << 2) % 997"},
      {1, "$I >> time"},
      {2, "long$I * 40961 % 991"},
      {2, "integer(8 * $U) % 97"},
      {2, "select($D, $I, $I)"},
      {1, "min($I, $I)"},
      {1, "abs$I"},
      {1, "integer$D"},
  };
  return kForms;
}

const std::vector<Form>& uniform_condition_forms() {
  static const std::vector<Form> kForms = {
      {3, "time % 3 == 1"}, {2, "gamma > 2"}, {4, "$U $o $U"}, {4, "$I $o $I"},
      {1, "$D and $D"},     {1, "$D or $D"},  {1, "not $D"},
  };
  return kForms;
}

}  // namespace stencil::property
