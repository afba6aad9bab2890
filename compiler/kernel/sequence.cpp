// How similar bodies are found. The *shape* of a statement is a text of everything but its integer
// literals, in which names that the item defines are numbered in order of appearance. An integer
// variable without a literal counts as a sum with the literal 0. Items of one shape are similar if
// each literal is an affine function of the item's number. A *run* of similar items becomes a loop.
//
// Several runs can also share a loop. Their statements are aligned like the lines of two texts (a
// longest common subsequence), and statements that are not common are guarded. This is done only if
// it saves at least a quarter of the text; otherwise the runs follow each other.
#include "compiler/kernel/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/kernel/rewrite.h"
#include "compiler/support/work.h"

namespace stencil::kernel {

namespace {

struct Number {
  int64_t value;
  Scalar type;
};

// A statement as its shape and its integers.
struct Signature {
  std::string shape;
  std::vector<Number> numbers;
};

// An integer expression as value + number; `value` is null for a literal. Sums, literals and
// variables are split like this. Other expressions are kept whole, with is_sum false.
struct Sum {
  Expr value;
  int64_t number = 0;
  bool is_sum = true;
};

Sum split_sum(const Expr& expr) {
  if (!is_integer(expr->type)) return {expr, 0, false};
  if (const auto* literal = std::get_if<IntegerLiteral>(&expr->kind)) {
    return {nullptr, literal->value};
  }
  if (std::holds_alternative<Variable>(expr->kind)) return {expr, 0};
  const auto* operation = std::get_if<Operation>(&expr->kind);
  if (!operation || (operation->op != Op::Add && operation->op != Op::Sub)) return {expr, 0, false};
  const auto* literal = std::get_if<IntegerLiteral>(&operation->operands[1]->kind);
  if (!literal) return {expr, 0, false};
  return {operation->operands[0], operation->op == Op::Add ? literal->value : -literal->value};
}

class Signer {
 public:
  // Call with the statements of an item in order.
  Signature sign(const Statement& statement) {
    out_ = {};
    seen_.clear();
    std::visit(*this, statement.kind);
    return std::move(out_);
  }

  void operator()(const Comment&) { add("//"); }
  void operator()(const Let& let) {
    add("let");
    expr(let.value);
    bind(let.name);
  }
  void operator()(const Store& store) {
    add("store");
    element(store.buffer, store.index);
    expr(store.value);
  }
  void operator()(const Copy& copy) {
    add(fmt::format("copy {} {}", copy.count, copy.async));
    element(copy.to, copy.to_index);
    element(copy.from, copy.from_index);
  }
  void operator()(const CommitCopies&) { add("commit"); }
  void operator()(const AwaitCopies& await) { add(fmt::format("await {}", await.pending)); }
  void operator()(const For& loop) {
    add(fmt::format("for {} {}", static_cast<int>(loop.kind), loop.step));
    expr(loop.begin);
    expr(loop.end);
    const auto outer = bound_;
    bind(loop.name);
    body(loop.body);
    bound_ = outer;
  }
  void operator()(const If& branch) {
    add("if");
    expr(branch.condition);
    body(branch.then);
    body(branch.otherwise);
  }
  void operator()(const Threads& threads) {
    add("threads");
    body(threads.body);
  }
  void operator()(const Barrier& barrier) {
    add(barrier.global ? "barrier for memory" : "barrier");
  }
  void operator()(const Shuffle& shuffle) {
    add(fmt::format("shuffle {}", shuffle.count));
    const auto outer = bound_;
    bind(shuffle.name);
    for (const Shuffle::Move& move : shuffle.moves) {
      add(fmt::format("lane {}", move.lane));
      element(move.to, move.to_index);
      element(move.from, move.from_index);
    }
    bound_ = outer;
  }
  void operator()(const BulkCopies& bulk) {
    add("bulk");
    expr(bulk.batch);
    for (const BulkCopy& copy : bulk.copies) {
      add(fmt::format("source {}", copy.source));
      for (const Expr& origin : copy.origin) expr(origin);
      element(copy.to, copy.to_index);
    }
  }
  void operator()(const AwaitBulk& await) {
    add("await bulk");
    expr(await.batch);
  }
  void operator()(const Scope& scope) {
    add("scope");
    body(scope.body);
  }

 private:
  void add(std::string_view text) {
    support::count_work();
    out_.shape += text;
    out_.shape += ' ';
  }
  void body(const Body& statements) {
    add("{");
    const auto outer = bound_;
    for (const Statement& statement : statements) std::visit(*this, statement.kind);
    bound_ = outer;
    add("}");
  }
  void bind(const std::string& name) {
    const size_t number = bound_.size();
    bound_.insert_or_assign(name, number);
  }
  void element(BufferId buffer, const std::vector<Expr>& index) {
    add(fmt::format("[{}", buffer));
    for (const Expr& i : index) expr(i);
    add("]");
  }
  void expr(const Expr& expr) {
    const auto [entry, fresh] = seen_.try_emplace(expr.get(), seen_.size());
    if (!fresh) return add(fmt::format("#{}", entry->second));
    const Sum sum = split_sum(expr);
    if (sum.is_sum) {
      add("integer");
      out_.numbers.push_back({sum.number, expr->type});
      if (!sum.value) return;
    }
    node(sum.value);
  }
  void node(const Expr& expr) {
    struct Visitor {
      Signer& to;
      Scalar type;
      void operator()(const IntegerLiteral& literal) const {
        to.add(literal.value != 0 ? "true" : "false");
      }
      void operator()(const RealLiteral& literal) const {
        to.add(fmt::format("real {:a}", literal.value));
      }
      void operator()(const Variable& variable) const {
        const auto bound = to.bound_.find(variable.name);
        to.add(bound == to.bound_.end() ? "name " + variable.name
                                        : fmt::format("bound {}", bound->second));
      }
      void operator()(const Operation& operation) const {
        to.add(fmt::format("({}", static_cast<int>(operation.op)));
        for (const Expr& operand : operation.operands) to.expr(operand);
        to.add(")");
      }
      void operator()(const Load& load) const { to.element(load.buffer, load.index); }
    };
    add(name(expr->type));
    std::visit(Visitor{*this, expr->type}, expr->kind);
  }

  Signature out_;
  std::map<std::string, size_t> bound_;
  std::map<const ExprNode*, size_t> seen_;  // in this statement
};

// One statement of the items in `numbers`, which differ only in these numbers.
struct Entry {
  std::string shape;
  std::map<size_t, std::vector<Number>> numbers;  // by item
  size_t from = 0, place = 0;                     // where the statement is copied from
};

bool affine(const std::map<size_t, std::vector<Number>>& numbers) {
  if (numbers.size() < 2) return true;
  const auto& [first_item, first] = *numbers.begin();
  const auto& [second_item, second] = *std::next(numbers.begin());
  const int64_t apart = static_cast<int64_t>(second_item - first_item);
  for (size_t i = 0; i < first.size(); ++i) {
    const int64_t by = second[i].value - first[i].value;
    if (by % apart != 0) return false;
    for (const auto& [item, values] : numbers) {
      const int64_t steps = static_cast<int64_t>(item - first_item);
      if (values[i].value - first[i].value != by / apart * steps) return false;
    }
  }
  return true;
}

class Sequencer {
 public:
  Sequencer(const std::string& variable, std::vector<Body> items, const Title& title)
      : variable_(variable), items_(std::move(items)), title_(title) {
    for (const Body& item : items_) {
      Signer signer;
      signatures_.emplace_back();
      for (const Statement& statement : item) {
        signatures_.back().push_back(signer.sign(statement));
      }
    }
  }

  Body write() {
    Body out;
    if (items_.empty()) return out;
    const std::vector<Run> runs = find_runs();
    if (const auto shared = share(runs)) {
      add_loop(*shared, 0, items_.size() - 1, out);
      return out;
    }
    for (const Run& run : runs) add_loop(run.entries, run.first, run.last, out);
    return out;
  }

 private:
  struct Run {
    size_t first, last;
    std::vector<Entry> entries;
  };

  std::vector<Entry> entries_of(size_t item) const {
    std::vector<Entry> out;
    for (size_t s = 0; s < signatures_[item].size(); ++s) {
      const Signature& signature = signatures_[item][s];
      out.push_back({signature.shape, {{item, signature.numbers}}, item, s});
    }
    return out;
  }

  // One entry for the items of both `a` and `b`; nullopt if they do not match.
  static std::optional<Entry> joined(const Entry& a, const Entry& b) {
    if (a.shape != b.shape) return std::nullopt;
    Entry out = a;
    out.numbers.insert(b.numbers.begin(), b.numbers.end());
    if (!affine(out.numbers)) return std::nullopt;
    return out;
  }

  // Any two items of one shape match, so the second item of a run of two may belong to the next run
  // instead.
  std::vector<Run> find_runs() const {
    std::vector<Run> runs;
    for (size_t item = 0; item < items_.size(); ++item) {
      std::vector<Entry> own = entries_of(item);
      if (!runs.empty() && extend(runs.back(), own)) {
        runs.back().last = item;
        continue;
      }
      if (!runs.empty() && runs.back().last == runs.back().first + 1) {
        Run second{item - 1, item - 1, entries_of(item - 1)};
        if (extend(second, own)) {
          runs.back() = {item - 2, item - 2, entries_of(item - 2)};
          second.last = item;
          runs.push_back(std::move(second));
          continue;
        }
      }
      runs.push_back({item, item, std::move(own)});
    }
    return runs;
  }

  static bool extend(Run& run, const std::vector<Entry>& by) {
    if (run.entries.size() != by.size()) return false;
    std::vector<Entry> both;
    for (size_t s = 0; s < by.size(); ++s) {
      auto entry = joined(run.entries[s], by[s]);
      if (!entry) return false;
      both.push_back(std::move(*entry));
    }
    run.entries = std::move(both);
    return true;
  }

  static size_t length(const std::vector<Entry>& entries) {
    size_t length = 0;
    for (const Entry& entry : entries) length += entry.shape.size();
    return length;
  }

  // Merges all runs into one loop, if that saves a quarter of their text. Items must not have lets:
  // a guard would hide the definition from the statements that use it.
  std::optional<std::vector<Entry>> share(const std::vector<Run>& runs) const {
    constexpr size_t kMostRuns = 16;
    if (runs.size() < 2 || runs.size() > kMostRuns) return std::nullopt;
    size_t apart = 0;
    for (const Run& run : runs) {
      apart += length(run.entries);
      for (const Statement& statement : items_[run.first]) {
        if (std::holds_alternative<Let>(statement.kind)) return std::nullopt;
      }
    }
    std::vector<Entry> all = runs[0].entries;
    for (size_t r = 1; r < runs.size(); ++r) all = aligned(all, runs[r].entries);
    if (length(all) * 4 > apart * 3) return std::nullopt;
    return all;
  }

  static std::vector<Entry> aligned(const std::vector<Entry>& a, const std::vector<Entry>& b) {
    // common[i][j]: the largest common length of a from i on and b from j on
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
    std::vector<std::vector<std::optional<Entry>>> both(
        a.size(), std::vector<std::optional<Entry>>(b.size()));
    for (size_t i = a.size(); i-- > 0;) {
      for (size_t j = b.size(); j-- > 0;) {
        common[i][j] = std::max(common[i + 1][j], common[i][j + 1]);
        both[i][j] = joined(a[i], b[j]);
        if (!both[i][j]) continue;
        common[i][j] = std::max(common[i][j], common[i + 1][j + 1] + a[i].shape.size());
      }
    }
    std::vector<Entry> out;
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
      if (both[i][j] && common[i][j] == common[i + 1][j + 1] + a[i].shape.size()) {
        out.push_back(*both[i++][j++]);
      } else {
        out.push_back(common[i][j] == common[i + 1][j] ? a[i++] : b[j++]);
      }
    }
    out.insert(out.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
    out.insert(out.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
    return out;
  }

  // One statement that stands for all items of the entry, as a function of the loop's variable.
  Statement statement_of(const Entry& entry) const {
    const auto& [first_item, first] = *entry.numbers.begin();
    const auto& [last_item, last] = *entry.numbers.rbegin();
    const auto apart = static_cast<int64_t>(last_item - first_item);
    size_t next = 0;
    Rewriter rewriter([&](const Expr& expr) -> Expr {
      const Sum sum = split_sum(expr);
      if (!sum.is_sum) return nullptr;
      const size_t i = next++;
      const int64_t by = apart == 0 ? 0 : (last[i].value - first[i].value) / apart;
      const int64_t start = first[i].value - by * static_cast<int64_t>(first_item);
      const Expr value = sum.value ? rewriter.with_operands(sum.value) : nullptr;
      if (by == 0) {
        if (!sum.value || value == sum.value) return expr;
        return add(value, integer(start, expr->type));
      }
      if (!value) return affine_in_item(start, by, expr->type);
      if (by < 0 && start <= 0) return sub(value, affine_in_item(-start, -by, expr->type));
      return add(value, affine_in_item(start, by, expr->type));
    });
    return rewriter.statement(items_[entry.from][entry.place]);
  }

  // start + by * number
  Expr affine_in_item(int64_t start, int64_t by, Scalar type) const {
    const Expr number = convert(kernel::variable(variable_), type);
    if (by < 0) return sub(integer(start, type), mul(number, integer(-by, type)));
    const Expr times = mul(number, integer(by, type));
    return start < 0 ? sub(times, integer(-start, type)) : add(times, integer(start, type));
  }

  // Condition: the number of the item is one of `items`.
  Expr is_one_of(const std::vector<size_t>& items, size_t first, size_t last) const {
    const Expr number = kernel::variable(variable_);
    const auto literal = [](size_t value) { return integer(static_cast<int64_t>(value)); };
    std::vector<Expr> ranges;
    for (size_t i = 0; i < items.size();) {
      size_t end = i + 1;
      while (end < items.size() && items[end] == items[end - 1] + 1) ++end;
      const size_t low = items[i], high = items[end - 1];
      if (low == high) {
        ranges.push_back(operation(Op::Eq, {number, literal(low)}));
      } else {
        std::vector<Expr> ends;
        if (low > first) ends.push_back(operation(Op::Ge, {number, literal(low)}));
        if (high < last) ends.push_back(less(number, literal(high + 1)));
        ranges.push_back(all_of(std::move(ends)));
      }
      i = end;
    }
    Expr any = ranges[0];
    for (size_t r = 1; r < ranges.size(); ++r) any = operation(Op::Or, {any, ranges[r]});
    return any;
  }

  static std::vector<size_t> items_of(const Entry& entry) {
    std::vector<size_t> out;
    for (const auto& [item, numbers] : entry.numbers) out.push_back(item);
    return out;
  }

  void add_loop(const std::vector<Entry>& entries, size_t first, size_t last, Body& out) const {
    const std::string title = title_ ? title_(first, last) : "";
    if (!title.empty()) out.push_back({Comment{title}});
    if (first == last) {
      for (const Statement& statement : items_[first]) out.push_back(statement);
      return;
    }
    Body body;
    std::vector<size_t> guarded;  // items of the last statement's guard; empty: it has no guard
    std::vector<size_t> complement;
    for (const Entry& entry : entries) {
      const std::vector<size_t> items = items_of(entry);
      if (items.size() == last - first + 1) {
        guarded.clear();
        body.push_back(statement_of(entry));
      } else if (!guarded.empty() && items == guarded) {
        std::get<If>(body.back().kind).then.push_back(statement_of(entry));
      } else if (!guarded.empty() && items == complement) {
        std::get<If>(body.back().kind).otherwise.push_back(statement_of(entry));
      } else {
        guarded = items;
        complement.clear();
        for (size_t item = first; item <= last; ++item) {
          if (!entry.numbers.count(item)) complement.push_back(item);
        }
        Body then;
        then.push_back(statement_of(entry));
        body.push_back({If{is_one_of(items, first, last), std::move(then), {}}});
      }
    }
    out.push_back({For{LoopKind::Steps, variable_, integer(static_cast<int64_t>(first)),
                       integer(static_cast<int64_t>(last + 1)), 1, std::move(body)}});
  }

  std::string variable_;
  std::vector<Body> items_;
  const Title& title_;
  std::vector<std::vector<Signature>> signatures_;
};

}  // namespace

Body sequence(const std::string& variable, std::vector<Body> items, const Title& title) {
  return Sequencer(variable, std::move(items), title).write();
}

namespace {

std::optional<bool> known(const Expr& condition) {
  const auto* literal = std::get_if<IntegerLiteral>(&condition->kind);
  if (!literal) return std::nullopt;
  return literal->value != 0;
}

void write_out(const Body& body, Body& out);

Body nested(const Body& body) {
  Body out;
  write_out(body, out);
  return out;
}

void write_out(const Statement& statement, Body& out) {
  if (const auto* loop = std::get_if<For>(&statement.kind)) {
    if (loop->kind != LoopKind::Steps) {
      out.push_back({For{loop->kind, loop->name, loop->begin, loop->end, loop->step,
                         nested(loop->body), loop->step_name}});
      return;
    }
    const int64_t begin = std::get<IntegerLiteral>(loop->begin->kind).value;
    const int64_t end = std::get<IntegerLiteral>(loop->end->kind).value;
    for (int64_t value = begin; value < end; value += loop->step) {
      Rewriter rewriter([&](const Expr& expr) {
        const auto* variable = std::get_if<Variable>(&expr->kind);
        const bool counts = variable && variable->name == loop->name;
        return counts ? integer(value, expr->type) : nullptr;
      });
      write_out(rewriter.body(loop->body), out);
    }
  } else if (const auto* branch = std::get_if<If>(&statement.kind)) {
    const auto taken = known(branch->condition);
    if (taken) return write_out(*taken ? branch->then : branch->otherwise, out);
    out.push_back({If{branch->condition, nested(branch->then), nested(branch->otherwise)}});
  } else if (const auto* threads = std::get_if<Threads>(&statement.kind)) {
    out.push_back(
        {Threads{nested(threads->body), threads->few, threads->conditions, threads->loops}});
  } else if (const auto* scope = std::get_if<Scope>(&statement.kind)) {
    out.push_back({Scope{nested(scope->body)}});
  } else {
    out.push_back(statement);
  }
}

void write_out(const Body& body, Body& out) {
  for (const Statement& statement : body) write_out(statement, out);
}

}  // namespace

Body written_out(const Body& body) {
  return nested(body);
}

}  // namespace stencil::kernel
