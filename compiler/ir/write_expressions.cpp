// Graphs as expressions of the language.
//
// Literals have no type in the language, so a constant is written as a conversion, float(0.1),
// unless the other operand gives it the type. Every other expression then has the type of its node,
// and analysing it gives the same node. A value that is used several times becomes a `let`; where
// the language has none, it is written out, and hash-consing finds it again.
#include "compiler/ir/write_expressions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/ir/rewrite.h"
#include "compiler/support/numbers.h"

namespace stencil::ir {
namespace {

constexpr int kDeepest = 40;  // nesting of a written expression

constexpr std::array kInfix = {Op::Add, Op::Sub, Op::Mul,   Op::Div,    Op::Mod,    Op::Lt,
                               Op::Le,  Op::Gt,  Op::Ge,    Op::Eq,     Op::Ne,     Op::And,
                               Op::Or,  Op::Shl, Op::BitOr, Op::BitXor, Op::BitAnd, Op::Shr};

bool is_infix(Op op) {
  return std::find(kInfix.begin(), kInfix.end(), op) != kInfix.end();
}

std::string write_integer(int64_t value) {
  if (value == INT64_MIN) return fmt::format("({} - 1)", INT64_MIN + 1);
  return value < 0 ? fmt::format("({})", value) : fmt::format("{}", value);
}

// The shortest number that reads back, after the rounding to its type.
std::string write_real(double value, Scalar type) {
  std::string text = fmt::format("{}", value);
  if (type == Scalar::F32) {
    const std::string shorter = fmt::format("{}", static_cast<float>(value));
    const auto read = parse_real(shorter);
    if (read && static_cast<float>(*read) == static_cast<float>(value)) text = shorter;
  }
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text[0] == '-' ? "(" + text + ")" : text;
}

}  // namespace

std::string write_constant(const Constant& constant, Scalar type, bool literal) {
  if (type == Scalar::Bool) return constant.integer != 0 ? "true" : "false";
  const std::string text =
      is_float(type) ? write_real(constant.real, type) : write_integer(constant.integer);
  if (literal) return text;
  return text[0] == '(' ? fmt::format("{}{}", name(type), text)
                        : fmt::format("{}({})", name(type), text);
}

// --- Names ---------------------------------------------------------------------------------------

WrittenNames::WrittenNames(const Program& of_program, Diagnostics& to)
    : program(of_program), diagnostics(to) {
  for (const Param& param : program.params) taken_.insert(param.name);
  for (const Field& field : program.fields) taken_.insert(field.name);
  for (const Function& function : program.functions) taken_.insert(function.name);
  for (const Reduction& reduction : program.reductions) taken_.insert(reduction.name);
  // A quotient in bounds has checks (S067) that it is the quotient.
  for (size_t p = 0; p < program.params.size(); ++p) {
    const Param& param = program.params[p];
    const std::string begin = fmt::format("param '{}' is ", param.name);
    const bool quotient =
        std::any_of(program.checks.begin(), program.checks.end(), [&](const Check& check) {
          return check.code == "S067" && check.message.rfind(begin, 0) == 0;
        });
    if (!quotient || !param.derived) continue;
    const auto& [graph, value, text] = *param.derived;
    ExpressionWriter writer(*this, graph, {value}, {}, {}, false);
    quotients_[static_cast<ParamId>(p)] = writer.text(value);
  }
}

std::string WrittenNames::fresh(const std::string& wanted) {
  std::string found = wanted;
  for (int n = 1; !taken_.insert(found).second; ++n) found = fmt::format("{}_{}", wanted, n);
  return found;
}

std::string WrittenNames::param(ParamId id) const {
  const auto quotient = quotients_.find(id);
  return quotient == quotients_.end() ? program.params[id].name : quotient->second;
}

std::string WrittenNames::affine(const Affine& affine) const {
  std::string out;
  for (const auto& [id, coefficient] : affine.terms) {
    const std::string sign = coefficient < 0 ? "-" : "+";
    const int64_t size = std::abs(coefficient);
    const std::string term = size == 1 ? param(id) : fmt::format("{} * {}", size, param(id));
    if (out.empty()) {
      out = coefficient < 0 ? fmt::format("0 - {}", term) : term;
    } else {
      out += fmt::format(" {} {}", sign, term);
    }
  }
  if (out.empty()) return fmt::format("{}", affine.constant);
  if (affine.constant == 0) return out;
  return fmt::format("{} {} {}", out, affine.constant < 0 ? "-" : "+", std::abs(affine.constant));
}

bool ReaderPlace::above(const Program& program, ReductionId read) const {
  if (reduction) return *reduction <= read;
  return function && applied_before(program, *function, read);
}

// --- Expressions ---------------------------------------------------------------------------------

ExpressionWriter::ExpressionWriter(WrittenNames& names, const Graph& graph,
                                   const std::vector<NodeId>& roots,
                                   std::vector<std::string> indices, ReaderPlace place, bool lets)
    : names_(names),
      graph_(graph),
      indices_(std::move(indices)),
      place_(place),
      let_names_(static_cast<size_t>(graph.size())) {
  const std::vector<bool> needed = reachable(graph, roots);
  std::vector<int> uses(needed.size(), 0), depth(needed.size(), 0);
  std::vector<double> sizes(needed.size(), 1);
  for (const NodeId root : roots) ++uses[root];
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!needed[id]) continue;
    for (const NodeId operand : operands(graph[id])) ++uses[operand];
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!needed[id]) continue;
    for (const NodeId operand : operands(graph[id])) {
      sizes[id] += sizes[operand];
      if (let_names_[operand].empty()) depth[id] = std::max(depth[id], depth[operand] + 1);
    }
    const Node& node = graph[id];
    const auto* made = std::get_if<Operation>(&node.kind);
    // random bits are written as part of the number that they become
    const bool computed = made && made->op != Op::Random && !is_storage(node.type);
    const bool apart = uses[id] > 1 || !node.hint.empty() || depth[id] > kDeepest;
    if (!lets || !computed || !apart) continue;
    std::string value = body(id);
    let_names_[id] = names_.fresh(node.hint.empty() ? "v" : node.hint);
    let_texts_.push_back(fmt::format("{} = {}", let_names_[id], value));
  }
  for (const NodeId root : roots) size_ += sizes[root];
}

std::string ExpressionWriter::text(NodeId id) {
  return operand(id, false);
}

std::string ExpressionWriter::operand(NodeId id, bool literal) {
  const Node& node = graph_[id];
  if (const auto* constant = std::get_if<Constant>(&node.kind)) {
    return write_constant(*constant, node.type, literal);
  }
  return let_names_[id].empty() ? body(id) : let_names_[id];
}

std::string ExpressionWriter::body(NodeId id) {
  const Node& node = graph_[id];
  struct Visitor {
    ExpressionWriter& self;
    const Node& node;
    std::string operator()(const Constant& constant) const {
      return write_constant(constant, node.type, false);
    }
    std::string operator()(const ParamRef& read) const { return self.names_.param(read.param); }
    std::string operator()(const Index& index) const { return self.indices_[index.dimension]; }
    std::string operator()(const Time&) const { return "time"; }
    std::string operator()(const ReductionRef& read) const {
      return self.names_.program.reductions[read.reduction].name;
    }
    std::string operator()(const Access& access) const { return self.access(node, access); }
    std::string operator()(const Operation& made) const { return self.operation(node, made); }
  };
  return std::visit(Visitor{*this, node}, node.kind);
}

std::string ExpressionWriter::access(const Node& node, const Access& access) {
  const Field& field = names_.program.fields[access.field];
  // the sum of weights takes its type from the context
  if (field.is_point_set()) return fmt::format("{}({})", name(node.type), field.name);
  const auto made = reduction_into(names_.program, access.field);
  // the level of the previous step, above the place of the reduction
  const bool previous = made && place_.above(names_.program, *made);
  const int level = previous ? 1 : access.level;
  std::string out = field.name;
  if (level > 0) out += fmt::format("@-{}", level);
  std::vector<std::string> offsets;
  for (size_t d = 0; d < access.maps.size(); ++d) {
    const int offset = access.offset(d);
    if (field.dimension(d) == kPoints) continue;
    if (field.dimension(d) != kTime) {
      offsets.push_back(fmt::format("{}", offset));
    } else if (offset == 0) {
      offsets.emplace_back("time");
    } else {
      offsets.push_back(fmt::format("time {} {}", offset < 0 ? "-" : "+", std::abs(offset)));
    }
  }
  if (!offsets.empty()) out += fmt::format("[{}]", fmt::join(offsets, ","));
  return out + field.components[access.component].path;
}

// NAME@-1, which is a select: in the first step, the initial value of the reduction.
std::optional<std::string> ExpressionWriter::earlier_value(const Operation& select) {
  const auto* read = std::get_if<ReductionRef>(&graph_[select.operands[2]].kind);
  const auto* first = std::get_if<Operation>(&graph_[select.operands[0]].kind);
  if (!read || !first || first->op != Op::Eq) return std::nullopt;
  if (!read->replaced && !place_.above(names_.program, read->reduction)) return std::nullopt;
  if (!std::holds_alternative<Time>(graph_[first->operands[0]].kind)) return std::nullopt;
  auto& initial = names_.initial[read->reduction];
  if (initial.empty()) {
    const NodeId value = select.operands[1];
    initial = ExpressionWriter(names_, graph_, {value}, {}, {}, false).text(value);
  }
  return names_.program.reductions[read->reduction].name + "@-1";
}

// The arguments of random() if the operation turns random bits into a number in [0, 1).
const Operation* ExpressionWriter::random_bits(const Operation& product) const {
  const auto made = [&](NodeId id, Op op) {
    const auto* operation = std::get_if<Operation>(&graph_[id].kind);
    return operation && operation->op == op ? operation : nullptr;
  };
  const auto* number = product.op == Op::Mul ? made(product.operands[0], Op::Convert) : nullptr;
  const auto* kept = number ? made(number->operands[0], Op::BitAnd) : nullptr;
  const auto* shifted = kept ? made(kept->operands[0], Op::Shr) : nullptr;
  return shifted ? made(shifted->operands[0], Op::Random) : nullptr;
}

// An argument of random(), which is converted to `long`.
std::string ExpressionWriter::random_argument(NodeId id) {
  const auto* operation = std::get_if<Operation>(&graph_[id].kind);
  const bool converted = operation && operation->op == Op::Convert &&
                         graph_[operation->operands[0]].type == Scalar::I32;
  const NodeId argument = converted ? operation->operands[0] : id;
  return operand(argument, std::holds_alternative<Constant>(graph_[argument].kind));
}

std::string ExpressionWriter::operation(const Node& node, const Operation& made) {
  const auto constant = [&](NodeId id) {
    return std::holds_alternative<Constant>(graph_[id].kind);
  };
  if (made.op == Op::Select) {
    if (const auto earlier = earlier_value(made)) return *earlier;
  }
  std::vector<std::string> parts;
  if (const Operation* random = random_bits(made)) {
    for (const NodeId id : random->operands) parts.push_back(random_argument(id));
    return fmt::format("{}(random({}))", name(node.type), fmt::join(parts, ", "));
  }
  for (size_t i = 0; i < made.operands.size(); ++i) {
    // A constant takes the type of another operand, which has it already.
    bool literal = made.op != Op::Select && made.op != Op::Pow && made.op != Op::Convert;
    bool typed = false;
    for (size_t other = 0; other < made.operands.size(); ++other) {
      typed |= other != i && !constant(made.operands[other]);
    }
    parts.push_back(operand(made.operands[i], literal && typed));
  }
  if (is_infix(made.op)) {
    return fmt::format("({} {} {})", parts[0], spelling(made.op), parts[1]);
  }
  switch (made.op) {
    case Op::Neg:
    case Op::BitNot:
      return fmt::format("({}{})", spelling(made.op), parts[0]);
    case Op::Not:
      return fmt::format("(not {})", parts[0]);
    case Op::Convert:
      return fmt::format("{}({})", name(node.type), parts[0]);
    case Op::WrapNeg:
    case Op::WrapAdd:
    case Op::WrapSub:
    case Op::WrapMul:
    case Op::WrapAbs:
    case Op::Random:
      names_.diagnostics.error("S093", node.span, "a value that the language cannot express")
          .found = name(made.op);
      return "0";
    default:
      return fmt::format("{}({})", spelling(made.op), fmt::join(parts, ", "));
  }
}

}  // namespace stencil::ir
