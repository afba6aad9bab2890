// Verification of kernels and of the plan around them. Lowering composes kernels from many rules.
// An error in one of them would show up as a wrong number for some size on some device, so
// everything that can be checked statically is checked here, after lowering and before any writer
// sees the module.
//
// Kernels that are legalized for a target (emit::legalise) must satisfy the same rules, and a few
// more if their threads are loops.
//
// There are three passes: the body of each kernel (names, types, placement of statements), the
// barriers of each kernel (barriers.cpp), and the plan against the kernels (verify_plan.cpp).
#include "compiler/kernel/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/kernel/evaluate.h"
#include "compiler/kernel/passes.h"
#include "compiler/kernel/thread_uses.h"
#include "compiler/kernel/walk.h"

namespace stencil::kernel {

namespace {

class KernelVerifier {
 public:
  KernelVerifier(const Module& module, const Kernel& kernel, Violations& violations)
      : module_(module), kernel_(kernel), violations_(violations) {}

  // Returns false if expressions are missing. No other pass may then read the kernel.
  bool verify() {
    for (const NamedConstant& constant : module_.constants) define(constant.name, constant.type);
    for (const ScalarArgument& scalar : kernel_.scalars) define(scalar.name, scalar.type);
    threads();
    for (const Buffer& buffer : kernel_.buffers) this->buffer(buffer);
    for (const BulkSource& source : kernel_.bulk_sources) bulk_source(source);
    if ((kernel_.bulk_batches > 0) != !kernel_.bulk_sources.empty()) {
      fail(fmt::format("{} boxes for bulk copies, {} batches", kernel_.bulk_sources.size(),
                       kernel_.bulk_batches));
    }
    define("block", Scalar::I64);
    body(kernel_.body);
    if (kernel_.thread_loops) thread_buffers();
    return complete_;
  }

  // Statements.
  void operator()(const Comment&) {}
  void operator()(const Let& let) {
    expr(let.value);
    define(let.name, let.value->type);
  }
  void operator()(const Store& store) {
    element(store.buffer, store.index, "store to");
    expr(store.value);
    if (!known(store.buffer)) return;
    const Buffer& buffer = this->at(store.buffer);
    const bool of_block = buffer.space == Space::Block;
    if (in_threads_ == of_block) {
      fail(fmt::format("store to '{}' {} threads", buffer.name, of_block ? "inside" : "outside"));
    }
    if (buffer.space == Space::Global && buffer.read_only) {
      fail(fmt::format("store to read-only buffer '{}'", buffer.name));
    }
    if (store.value->type != buffer.type) {
      fail(fmt::format("store of {} to '{}' of {}", name(store.value->type), buffer.name,
                       name(buffer.type)));
    }
  }
  void operator()(const Copy& copy) {
    element(copy.to, copy.to_index, "copy to");
    element(copy.from, copy.from_index, "copy from");
    if (copy.count < 1) fail(fmt::format("copy of {} elements", copy.count));
    if (copy.async && known(copy.to) && copy.count * size_in_bytes(at(copy.to).type) % 4 != 0) {
      fail("async copy of less than 4 bytes");
    }
    if (!in_threads_) fail("copy outside threads");
    if (copy.async) waits("async copy");
    if (!known(copy.to) || !known(copy.from)) return;
    if (at(copy.to).space == Space::Global && at(copy.to).read_only) {
      fail(fmt::format("copy to read-only buffer '{}'", at(copy.to).name));
    }
    if (copy.async &&
        (at(copy.to).space != Space::Shared || at(copy.from).space != Space::Global)) {
      fail(fmt::format("async copy from '{}' to '{}'", at(copy.from).name, at(copy.to).name));
    }
    if (at(copy.to).type != at(copy.from).type) {
      fail(fmt::format("copy of {} to '{}' of {}", name(at(copy.from).type), at(copy.to).name,
                       name(at(copy.to).type)));
    }
  }
  void operator()(const CommitCopies&) {
    waits("commit of copies");
    if (!in_threads_) fail("commit of copies outside threads");
  }
  void operator()(const AwaitCopies& await) {
    waits("await of copies");
    if (!in_threads_) fail("await of copies outside threads");
    if (await.pending < 0) fail(fmt::format("await with {} batches pending", await.pending));
  }
  void operator()(const For& loop) {
    expr(loop.begin);
    expr(loop.end);
    if (!is_integer(loop.begin->type) || !is_integer(loop.end->type)) {
      fail(fmt::format("bounds of loop '{}' are not integers", loop.name));
    }
    if (loop.step < 1) fail(fmt::format("loop '{}' has step {}", loop.name, loop.step));
    number(loop.step, loop.step_name);
    const auto outer = variables_;
    define(loop.name, loop.begin->type);
    body(loop.body);
    variables_ = outer;
  }
  // A condition outside of Threads may read shared memory if a barrier follows the stores to it.
  void operator()(const If& branch) {
    asks_ = true;
    expr(branch.condition);
    asks_ = false;
    if (branch.condition->type != Scalar::Bool) {
      fail(fmt::format("condition '{}' is not a bool", print(branch.condition)));
    }
    scope(branch.then);
    scope(branch.otherwise);
  }
  void operator()(const Threads& threads) {
    if (in_threads_) fail("threads inside threads");
    const bool outer_threads = in_threads_;
    const auto outer = variables_;
    if (kernel_.thread_loops) {
      thread_loops(threads);
    } else {
      if (!threads.loops.empty() || !threads.conditions.empty()) fail("loops in place of threads");
      for (const char* thread : kThreadNames) variables_[thread] = Scalar::I32;
    }
    in_threads_ = true;
    body(threads.body);
    variables_ = outer;
    in_threads_ = outer_threads;
  }
  void operator()(const Barrier&) {
    waits("barrier");
    if (in_threads_) fail("barrier inside threads");
  }
  void operator()(const Shuffle& shuffle) {
    if (in_threads_) return fail("shuffle inside threads");
    waits("shuffle");
    const int row = kernel_.threads[0];
    if (row > 32 || (row & (row - 1)) != 0) fail(fmt::format("shuffle in rows of {} threads", row));
    const auto outer = variables_;
    if (shuffle.count < 1) fail(fmt::format("shuffle for {} values", shuffle.count));
    if (shuffle.count > 1) define(shuffle.name, Scalar::I32);
    in_threads_ = true;
    std::set<std::string> places;
    const auto place = [&](BufferId id, const std::vector<Expr>& index) {
      std::string text = std::to_string(id);
      for (const Expr& i : index) text += "," + print(i);
      return text;
    };
    for (const Shuffle::Move& move : shuffle.moves) {
      if (!places.insert(place(move.to, move.to_index)).second) fail("shuffle to one place twice");
    }
    for (const Shuffle::Move& move : shuffle.moves) {
      if (places.count(place(move.from, move.from_index)))
        fail("shuffle reads an element that it writes");
      element(move.to, move.to_index, "shuffle to");
      element(move.from, move.from_index, "shuffle from");
      if (!known(move.to) || !known(move.from)) continue;
      const bool own = at(move.to).space == Space::Thread && at(move.from).space == Space::Thread;
      if (!own || at(move.to).type != at(move.from).type) {
        fail(fmt::format("shuffle from '{}' to '{}'", at(move.from).name, at(move.to).name));
      }
      if (move.lane <= -row || move.lane >= row) {
        fail(fmt::format("shuffle over {} of {} lanes", move.lane, row));
      }
    }
    in_threads_ = false;
    variables_ = outer;
  }
  void operator()(const BulkCopies& bulk) {
    batch(bulk.batch);
    in_threads_ = true;  // allows shared buffers
    for (const BulkCopy& copy : bulk.copies) bulk_copy(copy);
    in_threads_ = false;
  }
  void operator()(const AwaitBulk& await) { batch(await.batch); }
  void operator()(const Scope& scope) { this->scope(scope.body); }

 private:
  void fail(const std::string& message) { violations_.add(kernel_.name, message); }

  void define(const std::string& name, Scalar type) {
    const bool free = !taken_.count(name) && variables_.emplace(name, type).second;
    if (!free) fail(fmt::format("'{}' is defined again", name));
  }
  // Thread loops run one after the other, so a thread cannot wait for another one.
  void waits(const char* what) {
    if (kernel_.thread_loops) fail(fmt::format("{} where threads are loops", what));
  }

  // Conditions and bounds are evaluated outside the loops.
  void thread_loops(const Threads& threads) {
    const auto decides = [&](const Expr& condition) {
      expr(condition);
      if (condition->type != Scalar::Bool) {
        fail(fmt::format("condition '{}' is not a bool", print(condition)));
      }
    };
    for (const Expr& condition : threads.conditions) decides(condition);
    for (const ThreadLoop& loop : threads.loops) {
      for (const Expr& bound : {loop.begin, loop.end}) {
        expr(bound);
        if (bound->type != Scalar::I32)
          fail(fmt::format("bounds of loop '{}' are not I32", loop.name));
      }
    }
    for (const ThreadLoop& loop : threads.loops) {
      if (loop.condition) decides(loop.condition);
      define(loop.name, Scalar::I32);
    }
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      if (kernel_.threads[axis] == 1) define(kThreadNames[axis], Scalar::I32);
    }
  }

  // Per-thread buffers that outlive a Threads statement must have a place for each thread.
  void thread_buffers() {
    const std::map<BufferId, ThreadUse> uses = thread_uses(kernel_);
    std::vector<int64_t> places;
    for (size_t axis = kMaxRank; axis-- > 0;) {
      if (kernel_.threads[axis] > 1) places.push_back(kernel_.threads[axis]);
    }
    for (BufferId id = 0; known(id); ++id) {
      const Buffer& buffer = at(id);
      if (buffer.space != Space::Thread) continue;
      if (buffer.local) {
        const auto use = uses.find(id);
        if (use != uses.end() && !use->second.can_be_local())
          fail(fmt::format("'{}' is local but may carry a value between Threads statements",
                           buffer.name));
        continue;
      }
      bool has_places = buffer.extents.size() >= places.size();
      for (size_t d = 0; has_places && d < places.size(); ++d) {
        has_places = value(buffer.extents[d]) == places[d];
      }
      if (!has_places) fail(fmt::format("'{}' has no place for every thread", buffer.name));
    }
  }
  bool known(BufferId id) const { return id >= 0 && id < static_cast<int>(kernel_.buffers.size()); }
  const Buffer& at(BufferId id) const { return kernel_.buffers[id]; }

  void threads() {
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      const int count = kernel_.threads[axis];
      if (count < 1) fail(fmt::format("{} threads in one dimension", count));
      if (count > 1) number(count, kernel_.thread_counts[axis]);
    }
    // For targets that run threads as loops. Schedules check the limits of GPUs.
    constexpr int64_t kMost = 1 << 20;
    const int64_t total = kernel_.threads.product();
    if (total > kMost) fail(fmt::format("{} threads in a block", total));
  }

  void buffer(const Buffer& buffer) {
    if (variables_.count(buffer.name) || !taken_.insert(buffer.name).second) {
      fail(fmt::format("'{}' is defined again", buffer.name));
    }
    if (buffer.local && (buffer.space != Space::Thread || !kernel_.thread_loops)) {
      fail(fmt::format("'{}' cannot be local", buffer.name));
    }
    if (buffer.extents.empty() && buffer.space != Space::Thread) {
      fail(fmt::format("buffer '{}' has no extents", buffer.name));
    }
    for (const Expr& extent : buffer.extents) {
      expr(extent);
      if (!is_integer(extent->type))
        fail(fmt::format("extent of '{}' is not an integer", buffer.name));
      if (buffer.space == Space::Global) continue;
      const auto value = this->value(extent);
      if (!value || *value < 1) {
        fail(fmt::format("extent '{}' of '{}' is not a positive constant", print(extent),
                         buffer.name));
      }
    }
  }

  void bulk_source(const BulkSource& source) {
    if (variables_.count(source.name) || !taken_.insert(source.name).second) {
      fail(fmt::format("'{}' is defined again", source.name));
    }
    if (!known(source.buffer)) {
      return fail(
          fmt::format("boxes are copied from buffer {}, which does not exist", source.buffer));
    }
    const Buffer& buffer = at(source.buffer);
    if (buffer.space != Space::Global || !buffer.read_only) {
      fail(fmt::format("boxes of '{}', which is not a read-only global buffer", buffer.name));
    }
    const bool flat_or_deep = source.box.size() == 2 || source.box.size() == 3;
    if (!flat_or_deep || source.box.size() != buffer.extents.size()) {
      return fail(fmt::format("boxes with {} dimensions cannot be copied from '{}'",
                              source.box.size(), buffer.name));
    }
    for (int extent : source.box) {
      if (extent < 1 || extent > kBulkExtent) fail(fmt::format("a box of {} elements", extent));
    }
    const int64_t element = size_in_bytes(buffer.type);
    if (source.box.back() * element % kBulkUnit != 0) {
      fail(fmt::format("rows of {} bytes in boxes of '{}'", source.box.back() * element,
                       buffer.name));
    }
    const int64_t row = known_power_of_two(buffer.extents.back(),
                                           [&](const std::string& name) { return constant(name); });
    if (row * element % kBulkUnit != 0) {
      fail(fmt::format("boxes of '{}', whose rows are not multiples of {} bytes", buffer.name,
                       kBulkUnit));
    }
  }

  void batch(const Expr& number) {
    expr(number);
    if (number->type != Scalar::I32)
      fail(fmt::format("batch '{}' is not an integer", print(number)));
    if (in_threads_) fail("bulk copies inside threads");
    if (kernel_.bulk_batches < 1) fail("bulk copies without batches");
    waits("bulk copy");
  }

  void bulk_copy(const BulkCopy& copy) {
    if (copy.source < 0 || copy.source >= static_cast<int>(kernel_.bulk_sources.size())) {
      return fail(fmt::format("bulk copy from source {}, which does not exist", copy.source));
    }
    const BulkSource& source = kernel_.bulk_sources[copy.source];
    if (!known(source.buffer)) return;  // reported before
    const Buffer& from = at(source.buffer);
    element(source.buffer, copy.origin, "bulk copy from");
    element(copy.to, copy.to_index, "bulk copy to");
    for (const Expr& index : copy.origin) {
      if (index->type != Scalar::I32) fail(fmt::format("origin '{}' is not I32", print(index)));
    }
    if (!known(copy.to)) return;
    const Buffer& to = at(copy.to);
    if (to.space != Space::Shared || to.type != from.type) {
      return fail(fmt::format("bulk copy from '{}' to '{}'", from.name, to.name));
    }
    if (to.extents.size() < source.box.size() || copy.to_index.size() != to.extents.size()) return;
    bulk_place(copy, source, to);
  }

  // The box must be dense in shared memory and start at a multiple of kBulkAlignment.
  void bulk_place(const BulkCopy& copy, const BulkSource& source, const Buffer& to) {
    const size_t ahead = to.extents.size() - source.box.size();
    bool dense = true;
    bool aligned = to.alignment % kBulkAlignment == 0;
    bool inner = false;  // an earlier dimension of the box is longer than 1
    int64_t stride = size_in_bytes(to.type);
    for (size_t d = to.extents.size(); d-- > 0;) {
      const auto* literal = std::get_if<IntegerLiteral>(&copy.to_index[d]->kind);
      const auto extent = value(to.extents[d]);
      aligned &= stride % kBulkAlignment == 0 || (literal && literal->value == 0);
      stride *= extent.value_or(0);
    }
    for (size_t d = 0; d < source.box.size(); ++d) {
      const auto extent = value(to.extents[ahead + d]);
      const int64_t length = source.box[d];
      if (extent && (length > *extent || (inner && length != *extent))) dense = false;
      inner |= length > 1;
    }
    if (!dense) fail(fmt::format("a box of a bulk copy is not dense in '{}'", to.name));
    if (!aligned) fail(fmt::format("a bulk copy to '{}' is not aligned", to.name));
  }

  std::optional<int64_t> value(const Expr& extent) const {
    return evaluate(extent, [&](const std::string& name) { return constant(name); });
  }

  std::optional<int64_t> constant(const std::string& name) const {
    for (const NamedConstant& constant : module_.constants) {
      if (constant.name == name) return constant.value;
    }
    return std::nullopt;
  }

  void scope(const Body& statements) {
    const auto outer = variables_;
    body(statements);
    variables_ = outer;
  }

  void body(const Body& statements) {
    for (const Statement& statement : statements) {
      if (complete(statement)) std::visit(*this, statement.kind);
    }
  }

  // True if no expression is missing, so the other checks can read them all.
  bool complete(const Statement& statement) {
    bool all = true;
    for_each_expression(statement, [&](const Expr& root) {
      if (!root) all = false;
      for_each_node(root, [&](const Expr& node) {
        const auto* operation = std::get_if<Operation>(&node->kind);
        const auto* load = std::get_if<Load>(&node->kind);
        const auto missing = [](const Expr& child) { return !child; };
        if (operation)
          all &= std::none_of(operation->operands.begin(), operation->operands.end(), missing);
        if (load) all &= std::none_of(load->index.begin(), load->index.end(), missing);
      });
    });
    if (!all) {
      fail("an expression is missing");
      complete_ = false;
    }
    return all;
  }

  // Checks one access; `what` describes it in messages.
  void element(BufferId id, const std::vector<Expr>& index, const char* what) {
    for (const Expr& i : index) {
      expr(i);
      if (!is_integer(i->type)) fail(fmt::format("index '{}' is not an integer", print(i)));
    }
    if (!known(id)) return fail(fmt::format("{} buffer {}, which does not exist", what, id));
    const Buffer& buffer = at(id);
    if (index.size() != buffer.extents.size()) {
      fail(fmt::format("{} '{}' with {} indices instead of {}", what, buffer.name, index.size(),
                       buffer.extents.size()));
    }
    const bool of_threads =
        (buffer.space == Space::Shared && !asks_) || buffer.space == Space::Thread;
    if (!in_threads_ && of_threads) {
      fail(fmt::format("{} '{}' outside threads", what, buffer.name));
    }
  }

  // Visits each shared node once per expression. Results are not kept longer, because variables go
  // out of scope.
  void expr(const Expr& root) {
    std::set<const ExprNode*> seen;
    visit(root, seen);
  }

  void visit(const Expr& expr, std::set<const ExprNode*>& seen) {
    if (!seen.insert(expr.get()).second) return;
    struct Visitor {
      KernelVerifier& verifier;
      const Expr& expr;
      std::set<const ExprNode*>& seen;
      void operator()(const IntegerLiteral& literal) const {
        verifier.integer_literal(literal.value, expr->type);
        verifier.number(literal.value, literal.name);
      }
      void operator()(const RealLiteral&) const {
        if (expr->type == Scalar::F32 || expr->type == Scalar::F64) return;
        verifier.fail(fmt::format("a real literal of type {}", name(expr->type)));
      }
      void operator()(const Variable& variable) const { verifier.use(variable.name, expr->type); }
      void operator()(const Operation& operation) const {
        for (const Expr& operand : operation.operands) verifier.visit(operand, seen);
        if (!well_typed(operation, expr->type)) {
          verifier.fail(fmt::format("operand types of '{}'", print(expr)));
        }
      }
      void operator()(const Load& load) const {
        verifier.element(load.buffer, load.index, "load from");
        if (!verifier.known(load.buffer)) return;
        const Buffer& buffer = verifier.at(load.buffer);
        if (expr->type != buffer.type && expr->type != arithmetic_type(buffer.type)) {
          verifier.fail(fmt::format("load of {} from '{}' of {}", name(expr->type), buffer.name,
                                    name(buffer.type)));
        }
      }
    };
    std::visit(Visitor{*this, expr, seen}, expr->kind);
  }

  void integer_literal(int64_t value, Scalar type) {
    const bool typed = is_integer(type) || type == Scalar::Bool;
    if (!typed || !integer_range(type).holds(value))
      fail(fmt::format("the literal {} is not a valid {}", value, name(type)));
  }

  // A name of a number, if it has one, is that of a constant with its value.
  void number(int64_t value, const std::string& name) {
    if (name.empty()) return;
    if (constant(name) != value) fail(fmt::format("'{}' is no constant {}", name, value));
  }

  void use(const std::string& name, Scalar type) {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return fail(fmt::format("'{}' is not defined here", name));
    if (found->second == type) return;
    fail(fmt::format("'{}' is {} but used as {}", name, stencil::name(found->second),
                     stencil::name(type)));
  }

  const Module& module_;
  const Kernel& kernel_;
  Violations& violations_;
  std::map<std::string, Scalar> variables_;
  std::set<std::string> taken_;  // names of buffers
  bool in_threads_ = false;
  bool asks_ = false;  // in the condition of a branch
  bool complete_ = true;
};

bool floating(Scalar type) {
  return type == Scalar::F32 || type == Scalar::F64;
}

}  // namespace

bool well_typed(const Operation& operation, Scalar type) {
  const std::vector<Expr>& operands = operation.operands;
  if (static_cast<int>(operands.size()) != arity(operation.op)) return false;
  const auto all = [&](size_t first, Scalar wanted) {
    for (size_t i = first; i < operands.size(); ++i) {
      if (operands[i]->type != wanted) return false;
    }
    return true;
  };
  switch (operation.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Mod:
    case Op::Neg:
    case Op::Abs:
    case Op::Fma:
      return all(0, type) && (is_integer(type) || floating(type));
    case Op::Min:
    case Op::Max:
      return all(0, type) && !is_storage(type);
    case Op::Sqrt:
    case Op::Rsqrt:
#define STENCIL_FUNCTION(op, name, operands) case Op::op:
#include "compiler/support/functions.def"
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Trunc:
      return all(0, type) && floating(type);
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
      return type == Scalar::Bool && all(0, operands[0]->type) && !is_storage(operands[0]->type);
    case Op::And:
    case Op::Or:
    case Op::Not:
      return type == Scalar::Bool && all(0, Scalar::Bool);
    case Op::Select:
      return operands[0]->type == Scalar::Bool && all(1, type);
    case Op::BitAnd:
    case Op::BitOr:
    case Op::BitXor:
      return all(0, type) && (is_integer(type) || type == Scalar::Bool);
    case Op::BitNot:
    case Op::WrapNeg:
    case Op::WrapAdd:
    case Op::WrapSub:
    case Op::WrapMul:
    case Op::WrapAbs:
      return all(0, type) && is_integer(type);
    case Op::Shl:
    case Op::Shr:
      return operands[0]->type == type && is_integer(type) && is_integer(operands[1]->type);
    case Op::Convert:
      return true;
    case Op::Random:
      return false;
  }
  return false;
}

std::vector<std::string> verify(const Module& module, const Kernel& kernel) {
  Violations violations;
  if (KernelVerifier(module, kernel, violations).verify()) verify_barriers(kernel, violations);
  return violations.lines();
}

std::vector<std::string> verify(const Module& module) {
  Violations violations;
  for (const Kernel& kernel : module.kernels) {
    if (KernelVerifier(module, kernel, violations).verify()) verify_barriers(kernel, violations);
  }
  verify_plan(module, violations);
  return violations.lines();
}

}  // namespace stencil::kernel
