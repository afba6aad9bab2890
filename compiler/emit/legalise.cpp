// Legalisation: small passes from kernel to kernel, run by the writer before it prints.
//
// drop_dead_code works backwards through every body with the set of names read later, so one pass
// suffices. split_deep_expressions names any subexpression that would stand more than 24
// parentheses deep (GCC and Clang stop at 256 brackets, people much earlier). expand_thread_buffers
// is what makes a GPU kernel a loop nest: where the threads of a block become iterations, what each
// of them keeps from one parallel section to the next needs an array over the threads.
#include "compiler/emit/legalise.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "compiler/kernel/walk.h"

namespace stencil::emit {

using namespace kernel;

namespace {

// --- Dead code
// -----------------------------------------------------------------------------------------

void add_variables(const Statement& statement, std::set<std::string>& names) {
  for_each_expression(statement, [&](const Expr& expr) {
    for_each_node(expr, [&](const Expr& node) {
      if (const auto* variable = std::get_if<Variable>(&node->kind)) names.insert(variable->name);
    });
  });
}

// The body without dead statements; `live` gains the names that it reads from outside.
Body live_part(Body body, std::set<std::string>& live) {
  // True if the statement stays. Names read in nested bodies join `live` through the recursion.
  struct Keep {
    std::set<std::string>& live;
    bool operator()(Comment&) const { return true; }
    bool operator()(Let& let) const { return live.erase(let.name) > 0; }
    bool operator()(Store&) const { return true; }
    bool operator()(Copy&) const { return true; }
    bool operator()(CommitCopies&) const { return true; }
    bool operator()(AwaitCopies&) const { return true; }
    bool operator()(For& loop) const {
      loop.body = nested(std::move(loop.body));
      return !only_comments(loop.body);
    }
    bool operator()(If& branch) const {
      branch.then = nested(std::move(branch.then));
      branch.otherwise = nested(std::move(branch.otherwise));
      return !only_comments(branch.then) || !only_comments(branch.otherwise);
    }
    bool operator()(Threads& threads) const {
      threads.body = nested(std::move(threads.body));
      return !only_comments(threads.body);
    }
    bool operator()(Barrier&) const { return true; }
    bool operator()(Shuffle&) const { return true; }
    bool operator()(BulkCopies&) const { return true; }
    bool operator()(AwaitBulk&) const { return true; }
    bool operator()(Scope& scope) const {
      scope.body = nested(std::move(scope.body));
      return !only_comments(scope.body);
    }

    Body nested(Body inner) const {
      std::set<std::string> inside;
      inner = live_part(std::move(inner), inside);
      live.insert(inside.begin(), inside.end());
      return inner;
    }
    static bool only_comments(const Body& inner) {
      return std::all_of(inner.begin(), inner.end(), [](const Statement& statement) {
        return std::holds_alternative<Comment>(statement.kind);
      });
    }
  };
  Body kept;
  for (auto it = body.rbegin(); it != body.rend(); ++it) {
    if (!std::visit(Keep{live}, it->kind)) continue;
    add_variables(*it, live);
    kept.push_back(std::move(*it));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// --- Deep expressions
// ----------------------------------------------------------------------------------

constexpr int kDeepest = 24;

class Splitter {
 public:
  Splitter(Names& names, Body& before) : names_(names), before_(before) {}

  Expr split(const Expr& expr) { return visit(expr).expr; }

 private:
  struct Part {
    Expr expr;
    int depth = 0;  // of parentheses in its text, at most
  };

  Part visit(const Expr& expr) {
    const auto done = done_.find(expr.get());
    if (done != done_.end()) return done->second;
    Part part{expr, 0};
    if (const auto* operation = std::get_if<Operation>(&expr->kind)) {
      part = visit_operands(expr, operation->operands, operation->op);
    } else if (const auto* load = std::get_if<Load>(&expr->kind)) {
      part = visit_operands(expr, load->index, Op::Select);
    }
    if (part.depth > kDeepest) {
      const std::string name = names_.fresh("part");
      before_.push_back({Let{name, part.expr}});
      part = {variable(name, expr->type), 0};
    }
    return done_[expr.get()] = part;
  }

  Part visit_operands(const Expr& expr, const std::vector<Expr>& operands, Op op) {
    std::vector<Expr> replaced;
    int depth = 0;
    bool changed = false;
    for (const Expr& operand : operands) {
      const Part part = visit(operand);
      const bool flat = replaced.empty() && (op == Op::Add || op == Op::Sub || op == Op::Mul);
      const auto* inner = std::get_if<Operation>(&part.expr->kind);
      const bool leaf = part.depth == 0 && (!inner || inner->operands.empty());
      depth = std::max(depth, part.depth + (flat || leaf ? 0 : 1));
      changed |= part.expr != operand;
      replaced.push_back(part.expr);
    }
    if (!changed) return {expr, depth};
    ExprNode node = *expr;
    if (auto* operation = std::get_if<Operation>(&node.kind)) operation->operands = replaced;
    if (auto* load = std::get_if<Load>(&node.kind)) load->index = replaced;
    return {std::make_shared<const ExprNode>(std::move(node)), depth};
  }

  Names& names_;
  Body& before_;
  std::unordered_map<const ExprNode*, Part> done_;
};

Body split_body(Body body, Names& names) {
  struct Split {
    Names& names;
    Body& before;
    Expr split(const Expr& expr) const { return Splitter(names, before).split(expr); }
    void operator()(Comment&) const {}
    void operator()(Let& let) const { let.value = split(let.value); }
    void operator()(Store& store) const {
      for (Expr& index : store.index) index = split(index);
      store.value = split(store.value);
    }
    void operator()(Copy&) const {}
    void operator()(CommitCopies&) const {}
    void operator()(AwaitCopies&) const {}
    void operator()(For& loop) const {
      loop.begin = split(loop.begin);
      loop.end = split(loop.end);
      loop.body = split_body(std::move(loop.body), names);
    }
    void operator()(If& branch) const {
      branch.condition = split(branch.condition);
      branch.then = split_body(std::move(branch.then), names);
      branch.otherwise = split_body(std::move(branch.otherwise), names);
    }
    void operator()(Threads& threads) const {
      threads.body = split_body(std::move(threads.body), names);
    }
    void operator()(Barrier&) const {}
    void operator()(Shuffle&) const {}
    void operator()(BulkCopies&) const {}
    void operator()(AwaitBulk&) const {}
    void operator()(Scope& scope) const { scope.body = split_body(std::move(scope.body), names); }
  };
  Body result;
  for (Statement& statement : body) {
    std::visit(Split{names, result}, statement.kind);
    result.push_back(std::move(statement));
  }
  return result;
}

// --- Threads as loops
// ------------------------------------------------------------------------------------

struct ThreadUse {
  int sections = 0;       // Threads statements that touch the buffer
  bool repeated = false;  // one of them stands in a loop
};

void count_uses(const Body& body, bool in_loop, std::map<BufferId, ThreadUse>& uses) {
  struct Count {
    bool in_loop;
    std::map<BufferId, ThreadUse>& uses;
    void operator()(const Comment&) const {}
    void operator()(const Let&) const {}
    void operator()(const Store&) const {}
    void operator()(const Copy&) const {}
    void operator()(const CommitCopies&) const {}
    void operator()(const AwaitCopies&) const {}
    void operator()(const For& loop) const { count_uses(loop.body, true, uses); }
    void operator()(const If& branch) const {
      count_uses(branch.then, in_loop, uses);
      count_uses(branch.otherwise, in_loop, uses);
    }
    void operator()(const Threads& threads) const {
      std::set<BufferId> touched = buffers_loaded(threads.body);
      touched.merge(buffers_stored(threads.body));
      for (BufferId buffer : touched) {
        ++uses[buffer].sections;
        uses[buffer].repeated |= in_loop;
      }
    }
    void operator()(const Barrier&) const {}
    void operator()(const Shuffle& shuffle) const {  // reads what other threads keep
      for (const Shuffle::Move& move : shuffle.moves) {
        uses[move.to].sections += 2;
        uses[move.from].sections += 2;
      }
    }
    void operator()(const BulkCopies&) const {}
    void operator()(const AwaitBulk&) const {}
    void operator()(const Scope& scope) const { count_uses(scope.body, in_loop, uses); }
  };
  for (const Statement& statement : body) std::visit(Count{in_loop, uses}, statement.kind);
}

// The body for name = 0 .. count-1; for one alone without a loop.
Body counted(const std::string& name, int count, Body body) {
  Body out;
  if (count == 1) return body;
  out.push_back({For{LoopKind::Unrolled, name, integer(0), integer(count), 1, std::move(body)}});
  return out;
}

// The number of a thread, row-major in its block without the dimensions before `first`.
Expr thread_number(const Kernel& kernel, size_t first) {
  Expr number = integer(0);
  for (size_t axis = kMaxRank; axis-- > first;) {
    const int count = kernel.threads[axis];
    if (count > 1) number = add(mul(number, integer(count)), variable(kThreadNames[axis]));
  }
  return number;
}

// thread_x + lane, or thread_x where the row ends before.
Expr neighbour(int lane, int threads_x) {
  if (threads_x == 1) return integer(0);
  const Expr own = variable("thread_x");
  const Expr other = lane < 0 ? sub(own, integer(-lane)) : add(own, integer(lane));
  const Expr exists =
      lane < 0 ? operation(Op::Ge, {own, integer(-lane)}) : less(own, integer(threads_x - lane));
  return operation(Op::Select, {exists, other, own});
}

using Prefixes = std::map<BufferId, std::vector<Expr>>;  // indices to put before a buffer's own

class IndexPrefixer {
 public:
  IndexPrefixer(const Prefixes& prefixes, const Kernel& kernel)
      : prefixes_(prefixes), buffers_(&kernel.buffers), threads_x_(kernel.threads[0]) {}

  Body body(Body statements) {
    for (Statement& statement : statements) {
      if (const auto* shuffle = std::get_if<Shuffle>(&statement.kind)) {
        statement = exchange(*shuffle);
      } else {
        std::visit(*this, statement.kind);
      }
    }
    return statements;
  }
  void operator()(Comment&) {}
  void operator()(Let& let) { let.value = expr(let.value); }
  void operator()(Store& store) {
    store.index = index(store.buffer, store.index);
    store.value = expr(store.value);
  }
  void operator()(Copy& copy) {
    copy.to_index = index(copy.to, copy.to_index);
    copy.from_index = index(copy.from, copy.from_index);
  }
  void operator()(CommitCopies&) {}
  void operator()(AwaitCopies&) {}
  void operator()(For& loop) {
    loop.begin = expr(loop.begin);
    loop.end = expr(loop.end);
    loop.body = body(std::move(loop.body));
  }
  void operator()(If& branch) {
    branch.condition = expr(branch.condition);
    branch.then = body(std::move(branch.then));
    branch.otherwise = body(std::move(branch.otherwise));
  }
  void operator()(Threads& threads) { threads.body = body(std::move(threads.body)); }
  void operator()(Barrier&) {}
  void operator()(Shuffle&) {}  // see exchange
  void operator()(BulkCopies&) {}
  void operator()(AwaitBulk&) {}
  void operator()(Scope& scope) { scope.body = body(std::move(scope.body)); }

 private:
  // Where every thread's values lie in memory, a thread reads its neighbour's place.
  Statement exchange(const Shuffle& shuffle) {
    Body moves;
    for (const Shuffle::Move& move : shuffle.moves) {
      std::vector<Expr> from = prefixes_.at(move.from);
      from.back() = neighbour(move.lane, threads_x_);
      for (const Expr& i : move.from_index) from.push_back(i);
      moves.push_back(
          {Store{move.to, index(move.to, move.to_index),
                 load(move.from, from, (*buffers_)[static_cast<size_t>(move.from)].type)}});
    }
    return {Threads{counted(shuffle.name, shuffle.count, std::move(moves))}};
  }

  std::vector<Expr> index(BufferId buffer, const std::vector<Expr>& own) {
    std::vector<Expr> result;
    const auto prefix = prefixes_.find(buffer);
    if (prefix != prefixes_.end()) result = prefix->second;
    for (const Expr& i : own) result.push_back(expr(i));
    return result;
  }

  Expr expr(const Expr& original) {
    const auto done = done_.find(original.get());
    if (done != done_.end()) return done->second;
    Expr result = original;
    if (const auto* operation = std::get_if<Operation>(&original->kind)) {
      Operation replaced{operation->op, {}};
      for (const Expr& operand : operation->operands) replaced.operands.push_back(expr(operand));
      if (replaced.operands != operation->operands) {
        result = std::make_shared<const ExprNode>(ExprNode{std::move(replaced), original->type});
      }
    } else if (const auto* source = std::get_if<Load>(&original->kind)) {
      std::vector<Expr> replaced = index(source->buffer, source->index);
      if (replaced != source->index) result = load(source->buffer, replaced, original->type);
    }
    return done_[original.get()] = result;
  }

  const Prefixes& prefixes_;
  const std::vector<Buffer>* buffers_;
  int threads_x_;
  std::unordered_map<const ExprNode*, Expr> done_;
};

// --- Shuffles through shared memory, copies element by element
// -----------------------------------------------------------------------------------------

// Rewrites every body, innermost first; `change` gets each statement and appends what replaces it.
template <class Change>
Body rewrite_body(Body body, const Change& change) {
  Body out;
  for (Statement& statement : body) {
    if (auto* loop = std::get_if<For>(&statement.kind)) {
      loop->body = rewrite_body(std::move(loop->body), change);
    } else if (auto* branch = std::get_if<If>(&statement.kind)) {
      branch->then = rewrite_body(std::move(branch->then), change);
      branch->otherwise = rewrite_body(std::move(branch->otherwise), change);
    } else if (auto* threads = std::get_if<Threads>(&statement.kind)) {
      threads->body = rewrite_body(std::move(threads->body), change);
    } else if (auto* scope = std::get_if<Scope>(&statement.kind)) {
      scope->body = rewrite_body(std::move(scope->body), change);
    }
    change(std::move(statement), out);
  }
  return out;
}

}  // namespace

Kernel expand_shuffles(Kernel kernel, Names& names) {
  // One scratch buffer per type, as large as the largest shuffle needs.
  std::map<Scalar, int64_t> places;
  for_each_statement(kernel.body, [&](const Statement& statement) {
    const auto* shuffle = std::get_if<Shuffle>(&statement.kind);
    std::map<Scalar, int64_t> own;
    if (!shuffle) return;
    for (const Shuffle::Move& move : shuffle->moves) {
      own[kernel.buffers[static_cast<size_t>(move.from)].type] += shuffle->count;
    }
    for (const auto& [type, count] : own) places[type] = std::max(places[type], count);
  });
  const int x = kernel.threads[0];
  std::map<Scalar, BufferId> scratch;
  for (const auto& [type, count] : places) {
    Buffer buffer;
    buffer.name = names.fresh("exchange");
    buffer.type = type;
    buffer.space = Space::Shared;
    buffer.extents = {integer(count), integer(kernel.threads.product(1)), integer(x)};
    buffer.comment = "values on their way to neighbouring threads";
    scratch[type] = static_cast<BufferId>(kernel.buffers.size());
    kernel.buffers.push_back(std::move(buffer));
  }
  const Expr row = thread_number(kernel, 1);
  const Expr lane = x > 1 ? variable("thread_x") : integer(0);
  const auto through_memory = [&](Statement statement, Body& out) {
    const auto* shuffle = std::get_if<Shuffle>(&statement.kind);
    if (!shuffle) return out.push_back(std::move(statement));
    std::map<Scalar, int64_t> used;
    Body give, take;
    for (const Shuffle::Move& move : shuffle->moves) {
      const Scalar type = kernel.buffers[static_cast<size_t>(move.from)].type;
      const Expr number = shuffle->count > 1 ? variable(shuffle->name) : integer(0);
      const Expr place = add(number, integer(used[type]));
      used[type] += shuffle->count;
      give.push_back(
          {Store{scratch[type], {place, row, lane}, load(move.from, move.from_index, type)}});
      take.push_back({Store{move.to, move.to_index,
                            load(scratch[type], {place, row, neighbour(move.lane, x)}, type)}});
    }
    out.push_back({Threads{counted(shuffle->name, shuffle->count, std::move(give))}});
    out.push_back({Barrier{}});
    out.push_back({Threads{counted(shuffle->name, shuffle->count, std::move(take))}});
    out.push_back({Barrier{}});
  };
  kernel.body = rewrite_body(std::move(kernel.body), through_memory);
  return kernel;
}

Kernel expand_copies(Kernel kernel, Names& names) {
  const std::string name = names.fresh("e");
  const auto by_element = [&](Statement statement, Body& out) {
    const bool batches = std::holds_alternative<CommitCopies>(statement.kind) ||
                         std::holds_alternative<AwaitCopies>(statement.kind);
    if (batches) return;
    auto* copy = std::get_if<Copy>(&statement.kind);
    if (!copy) return out.push_back(std::move(statement));
    if (copy->count > 1) {
      copy->to_index.back() = add(copy->to_index.back(), variable(name));
      copy->from_index.back() = add(copy->from_index.back(), variable(name));
    }
    const Scalar type = kernel.buffers[static_cast<size_t>(copy->from)].type;
    Body element;
    element.push_back({Store{copy->to, copy->to_index, load(copy->from, copy->from_index, type)}});
    for (Statement& inner : counted(name, copy->count, std::move(element))) {
      out.push_back(std::move(inner));
    }
  };
  kernel.body = rewrite_body(std::move(kernel.body), by_element);
  return kernel;
}

namespace {

// Deals the elements of boxes out to the threads of a block.
class BoxCopier {
 public:
  BoxCopier(const Kernel& kernel, Names& names)
      : kernel_(kernel),
        element_(names.fresh("e")),
        number_(thread_number(kernel, 0)),
        count_(kernel.threads.product()) {
    size_t rank = 0;
    for (const BulkSource& source : kernel.bulk_sources) rank = std::max(rank, source.box.size());
    for (size_t d = 0; d < rank; ++d) coordinates_.push_back(names.fresh("at"));
  }

  // Element `e` of the box, its places in both buffers, and its copy or a zero.
  Statement copy(const BulkCopy& copy) const {
    const BulkSource& source = kernel_.bulk_sources[static_cast<size_t>(copy.source)];
    const Buffer& from = kernel_.buffers[static_cast<size_t>(source.buffer)];
    const size_t ahead = copy.to_index.size() - source.box.size();
    std::vector<Expr> to = copy.to_index, at;
    std::vector<Expr> conditions;
    Body body;
    int64_t inner = 1;  // elements of the box per step of this dimension
    for (size_t d = source.box.size(); d-- > 0;) {
      Expr step = variable(element_);
      if (inner > 1) step = operation(Op::Div, {step, integer(inner)});
      if (d > 0) step = operation(Op::Mod, {step, integer(source.box[d])});
      if (source.box[d] == 1) step = integer(0);
      inner *= source.box[d];
      to[ahead + d] = add(to[ahead + d], step);
      body.push_back({Let{coordinates_[d], add(copy.origin[d], step)}});
      at.insert(at.begin(), variable(coordinates_[d]));
      conditions.push_back(operation(Op::Ge, {at.front(), integer(0)}));
      conditions.push_back(less(at.front(), convert(from.extents[d], Scalar::I32)));
    }
    Body inside, outside;
    inside.push_back({Store{copy.to, to, load(source.buffer, at, from.type)}});
    outside.push_back({Store{copy.to, to, zero(from.type)}});
    body.push_back({If{all_of(std::move(conditions)), std::move(inside), std::move(outside)}});
    return {For{LoopKind::Serial, element_, number_, integer(inner), count_, std::move(body)}};
  }

 private:
  const Kernel& kernel_;
  std::string element_;
  std::vector<std::string> coordinates_;
  Expr number_;  // of the thread in its block
  int64_t count_;
};

}  // namespace

Kernel expand_bulk_copies(Kernel kernel, Names& names) {
  if (kernel.bulk_slots == 0) return kernel;
  const BoxCopier copier(kernel, names);
  const auto by_threads = [&](Statement statement, Body& out) {
    if (std::holds_alternative<AwaitBulk>(statement.kind)) return out.push_back({Barrier{}});
    const auto* bulk = std::get_if<BulkCopies>(&statement.kind);
    if (!bulk) return out.push_back(std::move(statement));
    Body all;
    for (const BulkCopy& copy : bulk->copies) all.push_back(copier.copy(copy));
    out.push_back({Threads{std::move(all)}});
  };
  kernel.body = rewrite_body(std::move(kernel.body), by_threads);
  kernel.bulk_sources.clear();
  kernel.bulk_slots = 0;
  return kernel;
}

Kernel drop_dead_code(Kernel kernel) {
  kernel.body = drop_dead_code(std::move(kernel.body));
  return kernel;
}

Body drop_dead_code(Body body) {
  std::set<std::string> live;
  return live_part(std::move(body), live);
}

Kernel split_deep_expressions(Kernel kernel, Names& names) {
  kernel.body = split_body(std::move(kernel.body), names);
  return kernel;
}

ThreadLoops expand_thread_buffers(Kernel kernel) {
  ThreadLoops result;
  std::map<BufferId, ThreadUse> uses;
  count_uses(kernel.body, false, uses);
  Prefixes prefixes;
  for (BufferId id = 0; id < static_cast<BufferId>(kernel.buffers.size()); ++id) {
    Buffer& buffer = kernel.buffers[static_cast<size_t>(id)];
    if (buffer.space != Space::Thread) continue;
    if (uses[id].sections == 1 && !uses[id].repeated) {
      result.local.insert(id);
      continue;
    }
    std::vector<Expr> extents;
    for (size_t axis = kMaxRank; axis-- > 0;) {
      const int count = kernel.threads[axis];
      if (count == 1) continue;
      extents.push_back(integer(count));
      prefixes[id].push_back(variable(kThreadNames[axis]));
    }
    buffer.extents.insert(buffer.extents.begin(), extents.begin(), extents.end());
  }
  kernel.body = IndexPrefixer(prefixes, kernel).body(std::move(kernel.body));
  result.kernel = std::move(kernel);
  return result;
}

}  // namespace stencil::emit
