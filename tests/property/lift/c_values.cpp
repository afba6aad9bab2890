// C's operators are those of the language with two exceptions, which need explicit code: C does not
// define integer division by zero, nor shifts by the width or more. A node that is used more than
// once or is deeply nested becomes a local variable.
#include "tests/property/lift/c_values.h"

#include <fmt/format.h>

#include <cmath>

namespace stencil::property {

namespace {

constexpr int kDeepest = 8;

const char* infix(Op op) {
  switch (op) {
    case Op::Add:
      return "+";
    case Op::Sub:
      return "-";
    case Op::Mul:
      return "*";
    case Op::Lt:
      return "<";
    case Op::Le:
      return "<=";
    case Op::Gt:
      return ">";
    case Op::Ge:
      return ">=";
    case Op::Eq:
      return "==";
    case Op::Ne:
      return "!=";
    case Op::And:
      return "&&";
    case Op::Or:
      return "||";
    case Op::BitAnd:
      return "&";
    case Op::BitOr:
      return "|";
    case Op::BitXor:
      return "^";
    default:
      return nullptr;
  }
}

// The name of the function for doubles in <math.h>.
const char* function(Op op) {
  switch (op) {
    case Op::Fma:
      return "fma";
    case Op::Sqrt:
      return "sqrt";
    case Op::Floor:
      return "floor";
    case Op::Ceil:
      return "ceil";
    case Op::Round:
      return "round";
    case Op::Trunc:
      return "trunc";
#define STENCIL_FUNCTION(op, name, operands) \
  case Op::op:                               \
    return #name;
#include "compiler/support/functions.def"
    default:
      return nullptr;
  }
}

}  // namespace

const char* c_type(Scalar type, bool cpp) {
  switch (type) {
    case Scalar::Bool:
      return cpp ? "bool" : "_Bool";
    case Scalar::I8:
      return "signed char";
    case Scalar::U8:
      return "unsigned char";
    case Scalar::I16:
      return "short";
    case Scalar::U16:
      return "unsigned short";
    case Scalar::I32:
      return "int";
    case Scalar::I64:
      return "long";
    case Scalar::F32:
      return "float";
    case Scalar::F64:
      return "double";
    default:
      throw Unsayable{fmt::format("type {}", name(type))};
  }
}

std::string c_literal(Scalar type, const ir::Constant& value) {
  if (!is_float(type)) {
    if (value.integer == INT64_MIN) throw Unsayable{"the least integer"};
    const char* suffix = type == Scalar::I64 ? "L" : "";
    return value.integer < 0 ? fmt::format("({}{})", value.integer, suffix)
                             : fmt::format("{}{}", value.integer, suffix);
  }
  if (!std::isfinite(value.real)) throw Unsayable{"literal that is no number"};
  std::string text = type == Scalar::F32 ? fmt::format("{}", static_cast<float>(value.real))
                                         : fmt::format("{}", value.real);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (type == Scalar::F32) text += "f";
  return std::signbit(value.real) ? "(" + text + ")" : text;
}

CValues::CValues(const ir::Graph& graph, const std::vector<ir::NodeId>& results, bool cpp,
                 Leaf leaf)
    : graph_(graph), cpp_(cpp), leaf_(std::move(leaf)) {
  std::vector<int> uses(static_cast<size_t>(graph.size()), 0);
  std::vector<int> depth(static_cast<size_t>(graph.size()), 0);
  for (const ir::NodeId id : results) ++uses[id];
  for (ir::NodeId id = graph.size() - 1; id >= 0; --id) {
    const auto* of = std::get_if<ir::Operation>(&graph[id].kind);
    if (uses[id] == 0 || of == nullptr) continue;
    for (const ir::NodeId operand : of->operands) ++uses[operand];
  }
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    if (uses[id] == 0) continue;
    const ir::Node& node = graph[id];
    int& own = depth[id];
    if (const auto* of = std::get_if<ir::Operation>(&node.kind)) {
      for (const ir::NodeId operand : of->operands) {
        own = std::max(own, depth[operand] + 1);
      }
    }
    const bool access = std::holds_alternative<ir::Access>(node.kind);
    const bool plain = !access && !std::holds_alternative<ir::Operation>(node.kind);
    if (plain || (uses[id] < 2 && own < kDeepest)) continue;
    own = 0;
    const std::string value = written(id);
    const std::string name = fmt::format("v{}", id);
    statements_.push_back(fmt::format("const {} {} = {};", c_type(node.type, cpp), name, value));
    names_[id] = name;
  }
}

std::string CValues::text(ir::NodeId id) {
  const auto found = names_.find(id);
  return found != names_.end() ? found->second : written(id);
}

std::string CValues::written(ir::NodeId id) {
  const ir::Node& node = graph_[id];
  if (const auto* constant = std::get_if<ir::Constant>(&node.kind)) {
    return c_literal(node.type, *constant);
  }
  const auto* of = std::get_if<ir::Operation>(&node.kind);
  return of != nullptr ? operation(node, *of) : leaf_(node);
}

bool CValues::nonzero(ir::NodeId id) const {
  const auto* constant = std::get_if<ir::Constant>(&graph_[id].kind);
  return constant != nullptr && constant->integer != 0;
}

std::string CValues::divided(const ir::Node& node, const ir::Operation& of) {
  const char* op = of.op == Op::Div ? "/" : "%";
  const std::string a = text(of.operands[0]), b = text(of.operands[1]);
  if (is_float(node.type) || nonzero(of.operands[1])) return fmt::format("({} {} {})", a, op, b);
  return fmt::format("({2} == 0 ? {3} : {0} {1} {2})", a, op, b,
                     c_literal(node.type, ir::Constant{}));
}

std::string CValues::convert(const ir::Node& node, ir::NodeId operand) {
  const std::string value = text(operand);
  if (node.type == graph_[operand].type) return value;
  if (node.type == Scalar::Bool) return fmt::format("({} != 0)", value);
  return fmt::format("(({}){})", c_type(node.type, cpp_), value);
}

std::string CValues::operation(const ir::Node& node, const ir::Operation& of) {
  std::vector<std::string> in;
  if (of.op == Op::Div || of.op == Op::Mod) {
    if (of.op == Op::Mod && is_float(node.type)) throw Unsayable{"remainder of floats"};
    return divided(node, of);
  }
  if (of.op == Op::Convert) return convert(node, of.operands[0]);
  for (const ir::NodeId operand : of.operands) in.push_back(text(operand));
  const bool single = node.type == Scalar::F32;
  const char* type = c_type(node.type, cpp_);
  if (const char* op = infix(of.op)) return fmt::format("({} {} {})", in[0], op, in[1]);
  if (const char* name = function(of.op)) {
    std::string all;
    for (const std::string& one : in) all += (all.empty() ? "" : ", ") + one;
    if (cpp_) return fmt::format("std::{}({})", name, all);
    return fmt::format("{}{}({})", name, single ? "f" : "", all);
  }
  switch (of.op) {
    case Op::Neg:
      return fmt::format("(-{})", in[0]);
    case Op::Not:
      return fmt::format("(!{})", in[0]);
    case Op::BitNot:
      return fmt::format("(~{})", in[0]);
    case Op::Min:
      return cpp_ ? fmt::format("std::min<{}>({}, {})", type, in[0], in[1])
                  : fmt::format("({1} < {0} ? {1} : {0})", in[0], in[1]);
    case Op::Max:
      return cpp_ ? fmt::format("std::max<{}>({}, {})", type, in[0], in[1])
                  : fmt::format("({0} < {1} ? {1} : {0})", in[0], in[1]);
    case Op::Abs:
      if (cpp_) return fmt::format("std::abs({})", in[0]);
      if (!is_float(node.type)) {
        return fmt::format("{}({})", node.type == Scalar::I64 ? "labs" : "abs", in[0]);
      }
      return fmt::format("fabs{}({})", single ? "f" : "", in[0]);
    case Op::Rsqrt:
      return single ? fmt::format("(1.0f / {}({}))", cpp_ ? "std::sqrt" : "sqrtf", in[0])
                    : fmt::format("(1.0 / {}({}))", cpp_ ? "std::sqrt" : "sqrt", in[0]);
    case Op::Select:
      return fmt::format("({} ? {} : {})", in[0], in[1], in[2]);
    case Op::Shl:
    case Op::Shr:
      return fmt::format("({} {} ({} & {}))", in[0], of.op == Op::Shl ? "<<" : ">>", in[1],
                         node.type == Scalar::I64 ? "63L" : "31");
    default:
      throw Unsayable{fmt::format("operator {}", name(of.op))};
  }
}

}  // namespace stencil::property
