// Generates a function that calls the original. It is appended to the C file, so that it sees
// static functions, types and macros. If the original is a region of a function, the generated
// function contains the text of the region and declares its variables.
#include "runtime/api/lift_wrapper.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runtime/api/lift_memory.h"
#include "runtime/host/interface.h"

namespace stencil::api {

using lifter::ArrayInfo;
using lifter::CTypeInfo;
using lifter::CVariable;
using lifter::SymbolInfo;
using Kind = lifter::CTypeInfo::Kind;

namespace {

class Wrapper {
 public:
  explicit Wrapper(const lifter::Lifted& lifted) : lifted_(lifted), tree_(lifted.tree) {}

  CallOfOriginal run() {
    const auto& entry = tree_.functions[tree_.entry];
    if (entry.member) return {"", "it is a member of a class"};
    std::string arguments;
    for (int parameter : entry.parameters) {
      declare(parameter);
      arguments += (arguments.empty() ? "" : ", ") + variable(parameter).name;
    }
    // Scalars of the program may be elements of arrays, so arrays come first.
    for (size_t a = 0; a < lifted_.execution.arrays.size(); ++a) array(a);
    for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
      const SymbolInfo& symbol = lifted_.execution.symbols[s];
      if (symbol.value) continue;  // a macro or a constant
      if (symbol.variable < 0) return {"", fmt::format("'{}' cannot be set", symbol.c_expression)};
      if (symbol.c_expression.find(".size()") != std::string::npos ||
          symbol.c_expression.find(".extent(") != std::string::npos) {
        continue;
      }
      body_ += fmt::format("  *({1}*)(void*)&{0} = *({1} const*)stencil_lift_a[{2}];\n",
                           symbol.c_expression, lifter::name_of(symbol.type), s);
    }
    if (!impossible_.empty()) return {"", impossible_};
    std::string text = "\n";
    if (tree_.cpp) text += "extern \"C\" ";
    text +=
        "void stencil_lift_call(void* const* stencil_lift_a, long stencil_lift_b, long "
        "stencil_lift_e) {\n";
    text += "  (void)stencil_lift_b; (void)stencil_lift_e;\n";
    // The #line directive excludes this function from instrumentation.
    text = fmt::format("\n#line 1 \"{}\"{}", STENCIL_LIFT_CALL, text);
    text += declarations_ + body_;
    std::string call = fmt::format("{}{}({})", entry.scope, entry.name, arguments);
    for (size_t l = 0; l < lifted_.execution.left.size(); ++l) {
      const lifter::Left& left = lifted_.execution.left[l];
      if (left.value == nullptr) continue;
      const std::string to = fmt::format("*({}*)((char*)stencil_lift_a[{}] + {})",
                                         lifter::name_of(left.type), lengths() + 1, 8 * l);
      if (left.c_expression.empty()) {
        call = fmt::format("{} = {}", to, call);
      } else {
        after_ += fmt::format("  {} = {};\n", to, left.c_expression);
      }
    }
    text += tree_.region ? region() : "  " + call + ";\n";
    text += after_ + "}\n";
    return {text, ""};
  }

 private:
  // The text of the region with a #line directive for its position in the file.
  std::string region() const {
    const auto& entry = tree_.functions[tree_.entry];
    const auto& body = tree_.nodes[entry.body];
    int column = 1;
    for (int child : body.children) {
      const auto& node = tree_.nodes[child];
      if (node.line == tree_.region_line) column = std::max(node.column, 1);
      break;
    }
    return fmt::format("  {{\n#line {} \"{}\"\n{}{}\n#line 1 \"{}\"\n  }}\n", tree_.region_line,
                       STENCIL_LIFT_REGION, std::string(static_cast<size_t>(column - 1), ' '),
                       tree_.region_text, STENCIL_LIFT_CALL);
  }

  const CVariable& variable(int number) const { return tree_.variables[number]; }
  const CTypeInfo& type(int number) const { return tree_.types[number]; }

  // Removes const from the type of an object, because the generated function assigns to variables
  // that the original only reads. In C, the value of a statement expression has no qualifiers;
  // Clang has __typeof_unqual__ only since version 19.
  std::string plain_type(const std::string& type) const {
    return tree_.cpp ? fmt::format("__remove_cv(__typeof__({}))", type)
                     : fmt::format("__typeof__(({{ *(__typeof__({})*)0; }}))", type);
  }

  // Zero-initialized memory for an object without calling a constructor; `name` is a pointer to it.
  std::string object(const std::string& type, const std::string& name) const {
    return fmt::format(
        "  static char {0}_m[sizeof({1})] __attribute__((aligned(64)));\n"
        "  {1}* {0} = ({1}*)(void*){0}_m;\n",
        name, plain_type(type));
  }

  // The array that a variable itself refers to; -1 if there is none, or if only its members refer
  // to arrays.
  int array_of(int number) const {
    for (size_t a = 0; a < lifted_.execution.arrays.size(); ++a) {
      const ArrayInfo& info = lifted_.execution.arrays[a];
      if (info.variable == number && info.c_expression == variable(number).name)
        return static_cast<int>(a);
    }
    return -1;
  }
  size_t argument_index(size_t array) const { return lifted_.execution.symbols.size() + array; }
  size_t lengths() const {
    return lifted_.execution.symbols.size() + lifted_.execution.arrays.size();
  }
  std::string argument(size_t array) const {
    return fmt::format("stencil_lift_a[{}]", argument_index(array));
  }

  // The index of the first length of an array in the list of all lengths.
  size_t first_length(size_t array) const {
    size_t out = 0;
    for (size_t a = 0; a < array; ++a) out += lifted_.execution.arrays[a].extents.size() + 8;
    return out;
  }
  std::string length(size_t array, size_t dimension) const {
    return fmt::format("((long const*)stencil_lift_a[{}])[{}]", lengths(),
                       first_length(array) + dimension);
  }

  void declare(int number) {
    const CVariable& v = variable(number);
    const CTypeInfo* t = &type(v.type);
    const bool reference = t->kind == Kind::Reference;
    if (reference) t = &type(t->of);
    const int array = array_of(number);
    std::string plain = t->text;
    if (plain.rfind("const ", 0) == 0 && (t->kind == Kind::Scalar || t->kind == Kind::Sequence))
      plain = plain.substr(6);
    switch (t->kind) {
      case Kind::Scalar:
        // initialized here, because later types may use it as a length
        declarations_ +=
            fmt::format("  __typeof__({}) {} = ({}){};\n", plain, v.name, plain, scalar(number));
        return;
      case Kind::Sequence:
        if (array < 0) {
          impossible_ = fmt::format("'{}' holds no numbers", v.name);
        } else {
          sequence(v, plain, static_cast<size_t>(array));
        }
        return;
      case Kind::Array:
        if (reference) {
          impossible_ = fmt::format("'{}' is a reference to an array", v.name);
          return;
        }
        declarations_ += array_pointer(number, *t, array);
        return;
      case Kind::Pointer:
        pointer(number, *t, array);
        return;
      case Kind::Struct:
        structure(number, plain);
        members(number, *t, ".");
        return;
      default:
        impossible_ = fmt::format("'{}' has the unsupported type '{}'", v.name, t->text);
    }
  }

  static std::string larger(const std::string& a, const std::string& b) {
    return a.empty() || b.empty() ? a + b : fmt::format("({0} > {1} ? {0} : {1})", a, b);
  }

  // The length that C reads, as `a.size()` or `a.extent(0)`; "" if C reads no length. The program
  // may access fewer elements. Vectors that are swapped with each other have the same length.
  std::string length_in_c(size_t array, size_t dimension) const {
    std::string out;
    for (size_t one : swapped_with(array)) {
      const ArrayInfo& info = lifted_.execution.arrays[one];
      const lifter::X extent = dimension < info.extents.size() ? info.extents[dimension] : nullptr;
      if (extent == nullptr || extent->kind != lifter::XKind::Symbol) continue;
      const SymbolInfo& symbol = lifted_.execution.symbols[extent->id];
      if (symbol.value || (symbol.c_expression.find(".size()") == std::string::npos &&
                           symbol.c_expression.find(".extent(") == std::string::npos)) {
        continue;
      }
      out = larger(out, fmt::format("(long)*({} const*)stencil_lift_a[{}]",
                                    lifter::name_of(symbol.type), extent->id));
    }
    return out;
  }

  std::set<size_t> swapped_with(size_t array) const {
    std::set<size_t> same = {array};
    for (size_t before = 0; before != same.size();) {
      before = same.size();
      for (const lifter::Rotation& rotation : lifted_.execution.rotations) {
        const auto a = static_cast<size_t>(rotation.before),
                   b = static_cast<size_t>(rotation.after);
        if (same.count(a) + same.count(b) > 0) same.insert({a, b});
      }
    }
    return same;
  }

  // The length to allocate. Vectors that are swapped with each other all get the longest of their
  // lengths.
  std::string room(size_t array, size_t dimension) const {
    const ArrayInfo& info = lifted_.execution.arrays[array];
    std::string out;
    // Scalars of the program may be elements beyond those that its loops access.
    if (info.extents[dimension] == nullptr) {
      int64_t most = constant_lengths(lifted_, array)[dimension];
      if (info.extents.size() == 1) most = std::max(most, 4096 / bytes_of(info.element));
      out = std::to_string(most);
    }
    for (size_t other : swapped_with(array)) out = larger(out, length(other, dimension));
    return out;
  }

  // A container with the elements of an array, or a view of it.
  void sequence(const CVariable& v, const std::string& plain, size_t a) {
    const ArrayInfo& info = lifted_.execution.arrays[a];
    const char* element = lifter::name_of(info.element);
    const CTypeInfo* of = &type(v.type);
    if (of->kind == Kind::Reference) of = &type(of->of);
    const bool left = of->view == CTypeInfo::View::Left;
    const bool mdspan = left || of->view == CTypeInfo::View::Right;
    if (mdspan) {
      std::string lengths;
      for (size_t d = 0; d < info.extents.size(); ++d) {
        const size_t at = left ? info.extents.size() - 1 - d : d;
        lengths += ", " + (at == 0 ? larger(length(a, at), length_in_c(a, at)) : length(a, at));
      }
      declarations_ +=
          fmt::format("  {} {}(({}*){}{});\n", plain, v.name, element, argument(a), lengths);
      return;
    }
    if (info.rows) {
      rows(v, plain, a);
      return;
    }
    // elements may be arrays themselves
    declarations_ += fmt::format(
        "  using stencil_lift_e{4} = {0}::value_type;\n"
        "  {0} {1}((stencil_lift_e{4}*){2}, (stencil_lift_e{4}*){2} + {3});\n",
        plain, v.name, argument(a), info.view ? larger(room(a, 0), length_in_c(a, 0)) : room(a, 0),
        a);
    if (info.view) return;
    std::string count = v.name + ".size()";
    if (const std::string size = length_in_c(a, 0); !size.empty()) {
      count = room(a, 0);
      declarations_ +=
          fmt::format("  if ({0} > (long){1}.size()) {1}.resize({0});\n", size, v.name);
    }
    after_ += fmt::format("  __builtin_memcpy({0}, {1}.data(), {3} * sizeof(stencil_lift_e{2}));\n",
                          argument(a), v.name, a, count);
  }

  // std::vector<std::vector<...>>: copies each row.
  void rows(const CVariable& v, const std::string& plain, size_t a) {
    const ArrayInfo& info = lifted_.execution.arrays[a];
    const char* element = lifter::name_of(info.element);
    std::string loops, subscripts, at = "0", resize;
    for (size_t d = 0; d < info.extents.size(); ++d) {
      const std::string i = fmt::format("stencil_lift_i{}", d);
      resize += fmt::format("{}{}{}.resize({});\n", loops, v.name, subscripts,
                            larger(room(a, d), length_in_c(a, d)));
      loops += fmt::format("  for (long {0} = 0; {0} < {1}; ++{0}) ", i, length(a, d));
      subscripts += "[" + i + "]";
      at = fmt::format("({} * {} + {})", at, length(a, d), i);
    }
    const std::string mine = v.name + subscripts;
    const std::string theirs = fmt::format("(({}*){})[{}]", element, argument(a), at);
    declarations_ +=
        fmt::format("  {} {};\n{}{}{} = {};\n", plain, v.name, resize, loops, mine, theirs);
    after_ += fmt::format("{}{} = {};\n", loops, theirs, mine);
  }

  std::string scalar(int number) const {
    for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
      const SymbolInfo& symbol = lifted_.execution.symbols[s];
      if (symbol.variable == number && symbol.c_expression == variable(number).name) {
        return fmt::format("*({} const*)stencil_lift_a[{}]", lifter::name_of(symbol.type), s);
      }
    }
    return noise(variable(number).type, number);
  }

  // A random number for a value that the program does not use; results must not depend on it.
  std::string noise(int of, int place) const {
    const CTypeInfo* t = &type(of);
    if (t->kind == Kind::Reference) t = &type(t->of);
    const bool real = lifter::is_floating(t->scalar);
    return fmt::format("{}((double const*)stencil_lift_a[{}])[{}]", real ? "" : "(long long)",
                       lengths() + 2, static_cast<size_t>(place) * 37 % kNoise);
  }

  // Sets the members of a structure that the program does not use.
  void members(int number, const CTypeInfo& structure, const std::string& access) {
    for (size_t m = 0; m < structure.members.size(); ++m) {
      const CTypeInfo& t = type(structure.member_types[m]);
      const std::string c_expression = variable(number).name + access + structure.members[m];
      if (t.kind != Kind::Scalar || structure.members[m].empty()) continue;
      body_ +=
          fmt::format("  *({0}*)(void*)&{1} = ({0}){2};\n", lifter::name_of(t.scalar), c_expression,
                      noise(structure.member_types[m], number + static_cast<int>(m) + 1));
    }
  }

  // A parameter double a[n][m] is a pointer to rows.
  std::string array_pointer(int number, const CTypeInfo& t, int array) const {
    const std::string& name = variable(number).name;
    const std::string as = fmt::format("__typeof__(&(*(__typeof__({})*)0)[0])", t.text);
    const std::string from = array >= 0 ? argument(static_cast<size_t>(array)) : "0";
    return fmt::format("  {0} {1} = ({0}){2};\n", as, name, from);
  }

  // In C++ the structure is a reference to raw memory, so that no constructor is called. In C it is
  // an object.
  void structure(int number, const std::string& type) {
    const std::string& name = variable(number).name;
    if (!tree_.cpp) {
      declarations_ += fmt::format("  {} {};\n", plain_type(type), name);
      declarations_ += fmt::format("  __builtin_memset(&{0}, 0, sizeof({0}));\n", name);
      return;
    }
    const std::string object_name = fmt::format("stencil_lift_o{}", number);
    declarations_ += object(type, object_name);
    declarations_ += fmt::format("  {}& {} = *{};\n", plain_type(type), name, object_name);
  }

  void pointer(int number, const CTypeInfo& t, int array) {
    const std::string& name = variable(number).name;
    const CTypeInfo& target = type(t.of);
    if (array >= 0 && lifted_.execution.arrays[array].rows) {
      const size_t a = static_cast<size_t>(array);
      const ArrayInfo& info = lifted_.execution.arrays[a];
      if (info.extents.size() != 2) {
        impossible_ = fmt::format("'{}' has more than two levels of pointers", name);
        return;
      }
      const char* element = lifter::name_of(info.element);
      declarations_ += fmt::format(
          "  {0}** stencil_lift_rows{1} = ({0}**)__builtin_alloca(sizeof({0}*) * (unsigned "
          "long){2});\n"
          "  for (long stencil_lift_i = 0; stencil_lift_i < {2}; ++stencil_lift_i) "
          "stencil_lift_rows{1}[stencil_lift_i] = "
          "({0}*){3} + stencil_lift_i * {4};\n  __typeof__({5}) {6} = "
          "(__typeof__({5}))stencil_lift_rows{1};\n",
          element, a, room(a, 0), argument(a), room(a, 1), t.text, name);
      return;
    }
    if (target.kind == Kind::Struct) {
      const std::string object_name = fmt::format("stencil_lift_o{}", number);
      declarations_ += object(fmt::format("*(__typeof__({}))0", t.text), object_name);
      declarations_ += fmt::format("  {} {} = {};\n", plain_type(t.text), name, object_name);
      members(number, target, "->");
      return;
    }
    if (array >= 0) {
      declarations_ += fmt::format("  __typeof__({0}) {1} = (__typeof__({0})){2};\n", t.text, name,
                                   argument(static_cast<size_t>(array)));
      return;
    }
    // pointer to scalars
    const lifter::CScalar scalar = target.scalar;
    if (target.kind != Kind::Scalar) {
      declarations_ += fmt::format("  __typeof__({0}) {1} = (__typeof__({0}))0;\n", t.text, name);
      return;
    }
    const bool real = lifter::is_floating(scalar);
    declarations_ += fmt::format(
        "  static {0} stencil_lift_s{1}[1 << 16];\n"
        "  for (long stencil_lift_i = 0; stencil_lift_i < 1 << 16; ++stencil_lift_i) "
        "stencil_lift_s{1}[stencil_lift_i] = ({0}){4}((double const*)stencil_lift_a[{5}])"
        "[stencil_lift_i % {6}];\n"
        "  __typeof__({2}) {3} = stencil_lift_s{1};\n",
        lifter::name_of(scalar), number, t.text, name, real ? "" : "(long long)", lengths() + 2,
        kNoise);
  }

  // Sets arrays that are members or global.
  void array(size_t a) {
    const ArrayInfo& info = lifted_.execution.arrays[a];
    if (info.local || info.variable < 0) {
      if (!info.local) impossible_ = fmt::format("'{}' cannot be set", info.c_expression);
      return;
    }
    const CVariable& v = variable(info.variable);
    const bool itself = info.c_expression == v.name;
    const auto& entry = tree_.functions[tree_.entry];
    const bool parameter = std::find(entry.parameters.begin(), entry.parameters.end(),
                                     info.variable) != entry.parameters.end();
    if (itself && parameter) return;
    if (lifted_.execution.symbols.empty() && info.c_expression.empty()) return;
    if (info.rows || info.sequence || info.view) {
      impossible_ = fmt::format("'{}' has separately allocated rows", info.c_expression);
      return;
    }
    const CTypeInfo& t = type(v.type);
    if (itself && t.kind == Kind::Array) {
      body_ += fmt::format("  __builtin_memcpy((void*){0}, {1}, sizeof({0}));\n", info.c_expression,
                           argument(a));
      after_ += fmt::format("  __builtin_memcpy({1}, (void*){0}, sizeof({0}));\n",
                            info.c_expression, argument(a));
      return;
    }
    // an array within a structure, or a pointer: the compiler decides by the type
    const std::string& x = info.c_expression;
    // In C, the comparison ignores const.
    const std::string is_pointer = tree_.cpp ? fmt::format("__is_pointer(__typeof__({}))", x)
                                             : fmt::format(
                                                   "__builtin_types_compatible_p(__typeof__({0}), "
                                                   "__typeof__(&({0})[0]))",
                                                   x);
    body_ += fmt::format(
        "  if ({0}) *(void**)(void*)&{1} = (void*){2};\n"
        "  else __builtin_memcpy((void*)&{1}, {2}, sizeof({1}));\n",
        is_pointer, x, argument(a));
    after_ += fmt::format("  if (!{0}) __builtin_memcpy({2}, (void*)&{1}, sizeof({1}));\n",
                          is_pointer, x, argument(a));
  }

  const lifter::Lifted& lifted_;
  const lifter::CTree& tree_;
  std::string declarations_, body_, after_, impossible_;
};

}  // namespace

CallOfOriginal call_of_original(const lifter::Lifted& lifted) {
  return Wrapper(lifted).run();
}

}  // namespace stencil::api
