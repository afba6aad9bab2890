// Every integer expression has a known bound of its magnitude. Operations whose result could exceed
// kMost are omitted, so no signed integer overflows. Divisors are nonzero constants, and shift
// counts are small.
#include "tests/property/lift/c_conditions.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::property {

namespace {

using Type = ConditionalCode::Type;

constexpr int64_t kMost = int64_t{1} << 30;

struct Int {
  std::string text;
  int64_t most = 0;  // bound of the magnitude
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed * 2654435761U + 99) {}

  ConditionalCode run() {
    out_.rank = random_.chance(25) ? 2 : 1;
    out_.timed = random_.chance(20);
    out_.arrays = {{"a", Type::Double}, {"c", Type::Int}};
    if (random_.chance(30)) out_.arrays.push_back({"u", Type::Uchar});
    out_.arrays.push_back({"b", Type::Double});
    if (random_.chance(40)) out_.arrays.push_back({"d", Type::Int});
    for (const auto& [name, type] : std::vector<std::pair<const char*, Type>>{{"mode", Type::Int},
                                                                              {"s", Type::Double},
                                                                              {"k", Type::Long},
                                                                              {"q", Type::Unsigned},
                                                                              {"h", Type::Char}}) {
      if (random_.chance(40)) out_.scalars.push_back({name, type, {}});
    }
    in_struct_ = random_.chance(25);
    if (in_struct_) {
      out_.scalars.push_back({"p->w", Type::Double, {}});
      out_.scalars.push_back({"p->z", Type::Int, {}});
    }
    elements_ = !out_.timed && random_.chance(20);
    tables_ = random_.chance(20);
    steady_ = random_.chance(20);
    points_ = out_.rank == 1 && !out_.timed && random_.chance(20);
    const bool reduces = !out_.timed && random_.chance(20);
    out_.reduces = reduces;
    const int guards = random_.chance(35) ? random_.between(1, 2) : 0;
    out_.returns = reduces || (guards > 0 && random_.chance(60));
    out_.result = reduces && random_.chance(50) ? Type::Double : Type::Int;
    write(guards, reduces);
    return std::move(out_);
  }

 private:
  // ---- numbers

  std::string real_constant() {
    static const std::vector<double> kValues = {0.5, 2, -1.5, 0.25, 3, 0.1, -0.7, 100};
    const double value = random_.pick(kValues);
    out_.constants.push_back(value);
    const std::string text =
        fmt::format("{}{}", value, value == static_cast<int>(value) ? ".0" : "");
    return value < 0 ? "(" + text + ")" : text;
  }
  Int int_constant(int low, int high) {
    const int value = random_.between(low, high);
    out_.constants.push_back(value);
    return {value < 0 ? fmt::format("({})", value) : std::to_string(value), std::abs(value)};
  }
  int divisor() {
    const int value = random_.between(1, 7);
    return random_.chance(25) ? -value : value;
  }

  const ConditionalCode::Scalar* scalar(bool real) {
    std::vector<const ConditionalCode::Scalar*> known;
    for (const auto& one : out_.scalars) {
      if ((one.type == Type::Double) == real) known.push_back(&one);
    }
    return known.empty() ? nullptr : random_.pick(known);
  }

  std::string element(const std::string& array, bool shifted) {
    const int o = shifted ? random_.between(-1, 1) : 0;
    const std::string i = o == 0 ? "i" : fmt::format("i {} {}", o < 0 ? "-" : "+", std::abs(o));
    if (out_.rank == 1) return fmt::format("{}[{}]", array, i);
    const int r = shifted ? random_.between(-1, 1) : 0;
    const std::string j = r == 0 ? "j" : fmt::format("j {} {}", r < 0 ? "-" : "+", std::abs(r));
    return o == 0 ? fmt::format("{}[i * m + {}]", array, j)
                  : fmt::format("{}[({}) * m + {}]", array, i, j);
  }

  bool has(const char* array) const {
    return std::any_of(out_.arrays.begin(), out_.arrays.end(),
                       [&](const auto& one) { return one.name == array; });
  }

  // ---- expressions

  // An element at a constant subscript.
  std::string fixed_element(const std::string& array) {
    return fmt::format("{}[{}]", array, random_.between(0, 2));
  }

  std::string real(int depth) {
    const int kind = depth <= 0 ? random_.below(4) : random_.below(15);
    switch (kind) {
      case 0:
        return real_constant();
      case 1:
        if (const auto* s = scalar(true)) return s->name;
        break;
      case 2:
        if (!reals_.empty()) return random_.pick(reals_);
        break;
      case 4:
      case 5:
      case 6: {
        static const std::vector<std::string> kOperators = {"+", "-", "*"};
        return fmt::format("({} {} {})", real(depth - 1), random_.pick(kOperators),
                           real(depth - 1));
      }
      case 7:
        return fmt::format("({} / {})", real(depth - 1), real_constant());
      case 8:
        return fmt::format("({} ? {} : {})", condition(depth - 1), real(depth - 1),
                           real(depth - 1));
      case 9:
        return fmt::format("({} * ({}))", real(depth - 1), condition(depth - 1));
      case 10:
        return fmt::format("(double)({})", integer(depth - 1).text);
      case 11:
        return fmt::format("({} * {})", integer(depth - 1).text, real(depth - 1));
      case 12:
        return fmt::format("fabs({})", real(depth - 1));
      case 13:
        return fmt::format("-{}", real(0));
      case 14:
        if (tables_) return fmt::format("T[{} & 3]", integer(depth - 1).text);
        break;
      default:
        break;
    }
    if (elements_ && random_.chance(30)) return fixed_element("a");
    return element("a", true);
  }

  Int leaf() {
    if (elements_ && random_.chance(10)) return {fixed_element("c"), 1000};
    if (tables_ && random_.chance(15)) return {"K[i % 3]", 9};
    if (steady_ && random_.chance(20)) return {"w", 1000};
    switch (random_.below(5)) {
      case 0:
        return int_constant(-9, 9);
      case 1:
        if (const auto* s = scalar(false)) {
          if (s->type == Type::Long) return {"(int)(" + s->name + " % 1000)", 999};
          if (s->type == Type::Unsigned) return {"(int)(" + s->name + " % 1000u)", 999};
          return {s->name, 1000};
        }
        break;
      case 2:
        if (!ints_.empty()) return random_.pick(ints_);
        break;
      case 3:
        if (has("u")) return {element("u", true), 255};
        break;
      default:
        break;
    }
    return {element("c", true), 1000};
  }

  Int integer(int depth) {
    if (depth <= 0) return leaf();
    const Int x = integer(depth - 1);
    switch (random_.below(15)) {
      case 0:
      case 1: {
        const Int y = integer(depth - 1);
        if (x.most + y.most > kMost) return x;
        return {fmt::format("({} {} {})", x.text, random_.chance(50) ? "+" : "-", y.text),
                x.most + y.most};
      }
      case 2: {
        const Int y = leaf();
        if (x.most * y.most > kMost) return x;
        return {fmt::format("({} * {})", x.text, y.text), x.most * y.most};
      }
      case 3:
        return {fmt::format("({} / {})", x.text, bracketed(divisor())), x.most};
      case 4:
        return {fmt::format("({} % {})", x.text, bracketed(divisor())), 6};
      case 5:  // a conditional expression as the dividend; below as the divisor
        return {fmt::format("(({} ? {} : {}) / {})", condition(depth - 1), x.text, leaf().text,
                            bracketed(divisor())),
                std::max<int64_t>(x.most, 1000)};
      case 6:
        return {fmt::format("({} / ({} ? {} : {}))", x.text, condition(depth - 1),
                            bracketed(divisor()), bracketed(divisor())),
                x.most};
      case 7:
        return {fmt::format("({} >> {})", x.text, random_.between(1, 4)), x.most};
      case 8: {
        static const std::vector<std::string> kOperators = {"&", "|", "^"};
        return {fmt::format("({} {} {})", x.text, random_.pick(kOperators), leaf().text),
                std::max<int64_t>(2 * x.most, 2048)};
      }
      case 9:
        return {fmt::format("({})", condition(depth - 1)), 1};
      case 10:
        return {fmt::format("({} ? {} : {})", condition(depth - 1), x.text, leaf().text),
                std::max<int64_t>(x.most, 1000)};
      case 11:
        return {fmt::format("(unsigned char){}", x.text), 255};
      case 12:
        return {fmt::format("(short){}", x.text), 32768};
      case 13:
        return {fmt::format("(int)((unsigned){} % 7u)", x.text), 6};
      default:
        return {fmt::format("(int)((long){} * 3 % 1000)", x.text), 1000};
    }
  }
  static std::string bracketed(int value) {
    return value < 0 ? fmt::format("({})", value) : std::to_string(value);
  }

  std::string compared() {
    static const std::vector<std::string> kOperators = {"<", ">", "<=", ">=", "==", "!="};
    return random_.pick(kOperators);
  }

  std::string condition(int depth) {
    switch (depth <= 0 ? random_.below(4) : random_.below(10)) {
      case 9: {
        static const std::vector<std::string> kClasses = {"nan", "inf", "finite"};
        return fmt::format("{}__builtin_is{}({})", random_.chance(30) ? "!" : "",
                           random_.pick(kClasses), real(depth - 1));
      }
      case 0:
      case 1:
        return fmt::format("{} {} {}", element("a", true), compared(),
                           random_.chance(50) ? real_constant() : real(0));
      case 2:
        return fmt::format("{} {} {}", leaf().text, compared(), int_constant(-5, 5).text);
      case 3:
        if (const auto* s = scalar(random_.chance(30))) return asked(*s);
        return fmt::format("{} > 0", element("c", false));
      case 4:
        return fmt::format("({} && {})", condition(depth - 1), condition(depth - 1));
      case 5:
        return fmt::format("({} || {})", condition(depth - 1), condition(depth - 1));
      case 6:
        return fmt::format("!({})", condition(depth - 1));
      case 7:
        return fmt::format("({}) {} ({})", integer(depth - 1).text, compared(),
                           integer(depth - 1).text);
      default:
        return fmt::format("({} {} {})", real(depth - 1), compared(), real(depth - 1));
    }
  }

  // A condition on a scalar, such as `mode == 3`.
  std::string asked(const ConditionalCode::Scalar& known) {
    auto& one = const_cast<ConditionalCode::Scalar&>(known);
    if (one.type == Type::Double) {
      one.constants.push_back(1.5);
      return fmt::format("{} {} 1.5", one.name, compared());
    }
    const int value = one.type == Type::Unsigned ? random_.between(1, 9) : random_.between(-3, 9);
    one.constants.push_back(value);
    return one.type == Type::Unsigned ? fmt::format("{} - {}u < 10u", one.name, value)
                                      : fmt::format("{} {} {}", one.name, compared(), value);
  }

  // ---- statements

  void line(const std::string& text) {
    body_ += std::string(static_cast<size_t>(2 * indent_), ' ') + text + "\n";
  }

  // An expression that changes a local variable.
  std::string effect() {
    if (!ints_.empty() && random_.chance(30))
      return fmt::format("({} = {})", ints_[0].text, leaf().text);
    return fmt::format("({} {} {})", random_.pick(reals_),
                       random_.chance(60) ? "=" : "+=", real(1));
  }

  // A switch whose groups have one or two labels and may fall through. `default` is anywhere or
  // missing.
  void choice(int depth) {
    const Int on = bounded(integer(1));
    line(fmt::format("switch ({}) {{", on.text));
    ++indent_;
    int label = random_.between(-3, 1);
    const int groups = random_.between(1, 3);
    const int otherwise = random_.between(0, groups);  // `groups`: no default
    for (int g = 0; g < groups; ++g) {
      const int labels = random_.chance(30) ? 2 : 1;
      for (int k = 0; k < labels; ++k) {
        line(g == otherwise && k == 0 ? "default:" : fmt::format("case {}:", label));
        label += random_.between(1, 2);
      }
      const bool braces = random_.chance(30);
      if (braces) line("{");
      block(depth);
      if (random_.chance(70)) line("  break;");
      if (braces) line("}");
    }
    --indent_;
    line("}");
  }

  void statement(int depth) {
    if (depth > 0 && random_.chance(10)) {
      choice(depth - 1);
      return;
    }
    switch (random_.below(8)) {
      case 0:
        line(fmt::format("{} && {};", condition(1), effect()));
        return;
      case 1:
        line(fmt::format("{} || {};", condition(1), effect()));
        return;
      case 2:
        line(fmt::format("x = {} ? (y = {}) : {};", condition(1), real(1), real(1)));
        return;
      case 3:
        line(fmt::format("if ({} && ({} = {}) > {}) {} = {};", condition(0), random_.pick(reals_),
                         real(1), real_constant(), random_.pick(reals_), real(1)));
        return;
      case 4:
      case 5:
        if (depth > 0) {
          line(fmt::format("if ({}) {{", condition(1)));
          block(depth - 1);
          if (random_.chance(60)) {
            line("} else {");
            block(depth - 1);
          }
          line("}");
          return;
        }
        [[fallthrough]];
      case 6:
        if (!ints_.empty()) {
          line(fmt::format("{} = {};", ints_[0].text, bounded(integer(2)).text));
          return;
        }
        [[fallthrough]];
      default:
        line(fmt::format("{} = {};", random_.pick(reals_), real(2)));
    }
  }
  // The expression, reduced to the range of a local variable.
  static Int bounded(const Int& x) {
    return x.most <= 1000 ? x : Int{fmt::format("({}) % 1000", x.text), 999};
  }

  void block(int depth) {
    ++indent_;
    const int count = random_.between(1, 2);
    for (int k = 0; k < count; ++k) statement(depth);
    --indent_;
  }

  void point(bool reduces) {
    line("double x = " + real(1) + ";");
    reals_ = {"x"};
    line("double y = " + real(1) + ";");
    reals_.push_back("y");
    if (random_.chance(50)) {
      line("int v = " + bounded(integer(1)).text + ";");
      ints_ = {{"v", 1000}};
    }
    const int count = random_.between(0, 3);
    for (int k = 0; k < count; ++k) statement(1);
    const std::string b = element("b", false);
    if (random_.chance(20)) {
      line(fmt::format("{} && ({} = {});", condition(1), b, real(1)));
    } else if (random_.chance(20)) {
      line(fmt::format("if ({}) {} = {};", condition(1), b, real(1)));
    } else {
      line(fmt::format("{} = {};", b, real(2)));
    }
    if (has("d")) line(fmt::format("{} = {};", element("d", false), integer(2).text));
    if (!reduces) return;
    if (out_.result == Type::Double) {
      line(random_.chance(50) ? fmt::format("({0} > r) && (r = {0});", element("a", false))
                              : fmt::format("if ({0} > r) r = {0};", element("a", false)));
    } else {
      line(random_.chance(50) ? fmt::format("if ({}) r++;", condition(1))
                              : fmt::format("r += ({});", condition(1)));
    }
  }

  // A sequence of assignments to single elements.
  void points() {
    static const std::vector<std::vector<std::string>> kPlaces = {
        {"0", "1"}, {"1", "2"}, {"n - 1", "n - 2"}, {"n - 2", "n - 1"}, {"1", "0"}};
    const int count = random_.between(1, 3);
    for (int k = 0; k < count; ++k) {
      const auto& place = random_.pick(kPlaces);
      static const std::vector<std::string> kOperators = {"+", "-", "*"};
      const std::string other = elements_ && random_.chance(40) ? fixed_element("a")
                                : random_.chance(50)            ? fmt::format("b[{}]", place[0])
                                                                : real_constant();
      line(
          fmt::format("b[{}] = b[{}] {} {};", place[0], place[1], random_.pick(kOperators), other));
    }
  }

  void write(int guards, bool reduces) {
    std::string parameters = out_.rank == 2 ? "int n, int m" : "int n";
    if (out_.timed) parameters += ", int steps";
    for (const auto& one : out_.scalars) {
      if (one.name.rfind("p->", 0) != 0)
        parameters += fmt::format(", {} {}", name_of(one.type), one.name);
    }
    if (in_struct_) parameters += ", const struct P* p";
    for (const auto& one : out_.arrays)
      parameters += fmt::format(", {}* {}", name_of(one.type), one.name);
    indent_ = 1;
    if (points_) line(out_.returns ? "if (n < 3) return -9;" : "if (n < 3) return;");
    for (int g = 0; g < guards; ++g) {
      const auto* s = scalar(false);
      const std::string when = s == nullptr || random_.chance(50)
                                   ? fmt::format("n < {}", random_.between(2, 6))
                                   : asked(*s);
      line(fmt::format("if ({}) return{};", when,
                       out_.returns ? fmt::format(" {}", -1 - g) : std::string()));
    }
    if (reduces) line(out_.result == Type::Double ? "double r = -1e9;" : "int r = 0;");
    if (out_.timed) line("for (int t = 0; t < steps; t++) {");
    if (out_.timed) ++indent_;
    line(steady_ ? "for (int i = 1, w = -7; i < n - 1; i++, w += 3)"
                 : "for (int i = 1; i < n - 1; i++)");
    if (out_.rank == 2) line("  for (int j = 1; j < m - 1; j++)");
    line("{");
    ++indent_;
    point(reduces);
    --indent_;
    line("}");
    if (points_) points();
    if (out_.timed) {
      line("for (int i = 1; i < n - 1; i++)");
      if (out_.rank == 2) line("  for (int j = 1; j < m - 1; j++)");
      line(fmt::format("  {} = {};", element("a", false), element("b", false)));
      --indent_;
      line("}");
    }
    if (out_.returns) line(reduces ? "return r;" : "return 7;");
    if (in_struct_) out_.text += "struct P { int z; double w; };\n";
    out_.text += "double fabs(double);\n";
    if (tables_)
      out_.text += "static const double T[] = {0.5, -2, 0, 3};\nstatic const int K[3] = {9, -4};\n";
    out_.text += fmt::format("{} f({}) {{\n{}}}\n", out_.returns ? name_of(out_.result) : "void",
                             parameters, body_);
    write_call();
  }

  void write_call() {
    size_t next = out_.arrays.size();
    const auto value = [&](Type type) { return fmt::format("*({}*)x[{}]", name_of(type), next++); };
    std::string arguments = value(Type::Int), second = value(Type::Int), third = value(Type::Int);
    if (out_.rank == 2) arguments += ", " + second;
    if (out_.timed) arguments += ", " + third;
    std::string structure;
    for (const auto& one : out_.scalars) {
      const std::string text = value(one.type);
      if (one.name.rfind("p->", 0) == 0) {
        structure += fmt::format("  p.{} = {};\n", one.name.substr(3), text);
      } else {
        arguments += ", " + text;
      }
    }
    if (in_struct_) arguments += ", &p";
    for (size_t a = 0; a < out_.arrays.size(); ++a)
      arguments += fmt::format(", ({}*)x[{}]", name_of(out_.arrays[a].type), a);
    out_.call = "void call(void* const* x, long, long) {\n";
    if (in_struct_) out_.call += "  struct P p;\n" + structure;
    out_.call += out_.returns ? fmt::format("  *({}*)x[{}] = f({});\n}}\n", name_of(out_.result),
                                            next, arguments)
                              : fmt::format("  f({});\n}}\n", arguments);
  }

  Random random_;
  ConditionalCode out_;
  bool in_struct_ = false;
  bool elements_ = false;  // also reads elements at constant subscripts
  bool tables_ = false, steady_ = false, points_ = false;
  std::string body_;
  int indent_ = 0;
  std::vector<std::string> reals_;  // local variables
  std::vector<Int> ints_;
};

}  // namespace

const char* name_of(Type type) {
  constexpr const char* kNames[] = {"double", "int", "unsigned char", "long", "unsigned", "char"};
  return kNames[static_cast<size_t>(type)];
}

int size_of(Type type) {
  constexpr int kSizes[] = {8, 4, 1, 8, 4, 1};
  return kSizes[static_cast<size_t>(type)];
}

ConditionalCode conditional_code(uint64_t seed) {
  return Generator(seed).run();
}

}  // namespace stencil::property
