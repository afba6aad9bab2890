// Evaluates boxes. A bound is an affine function of the open params; params with a value become
// part of its constant. This file handles sums, differences, multiples, and quotients by constants.
// Any other operation (min, a table entry) must be known at compile time, and the elaborator
// evaluates it. Constants and coefficients stay below kMaxMagnitude, far from overflow. Later
// passes can therefore add and subtract bounds without checks.
#include "compiler/sema/bounds.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "compiler/sema/ast_names.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/prove.h"
#include "compiler/support/escape.h"

namespace stencil::sema {
namespace {

constexpr int64_t kMaxMagnitude = int64_t{1} << 40;
constexpr int64_t kMaxStride = int64_t{1} << 30;  // also the largest divisor

bool in_reach(const ir::Affine& affine) {
  auto fits = [](int64_t value) { return value <= kMaxMagnitude && value >= -kMaxMagnitude; };
  for (const auto& [param, coefficient] : affine.terms) {
    if (!fits(coefficient)) return false;
  }
  return fits(affine.constant);
}

class AffineEvaluator {
 public:
  // `around`: the range whose bounds are called `first` and `last`; may be null.
  AffineEvaluator(Environment& env, const char* what, bool quiet, const ir::Range* around = nullptr)
      : env_(env), what_(what), quiet_(quiet), around_(around) {}

  std::optional<ir::Affine> evaluate(const ast::Expr& expr) {
    std::optional<ir::Affine> result = evaluate_any(expr);
    if (!result || in_reach(*result)) return result;
    if (!quiet_) env_.report.error("S012", expr.span, fmt::format("{} is too large", what_));
    return std::nullopt;
  }

 private:
  std::optional<ir::Affine> evaluate_any(const ast::Expr& expr) {
    if (const auto* name = std::get_if<ast::Name>(&expr.kind)) {
      if (const auto open = open_param(name->name)) return open;
      if (const auto* bound = bound_around(name->name)) return *bound;
    }
    if (const auto* unary = std::get_if<ast::Unary>(&expr.kind)) {
      if (unary->op == Op::Neg) {
        const auto operand = evaluate(*unary->operand);
        return operand ? std::optional<ir::Affine>(*operand * -1) : std::nullopt;
      }
    }
    if (const auto* binary = std::get_if<ast::Binary>(&expr.kind)) {
      if (binary->op == Op::Add || binary->op == Op::Sub || binary->op == Op::Mul) {
        return combine(*binary, expr.span);
      }
      const bool quotient_of_sizes = binary->op == Op::Div && (mentions_open_param(*binary->left) ||
                                                               mentions_bound(*binary->left));
      if (quotient_of_sizes) return quotient(expr, *binary);
    }
    return constant(expr);
  }

  std::optional<ir::Affine> open_param(const std::string& name) {
    const Declaration* declaration = env_.find(name);
    if (!declaration || declaration->kind != Declared::Param) return std::nullopt;
    const ir::Param& param = env_.program.params[declaration->index];
    if (param.affine) return param.affine;
    if (!param.open()) return std::nullopt;
    return ir::Affine{0, {{declaration->index, 1}}};
  }

  const ir::Affine* bound_around(const std::string& name) const {
    if (!around_ || env_.is_declared(name)) return nullptr;
    return name == "first" ? &around_->low : name == "last" ? &around_->high : nullptr;
  }

  std::optional<ir::Affine> combine(const ast::Binary& binary, Span span) {
    const auto left = evaluate(*binary.left);
    const auto right = evaluate(*binary.right);
    if (!left || !right) return std::nullopt;
    if (binary.op == Op::Add) return *left + *right;
    if (binary.op == Op::Sub) return *left - *right;
    const ir::Affine& factor = left->is_constant() ? *left : *right;
    const ir::Affine& other = left->is_constant() ? *right : *left;
    if (!factor.is_constant()) return not_affine(span);
    if (!products_in_reach(other, factor.constant)) {
      if (!quiet_) env_.report.error("S012", span, fmt::format("{} is too large", what_));
      return std::nullopt;
    }
    return other * factor.constant;
  }

  std::optional<ir::Affine> quotient(const ast::Expr& expr, const ast::Binary& binary) {
    const auto by = AffineEvaluator(env_, what_, true).evaluate(*binary.right);
    if (!by || !by->is_constant() || by->constant < 1 || by->constant > kMaxStride) {
      return not_affine(expr.span);
    }
    const auto of = evaluate(*binary.left);
    if (!of) return std::nullopt;
    if (mentions_bound(*binary.left)) return quotient_of_bound(expr, *of, by->constant);
    if (of->is_constant()) return constant(expr);
    if (!quiet_ && has_quotient(*of)) {
      return quotient_of(env_, *of, by->constant, on_one_line(env_.text(expr.span)), expr.span);
    }
    return quotient_in_bound(env_, expr, *of, by->constant, !quiet_);
  }

  // Whether a param of the bound is a quotient itself.
  bool has_quotient(const ir::Affine& affine) const {
    return std::any_of(affine.terms.begin(), affine.terms.end(), [this](const auto& term) {
      return std::any_of(env_.quotients.begin(), env_.quotients.end(),
                         [&](const Quotient& known) { return known.param == term.first; });
    });
  }

  // A quotient that names `first` or `last`. It is rounded towards zero, like all quotients.
  std::optional<ir::Affine> quotient_of_bound(const ast::Expr& expr, const ir::Affine& of,
                                              int64_t by) {
    if (of.is_constant()) return ir::Affine{of.constant / by, {}};
    if (decide(env_.facts, of) != Verdict::Holds) return not_affine(expr.span);
    const std::string text = fmt::format("({})/{}", env_.print(of), by);
    return quotient_of(env_, of, by, text, expr.span);
  }

  static bool products_in_reach(const ir::Affine& affine, int64_t factor) {
    auto fits = [&](int64_t value) {
      int64_t product = 0;
      return !__builtin_mul_overflow(value, factor, &product);
    };
    for (const auto& [param, coefficient] : affine.terms) {
      if (!fits(coefficient)) return false;
    }
    return fits(affine.constant);
  }

  std::optional<ir::Affine> constant(const ast::Expr& expr) {
    if (const auto known = known_integer(expr)) return ir::Affine{*known, {}};
    if (quiet_) return std::nullopt;
    if (mentions_open_param(expr)) return not_affine(expr.span);
    const auto value = constant_integer(env_, expr, what_);
    return value ? std::optional<ir::Affine>(ir::Affine{*value, {}}) : std::nullopt;
  }

  // Handles the usual cases, literals and params with a value, without an elaborator.
  std::optional<int64_t> known_integer(const ast::Expr& expr) {
    if (const auto* number = std::get_if<ast::Number>(&expr.kind)) {
      return number->integral ? std::optional<int64_t>(number->integer) : std::nullopt;
    }
    const auto* name = std::get_if<ast::Name>(&expr.kind);
    const Declaration* declaration = name ? env_.find(name->name) : nullptr;
    if (!declaration || declaration->kind != Declared::Param) return std::nullopt;
    return env_.program.params[declaration->index].integer_value;
  }

  bool mentions_open_param(const ast::Expr& expr) {
    std::unordered_set<std::string> names;
    collect_names(expr, names);
    for (const std::string& name : names) {
      if (open_param(name)) return true;
    }
    return false;
  }

  bool mentions_bound(const ast::Expr& expr) const {
    if (!around_) return false;
    std::unordered_set<std::string> names;
    collect_names(expr, names);
    return std::any_of(names.begin(), names.end(),
                       [this](const std::string& name) { return bound_around(name); });
  }

  std::optional<ir::Affine> not_affine(Span span) {
    if (quiet_) return std::nullopt;
    Diagnostic& error =
        env_.report.error("S011", span, fmt::format("{} is not affine in the open params", what_));
    error.expected = "sums and constant multiples of params, and quotients by constants";
    error.found = env_.text(span);
    error.hint = "give the param a value (-D NAME=VALUE, or a default) to make this a constant";
    return std::nullopt;
  }

  Environment& env_;
  const char* what_;
  bool quiet_;
  const ir::Range* around_;
};

}  // namespace

std::optional<ir::Affine> affine_bound(Environment& env, const ast::Expr& expr, const char* what) {
  return AffineEvaluator(env, what, false).evaluate(expr);
}

std::optional<ir::Affine> try_affine(Environment& env, const ast::Expr& expr) {
  return AffineEvaluator(env, "a bound", true).evaluate(expr);
}

std::optional<int64_t> constant_in(Environment& env, const ast::Expr& expr, const char* what,
                                   int64_t low, int64_t high) {
  const std::optional<int64_t> value = constant_integer(env, expr, what);
  if (!value || (*value >= low && *value <= high)) return value;
  Diagnostic& error = env.report.error("S029", expr.span, fmt::format("{} is out of range", what));
  error.expected = fmt::format("a value in {}..{}", low, high);
  error.found = fmt::format("{}", *value);
  return std::nullopt;
}

std::optional<ir::Box> elaborate_box(Environment& env, const ast::Box& box, int rank,
                                     const ir::Box* around) {
  const int found = static_cast<int>(box.ranges.size());
  if (found < 1 || found > kMaxRank || (rank != 0 && found != rank)) {
    Diagnostic& error = env.report.error("S014", box.span, "wrong number of dimensions");
    error.expected = rank != 0 ? fmt::format("{}, one per dimension of the grid", rank)
                               : fmt::format("1 to {}", kMaxRank);
    error.found = fmt::format("{}", found);
    return std::nullopt;
  }
  ir::Box result;
  bool ok = true;
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    const ast::Range& range = box.ranges[d];
    AffineEvaluator bound(env, "a bound", false, around ? &around->ranges[d] : nullptr);
    const auto low = bound.evaluate(*range.low);
    const auto high = range.high ? bound.evaluate(*range.high) : low;
    if (low && high) result.ranges.push_back({*low, *high});
    ok &= low && high;
  }
  return ok ? std::optional<ir::Box>(std::move(result)) : std::nullopt;
}

std::optional<std::vector<int64_t>> elaborate_strides(Environment& env, const ast::Box& box) {
  std::vector<int64_t> strides(box.ranges.size(), 1);
  bool ok = true, any = false;
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    if (!box.ranges[d].stride) continue;
    const auto stride =
        constant_in(env, *box.ranges[d].stride, "the stride of a range", 1, kMaxStride);
    ok &= stride.has_value();
    strides[d] = stride.value_or(1);
    any |= strides[d] > 1;
  }
  if (!ok) return std::nullopt;
  return any ? strides : std::vector<int64_t>{};
}

std::vector<const ast::Identifier*> indices_of(const ast::Region& region) {
  std::vector<const ast::Identifier*> names;
  if (const auto* box = std::get_if<ast::Box>(&region)) {
    for (const ast::Range& range : box->ranges)
      names.push_back(range.index ? &*range.index : nullptr);
  } else {
    for (const ast::Identifier& index : std::get<ast::NamedRegion>(region).indices) {
      names.push_back(&index);
    }
  }
  return names;
}

std::vector<std::string> index_names(Environment& env,
                                     const std::vector<const ast::Identifier*>& indices) {
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const ast::Identifier* index : indices) {
    names.emplace_back();
    if (!index || !env.check_local_name(*index)) continue;
    if (!seen.insert(index->name).second) {
      env.report.error("S002", index->span, fmt::format("'{}' names two dimensions", index->name));
      continue;
    }
    names.back() = index->name;
  }
  return names;
}

bool has_index_per_dimension(Environment& env, size_t indices, size_t rank, Span span) {
  if (indices == 0 || indices == rank) return true;
  Diagnostic& error = env.report.error("S014", span, "wrong number of index names");
  error.expected = fmt::format("{}, one per dimension, or none", rank);
  error.found = fmt::format("{}", indices);
  return false;
}

Region elaborate_region(Environment& env, const ast::Region& region) {
  const auto rank = static_cast<size_t>(env.rank());
  Region result{false, env.here().box, std::vector<std::string>(rank), {}, env.domain};
  if (const auto* box = std::get_if<ast::Box>(&region)) {
    result.index_names = index_names(env, indices_of(region));
    result.index_names.resize(rank);
    std::optional<ir::Box> bounds = elaborate_box(env, *box, static_cast<int>(rank), &result.box);
    const auto strides = elaborate_strides(env, *box);
    result.ok = bounds && strides;
    result.strides = strides.value_or(std::vector<int64_t>{});
    if (bounds) result.box = std::move(*bounds);
    return result;
  }
  const auto& [name, indices] = std::get<ast::NamedRegion>(region);
  const bool named = has_index_per_dimension(env, indices.size(), rank, name.span);
  result.index_names = index_names(env, indices_of(region));
  result.index_names.resize(rank);
  const Declaration* declaration = env.use(name.name, name.span);
  if (!declaration) {
    env.unknown_name(Foreign::Region, name.name, name.span);
  } else if (declaration->broken) {
    result.ok = false;
  } else if (declaration->kind == Declared::Grid) {
    result.ok = true;
    result.domain = declaration->index;
    if (result.domain == 0 && env.level > 0) result.domain = env.levels[env.level];
    result.box = env.program.domains[result.domain].box;
  } else if (declaration->kind == Declared::Subgrid) {
    const SubgridInfo& finest = env.subgrids[declaration->index];
    const SubgridInfo& subgrid = env.level == 0 || finest.coarser.empty()
                                     ? finest
                                     : finest.coarser[static_cast<size_t>(env.level) - 1];
    result.ok = true;
    result.domain = subgrid.domain;
    result.box = subgrid.box;
    result.strides = subgrid.strides;
  } else {
    Diagnostic& error =
        env.report.error("S005", name.span, fmt::format("'{}' is not a region", name.name));
    error.expected = "the grid, a subgrid or a box [low..high, ...]";
    error.found = describe(declaration->kind);
    if (declaration->kind == Declared::Field) {
      error.hint = fmt::format(
          "to write several fields, give the value one entry per field: "
          "REGION = {{ {} = ..., ... }}",
          name.name);
    }
  }
  result.ok &= named;
  return result;
}

bool lies_in(Environment& env, const Region& region, ir::DomainId domain,
             const ast::Region& written) {
  if (!region.ok || region.domain == domain) return true;
  const auto grid = [&](ir::DomainId id) { return env.program.domains[id].name; };
  Diagnostic& error = env.report.error("S096", span_of(written),
                                       "a region of another grid than the fields written");
  error.expected = fmt::format("a region of '{}'", grid(domain));
  error.found =
      fmt::format("'{}', a region of '{}'", env.text(span_of(written)), grid(region.domain));
  return false;
}

Span span_of(const ast::Region& region) {
  if (const auto* box = std::get_if<ast::Box>(&region)) return box->span;
  return std::get<ast::NamedRegion>(region).name.span;
}

}  // namespace stencil::sema
