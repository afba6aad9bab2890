// Name resolution. Every statement that binds a variable gets its own index for it, so execution
// need not handle scopes.
#include "compiler/kernel/trace_code.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stencil::kernel::tracing {

namespace {

class Resolver {
 public:
  Resolver(const Kernel& kernel, const std::vector<NamedConstant>& constants) : kernel_(kernel) {
    out_.kernel = &kernel;
    for (const NamedConstant& constant : constants) outside(constant.name, true);
    for (const ScalarArgument& scalar : kernel.scalars) outside(scalar.name, false);
    outside("block", false);
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      outside(kThreadNames[axis], kernel.threads[axis] == 1);
    }
  }

  KernelCode resolve() {
    code_ = &out_.extent_code;
    begin_statement();
    for (const Buffer& buffer : kernel_.buffers) {
      std::vector<int>& roots = out_.extents.emplace_back();
      for (const Expr& extent : buffer.extents) roots.push_back(node(extent));
    }
    out_.most_nodes = out_.extent_code.nodes.size();
    out_.body = body(kernel_.body);
    out_.variables = static_cast<int>(fixed_.size());
    return std::move(out_);
  }

 private:
  using Key = std::tuple<CodeNode::Kind, Op, Scalar, int64_t, int, BufferId, std::vector<int>>;

  int new_variable(const std::string& name, bool fixed) {
    fixed_.push_back(fixed);
    const int variable = static_cast<int>(fixed_.size()) - 1;
    scopes_[name].push_back(variable);
    bound_.push_back(name);
    return variable;
  }
  void outside(const std::string& name, bool fixed) {
    out_.outside[name] = new_variable(name, fixed);
  }

  void begin_statement() {
    numbers_.clear();
    known_.clear();
  }

  CodeBody body(const Body& statements) {
    CodeBody out;
    const size_t around = bound_.size();
    for (const Statement& statement : statements) {
      out.push_back({&statement, {}, {}, -1, false, {}, {}});
      Code* const outer = std::exchange(code_, &out.back());
      begin_statement();
      std::visit(*this, statement.kind);
      out_.most_nodes = std::max(out_.most_nodes, out.back().nodes.size());
      code_ = outer;
    }
    unbind(around);
    return out;
  }
  void unbind(size_t bound) {
    for (; bound_.size() > bound; bound_.pop_back()) scopes_[bound_.back()].pop_back();
  }

  void roots(const std::vector<Expr>& exprs) {
    for (const Expr& expr : exprs) code_->roots.push_back(node(expr));
  }
  bool is_fixed(int root) const { return code_->nodes[root].fixed; }

 public:
  void operator()(const Comment&) {}
  void operator()(const Let& let) {
    roots({let.value});
    code_->variable = new_variable(let.name, let.cases || is_fixed(code_->roots[0]));
  }
  void operator()(const Store& store) {
    roots(store.index);
    roots({store.value});
  }
  void operator()(const Copy& copy) {
    roots(copy.to_index);
    roots(copy.from_index);
  }
  void operator()(const CommitCopies&) {}
  void operator()(const AwaitCopies&) {}
  void operator()(const For& loop) {
    roots({loop.begin, loop.end});
    const bool written_out = loop.kind == LoopKind::Unrolled || loop.kind == LoopKind::Steps;
    code_->fixed = written_out && is_fixed(code_->roots[0]) && is_fixed(code_->roots[1]);
    const size_t around = bound_.size();
    Code* const code = code_;
    code->variable = new_variable(loop.name, code->fixed);
    code->body = body(loop.body);
    unbind(around);
  }
  void operator()(const If& branch) {
    roots({branch.condition});
    code_->fixed = is_fixed(code_->roots[0]);
    Code* const code = code_;
    code->body = body(branch.then);
    code->otherwise = body(branch.otherwise);
  }
  void operator()(const Threads& threads) {
    Code* const code = code_;
    code->body = body(threads.body);
  }
  void operator()(const Barrier&) {}
  void operator()(const Shuffle& shuffle) {
    const size_t around = bound_.size();
    if (shuffle.count > 1) code_->variable = new_variable(shuffle.name, true);
    for (const Shuffle::Move& move : shuffle.moves) {
      roots(move.to_index);
      roots(move.from_index);
    }
    unbind(around);
  }
  void operator()(const BulkCopies& bulk) {
    roots({bulk.batch});
    for (const BulkCopy& copy : bulk.copies) {
      roots(copy.origin);
      roots(copy.to_index);
    }
  }
  void operator()(const AwaitBulk& await) { roots({await.batch}); }
  void operator()(const Scope& scope) {
    Code* const code = code_;
    code->body = body(scope.body);
  }

 private:
  int node(const Expr& expr) {
    const auto known = known_.find(expr.get());
    if (known != known_.end()) return known->second;
    CodeNode out;
    out.type = expr->type;
    std::visit([&](const auto& kind) { describe(kind, out); }, expr->kind);
    for (int operand : out.operands) {
      out.accesses = out.accesses || code_->nodes[operand].accesses;
    }
    const Key key{out.kind, out.op, out.type, out.literal, out.variable, out.buffer, out.operands};
    const auto [place, fresh] = numbers_.emplace(key, static_cast<int>(code_->nodes.size()));
    if (fresh) code_->nodes.push_back(std::move(out));
    known_[expr.get()] = place->second;
    return place->second;
  }

  void describe(const IntegerLiteral& literal, CodeNode& out) {
    out.literal = literal.value;
    out.fixed = true;
  }
  void describe(const RealLiteral& literal, CodeNode& out) {
    static_assert(sizeof literal.value == sizeof out.literal);
    // Distinguishes literals; the value is not used.
    std::memcpy(&out.literal, &literal.value, sizeof out.literal);
    out.fixed = true;
  }
  void describe(const Variable& variable, CodeNode& out) {
    out.kind = CodeNode::Kind::Variable;
    const auto found = scopes_.find(variable.name);
    if (found == scopes_.end() || found->second.empty()) outside(variable.name, false);
    out.variable = scopes_[variable.name].back();
    out.fixed = fixed_[out.variable];
  }
  void describe(const Operation& operation, CodeNode& out) {
    out.kind = CodeNode::Kind::Operation;
    out.op = operation.op;
    out.fixed = true;
    for (const Expr& operand : operation.operands) {
      out.operands.push_back(node(operand));
      out.fixed = out.fixed && is_fixed(out.operands.back());
    }
  }
  void describe(const Load& load, CodeNode& out) {
    out.kind = CodeNode::Kind::Load;
    out.buffer = load.buffer;
    for (const Expr& index : load.index) out.operands.push_back(node(index));
    const Space space = kernel_.buffers[load.buffer].space;
    out.accesses = space == Space::Global || space == Space::Shared;
  }

  const Kernel& kernel_;
  KernelCode out_;
  Code* code_ = nullptr;  // of the current statement
  std::map<std::string, std::vector<int>> scopes_;
  std::vector<std::string> bound_;
  std::vector<bool> fixed_;  // by variable
  std::map<Key, int> numbers_;
  std::unordered_map<const ExprNode*, int> known_;
};

}  // namespace

KernelCode code_of(const Kernel& kernel, const std::vector<NamedConstant>& constants) {
  return Resolver(kernel, constants).resolve();
}

}  // namespace stencil::kernel::tracing
