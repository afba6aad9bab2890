// The requirements of the program restrict and relate the symbols. Solving them is not attempted:
// sizes are guessed and checked, which is cheap compared with a run.
#include "runtime/api/lift_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compiler/lift/numbers.h"

namespace stencil::api {

using lifter::FieldBinding;

namespace {

constexpr int64_t kMostPoints = int64_t{1} << 22;  // of all arrays together
constexpr double kMostUpdates = 3e8;               // points times steps, in the first run
constexpr double kFewUpdates = 1e7;                // in the other runs, if sizes can be chosen
constexpr int64_t kSmall[] = {1, 2, 3, 4, 5, 6, 7};
constexpr int64_t kModerate[] = {24, 17, 33, 20, 41, 29, 13};
constexpr int64_t kOdd[] = {9, 13, 25, 67};
constexpr int64_t kLargest = 1 << 20;  // larger constants are not used as sizes
constexpr int64_t kLongest = 5000;     // larger constants are not used as step counts

template <size_t n>
int64_t pick(LiftValues& values, const int64_t (&from)[n]) {
  return from[values.below(n)];
}

void note_symbols(lifter::X x, std::set<int>& into) {
  lifter::each_node(x, [&](lifter::X n) {
    if (n->kind == lifter::XKind::Symbol) into.insert(n->id);
  });
}
void note_symbols(const lifter::Poly& p, std::set<int>& into) {
  for (lifter::X atom : p.atoms()) note_symbols(atom, into);
}

template <class Visit>
void each_domain(const lifter::Execution& execution, const Visit& visit) {
  for (const auto& nest : execution.nests) {
    for (const auto* leaves : {&nest.leaves, &nest.ordered}) {
      for (const auto& leaf : *leaves) {
        for (const lifter::Store& store : leaf) {
          for (const lifter::Domain& domain : store.domain) visit(domain);
        }
      }
    }
  }
}

// Formats a set as "1 to 7, 13, 67".
std::string ranges(const std::set<int64_t>& values) {
  std::string out;
  for (auto at = values.begin(); at != values.end();) {
    const int64_t first = *at;
    int64_t last = first;
    for (++at; at != values.end() && *at == last + 1; ++at) last = *at;
    out += out.empty() ? "" : ", ";
    out += first == last       ? std::to_string(first)
           : last == first + 1 ? fmt::format("{}, {}", first, last)
                               : fmt::format("{} to {}", first, last);
  }
  return out;
}

}  // namespace

LiftPlan::LiftPlan(const lifter::Lifted& lifted, LiftValues& values, const OriginalMemory& memory)
    : lifted_(lifted), values_(values), memory_(memory) {
  const lifter::Execution& execution = lifted_.execution;
  for (const FieldBinding& field : lifted_.program.fields) {
    for (lifter::X extent : field.extents) {
      note_symbols(extent, in_shape_);
      if (extent->kind == lifter::XKind::Int && extent->integer > 3) {
        fixed_.insert(fixed_.end(),
                      {extent->integer, extent->integer - 1, extent->integer * 2 / 3});
      }
    }
  }
  if (fixed_.size() > 12) fixed_.resize(12);
  each_domain(execution, [&](const lifter::Domain& domain) {
    note_symbols(domain.low, in_shape_);
    note_symbols(domain.high, in_shape_);
  });
  if (lifted_.program.steps != nullptr) note_symbols(lifted_.program.steps, in_steps_);
  if (execution.stop != nullptr) note_symbols(execution.stop, tolerances_);
  for (size_t s = 0; s < execution.symbols.size(); ++s) {
    if (lifter::is_integer(execution.symbols[s].type)) integers_.insert(static_cast<int>(s));
  }
  for (int64_t constant : values_.integers()) {
    if (constant < 8 || constant > kLargest) continue;
    large_.push_back(constant + 1);
    if (large_.size() > 6) large_.erase(large_.begin());
    if (constant <= kLongest) long_times_.push_back(constant + 2);
  }
  if (!large_.empty()) large_.push_back(large_.back() + 2);
  kinds_ = {LiftData::Mild, LiftData::Signed, LiftData::Constants};
  const bool sums = lifted_.program.sums || lifted_.program.powers;
  // Extreme data could keep a loop with a stop condition from terminating, and makes reordered sums
  // lose more digits.
  if (execution.stop == nullptr && !sums) {
    kinds_.push_back(LiftData::Wide);
    // The report assumes that reductions see no NaN.
    if (execution.reductions.empty()) kinds_.push_back(LiftData::Special);
  }
  make_targets();
}

void LiftPlan::make_targets() {
  targets_.assign(3, {});
  if (in_shape_.empty()) {
    targets_.assign(kinds_.size() + 2, {});
    return;
  }
  for (const auto& list : {std::vector<int64_t>(std::begin(kSmall), std::end(kSmall)),
                           std::vector<int64_t>(std::begin(kOdd), std::end(kOdd)), large_}) {
    for (int64_t value : list) {
      for (int symbol : in_shape_) targets_.push_back({symbol, value});
    }
  }
}

// ---- feasibility

// Whether point sets have room for distinct points and rows of records do not overlap.
bool LiftPlan::points_fit(const LiftCase& one) const {
  const lifter::X all = lifted_.program.steps;
  const auto rows =
      all == nullptr ? std::optional<int64_t>(1) : lifter::number_of(all, one.integers);
  for (const lifter::PointFieldBinding& field : lifted_.program.point_fields) {
    const auto memory = memory_.strided(field, one);
    if (!memory || memory->offset < 0) return false;
    // rows of a record must not overlap
    const bool apart = memory->count * memory->by_point <= memory->by_step ||
                       rows.value_or(0) * memory->by_step <= memory->by_point;
    if (field.written && !apart) return false;
  }
  for (const lifter::PointSetBinding& set : lifted_.program.point_sets) {
    const auto count = lifter::number_of(set.count, one.integers);
    int64_t places = 1;
    for (const auto& coordinate : set.place) {
      const auto extent = lifter::number_of(coordinate.extent, one.integers);
      if (extent && coordinate.array >= 0) places *= *extent;
    }
    if (!count || *count < 1 || (set.given && *count > places)) return false;
  }
  return true;
}

bool LiftPlan::requirements_hold(const LiftCase& one) const {
  for (const auto& [condition, why] : lifted_.execution.requirements) {
    bool real = false;  // conditions on reals are checked when the run starts
    lifter::each_node(condition, [&](lifter::X n) { real = real || lifter::is_floating(n->type); });
    if (real) continue;
    const auto holds = lifter::number_of(condition, one.integers);
    if (!holds || *holds == 0) return false;
  }
  return true;
}

// Computes the numbers of points and steps of a case. Returns false if one of them is impossible or
// too large.
bool LiftPlan::lengths(LiftCase& one, bool possible) const {
  one.points = 0;
  for (const FieldBinding& field : lifted_.program.fields) {
    double size = 1;
    for (lifter::X extent : field.extents) {
      const auto length = lifter::number_of(extent, one.integers);
      if (!length || (possible && *length < 1)) return false;
      size *= static_cast<double>(std::max<int64_t>(*length, 1));
    }
    one.points += size;
  }
  if (one.points > static_cast<double>(kMostPoints)) return false;
  if (lifted_.program.steps == nullptr) return true;
  const auto steps = lifter::number_of(lifted_.program.steps, one.integers);
  if (!steps || *steps < 0) return false;
  one.steps = one.rows = *steps;
  return true;
}

bool LiftPlan::feasible(LiftCase& one, bool with_points, double most_updates) const {
  if (!requirements_hold(one) || !lengths(one, true) || !points_fit(one)) return false;
  bool bounds = true;
  each_domain(lifted_.execution, [&](const lifter::Domain& domain) {
    const auto low = lifter::number_of(domain.low, one.integers);
    const auto high = lifter::number_of(domain.high, one.integers);
    bounds = bounds && low && high && (!with_points || *low <= *high);
  });
  if (!bounds) return false;
  return one.points * static_cast<double>(std::max<int64_t>(most_steps(one), 1)) <= most_updates;
}

int64_t LiftPlan::most_steps(const LiftCase& one) const {
  if (lifted_.execution.stop == nullptr) return one.steps;
  const double room = kMostUpdates / std::max(one.points, 1.0);
  return std::min(one.steps, static_cast<int64_t>(std::min(room, 2e5)));
}

std::optional<int> LiftPlan::bounded_above() {
  if (!fixed_.empty()) return std::nullopt;  // a length fixed in C limits the original too
  const int64_t beyond = (large_.empty() ? 0 : large_.back()) + 67;
  for (int symbol : in_shape_) {
    bool found = false;
    for (int attempt = 0; attempt < 400 && !found; ++attempt) {
      LiftCase one;
      // A requirement may relate this size to another one that is several times larger.
      const int64_t near = attempt % 3 == 0 ? 5 * beyond : beyond;
      for (int other : integers_) {
        one.integers[other] = in_shape_.count(other) > 0
                                  ? some_size(near, attempt % 2 == 0)
                                  : values_.integer_for(other, data(0), values_.below(6));
      }
      one.integers[symbol] = beyond;
      found = requirements_hold(one);
    }
    if (!found) return symbol;
  }
  return std::nullopt;
}

// ---- cases

// Returns either a size close to `near`, since dimensions are often related, or an independent
// size.
int64_t LiftPlan::some_size(int64_t near, bool small) {
  switch (values_.below(4)) {
    case 0:
      return std::max<int64_t>(near + static_cast<int64_t>(values_.below(3)) - 1, 1);
    case 1:
      return pick(values_, kSmall);
    default:
      return small ? pick(values_, kSmall) + static_cast<int64_t>(values_.below(4))
                   : pick(values_, kModerate);
  }
}

// Chooses the scalars of a case. `early`: only few steps.
void LiftPlan::scalars(LiftCase& one, size_t number, bool early, int attempt) {
  constexpr int64_t kSteps[] = {5, 0, 1, 2, 4, 7, 3, 6};
  constexpr int64_t kStoppedSteps[] = {700, 0, 57, 301, 2000, 7, 1};
  constexpr double kTolerances[] = {0.03, 0.2, 0.002};
  const bool stops = lifted_.execution.stop != nullptr;
  one.data = data(number);
  one.alike = stops && (number != 1 || lifted_.program.steps->kind == lifter::XKind::Int);
  // A requirement may exclude the values of this turn, so later attempts draw the turn at random.
  const size_t turn = attempt < 10 ? number : values_.below(6);
  const LiftData kind = number < 3 ? LiftData::Mild : one.data;
  for (int symbol : integers_) {
    if (in_shape_.count(symbol) > 0) continue;
    if (in_steps_.count(symbol) == 0) {
      one.integers[symbol] = values_.integer_for(symbol, kind, turn);
    } else if (!early && !long_times_.empty() && values_.below(2) == 0) {
      one.integers[symbol] = long_times_[values_.below(long_times_.size())];
    } else if (!early && values_.below(3) == 0) {
      one.integers[symbol] = static_cast<int64_t>(values_.below(40));
    } else {
      const size_t step = values_.below(4) == 0 ? values_.below(8) : number;
      one.integers[symbol] =
          stops ? kStoppedSteps[step % std::size(kStoppedSteps)] : kSteps[step % std::size(kSteps)];
    }
  }
  for (size_t s = 0; s < lifted_.execution.symbols.size(); ++s) {
    const auto& symbol = lifted_.execution.symbols[s];
    if (!lifter::is_floating(symbol.type)) continue;
    const int id = static_cast<int>(s);
    double value = values_.real_for(id, stops || number == 0 ? LiftData::Mild : one.data, one);
    if (tolerances_.count(id) > 0) value = kTolerances[number % 3] * (0.5 + std::abs(value));
    if (symbol.type == lifter::CScalar::F32) value = static_cast<double>(static_cast<float>(value));
    one.reals[id] = value;
  }
}

std::optional<LiftCase> LiftPlan::guess(const Target& target, size_t number) {
  const bool first = target.symbol < 0;
  const int attempts = first ? 6000 : 60;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    LiftCase one;
    for (int symbol : in_shape_) {
      if (!first) {
        one.integers[symbol] =
            symbol == target.symbol ? target.value : some_size(target.value, target.value > 100);
        continue;
      }
      // prefer sizes fixed in C, since params may not exceed them
      const size_t range = fixed_.size() + std::size(kModerate);
      const size_t at = values_.below(range);
      one.integers[symbol] = at < fixed_.size() ? fixed_[at] : kModerate[at - fixed_.size()];
      if (attempt > 300 && values_.below(3) == 0)
        one.integers[symbol] = some_size(static_cast<int64_t>(values_.below(10)), true);
      if (attempt > 3000 && values_.below(3) == 0)
        one.integers[symbol] = static_cast<int64_t>(values_.below(140));
    }
    scalars(one, number, true, attempt);
    if (feasible(one, first, first ? kMostUpdates : kFewUpdates)) return one;
  }
  return std::nullopt;
}

std::optional<LiftCase> LiftPlan::guess_any(size_t number) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    LiftCase one;
    const bool many = !large_.empty() && values_.below(4) == 0;
    int64_t near = many ? large_[values_.below(large_.size())] : some_size(5, true);
    for (int symbol : in_shape_) {
      one.integers[symbol] = near;
      near = some_size(near, many);
    }
    scalars(one, number, false, attempt);
    if (feasible(one, false, in_shape_.empty() ? kMostUpdates : kFewUpdates)) return one;
  }
  return std::nullopt;
}

std::optional<LiftCase> LiftPlan::guess_excluded(size_t number) {
  if (lifted_.execution.requirements.empty()) return std::nullopt;
  for (int attempt = 0; attempt < 30; ++attempt) {
    LiftCase one;
    for (int symbol : in_shape_) one.integers[symbol] = some_size(1, true);
    scalars(one, number, true, attempt);
    if (requirements_hold(one) || !lengths(one, false) || !points_fit(one)) continue;
    one.points *= static_cast<double>(std::max<int64_t>(one.steps, 1));
    if (one.points <= kFewUpdates) return one;
  }
  return std::nullopt;
}

std::optional<LiftCase> LiftPlan::complete(std::optional<LiftCase> one) {
  if (one) one->noise = values_.noise();
  return one;
}

std::optional<LiftCase> LiftPlan::aim(const Target& target, size_t number) {
  return complete(guess(target, number));
}

std::optional<LiftCase> LiftPlan::any(size_t number) {
  return complete(guess_any(number));
}

std::optional<LiftCase> LiftPlan::excluded(size_t number) {
  return complete(guess_excluded(number));
}

// ---- messages

std::string LiftPlan::sizes_text(const std::vector<LiftCase>& cases) const {
  std::string out;
  for (int symbol : in_shape_) {
    std::set<int64_t> values;
    for (const LiftCase& one : cases) {
      const auto found = one.integers.find(symbol);
      if (found != one.integers.end()) values.insert(found->second);
    }
    if (values.empty()) continue;
    out += fmt::format("{}{} = {}", out.empty() ? "" : "; ", lifted_.execution.symbols[symbol].name,
                       ranges(values));
  }
  return out.empty() ? "its only size" : (cases.size() > 1 ? "sizes " : "") + out;
}

}  // namespace stencil::api
