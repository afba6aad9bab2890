// Arithmetic on affine functions, and the proof that one is never negative.
//
// Bounds are small (one or two params, single-digit constants), so the proof is exact and simple.
// It assumes the opposite (goal <= -1), eliminates one variable after another by Fourier-Motzkin
// elimination, and looks for a contradiction (a negative constant >= 0). Every row is divided by
// the greatest common divisor of its coefficients, and its constant is rounded down. This rounding
// is sound for integers and settles cases such as 2N >= 3 implies N >= 2. Elimination can square
// the number of rows. If there are more than kMaxRows rows, or if a product would overflow, the
// answer is "not proved", and callers check the condition at run time.
#include "compiler/ir/affine.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace stencil::ir {
namespace {

// Wraps around on overflow. Semantic analysis keeps bounds far from overflow, and evaluate()
// detects an expression that does overflow.
int64_t wrap(__int128 value) {
  return static_cast<int64_t>(static_cast<uint64_t>(value));
}

// a + factor * b, terms merged in order of their params.
Affine combine(const Affine& a, const Affine& b, int64_t factor) {
  Affine sum;
  sum.constant =
      wrap(static_cast<__int128>(a.constant) + static_cast<__int128>(b.constant) * factor);
  auto left = a.terms.begin();
  auto right = b.terms.begin();
  while (left != a.terms.end() || right != b.terms.end()) {
    const bool take_left =
        right == b.terms.end() || (left != a.terms.end() && left->first <= right->first);
    const bool take_right =
        left == a.terms.end() || (right != b.terms.end() && right->first <= left->first);
    const ParamId param = take_left ? left->first : right->first;
    __int128 coefficient = 0;
    if (take_left) coefficient += (left++)->second;
    if (take_right) coefficient += static_cast<__int128>((right++)->second) * factor;
    if (coefficient != 0) sum.terms.emplace_back(param, wrap(coefficient));
  }
  return sum;
}

// --- Fourier-Motzkin elimination -----------------------------------------------------------------

constexpr size_t kMaxRows = 600;
constexpr __int128 kMaxMagnitude = static_cast<__int128>(1) << 62;

using Coefficients = std::vector<int64_t>;  // one per variable of the system

// A conjunction of rows: sum of coefficients * variables + constant >= 0. Among rows with the same
// coefficients only the tightest is kept.
class System {
 public:
  // Returns false if a number of the row is too large to be represented.
  bool add(const std::vector<__int128>& coefficients, __int128 constant) {
    __int128 divisor = 0;
    for (__int128 c : coefficients) divisor = gcd(divisor, c < 0 ? -c : c);
    Coefficients row(coefficients.size());
    for (size_t i = 0; i < row.size(); ++i) {
      const __int128 value = divisor == 0 ? 0 : coefficients[i] / divisor;
      if (value > kMaxMagnitude || value < -kMaxMagnitude) return false;
      row[i] = static_cast<int64_t>(value);
    }
    if (divisor > 1) constant = floor_divide(constant, divisor);
    if (constant > kMaxMagnitude || constant < -kMaxMagnitude) return false;
    const auto value = static_cast<int64_t>(constant);
    if (divisor == 0) {
      contradiction_ |= value < 0;
      return true;
    }
    auto [place, inserted] = rows_.emplace(std::move(row), value);
    if (!inserted) place->second = std::min(place->second, value);
    return true;
  }

  bool contradiction() const { return contradiction_; }
  size_t size() const { return rows_.size(); }

  // Eliminates the variable that gives the fewest new rows. Returns false if there are too many
  // rows or one is too large. At least one variable must be left.
  bool eliminate_one(size_t variables) {
    const size_t variable = cheapest(variables);
    std::map<Coefficients, int64_t> all = std::move(rows_);
    rows_.clear();
    std::vector<std::pair<const Coefficients*, int64_t>> positive, negative;
    for (const auto& [row, constant] : all) {
      if (row[variable] > 0) positive.emplace_back(&row, constant);
      if (row[variable] < 0) negative.emplace_back(&row, constant);
      if (row[variable] == 0) rows_.emplace(row, constant);
    }
    std::vector<__int128> sum(variables);
    for (const auto& [p, p_constant] : positive) {
      for (const auto& [n, n_constant] : negative) {
        const __int128 p_factor = -static_cast<__int128>((*n)[variable]);
        const __int128 n_factor = (*p)[variable];
        for (size_t i = 0; i < variables; ++i) sum[i] = p_factor * (*p)[i] + n_factor * (*n)[i];
        if (!add(sum, p_factor * p_constant + n_factor * n_constant)) return false;
        if (rows_.size() > kMaxRows) return false;
      }
    }
    return true;
  }

 private:
  static __int128 gcd(__int128 a, __int128 b) {
    while (b != 0) {
      const __int128 rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  static __int128 floor_divide(__int128 a, __int128 b) {
    return a / b - (a % b != 0 && a < 0 ? 1 : 0);
  }

  size_t cheapest(size_t variables) const {
    size_t best = 0;
    size_t best_cost = SIZE_MAX;
    for (size_t v = 0; v < variables; ++v) {
      size_t positive = 0, negative = 0;
      for (const auto& [row, constant] : rows_) {
        positive += row[v] > 0;
        negative += row[v] < 0;
      }
      if (positive + negative > 0 && positive * negative < best_cost) {
        best = v;
        best_cost = positive * negative;
      }
    }
    return best;
  }

  std::map<Coefficients, int64_t> rows_;
  bool contradiction_ = false;
};

}  // namespace

Affine operator+(const Affine& a, const Affine& b) {
  return combine(a, b, 1);
}
Affine operator-(const Affine& a, const Affine& b) {
  return combine(a, b, -1);
}
Affine operator+(const Affine& a, int64_t b) {
  return a + Affine{b, {}};
}
Affine operator-(const Affine& a, int64_t b) {
  return a - Affine{b, {}};
}
Affine operator*(const Affine& a, int64_t b) {
  return combine(Affine{}, a, b);
}

std::optional<int64_t> evaluate(const Affine& affine, const std::vector<int64_t>& params) {
  int64_t sum = affine.constant;
  for (const auto& [param, coefficient] : affine.terms) {
    int64_t product = 0;
    if (__builtin_mul_overflow(coefficient, params.at(param), &product) ||
        __builtin_add_overflow(sum, product, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

std::string print(const Affine& affine, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& [param, coefficient] : affine.terms) {
    const bool negative = coefficient < 0;
    if (text.empty()) {
      text += negative ? "-" : "";
    } else {
      text += negative ? " - " : " + ";
    }
    const uint64_t magnitude =
        negative ? 0 - static_cast<uint64_t>(coefficient) : static_cast<uint64_t>(coefficient);
    if (magnitude != 1) text += std::to_string(magnitude) + "*";
    text += names.at(param);
  }
  if (text.empty()) return std::to_string(affine.constant);
  if (affine.constant > 0) text += " + " + std::to_string(affine.constant);
  if (affine.constant < 0) {
    text += " - " + std::to_string(0 - static_cast<uint64_t>(affine.constant));
  }
  return text;
}

bool implies_nonnegative(const std::vector<Affine>& assumptions, const Affine& goal) {
  if (goal.is_constant() && goal.constant >= 0) return true;

  std::map<ParamId, size_t> variables;
  auto number = [&](const Affine& affine) {
    for (const auto& [param, coefficient] : affine.terms)
      variables.emplace(param, variables.size());
  };
  number(goal);
  for (const Affine& assumption : assumptions) number(assumption);

  System system;
  auto add = [&](const Affine& affine, int sign, int64_t constant) {
    std::vector<__int128> row(variables.size());
    for (const auto& [param, coefficient] : affine.terms) {
      row[variables[param]] = static_cast<__int128>(coefficient) * sign;
    }
    return system.add(row, static_cast<__int128>(affine.constant) * sign + constant);
  };
  if (!add(goal, -1, -1)) return false;  // the opposite of the goal: goal <= -1
  for (const Affine& assumption : assumptions) {
    if (!add(assumption, 1, 0)) return false;
  }
  while (!system.contradiction() && system.size() > 0) {
    if (!system.eliminate_one(variables.size())) return false;
  }
  return system.contradiction();
}

}  // namespace stencil::ir
