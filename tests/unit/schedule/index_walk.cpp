// Emitted code computes in the types of the kernel IR: `int` for I32, a 64-bit integer for I64, and
// 64-bit element offsets for buffers marked Buffer::wide (emit/expression.cpp). An I32 whose exact
// value needs more than 32 bits therefore overflows in every target. Without overflow, 64-bit
// arithmetic gives the same values.
#include "tests/unit/schedule/index_walk.h"

#include <fmt/format.h>

#include <limits>
#include <set>

namespace stencil::schedule {

using kernel::Expr;

namespace {

template <typename T>
bool fits(__int128 value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

std::optional<__int128> exact(Op op, __int128 a, __int128 b) {
  switch (op) {
    case Op::Neg:
      return -a;
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return b == 0 ? 0 : a / b;
    case Op::Mod:
      return b == 0 ? 0 : a % b;
    case Op::Min:
      return b < a ? b : a;
    case Op::Max:
      return a < b ? b : a;
    case Op::Abs:
      return a < 0 ? -a : a;
    case Op::Lt:
      return a < b;
    case Op::Le:
      return a <= b;
    case Op::Gt:
      return a > b;
    case Op::Ge:
      return a >= b;
    case Op::Eq:
      return a == b;
    case Op::Ne:
      return a != b;
    case Op::And:
      return a != 0 && b != 0;
    case Op::Or:
      return a != 0 || b != 0;
    case Op::Not:
      return a == 0;
    case Op::BitAnd:  // of pitches and masks, two's complement
      return a & b;
    case Op::BitOr:
      return a | b;
    case Op::Shl:  // of 32-bit masks
      return static_cast<int32_t>(static_cast<uint32_t>(a) << static_cast<uint32_t>(b & 31));
    case Op::Shr:
      return a >> static_cast<int>(b & 31);
    case Op::Convert:
      return a;
    default:
      return std::nullopt;
  }
}

}  // namespace

IndexWalk::IndexWalk(const kernel::Module& module, std::map<std::string, int64_t> variables)
    : module_(module) {
  for (const auto& [name, value] : variables) bind(name, value);
  for (const kernel::NamedConstant& constant : module.constants) {
    bind(constant.name, constant.value);
  }
}

void IndexWalk::walk(const kernel::Kernel& kernel, int64_t block, bool all_threads) {
  kernel_ = &kernel;
  all_threads_ = all_threads;
  own_.clear();
  const size_t outside = bound_.size();
  bind("block", block);
  walk(kernel.body);
  unbind(outside);
}

void IndexWalk::bind(const std::string& name, Value value) {
  std::vector<Value>& values = variables_[name];
  values.push_back(value);
  bound_.push_back(&values);
}

void IndexWalk::unbind(size_t bound) {
  for (; bound_.size() > bound; bound_.pop_back()) bound_.back()->pop_back();
}

void IndexWalk::walk(const kernel::Body& body) {
  struct Visitor {
    IndexWalk& self;
    Known known = {};

    void operator()(const kernel::Comment&) const {}
    void operator()(const kernel::Let& let) const { self.bind(let.name, self.value(let.value)); }
    void operator()(const kernel::Store& store) { self.store(store, known); }
    void operator()(const kernel::Copy& copy) {
      self.access(copy.from, copy.from_index, copy.count, false, known);
      self.access(copy.to, copy.to_index, copy.count, true, known);
    }
    void operator()(const kernel::CommitCopies&) const {}
    void operator()(const kernel::AwaitCopies&) const {}
    void operator()(const kernel::For& loop) const { self.walk(loop); }
    void operator()(const kernel::If& branch) const {
      const Value condition = self.value(branch.condition);
      if (condition.value_or(1) != 0) self.walk(branch.then);
      if (condition.value_or(0) == 0) self.walk(branch.otherwise);
    }
    void operator()(const kernel::Threads& threads) const { self.walk(threads); }
    void operator()(const kernel::Barrier&) const {}
    void operator()(const kernel::Shuffle&) const {}  // registers
    void operator()(const kernel::BulkCopies& bulk) {
      self.value(bulk.batch, known);
      for (const kernel::BulkCopy& copy : bulk.copies) {
        for (const Expr& index : copy.origin) self.value(index, known);
      }
    }
    void operator()(const kernel::AwaitBulk& await) { self.value(await.batch, known); }
    void operator()(const kernel::Scope& scope) const { self.walk(scope.body); }
  };
  const size_t outside = bound_.size();
  for (const kernel::Statement& statement : body) {
    std::visit(Visitor{*this}, statement.kind);
  }
  unbind(outside);
}

void IndexWalk::walk(const kernel::For& loop) {
  const Value begin = value(loop.begin);
  const Value end = value(loop.end);
  const size_t outside = bound_.size();
  if (!begin || !end) {
    bind(loop.name, std::nullopt);
    walk(loop.body);
    return unbind(outside);
  }
  if (*end <= *begin) return;
  const int64_t last = (*end - *begin - 1) / loop.step;  // number of the last iteration
  if (loop.begin->type == Scalar::I32 && !fits<int32_t>(*begin + (last + 1) * loop.step)) {
    fault(fmt::format("the variable {} of a loop ends beyond 32 bits", loop.name));
  }
  std::set<int64_t> some = {0, std::min<int64_t>(1, last), last / 2, last};
  if (all_threads_ && last < 8) some = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int64_t n : some) {
    if (n > last) break;
    bind(loop.name, *begin + n * loop.step);
    walk(loop.body);
    unbind(outside);
  }
}

void IndexWalk::walk(const kernel::Threads& threads) {
  const Shape& shape = kernel_->threads;
  const size_t outside = bound_.size();
  for (int64_t n = 0; n < shape.product(); ++n) {
    unbind(outside);
    bool corner = true;
    int64_t rest = n;
    for (size_t axis = 0; axis < kMaxRank; ++axis) {
      const int64_t place = rest % shape[axis];
      rest /= shape[axis];
      corner = corner && (place == 0 || place == shape[axis] - 1);
      bind(kernel::kThreadNames[axis], place);
    }
    if (!all_threads_ && !corner) continue;
    thread_ = n;
    walk(threads.body);
  }
  unbind(outside);
}

void IndexWalk::store(const kernel::Store& store, Known& known) {
  const Value stored = value(store.value, known);
  access(store.buffer, store.index, 1, true, known);
  if (store.index.empty()) own_[{store.buffer, thread_}] = stored;
}

IndexWalk::Value IndexWalk::value(const Expr& expr) {
  Known known;
  return value(expr, known);
}

IndexWalk::Value IndexWalk::value(const Expr& expr, Known& known) {
  const auto found = known.find(expr.get());
  if (found != known.end()) return found->second;
  Value result;
  if (const auto* literal = std::get_if<kernel::IntegerLiteral>(&expr->kind)) {
    result = fitting(*expr, literal->value);
  } else if (const auto* variable = std::get_if<kernel::Variable>(&expr->kind)) {
    const auto place = variables_.find(variable->name);
    const bool bound = place != variables_.end() && !place->second.empty();
    if (!bound) fault("unknown variable " + variable->name);
    if (bound) result = place->second.back();
  } else if (const auto* node = std::get_if<kernel::Operation>(&expr->kind)) {
    result = operation(*expr, *node, known);
  } else if (const auto* load = std::get_if<kernel::Load>(&expr->kind)) {
    access(load->buffer, load->index, 1, false, known);
    const auto own = own_.find({load->buffer, thread_});
    if (load->index.empty() && own != own_.end()) {
      result = own->second;
    } else if (load->index.empty() && kernel_->buffers[load->buffer].zeroed) {
      result = 0;
    }
  }
  known[expr.get()] = result;
  return result;
}

IndexWalk::Value IndexWalk::operation(const kernel::ExprNode& node,
                                      const kernel::Operation& operation, Known& known) {
  const std::vector<Expr>& operands = operation.operands;
  if (operation.op == Op::Select) {  // like ?:, evaluates only the selected arm
    const Value condition = value(operands[0], known);
    if (condition) return value(operands[*condition != 0 ? 1 : 2], known);
    value(operands[1], known);
    value(operands[2], known);
    return std::nullopt;
  }
  bool integers = !is_float(node.type);
  std::vector<Value> values;
  for (const Expr& operand : operands) {
    values.push_back(value(operand, known));
    integers = integers && values.back();
  }
  if (!integers) return std::nullopt;
  const auto result = exact(operation.op, *values[0], values.size() > 1 ? *values[1] : 0);
  return result ? fitting(node, *result) : std::nullopt;
}

IndexWalk::Value IndexWalk::fitting(const kernel::ExprNode& node, __int128 exact) {
  const bool narrow = node.type == Scalar::I32;
  if (narrow ? fits<int32_t>(exact) : fits<int64_t>(exact)) return static_cast<int64_t>(exact);
  fault(fmt::format("an integer of {} bits would have to be {}", narrow ? 32 : 64,
                    static_cast<double>(exact)));
  return std::nullopt;
}

void IndexWalk::access(kernel::BufferId id, const std::vector<Expr>& index, int count, bool stores,
                       Known& known) {
  const kernel::Buffer& buffer = kernel_->buffers[id];
  __int128 offset = 0, elements = 1;
  bool all_known = true;
  for (size_t d = 0; d < index.size(); ++d) {
    const Value at = value(index[d], known);
    const Value extent = value(buffer.extents[d], known);
    all_known = all_known && at && extent;
    if (!all_known) continue;
    const int64_t reach = d + 1 == index.size() ? count : 1;
    if (*at < 0 || *at + reach > *extent) {
      fault(
          fmt::format("{}: index {} of dimension {}, which has {}", buffer.name, *at, d, *extent));
    }
    offset = offset * *extent + *at;
    elements *= *extent;
    const bool wide = buffer.wide || index[d]->type == Scalar::I64;
    if (!wide && !fits<int32_t>(offset + reach - 1)) {
      fault(fmt::format("{}: an offset beyond 32 bits", buffer.name));
    }
  }
  if (buffer.space != kernel::Space::Global || !all_known) return;
  ++checked_;
  if (!stores || elements < 2) return;
  first_stored_ = std::min(first_stored_, static_cast<int64_t>(offset));
  last_stored_ = std::max(last_stored_, static_cast<int64_t>(offset) + count - 1);
}

}  // namespace stencil::schedule
