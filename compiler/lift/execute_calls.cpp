// Calls. Functions of the program are executed inline, and functions of the math library become
// operators. Every other call counts as a side effect, and the lifter refuses it within loops.
// Before the time loop, the result of such a call is unknown; the lifter refuses only code that
// uses the result.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "compiler/lift/executor.h"

namespace stencil::lifter {

namespace {

// The name of a math function in the language, or "".
std::string math_name(std::string name) {
  static const std::set<std::string> kNames = {
      "sqrt",  "exp",   "exp2",  "log",  "log2", "log10", "cbrt",  "hypot", "sin",
      "cos",   "tan",   "asin",  "acos", "atan", "atan2", "sinh",  "cosh",  "tanh",
      "asinh", "acosh", "atanh", "erf",  "erfc", "pow",   "floor", "ceil",  "round",
      "trunc", "fma",   "fabs",  "fmin", "fmax", "abs",   "min",   "max"};
  if (name == "min" || name == "max") return "";  // min and max without std:: are unknown functions
  if (name.rfind("std::", 0) == 0) name = name.substr(5);
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  if (kNames.count(name) > 0) return name;
  if (!name.empty() && name.back() == 'f' && kNames.count(name.substr(0, name.size() - 1)) > 0) {
    return name.substr(0, name.size() - 1);
  }
  if (name == "labs" || name == "llabs") return "abs";
  return "";
}

// One name for isnan and its variants, one for isinf, and so on; "" for other functions.
std::string classification(std::string name) {
  for (const char* prefix : {"std::", "__builtin_", "__"}) {
    const size_t size = std::strlen(prefix);
    if (name.rfind(prefix, 0) == 0) name = name.substr(size);
  }
  const bool single = name == "isnanf" || name == "isinff" || name == "finitef";
  if (single) name.pop_back();
  if (name == "finite") name = "isfinite";
  static const std::set<std::string> kNames = {"isnan", "isinf", "isinf_sign", "isfinite"};
  return kNames.count(name) > 0 ? name : "";
}

// The reason why the language has no counterpart of a math function, or null.
const char* no_counterpart(std::string name) {
  if (name.rfind("std::", 0) == 0) name = name.substr(5);
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  if (!name.empty() && name.back() == 'f' && name != "modf") name.pop_back();
  if (name == "copysign" || name == "signbit")
    return "the sign of a NaN has no counterpart in the language";
  if (name == "fmod" || name == "remainder" || name == "modf" || name == "remquo")
    return "the language has no remainder of floating-point numbers";
  if (name == "rint" || name == "nearbyint" || name == "lrint" || name == "llrint")
    return "the language has no rounding of halves to even";
  return nullptr;
}

// Whether this name is a function of <math.h> without a counterpart in the language.
bool is_missing(std::string name) {
  static const std::set<std::string> kNames = {
      "fmod",   "remainder", "remquo",     "rint",   "nearbyint", "lrint",   "llrint",
      "lround", "llround",   "log1p",      "expm1",  "lgamma",    "tgamma",  "copysign",
      "fdim",   "ldexp",     "frexp",      "modf",   "scalbn",    "scalbln", "ilogb",
      "logb",   "nextafter", "nexttoward", "nan",    "j0",        "j1",      "jn",
      "y0",     "y1",        "yn",         "sincos", "exp10",     "pow10",   "lerp"};
  if (name.rfind("std::", 0) == 0) name = name.substr(5);
  if (name.rfind("__builtin_", 0) == 0) name = name.substr(10);
  if (kNames.count(name) > 0) return true;
  const bool suffix = !name.empty() && (name.back() == 'f' || name.back() == 'l');
  return suffix && kNames.count(name.substr(0, name.size() - 1)) > 0;
}

bool is_allocation(const std::string& name) {
  return name == "malloc" || name == "calloc" || name == "aligned_alloc" || name == "std::malloc";
}

}  // namespace

// Whether calling a function that is not in the file has no side effects.
bool Executor::is_pure(const std::string& name) {
  static const std::set<std::string> kPure = {
      "std::size",     "std::extent",    "__builtin_huge_val", "__builtin_huge_valf",
      "__builtin_inf", "__builtin_inff", "__builtin_expect",   "__builtin_unreachable"};
  return !math_name(name).empty() || kPure.count(name) > 0 || !classification(name).empty();
}

void Executor::bind_parameters(const CFunction& function, const CNode& n) {
  std::vector<std::pair<std::string, Value>> values;
  std::vector<std::pair<int, LValue>> aliases;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const int variable = function.parameters[i];
    const CVariable& v = tree_.variables[variable];
    const CTypeInfo* type = type_of(v.type);
    if (i >= n.children.size())
      refuse("C021", n, fmt::format("'{}' is called with too few arguments", function.name));
    if (type->kind == CTypeInfo::Kind::Reference) {
      LValue bound = place(n.children[i]);
      if (bound.kind == LValue::Kind::None) {  // a temporary
        bound.kind = LValue::Kind::Cell;
        bound.path = fmt::format("v{}", variable);
        bound.type = type->of;
        values.emplace_back(bound.path, eval(n.children[i]));
      }
      aliases.emplace_back(variable, bound);
    } else if (type->kind == CTypeInfo::Kind::Struct) {
      LValue to{LValue::Kind::Cell, fmt::format("v{}", variable), {}, v.type, ""};
      const LValue from = place(n.children[i]);
      assign_object(to, from, n);
    } else {
      values.emplace_back(fmt::format("v{}", variable), eval(n.children[i]));
    }
  }
  for (auto& [path, value] : values) cells_[path] = value;
  for (auto& [variable, bound] : aliases) aliases_[variable] = bound;
}

Value Executor::call_function(const CNode& n) {
  const int index = static_cast<int>(n.integer);
  const CFunction& function = tree_.functions[index];
  if (calls_.count(index) > 0) refuse("C021", n, fmt::format("'{}' calls itself", function.name));
  if (calls_.size() > 60) refuse("C021", n, "calls are nested too deeply");
  const std::map<int, LValue> outer = aliases_;
  bind_parameters(function, n);
  calls_.insert(index);
  call_sites_.push_back(static_cast<int>(&n - tree_.nodes.data()));
  trail_.push_back(fmt::format("c{}", call_sites_.back()));
  returned_ = unknown(fmt::format("the return value of '{}'", function.name));
  returned_place_ = {};
  const Flow flow = in_scope(Flow::Return, function.body);
  trail_.pop_back();
  call_sites_.pop_back();
  calls_.erase(index);
  aliases_ = outer;
  if (flow == Flow::Break || flow == Flow::Continue) {
    refuse("C015", n, fmt::format("'{}' leaves a loop of its caller", function.name));
  }
  return returned_;
}

// Makes a returned structure an object of the call.
void Executor::return_object(int type, int value) {
  const std::string path = fmt::format("(returned{})", call_sites_.back());
  Cells of_value;
  std::swap(of_value, cells_);
  for (const auto& [cell, content] : of_value) {
    if (cell.rfind(path, 0) != 0) cells_[cell] = content;
  }
  initialise(path, type, value);
  returned_place_ = {LValue::Kind::Cell, path, {}, type, ""};
  returned_ = unknown("a structure");
}

LValue Executor::place_of_call(const CNode& n) {
  if (n.integer >= 0) {
    (void)call_function(n);
    if (returned_place_.kind != LValue::Kind::None) return returned_place_;
  }
  LValue out;
  out.why = fmt::format("the return value of '{}'", n.text);
  return out;
}

Value Executor::eval_swap(const CNode& n) {
  const LValue a = place(n.children[0]), b = place(n.children[1]);
  const auto swappable = [&](const LValue& of) {
    const CTypeInfo* type = type_of(of.type);
    return of.kind == LValue::Kind::Cell && type != nullptr &&
           (type->kind == CTypeInfo::Kind::Pointer || type->kind == CTypeInfo::Kind::Sequence ||
            type->kind == CTypeInfo::Kind::Scalar);
  };
  if (!swappable(a) || !swappable(b))
    refuse("C021", n, "a swap of objects other than pointers and scalars");
  const Value first = read_cell(a), second = read_cell(b);
  cell_types_[a.path] = a.type;
  cell_types_[b.path] = b.type;
  cells_[a.path] = second;
  cells_[b.path] = first;
  return unknown("the value of a swap");
}

Value Executor::library_call(const CNode& n) {
  const std::string name = math_name(n.text);
  const CScalar type = scalar_of(n.type);
  std::vector<X> args;
  for (int child : n.children) args.push_back(scalar(child));
  if ((name == "min" || name == "max") && args.size() == 2) {
    X less = name == "min" ? pool_.binary("<", args[1], args[0], CScalar::I32)
                           : pool_.binary("<", args[0], args[1], CScalar::I32);
    if (const auto known = decide_as_it_is(less)) return scalar_value(*known ? args[1] : args[0]);
    if (in_nest_ && is_integer(args[0]->type)) {
      if (X choice = choice_of_index(less, args[1], args[0])) return scalar_value(choice);
    }
    if (const auto known = decide(less)) return scalar_value(*known ? args[1] : args[0]);
    if (is_floating(args[0]->type)) return scalar_value(pool_.call(name, args, args[0]->type));
    return scalar_value(pool_.select(less, args[1], args[0]));
  }
  if (name == "abs" && args.size() == 1 && is_integer(type)) {
    X negative = pool_.binary("<", args[0], pool_.integer(0, args[0]->type), CScalar::I32);
    X minus = pool_.unary("-", args[0], type);
    if (in_nest_ && !decide_as_it_is(negative)) {
      if (X choice = choice_of_index(negative, minus, args[0])) return scalar_value(choice);
    }
    if (const auto known = decide(negative)) return scalar_value(*known ? minus : args[0]);
    return scalar_value(pool_.select(negative, minus, args[0]));
  }
  for (X& arg : args) {
    // std::fmin(float, double) computes in double
    const bool promoted = is_floating(type) && arg->type == CScalar::F32;
    if (is_integer(arg->type) || promoted) arg = pool_.cast(arg, type);
    if (arg->type != type)
      return unknown(fmt::format("a call of '{}' with arguments of another type", n.text));
  }
  return scalar_value(pool_.call(name == "fabs" ? "abs" : name, args, type));
}

// isnan(x) becomes x != x. The other functions compare x with the largest finite number. glibc's
// isinf also returns the sign of the infinity.
Value Executor::classified(const CNode& n, const std::string& name) {
  X x = scalar(n.children[0]);
  const CScalar result = scalar_of(n.type);
  if (x->kind == XKind::Unknown || result == CScalar::None) return unknown("'" + n.text + "'");
  if (is_integer(x->type)) return scalar_value(pool_.integer(name == "isfinite", result));
  if (name == "isnan")
    return scalar_value(pool_.cast(pool_.binary("!=", x, x, CScalar::I32), result));
  const double most = x->type == CScalar::F32
                          ? static_cast<double>(std::numeric_limits<float>::max())
                          : std::numeric_limits<double>::max();
  X largest = pool_.real(most, x->type);
  X size = pool_.call("abs", {x}, x->type);
  if (name == "isfinite")
    return scalar_value(pool_.cast(pool_.binary("<=", size, largest, CScalar::I32), result));
  X infinite = pool_.binary(">", size, largest, CScalar::I32);
  if (name == "isinf") return scalar_value(pool_.cast(infinite, result));
  X below = pool_.binary("<", x, pool_.real(0, x->type), CScalar::I32);
  X sign = pool_.select(below, pool_.integer(-1), pool_.integer(1));
  return scalar_value(pool_.cast(pool_.select(infinite, sign, pool_.integer(0)), result));
}

// a.size(), a[0].size(), a.extent(1): the length of an array, as a symbol. The children of
// std::extent are the mdspan, the dimension in memory order and the dimension as written in C.
Value Executor::length_of(const CNode& n) {
  const LValue of = place(n.children[0]);
  const CTypeInfo* type = type_of(of.type);
  const bool extent = n.text == "std::extent";
  if (!extent && type != nullptr && type->extent >= 0)
    return scalar_value(pool_.integer(type->extent, CScalar::U64));
  Pointer whole = of.element;
  size_t dimension = of.element.subscripts.size();
  if (of.kind == LValue::Kind::Cell) {
    const Value cell = read_cell(of);
    if (cell.kind != Value::Kind::Pointer) return unknown("a size that is not known");
    whole = cell.pointer;
    dimension = 0;
  } else if (of.kind != LValue::Kind::Element) {
    return unknown("the size of a container");
  }
  if (extent) dimension = static_cast<size_t>(node(n.children[1]).integer);
  if (whole.array < 0) return unknown("a size that is not known");
  ArrayInfo& array = out_.arrays[whole.array];
  if (dimension >= array.extents.size()) return unknown("a size that is not known");
  X& known = array.extents[dimension];
  if (known == nullptr) {
    const std::string number = dimension == 0 ? "" : fmt::format("_{}", dimension);
    std::string c_expression = array.c_expression;
    for (size_t d = 0; d < dimension && !extent; ++d) c_expression += "[0]";
    c_expression += extent ? fmt::format(".extent({})", node(n.children[2]).integer) : ".size()";
    known = symbol_named(array.name + "_size" + number, c_expression, array.variable,
                         extent ? scalar_of(n.type) : CScalar::U64);
  }
  return scalar_value(pool_.cast(known, scalar_of(n.type)));
}

Value Executor::eval_call(const CNode& n) {
  if (n.integer >= 0) return call_function(n);
  const std::string& name = n.text;
  if ((name == "std::swap" || name == "swap") && n.children.size() == 2) return eval_swap(n);
  if (name == "std::size" || name == "std::extent") return length_of(n);
  static const std::set<std::string> kInfinite = {"__builtin_huge_val", "__builtin_huge_valf",
                                                  "__builtin_inf", "__builtin_inff"};
  if (kInfinite.count(name) > 0)
    return scalar_value(pool_.real(std::numeric_limits<double>::infinity(), scalar_of(n.type)));
  const std::string math = math_name(name);
  if (!math.empty() && scalar_of(n.type) != CScalar::None) return library_call(n);
  if (name == "__builtin_assume_aligned" && !n.children.empty()) return eval(n.children[0]);
  if (name == "free" || name == "std::free") return unknown("nothing");
  if (is_allocation(name)) {
    // The result is a local allocation with unknown initial contents.
    return {Value::Kind::Pointer,
            nullptr,
            {-1,
             {},
             fmt::format("(*allocated{})",
                         trail_.size() * 100000 + static_cast<size_t>(&n - tree_.nodes.data())),
             n.type},
            ""};
  }
  if (const std::string kind = classification(name); !kind.empty() && n.children.size() == 1)
    return classified(n, kind);
  const char* reason = no_counterpart(name);
  const std::string what =
      reason != nullptr ? fmt::format("a call of '{}': {}", name, reason)
      : is_missing(name)
          ? fmt::format("a call of '{}', which has no counterpart in the language", name)
          : fmt::format("a call of '{}', which is not in the file", name);
  if (in_nest_ || in_time_) {
    refuse("C021", n, what,
           is_missing(name)
               ? "express it with functions of the language, or move it out of the loop"
               : "its effects are unknown: move it out of the loop, or lift only the loop");
  }
  for (int child : n.children) may_change(node(child), eval(child), n);
  const std::string left_out =
      fmt::format("the call of '{}' is not part of the program (line {})", name, where(n).line);
  if (std::find(out_.assumptions.begin(), out_.assumptions.end(), left_out) ==
      out_.assumptions.end()) {
    out_.assumptions.push_back(left_out);
  }
  return unknown(what);
}

// Invalidates what a call of an unknown function may change through an argument, or refuses the
// call.
void Executor::may_change(const CNode& argument, const Value& value, const CNode& call) {
  const CTypeInfo* type = type_of(argument.type);
  if (type == nullptr || scalar_of(argument.type) != CScalar::None) return;
  const CTypeInfo* target = type->of >= 0 ? type_of(type->of) : type;
  if (target->constant || target->text.find("FILE") != std::string::npos) return;
  const bool pointer = value.kind == Value::Kind::Pointer;
  if (pointer && value.pointer.array < 0 && is_local(value.pointer.path)) {
    const std::string& path = value.pointer.path;
    for (auto& [cell, content] : cells_) {
      if (cell.rfind(path, 0) == 0)
        content = unknown(
            fmt::format("the value of '{}' after the call of '{}'", c_expression(cell), call.text));
    }
    if (cells_.count(path) == 0)
      cells_[path] = unknown(fmt::format("a value that the call of '{}' changes", call.text));
    return;
  }
  const bool opaque =
      target->kind == CTypeInfo::Kind::Other || target->kind == CTypeInfo::Kind::Struct;
  if (!pointer && opaque && argument.kind != CKind::Cast)
    return;                                     // an opaque object that the region does not use
  if (argument.kind == CKind::Unknown) return;  // a string
  refuse("C021", call,
         fmt::format("'{}' is not in the file and may change its arguments", call.text),
         "mark only the loops with #pragma scop and #pragma endscop");
}

}  // namespace stencil::lifter
