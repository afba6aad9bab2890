// Generates a function that replaces the original. The emitted entry points take dense arrays,
// newest level first, and return the newest level in the first array. The original leaves the
// newest level in a buffer that depends on the number of steps. So the generated function swaps
// buffer contents after the run.
#include "runtime/api/lift_replace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "runtime/api/lift_cpp_text.h"

namespace stencil::api {

using lifter::CTypeInfo;
using lifter::FieldBinding;
using lifter::X;
using lifter::XKind;

namespace {

class Replacement {
 public:
  Replacement(const lifter::Lifted& lifted, const std::string& name, const std::string& emitted,
              bool device)
      : lifted_(lifted),
        tree_(lifted.tree),
        name_(name),
        emitted_(emitted),
        has_params_(emitted.find(name + "_default_params(void)") != std::string::npos),
        device_(device) {
    std::set<std::string> taken;
    for (const auto& variable : tree_.variables) taken.insert(variable.name);
    for (const auto& variable : tree_.variables) {
      if (!is_cpp_keyword(variable.name)) continue;
      std::string other = variable.name + "_";
      while (taken.count(other) > 0) other += "_";
      taken.insert(other);
      renamed_[variable.name] = other;
    }
  }

  Result<DropIn> run() {
    const auto& entry = tree_.functions[tree_.entry];
    if (entry.member) return refused("it is a member of a class");
    if (!tree_.region && !entry.scope.empty())
      return refused(fmt::format("'{}{}' is in a namespace or a class", entry.scope, entry.name));
    if (!lifted_.program.point_sets.empty())
      return refused("it has sources or receivers, whose positions are in separate arrays");
    const bool returns = type(entry.result).kind != CTypeInfo::Kind::Void;
    bool known = false;
    for (const lifter::Left& left : lifted_.execution.left) {
      if (left.c_expression.empty()) known = left.value != nullptr;
      if (!left.c_expression.empty() && left.value == nullptr)
        return refused(fmt::format("it sets '{}'", left.c_expression));
    }
    if (returns && !known) return refused("it returns a value");
    if (!tree_.region && is_cpp_keyword(entry.name))
      return refused(fmt::format("its name, '{}', is a keyword of C++", entry.name));
    const std::string result = returns ? type(entry.result).text : "void";
    const std::string function = tree_.region ? entry.name + "_region" : entry.name;
    std::string parameters;
    for (int parameter : entry.parameters) {
      parameters += (parameters.empty() ? "" : ", ") + declared(parameter);
    }
    // variables of a region are passed by value and returned through a pointer
    for (const lifter::Left& left : lifted_.execution.left) {
      if (left.variable)
        parameters += fmt::format("{}{}* {}_after", parameters.empty() ? "" : ", ",
                                  lifter::name_of(left.type), in_cpp_names(left.c_expression));
    }
    if (!why_.empty()) return refused(why_);
    const std::string head =
        fmt::format("{}{} {}({})", tree_.cpp ? "" : "extern \"C\" ", result, function,
                    parameters.empty() && !tree_.cpp ? "void" : parameters);
    const std::string body = statements();
    if (!why_.empty()) return refused(why_);
    return DropIn{fmt::format("{} {}({});", result, function, parameters),
                  head + " {\n" + body + "}\n"};
  }

 private:
  Failure refused(const std::string& why) const {
    return {"U040", "no function can replace the original: " + why,
            "the program itself can be lifted without --replace"};
  }
  const CTypeInfo& type(int number) const { return tree_.types[number]; }

  // A C expression with its variables renamed where they are C++ keywords, such as `new` and `xor`.
  std::string in_cpp_names(const std::string& c_expression) const {
    std::string out;
    for (size_t i = 0; i < c_expression.size();) {
      size_t end = i;
      while (end < c_expression.size() &&
             (std::isalnum(static_cast<unsigned char>(c_expression[end])) != 0 ||
              c_expression[end] == '_')) {
        ++end;
      }
      if (end == i) {
        out += c_expression[i++];
        continue;
      }
      const std::string word = c_expression.substr(i, end - i);
      const bool member = i > 0 && (c_expression[i - 1] == '.' || c_expression[i - 1] == '>');
      const auto other = renamed_.find(word);
      out += member || other == renamed_.end() ? word : other->second;
      i = end;
    }
    return out;
  }
  // The name of a member of NAME_params or NAME_results. Emission appends an underscore to names
  // that are reserved in C++.
  std::string member(const char* structure, const std::string& name) const {
    const size_t begin = emitted_.find(fmt::format("{}_{} {{", name_, structure));
    const size_t end = begin == std::string::npos ? begin : emitted_.find('}', begin);
    if (end == std::string::npos) return name;
    const std::string members = emitted_.substr(begin, end - begin);
    const auto has = [&](const std::string& one) {
      return members.find(" " + one + ";") != std::string::npos;
    };
    return !has(name) && has(name + "_") ? name + "_" : name;
  }

  // A parameter as declared in C++, with the same binary interface.
  std::string declared(int number) {
    const auto& v = tree_.variables[number];
    const CTypeInfo* t = &type(v.type);
    std::string reference;
    if (t->kind == CTypeInfo::Kind::Reference) {
      reference = "&";
      t = &type(t->of);
    }
    if (t->kind == CTypeInfo::Kind::Scalar)
      return fmt::format("{} {}{}", in_cpp(t->text), reference, in_cpp_names(v.name));
    const bool span = t->view == CTypeInfo::View::Span;
    const bool usable = t->view == CTypeInfo::View::None || (span && reference.empty());
    if (t->kind == CTypeInfo::Kind::Sequence && usable)
      return fmt::format("{} {}{}", t->text, reference, in_cpp_names(v.name));
    const bool pointer = t->kind == CTypeInfo::Kind::Pointer || t->kind == CTypeInfo::Kind::Array;
    if (!pointer || !reference.empty()) {
      why_ = fmt::format("'{}' has the unsupported type '{}'", v.name, t->text);
      return "";
    }
    const CTypeInfo* element = &type(t->of);
    if (tree_.cpp && element->kind != CTypeInfo::Kind::Scalar) {
      why_ = fmt::format("'{}' has the unsupported type '{}'", v.name, t->text);
      return "";
    }
    while (element->kind == CTypeInfo::Kind::Array) element = &type(element->of);
    if (element->kind != CTypeInfo::Kind::Scalar) {
      why_ = fmt::format("'{}' has the unsupported type '{}'", v.name, t->text);
      return "";
    }
    return fmt::format("{}{}* {}", element->constant ? "const " : "", element_name(element->scalar),
                       in_cpp_names(v.name));
  }

  // A C expression for use in the generated function; it must begin with one of the parameters.
  std::string visible(const std::string& c_expression) {
    size_t begin = 0, end = 0;
    const auto word = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (begin < c_expression.size() && !word(c_expression[begin])) ++begin;
    for (end = begin; end < c_expression.size() && word(c_expression[end]);) ++end;
    const std::string name = c_expression.substr(begin, end - begin);
    const auto& entry = tree_.functions[tree_.entry];
    const auto named = [&](int v) { return tree_.variables[v].name == name; };
    if (std::none_of(entry.parameters.begin(), entry.parameters.end(), named))
      why_ = fmt::format("it uses '{}', which is not one of its parameters: pass it as a parameter",
                         name);
    return in_cpp_names(c_expression);
  }

  // A size or a number of steps, computed in 64 bits.
  std::string whole(X x) {
    return text(lifter::Poly::of(x).expression(*lifted_.pool, lifter::CScalar::I64));
  }

  // An expression with the types of C, so that it wraps around and divides as in C.
  std::string text(X x) {
    switch (x->kind) {
      case XKind::Int:
        return number_text(x);
      case XKind::Symbol:
        if (const auto& value = lifted_.execution.symbols[x->id].value)
          return std::to_string(*value);
        return "(" + visible(lifted_.execution.symbols[x->id].c_expression) + ")";
      case XKind::Unary:
        return fmt::format("({}{})", x->text, text(x->args[0]));
      case XKind::Binary:
        return fmt::format("({} {} {})", text(x->args[0]), x->text, text(x->args[1]));
      case XKind::Cast:
        return fmt::format("(({})({}))", element_name(x->type), text(x->args[0]));
      case XKind::Real:
        if (std::isinf(x->real)) return x->real > 0 ? "HUGE_VAL" : "(-HUGE_VAL)";
        return x->type == lifter::CScalar::F32 ? fmt::format("((float){:a})", x->real)
                                               : fmt::format("({:a})", x->real);
      case XKind::Select:
        return fmt::format("({} ? {} : {})", text(x->args[0]), text(x->args[1]), text(x->args[2]));
      case XKind::Outcome:
        return x->id == lifter::kStepsTaken ? "stencil_taken" : "stencil_results.stopped";
      case XKind::Reduced:
        return "stencil_results." + member("results", lifted_.program.reductions[x->id]);
      case XKind::Call:
        return called(x);
      default:
        return "0";
    }
  }

  // A call that both C++ and CUDA provide through <cmath>.
  std::string called(X x) {
    std::string arguments;
    for (X arg : x->args) arguments += (arguments.empty() ? "" : ", ") + text(arg);
    const std::string& f = x->text;
    if (f == "max" || f == "min") {
      const std::string a = text(x->args[0]), b = text(x->args[1]);
      return f == "max" ? fmt::format("({0} < {1} ? {1} : {0})", a, b)
                        : fmt::format("({1} < {0} ? {1} : {0})", a, b);
    }
    return fmt::format("(({})std::{}({}))", lifter::name_of(x->type), f, arguments);
  }

  // The address where a part of an array begins; parts must be dense.
  std::string pointer(const FieldBinding& field) {
    const auto& array = lifted_.execution.arrays[field.array];
    if (array.rows || array.local) {
      why_ = fmt::format("'{}' has separately allocated rows, or is local", array.c_expression);
      return "";
    }
    for (X low : field.lows) {
      if (low == nullptr) continue;
      why_ =
          fmt::format("'{}' has ghost cells, which the program does not have", array.c_expression);
      return "";
    }
    if (device_ && array.sequence) {
      why_ = fmt::format("'{}' is a container in the memory of the host", array.c_expression);
      return "";
    }
    std::string offset;
    bool space = false;
    for (size_t d = 0; d < field.subscripts.size(); ++d) {
      if (field.subscripts[d] == lifter::kSpace) {
        space = true;
        continue;
      }
      if (space) {
        why_ = fmt::format("the components of '{}' are interleaved in memory", array.c_expression);
        return "";
      }
      const int64_t at =
          field.subscripts[d] == lifter::kBufferSlot ? field.buffer_slot : field.subscripts[d];
      std::string stride = std::to_string(at);
      for (size_t k = d + 1; k < field.extents.size(); ++k)
        stride += " * (size_t)" + whole(field.extents[k]);
      offset += " + " + stride;
    }
    const bool truth = array.element == lifter::CScalar::Bool;  // the program has a ubyte
    const std::string element = truth ? "unsigned char" : element_name(array.element);
    const std::string c_expression = visible(array.c_expression);
    const auto part = parts_.find(field.array);
    const std::string base = part != parts_.end()           ? part->second + ".data()"
                             : array.sequence || array.view ? c_expression + ".data()"
                                                            : c_expression;
    return fmt::format("(({}{}*){}{})", field.written ? "" : "const ", element, base, offset);
  }

  // `*residual = e;` for each final scalar, then the return statement.
  std::string set_and_return(const std::vector<lifter::Left>& left, X returned,
                             const std::string& indent) {
    std::string out;
    for (const lifter::Left& one : left) {
      if (one.c_expression.empty()) {
        returned = one.value;
        continue;
      }
      if (one.value == nullptr) {
        why_ = fmt::format("it sets '{}'", one.c_expression);
        return "";
      }
      const std::string name =
          one.variable ? in_cpp_names(one.c_expression) : visible(one.c_expression);
      out += one.variable ? fmt::format("{2}if ({0}_after) *{0}_after = {1};\n", name,
                                        text(one.value), indent)
                          : fmt::format("{}{} = {};\n", indent, name, text(one.value));
    }
    if (returned != nullptr) out += fmt::format("{}return {};\n", indent, text(returned));
    return out;
  }

  // The early returns of the original, as C statements. They handle sizes that the program does not
  // accept.
  std::string early_returns() {
    const auto& entry = tree_.functions[tree_.entry];
    const bool returns = type(entry.result).kind != CTypeInfo::Kind::Void;
    std::string out;
    for (const lifter::Exit& exit : lifted_.execution.exits) {
      if (returns && exit.returned == nullptr) why_ = "it returns a value before its end";
      std::string body = set_and_return(exit.left, exit.returned, "    ");
      if (!returns) body += "    return;\n";
      out += fmt::format("  if ({}) {{\n{}  }}\n", text(exit.condition), body);
    }
    return out;
  }

  // For each loop nest, the expressions that must be >= 0 for its loops to execute.
  std::set<std::set<std::string>> loops() {
    std::set<std::set<std::string>> out;
    const auto add = [&](const lifter::Store& store) {
      std::set<std::string> all;
      for (const auto* domains : {&store.domain, &store.unsplit}) {
        for (const lifter::Domain& domain : *domains) {
          const lifter::Poly last = domain.high - domain.low;
          if (last.is_constant() && last.constant() >= 0) continue;
          all.insert(whole(last.expression(*lifted_.pool, lifter::CScalar::I64)));
        }
      }
      out.insert(std::move(all));
    };
    for (const auto& nest : lifted_.execution.nests) {
      for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
        for (const auto& leaf : *leaves) {
          for (const lifter::Store& store : leaf) add(store);
        }
      }
    }
    for (const lifter::Reduction& reduction : lifted_.execution.reductions) add(reduction.point);
    return out;
  }

  // The condition that at least one loop has a point. If it fails, the original does nothing, but a
  // program does not accept an empty grid. "" if the condition always holds.
  std::string some_points() {
    // A loop with a stop condition takes steps even without points.
    if (lifted_.execution.stop != nullptr) return "";
    std::vector<std::string> any;
    for (const auto& all : loops()) {
      if (all.empty()) return "";
      any.push_back(fmt::format("({} >= 0)", fmt::join(all, " >= 0 && ")));
    }
    return fmt::format("{}", fmt::join(any, " || "));
  }

  // Sets the results of reductions over no points to their neutral elements.
  std::string over_no_points() {
    std::string out;
    for (size_t r = 0; r < lifted_.execution.reductions.size(); ++r) {
      const lifter::Reduction& reduction = lifted_.execution.reductions[r];
      const std::string name = member("results", lifted_.program.reductions[r]);
      std::string value = reduction.op == "prod" ? "1" : "0";
      // A maximum that is not combined with an initial value starts from 0.
      if ((reduction.op == "max" || reduction.op == "min") && is_joined(static_cast<int>(r))) {
        const bool real = lifter::is_floating(reduction.value->type);
        const bool max = reduction.op == "max";
        value = real ? (max ? "-HUGE_VAL" : "HUGE_VAL") : (max ? "INT64_MIN" : "INT64_MAX");
      }
      if (value != "0") out += fmt::format("    stencil_results.{} = {};\n", name, value);
    }
    return out;
  }
  bool is_joined(int reduction) const {
    bool out = false;
    for (const lifter::Left& left : lifted_.execution.left) {
      if (left.value == nullptr) continue;
      lifter::each_node(left.value, [&](X n) {
        if (n->kind != XKind::Call) return;
        for (X arg : n->args) out = out || (arg->kind == XKind::Reduced && arg->id == reduction);
      });
    }
    return out;
  }

  // The original may access fewer elements of an array than the program does. Copies such arrays,
  // so that the program runs on memory of its own.
  std::string shorter_arrays() {
    std::string out;
    for (const lifter::ArrayReach& reach : lifted_.program.reaches) {
      const auto& array = lifted_.execution.arrays[reach.array];
      const auto& fields = lifted_.program.fields;
      const auto bound = std::find_if(fields.begin(), fields.end(), [&](const FieldBinding& f) {
        return f.array == reach.array;
      });
      if (array.local || bound == fields.end() || takes_turns(reach.array)) continue;
      const std::string length = whole(reach.length);
      if (!reach.sure) {
        why_ = fmt::format(
            "the program has {} elements of '{}', but a condition may let the original access "
            "fewer; declare the length, as in {}[n]",
            lifter::Poly::of(reach.length).text(), array.c_expression, array.c_expression);
        return "";
      }
      if (is_exact(reach, length)) continue;
      std::string inner;
      for (size_t d = 1; d < bound->extents.size(); ++d)
        inner += " * (int64_t)" + whole(bound->extents[d]);
      const std::string have = fmt::format("stencil_have_{}", reach.array);
      out += fmt::format("    int64_t {} = 0;\n", have);
      for (const lifter::Reach& one : reach.reaches) {
        std::string points;
        for (X x : one.points)
          points += fmt::format("{}{} >= 0", points.empty() ? "" : " && ", whole(x));
        for (const auto& [condition, holds] : one.calls)
          points += fmt::format("{}{}{}", points.empty() ? "" : " && ", holds ? "" : "!",
                                text(condition));
        out += fmt::format("    if ({}) {} = std::max<int64_t>({}, {});\n",
                           points.empty() ? "true" : points, have, have, whole(one.end));
      }
      if (device_) {
        out += fmt::format(
            "    if ({} < {}) {{\n    fprintf(stderr, \"{}: the original accesses fewer elements "
            "of '{}' than the program\\n\");\n    abort();\n  }}\n",
            have, length, name_, array.c_expression);
        continue;
      }
      const std::string part = fmt::format("stencil_part_{}", reach.array);
      const bool truth = array.element == lifter::CScalar::Bool;
      const bool written = std::any_of(fields.begin(), fields.end(), [&](const FieldBinding& f) {
        return f.array == reach.array && f.written;
      });
      const std::string element = (written ? "" : "const ") + (truth ? std::string("unsigned char")
                                                                     : element_name(array.element));
      const std::string c_expression = visible(array.c_expression);
      out += fmt::format("    stencil_part<{0}> {1}(({0}*){2}, {3}{5}, ({4}){5});\n", element, part,
                         array.sequence || array.view ? c_expression + ".data()" : c_expression,
                         have, length, inner);
      parts_[reach.array] = part;
      if (written) put_back_ += fmt::format("    {}.back();\n", part);
    }
    return out;
  }

  // Whether the array is in a rotation. All buffers of a rotation get the longest length among
  // them.
  bool takes_turns(int array) const {
    const auto& rotations = lifted_.execution.rotations;
    return std::any_of(rotations.begin(), rotations.end(), [&](const lifter::Rotation& r) {
      return r.before == array || r.after == array;
    });
  }

  // Whether the original accesses the last element whenever the program runs.
  bool is_exact(const lifter::ArrayReach& reach, const std::string& length) {
    const auto all = loops();
    return std::any_of(reach.reaches.begin(), reach.reaches.end(), [&](const lifter::Reach& one) {
      if (whole(one.end) != length || !one.calls.empty()) return false;
      return std::all_of(one.points.begin(), one.points.end(), [&](X x) {
        return lifter::proved(lifter::Poly::of(x), lifted_.execution.facts) ||
               (all.size() == 1 && all.begin()->count(whole(x)) > 0);
      });
    });
  }

  std::string params() {
    std::string out;
    for (const auto& param : lifted_.program.params) {
      const auto& symbol = lifted_.execution.symbols[param.symbol];
      if (symbol.value) continue;  // a macro or constant; the default is its value
      const std::string value = visible(symbol.c_expression);
      if (symbol.type == lifter::CScalar::U64) {  // the program has signed integers
        out += fmt::format(
            "  if (({0}) > 4611686018427387904ull) {{\n    fprintf(stderr, \"{1}: '{2}' is too "
            "large\\n\");\n    abort();\n  }}\n",
            value, name_, symbol.c_expression);
      }
      out += fmt::format("  stencil_params.{} = {};\n", member("params", param.param), value);
    }
    return out;
  }

  std::string statements() {
    std::string out = early_returns();
    if (const auto name = unsigned_value(lifted_)) {
      why_ = fmt::format(
          "'{}' is an unsigned 64-bit number that bounds no loop, but params are signed", *name);
    }
    if (has_params_) {
      out += fmt::format("  {0}_params stencil_params = {0}_default_params();\n", name_);
      out += params();
    }
    const std::string shorter = shorter_arrays();
    // fields in program order, levels from the newest
    std::vector<std::string> order;
    for (const FieldBinding& field : lifted_.program.fields) {
      if (std::find(order.begin(), order.end(), field.field) == order.end())
        order.push_back(field.field);
    }
    std::string arguments, turns;
    const std::string steps = lifted_.program.steps != nullptr ? whole(lifted_.program.steps) : "1";
    for (const std::string& name : order) {
      std::vector<const FieldBinding*> levels;
      for (const FieldBinding& field : lifted_.program.fields) {
        if (field.field == name) levels.push_back(&field);
      }
      std::sort(levels.begin(), levels.end(), [](auto* a, auto* b) { return a->level < b->level; });
      for (const FieldBinding* field : levels) arguments += pointer(*field) + ", ";
      if (levels.size() > 1) turns += turn(levels);
    }
    const bool results = !lifted_.program.reductions.empty();
    out += fmt::format("  const int64_t stencil_steps = {};\n", steps);
    if (results) out += fmt::format("  {}_results stencil_results = {{}};\n", name_);
    const std::string after = set_and_return(lifted_.execution.left, nullptr, "  ");
    // declare variables only if they are used, to avoid warnings
    const std::string points = some_points();
    const bool counted = (turns + after).find("stencil_taken") != std::string::npos;
    if (counted) out += "  int64_t stencil_taken = 0;\n";
    if (!points.empty()) {
      out += fmt::format("  const bool stencil_points = {};\n", points);
      if (counted && lifted_.execution.at_least_once) {
        out += "  stencil_taken = std::max<int64_t>(stencil_steps, 1);\n";
      } else if (counted) {
        out += "  if (stencil_steps > 0) stencil_taken = stencil_steps;\n";
      }
    }
    const std::string unreduced = results && !points.empty() ? over_no_points() : "";
    if (!unreduced.empty()) out += fmt::format("  if (!stencil_points) {{\n{}  }}\n", unreduced);
    // If C takes a step in any case, call the entry point even for fewer than one step: it reports
    // the error.
    std::string runs = lifted_.execution.at_least_once ? "" : "stencil_steps > 0";
    if (!points.empty()) runs += runs.empty() ? "stencil_points" : " && stencil_points";
    out += fmt::format("  if ({}) {{\n", runs.empty() ? "true" : runs);
    out += shorter;
    out += fmt::format("    const char* stencil_error = {}_{}({}stencil_steps{}{}{});\n", name_,
                       device_ ? "run_device" : "run", arguments,
                       has_params_ ? ", &stencil_params" : "", results ? ", &stencil_results" : "",
                       device_ ? ", 0" : "");
    out += fmt::format(
        "    if (stencil_error) {{\n      fprintf(stderr, \"{}: %s\\n\", stencil_error);\n      "
        "abort();\n    }}\n",
        name_);
    if (counted) {
      out += fmt::format("    stencil_taken = {};\n",
                         results ? "stencil_results.steps_done" : "stencil_steps");
    }
    return out + turns + put_back_ + "  }\n" + after;
  }

  // Moves level k to the buffer that held level k - steps.
  std::string turn(const std::vector<const FieldBinding*>& levels) {
    const auto& array = lifted_.execution.arrays[levels[0]->array];
    if (array.sequence) return "";
    std::string count = "(size_t)1";
    for (size_t d = 0; d < levels[0]->subscripts.size(); ++d) {
      if (levels[0]->subscripts[d] == lifter::kSpace)
        count += " * (size_t)" + whole(levels[0]->extents[d]);
    }
    std::string swaps;
    for (size_t k = 0; k + 1 < levels.size(); ++k) {
      swaps += device_ ? fmt::format("    stencil_trade({}, {}, sizeof({}) * ({}));\n",
                                     pointer(*levels[k]), pointer(*levels[k + 1]),
                                     element_name(array.element), count)
                       : fmt::format("    std::swap_ranges({0}, {0} + {2}, {1});\n",
                                     pointer(*levels[k]), pointer(*levels[k + 1]), count);
    }
    return fmt::format(
        "    for (int64_t stencil_turn = stencil_taken % {}; stencil_turn > 0; --stencil_turn) "
        "{{\n{}    }}\n",
        levels.size(), swaps);
  }

  const lifter::Lifted& lifted_;
  const lifter::CTree& tree_;
  const std::string name_, &emitted_;
  const bool has_params_, device_;
  std::map<std::string, std::string> renamed_;  // variables whose names are C++ keywords
  std::map<int, std::string> parts_;            // arrays for which the program uses its own memory
  std::string put_back_;                        // copies their contents back to the caller
  std::string why_;
};

}  // namespace

Result<DropIn> drop_in(const lifter::Lifted& lifted, const std::string& name,
                       const std::string& emitted, bool device) {
  return Replacement(lifted, name, emitted, device).run();
}

}  // namespace stencil::api
