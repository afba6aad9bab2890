// Integer overflow.
//
// Values that depend only on sizes, coordinates and the number of steps are known at compile time.
// If such a value overflows its type at some point and the program uses it there, that is an error
// (S090). Therefore select(i < 1000, i * i, 0) is correct for every i.
//
// All other integer arithmetic wraps around. In the languages of the kernels, signed overflow is
// undefined. Operations that are not proved to stay in range therefore become unsigned operations
// there (Op::WrapAdd and others). Operations that are proved stay signed, because compilers
// generate better code for them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/ir/integer_ranges.h"
#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"
#include "compiler/support/evaluate.h"

namespace stencil::ir {
namespace {

// How far beyond a region kernels compute values that nothing uses.
constexpr int64_t kMargin = 4096;

constexpr int64_t kMostPoints = 4096;        // points at which a graph is evaluated
constexpr int64_t kMostValues = 20'000'000;  // nodes evaluated at all these points

std::string decimal(WideInteger value) {
  if (value < 0) return "-" + decimal(-value);
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return digits;
}

// Evaluates those values of a graph that one point and step determine.
class AtPoint {
 public:
  AtPoint(const Graph& graph, const std::vector<NodeId>& results)
      : graph_(graph), results_(results), values_(static_cast<size_t>(graph.size())) {}

  // Calls visit(node, exact value) for each operation whose value is used and out of range.
  template <class Visit>
  void evaluate(const std::vector<std::optional<int64_t>>& indices, std::optional<int64_t> time,
                Visit visit) {
    overflows_.clear();
    for (NodeId id = 0; id < graph_.size(); ++id) {
      values_[id] = value(graph_[id], id, indices, time);
    }
    if (overflows_.empty()) return;
    used_.assign(values_.size(), false);
    for (const NodeId result : results_) used_[result] = true;
    for (NodeId id = graph_.size() - 1; id >= 0; --id) {
      if (used_[id]) use_operands(graph_[id]);
    }
    for (const auto& [id, exact] : overflows_) {
      if (used_[id]) visit(id, exact);
    }
  }

 private:
  using Value = std::optional<int64_t>;

  void use_operands(const Node& node) {
    const auto* operation = std::get_if<Operation>(&node.kind);
    if (!operation) return;
    const auto use = [&](size_t i) { used_[operation->operands[i]] = true; };
    const Value condition = operation->op == Op::Select ? values_[operation->operands[0]] : Value{};
    if (condition) {
      use(0);
      return use(*condition != 0 ? 1 : 2);
    }
    for (size_t i = 0; i < operation->operands.size(); ++i) use(i);
  }

  Value value(const Node& node, NodeId id, const std::vector<Value>& indices, Value time) {
    if (is_float(node.type)) return std::nullopt;
    if (const auto* constant = std::get_if<Constant>(&node.kind)) return constant->integer;
    if (const auto* index = std::get_if<Index>(&node.kind)) {
      const auto d = static_cast<size_t>(index->dimension);
      return d < indices.size() ? indices[d] : std::nullopt;
    }
    if (std::holds_alternative<Time>(node.kind)) return time;
    const auto* operation = std::get_if<Operation>(&node.kind);
    if (!operation || is_storage(node.type)) return std::nullopt;
    Value in[3];
    for (size_t i = 0; i < operation->operands.size(); ++i) {
      in[i] = values_[operation->operands[i]];
    }
    if (operation->op == Op::Select) return in[0] ? (*in[0] != 0 ? in[1] : in[2]) : std::nullopt;
    // One operand may decide a conjunction or disjunction whose other operand is not known.
    for (const Value& known : {in[0], in[1]}) {
      if (operation->op == Op::And && known && *known == 0) return 0;
      if (operation->op == Op::Or && known && *known != 0) return 1;
    }
    if (!in[0] || (operation->operands.size() > 1 && !in[1])) return std::nullopt;
    const int64_t a = *in[0], b = in[1].value_or(0);
    if (is_comparison(operation->op)) return evaluate_comparison(operation->op, a, b) ? 1 : 0;
    const bool narrow = node.type == Scalar::I32;
    if (operation->op == Op::Convert) return narrow ? static_cast<int32_t>(a) : a;
    if (node.type == Scalar::Bool) return evaluate_integer(operation->op, a, b, 64).value;
    if (const auto exact = exact_value(operation->op, a, b)) {
      const IntegerRange held = integer_range(node.type);
      if (*exact < held.least || *exact > held.most) overflows_.emplace_back(id, *exact);
    }
    const int64_t out = evaluate_integer(operation->op, a, b, narrow ? 32 : 64).value;
    return narrow ? static_cast<int32_t>(out) : out;
  }

  const Graph& graph_;
  const std::vector<NodeId>& results_;
  std::vector<Value> values_;
  std::vector<bool> used_;
  std::vector<std::pair<NodeId, WideInteger>> overflows_;
};

// A coordinate or the step: the values least, least + stride, ..., most.
struct Counter {
  int64_t least, most;
  int64_t stride = 1;
  int64_t count() const { return (most - least) / stride + 1; }
  int64_t value(int64_t n) const { return least + n * stride; }
};

// True for operations that wrap around on purpose. Semantic analysis generates them for random().
bool wraps(const Node& node) {
  const auto* operation = std::get_if<Operation>(&node.kind);
  return operation && operation->op >= Op::WrapNeg && operation->op <= Op::WrapAbs;
}

class Checker {
 public:
  Checker(const Program& program, Diagnostics& diagnostics)
      : program_(program), diagnostics_(diagnostics) {}

  // `every`: the graph is evaluated in the steps every - 1, 2 * every - 1, ...; 0: before the run.
  void check(const Graph& graph, const std::vector<NodeId>& results, const Box* region,
             const std::vector<std::string>& names, int64_t every = 1) {
    IntegerRanges ranges(program_, region, 0);
    std::set<NodeId> suspects;
    const std::vector<bool> needed = reachable(graph, results);
    for (NodeId id = 0; id < graph.size(); ++id) {
      ranges.append(graph, graph[id], id);
      const auto& range = ranges[id];
      if (range.overflows && range.decided && needed[id] && !wraps(graph[id])) {
        suspects.insert(id);
      }
    }
    if (suspects.empty() || !take_counters(region, every)) return;
    AtPoint at(graph, results);
    const int64_t most = std::clamp<int64_t>(kMostValues / graph.size(), 1, kMostPoints);
    for_each_point(most, [&](const std::vector<int64_t>& values) {
      std::vector<std::optional<int64_t>> indices(rank_);
      std::optional<int64_t> time;
      for (size_t c = 0; c < values.size(); ++c) {
        (which_[c] < rank_ ? indices[which_[c]] : time) = values[c];
      }
      at.evaluate(indices, time, [&](NodeId id, WideInteger exact) {
        if (suspects.erase(id) != 0) report(graph, id, exact, values, names);
      });
      return !suspects.empty();
    });
  }

 private:
  // Returns false if the graph is evaluated at no point.
  bool take_counters(const Box* region, int64_t every) {
    counters_.clear();
    which_.clear();
    rank_ = region ? region->ranges.size() : 0;
    for (size_t d = 0; d < rank_; ++d) {
      const auto& range = region->ranges[d];
      if (!range.low.is_constant() || !range.high.is_constant()) continue;
      if (range.high.constant < range.low.constant) return false;
      counters_.push_back({range.low.constant, range.high.constant});
      which_.push_back(d);
    }
    if (every > 0 && program_.steps && program_.steps->is_constant()) {
      const int64_t evaluations = program_.steps->constant / every;
      if (evaluations <= 0) return false;
      counters_.push_back({every - 1, evaluations * every - 1, every});
      which_.push_back(rank_);
    }
    return true;
  }

  // Visits all points if there are at most `most`. Otherwise it visits the corners and then a
  // sample of points. Stops when visit() returns false.
  template <class Visit>
  void for_each_point(int64_t most, Visit visit) const {
    std::vector<int64_t> values(counters_.size());
    const auto visit_all = [&](const auto& count, const auto& value) {
      int64_t points = 1;
      for (size_t c = 0; c < counters_.size(); ++c) points *= count(counters_[c]);
      for (int64_t p = 0; p < points; ++p) {
        int64_t rest = p;
        for (size_t c = 0; c < counters_.size(); ++c) {
          values[c] = value(counters_[c], rest % count(counters_[c]));
          rest /= count(counters_[c]);
        }
        if (!visit(values)) return false;
      }
      return true;
    };
    const auto ends = [](const Counter& c) { return std::min<int64_t>(2, c.count()); };
    const auto end = [](const Counter& c, int64_t n) { return n == 0 ? c.most : c.least; };
    WideInteger all = 1;
    for (const Counter& counter : counters_)
      all = std::min<WideInteger>(all * counter.count(), most + 1);
    if (!visit_all(ends, end)) return;
    if (all <= most) {
      visit_all([](const Counter& c) { return c.count(); },
                [](const Counter& c, int64_t n) { return c.value(n); });
      return;
    }
    uint64_t state = 1;
    for (int64_t p = 0; p < most; ++p) {
      for (size_t c = 0; c < counters_.size(); ++c) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto drawn = static_cast<int64_t>(state >> 33);
        const int64_t step = p % static_cast<int64_t>(counters_.size() + 1);
        // In turn, one counter takes any value of its range and the others are at an end; then all
        // take any value.
        const bool moves =
            step == static_cast<int64_t>(counters_.size()) || step == static_cast<int64_t>(c);
        values[c] = moves ? counters_[c].value(drawn % counters_[c].count())
                          : (drawn % 2 ? counters_[c].most : counters_[c].least);
      }
      if (!visit(values)) return;
    }
  }

  // True if the value depends on `counter`: a dimension's coordinate, or the step if it is rank_.
  bool depends(const Graph& graph, NodeId value, size_t counter) const {
    const std::vector<bool> used = reachable(graph, {value});
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (!used[id]) continue;
      const auto* index = std::get_if<Index>(&graph[id].kind);
      if (index && static_cast<size_t>(index->dimension) == counter) return true;
      if (counter == rank_ && std::holds_alternative<Time>(graph[id].kind)) return true;
    }
    return false;
  }

  void report(const Graph& graph, NodeId id, WideInteger exact, const std::vector<int64_t>& values,
              const std::vector<std::string>& names) {
    const Node& node = graph[id];
    if (!reported_.emplace(node.span.begin, node.span.end).second) return;
    const IntegerRange held = integer_range(node.type);
    Diagnostic& error = diagnostics_.error(
        "S090", node.span,
        fmt::format("a result that is out of the range of '{}'", name(node.type)));
    error.expected = fmt::format("a value in {}..{}", held.least, held.most);
    std::string where;
    for (size_t c = 0; c < values.size(); ++c) {
      if (!depends(graph, id, which_[c])) continue;
      std::string counter = "time";
      if (which_[c] < rank_) {
        const bool named = which_[c] < names.size() && !names[which_[c]].empty();
        if (!named) continue;
        counter = names[which_[c]];
      }
      where += fmt::format("{}{} = {}", where.empty() ? " at " : ", ", counter, values[c]);
    }
    error.found = decimal(exact) + where;
    error.hint = node.type == Scalar::I32
                     ? "convert an operand: long(x) computes in 64 bits, real(x) in floating point"
                     : "convert an operand: double(x) computes in floating point";
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  std::vector<Counter> counters_;
  std::vector<size_t> which_;  // dimension, or rank_ for the step
  size_t rank_ = 0;
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

Op wrapping(Op op) {
  switch (op) {
    case Op::Neg:
      return Op::WrapNeg;
    case Op::Add:
      return Op::WrapAdd;
    case Op::Sub:
      return Op::WrapSub;
    case Op::Mul:
      return Op::WrapMul;
    case Op::Abs:
      return Op::WrapAbs;
    default:
      return op;
  }
}

void wrap(const Program& program, Graph& graph, const std::vector<NodeId*>& roots,
          const Box* region) {
  IntegerRanges ranges(program, region, kMargin);
  rewrite_graph(graph, roots, [&](Graph& out, Node node) {
    auto* operation = std::get_if<Operation>(&node.kind);
    if (operation && is_integer(node.type) && ranges.of(out, node).overflows) {
      operation->op = wrapping(operation->op);
    }
    const NodeId id = out.add(node);
    ranges.append(out, node, id);
    return id;
  });
}

void wrap(const Program& program, Piece& piece) {
  std::vector<NodeId*> roots;
  for (NodeId& result : piece.results) roots.push_back(&result);
  wrap(program, piece.graph, roots, &piece.region);
}

}  // namespace

void check_overflow(const Program& program, Diagnostics& diagnostics) {
  Checker checker(program, diagnostics);
  const auto check = [&](const Piece& piece, int64_t every = 1) {
    checker.check(piece.graph, piece.results, &piece.region, piece.index_names, every);
  };
  for (const Function& function : program.functions) {
    for (const Piece& piece : function.pieces) check(piece);
  }
  for (const Init& init : program.inits) check(init.piece, 0);
  for (const Reduction& reduction : program.reductions) check(reduction.piece, reduction.every);
  if (program.run.until)
    checker.check(program.run.until->graph, {program.run.until->condition}, nullptr, {});
  for (const Requirement& requirement : program.requirements) {
    checker.check(requirement.graph, {requirement.condition}, nullptr, {}, 0);
  }
}

Program wrap_integers(Program program) {
  for (Function& function : program.functions) {
    for (Piece& piece : function.pieces) wrap(program, piece);
  }
  for (Init& init : program.inits) wrap(program, init.piece);
  for (Reduction& reduction : program.reductions) wrap(program, reduction.piece);
  if (program.run.until)
    wrap(program, program.run.until->graph, {&program.run.until->condition}, nullptr);
  for (Requirement& requirement : program.requirements) {
    wrap(program, requirement.graph, {&requirement.condition}, nullptr);
  }
  for (Domain& domain : program.domains) {
    for (Axis& axis : domain.axes) {
      wrap(program, axis.graph, {&axis.origin, &axis.spacing, &axis.admissible}, nullptr);
    }
  }
  for (Param& param : program.params) {
    if (param.derived) wrap(program, param.derived->graph, {&param.derived->value}, nullptr);
  }
  return program;
}

}  // namespace stencil::ir
