// Bounds. A program whose sizes are known has constant bounds, and every question below is decided
// on the spot. With open params a question is a system of affine inequalities: what `require` says,
// a grid and a region with at least one point, and the bound to be shown (ir::implies_nonnegative).
//   proved                    nothing more to do
//   refuted for all params    an error now
//   neither                   a Check, decided before anything is allocated or launched
// An access of a field with a boundary rule is never an error: what is not proved is marked as an
// escape, and the rule applies there. A region that turns out empty computes nothing, so each check
// has "the region is empty" among its alternatives.
#include "compiler/sema/prove.h"

#include <fmt/format.h>

namespace stencil::sema {
namespace {

ir::Affine at_least(const ir::Affine& a, const ir::Affine& b) {
  return a - b;
}  // a >= b
ir::Affine less(const ir::Affine& a, const ir::Affine& b) {
  return b - a - 1;
}  // a < b

void add_nonempty(std::vector<ir::Affine>& facts, const ir::Box& box) {
  for (const ir::Range& range : box.ranges) {
    const ir::Affine fact = at_least(range.high, range.low);
    if (!fact.is_constant() || fact.constant < 0) facts.push_back(fact);
  }
}

void add_empty_alternatives(std::vector<ir::Affine>& alternatives, const ir::Box& box) {
  for (const ir::Range& range : box.ranges) {
    const ir::Affine empty = less(range.high, range.low);
    if (!empty.is_constant()) alternatives.push_back(empty);
  }
}

}  // namespace

Verdict decide(const std::vector<ir::Affine>& facts, const ir::Affine& goal) {
  if (ir::implies_nonnegative(facts, goal)) return Verdict::Holds;
  if (ir::implies_nonnegative(facts, ir::Affine{-1, {}} - goal)) return Verdict::Fails;
  return Verdict::Unknown;
}

std::vector<ir::Affine> facts_inside(const Environment& env, const ir::Box& box) {
  std::vector<ir::Affine> facts = env.facts;
  add_nonempty(facts, box);
  return facts;
}

void require_nonempty(Environment& env, const ir::Box& box, const std::string& what, Span span) {
  for (size_t d = 0; d < box.ranges.size(); ++d) {
    const ir::Range& range = box.ranges[d];
    const ir::Affine goal = at_least(range.high, range.low);
    const Verdict verdict = decide(env.facts, goal);
    const std::string message = what + " is empty";
    if (verdict == Verdict::Fails) {
      Diagnostic& error = env.report.error("S034", span, message);
      error.expected = fmt::format("at least one point in dimension {}", d + 1);
      error.found = fmt::format("{}..{}", env.print(range.low), env.print(range.high));
      return;
    }
    if (verdict == Verdict::Unknown) env.add_check({{goal}, "S034", message, span});
  }
}

bool require_inside(Environment& env, const ir::Box& inner, const ir::Box& outer,
                    const std::string& message, Span span) {
  const std::vector<ir::Affine> facts = facts_inside(env, inner);
  for (size_t d = 0; d < inner.ranges.size(); ++d) {
    const ir::Range& range = inner.ranges[d];
    const ir::Range& limit = outer.ranges[d];
    for (const ir::Affine& goal :
         {at_least(range.low, limit.low), at_least(limit.high, range.high)}) {
      const Verdict verdict = decide(facts, goal);
      if (verdict == Verdict::Holds) continue;
      if (verdict == Verdict::Fails) {
        Diagnostic& error = env.report.error("S032", span, message);
        error.expected = fmt::format("a range within {}..{} in dimension {}", env.print(limit.low),
                                     env.print(limit.high), d + 1);
        error.found = fmt::format("{}..{}", env.print(range.low), env.print(range.high));
        return false;
      }
      ir::Check check{{goal}, "S032", fmt::format("{} in dimension {}", message, d + 1), span};
      add_empty_alternatives(check.any_nonnegative, inner);
      env.add_check(std::move(check));
    }
  }
  return true;
}

void require_disjoint(Environment& env, const ir::Piece& a, const ir::Piece& b) {
  std::vector<ir::Affine> alternatives;
  for (size_t d = 0; d < a.region.ranges.size(); ++d) {
    alternatives.push_back(less(a.region.ranges[d].high, b.region.ranges[d].low));
    alternatives.push_back(less(b.region.ranges[d].high, a.region.ranges[d].low));
  }
  for (const ir::Affine& apart : alternatives) {
    if (apart.is_constant() && apart.constant >= 0) return;
  }
  std::vector<ir::Affine> facts = facts_inside(env, a.region);
  add_nonempty(facts, b.region);
  bool overlap = true;
  for (const ir::Affine& apart : alternatives) {
    const Verdict verdict = decide(facts, apart);
    if (verdict == Verdict::Holds) return;
    overlap &= verdict == Verdict::Fails;
  }
  const std::string message = "pieces of one stencil overlap";
  if (overlap) {
    Diagnostic& error = env.report.error("S033", b.span, message);
    error.expected = "regions without a common point";
    error.found = fmt::format("{} and {}", env.print(a.region), env.print(b.region));
    error.related.push_back({a.span, "the other piece"});
    return;
  }
  ir::Check check{alternatives, "S033",
                  fmt::format("{}: {} and {}", message, env.print(a.region), env.print(b.region)),
                  b.span};
  add_empty_alternatives(check.any_nonnegative, a.region);
  add_empty_alternatives(check.any_nonnegative, b.region);
  env.add_check(std::move(check));
}

// --- Accesses ------------------------------------------------------------------------------------

AccessProver::AccessProver(Environment& env, const ir::Box& region, const ir::Box& within,
                           const std::vector<std::string>& index_names, bool muted)
    : env_(env),
      region_(region),
      index_names_(index_names),
      muted_(muted),
      facts_(facts_inside(env, region)),
      facts_of_place_(facts_) {
  const ir::Box* const places[] = {&within, &env.program.grid};
  for (const ir::Box* box : places) {
    for (size_t d = 0; d < region.ranges.size() && !muted; ++d) {
      facts_of_place_.push_back(at_least(region.ranges[d].low, box->ranges[d].low));
      facts_of_place_.push_back(at_least(box->ranges[d].high, region.ranges[d].high));
    }
  }
}

ir::Affine AccessProver::goal(const ir::Field& field, int dimension, Side side, int offset) const {
  const ir::Range& region = region_.ranges[static_cast<size_t>(dimension)];
  const ir::Range& domain = field.box.ranges[static_cast<size_t>(dimension)];
  return side == Side::Low ? at_least(region.low + offset, domain.low)
                           : at_least(domain.high, region.high + offset);
}

Verdict AccessProver::side_verdict(const ir::Field& field, ir::FieldId id, int dimension, Side side,
                                   int offset) {
  const ir::Affine wanted = goal(field, dimension, side, offset);
  if (wanted.is_constant() && wanted.constant >= 0) return Verdict::Holds;
  const auto [place, fresh] = known_.try_emplace({id, dimension, side, offset}, Verdict::Unknown);
  if (fresh) place->second = decide(facts_, wanted);
  return place->second;
}

std::optional<uint32_t> AccessProver::prove(const ir::Access& access, Span span,
                                            const std::vector<Span>& applied_at) {
  const ir::Field& field = env_.program.fields[static_cast<size_t>(access.field)];
  uint32_t escapes = 0;
  if (muted_) return escapes;
  for (int d = 0; d < rank(); ++d) {
    const int offset = access.offsets[static_cast<size_t>(d)];
    for (const Side side : {Side::Low, Side::High}) {
      const Verdict verdict = side_verdict(field, access.field, d, side, offset);
      if (verdict == Verdict::Holds) continue;
      if (field.boundary != ir::BoundaryKind::None) {
        escapes |= 1u << (2 * d + (side == Side::High ? 1 : 0));
      } else if (verdict == Verdict::Fails) {
        report_escape(access, d, side, span, applied_at);
        return std::nullopt;
      } else {
        record_check(access, d, side, span);
      }
    }
  }
  return escapes;
}

std::vector<ir::Excess> AccessProver::excess(ir::FieldId field) {
  const auto [place, fresh] = excess_.try_emplace(field);
  if (!fresh) return place->second;
  const auto bound = [this](const ir::Affine& beyond) -> std::optional<int64_t> {
    for (int64_t most = 0; most <= ir::kMostExcess; ++most) {
      if (ir::implies_nonnegative(facts_of_place_, ir::Affine{most, {}} - beyond)) return most;
    }
    return std::nullopt;
  };
  const ir::Box& domain = env_.program.fields[static_cast<size_t>(field)].box;
  for (size_t d = 0; d < region_.ranges.size(); ++d) {
    if (domain.ranges[d] == env_.program.grid.ranges[d]) {
      place->second.push_back({0, 0});
      continue;
    }
    place->second.push_back({bound(domain.ranges[d].low - region_.ranges[d].low),
                             bound(region_.ranges[d].high - domain.ranges[d].high)});
  }
  return place->second;
}

std::string AccessProver::describe_access(const ir::Access& access) const {
  const ir::Field& field = env_.program.fields[static_cast<size_t>(access.field)];
  std::string offsets;
  for (int offset : access.offsets)
    offsets += fmt::format("{}{}", offsets.empty() ? "" : ",", offset);
  const std::string level = access.level == 0 ? "" : fmt::format("@-{}", access.level);
  const bool whole = field.box == env_.program.grid;
  return fmt::format("access {}{}[{}] leaves {}", field.name, level, offsets,
                     whole ? "the grid" : "the domain of the field");
}

void AccessProver::report_escape(const ir::Access& access, int dimension, Side side, Span span,
                                 const std::vector<Span>& applied_at) {
  static const char* const kDefaultNames[kMaxRank] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  const auto d = static_cast<size_t>(dimension);
  const ir::Field& field = env_.program.fields[static_cast<size_t>(access.field)];
  const ir::Range& domain = field.box.ranges[d];
  const ir::Range& region = region_.ranges[d];
  const bool low = side == Side::Low;
  const ir::Affine& at = low ? region.low : region.high;
  const std::string index = index_names_[d].empty() ? kDefaultNames[d] : index_names_[d];

  Diagnostic& error = env_.report.error("S031", span, describe_access(access));
  error.expected = fmt::format("index at {} {} in dimension {}", low ? "least" : "most",
                               env_.print(low ? domain.low : domain.high), d + 1);
  error.found = fmt::format("{}, at {} = {} in region {}", env_.print(at + access.offsets[d]),
                            index, env_.print(at), env_.print(region_));
  const ir::Affine inside = (low ? domain.low : domain.high) - access.offsets[d];
  error.hint = fmt::format("{} the region at {}, or give the field a boundary",
                           low ? "start" : "end", env_.print(inside));
  constexpr size_t kMaxPlaces = 3;
  for (size_t i = applied_at.size(); i-- > 0 && applied_at.size() - i <= kMaxPlaces;) {
    error.related.push_back({applied_at[i], "applied here"});
  }
}

void AccessProver::record_check(const ir::Access& access, int dimension, Side side, Span span) {
  const ir::Field& field = env_.program.fields[static_cast<size_t>(access.field)];
  const int offset = access.offsets[static_cast<size_t>(dimension)];
  ir::Check check{
      {goal(field, dimension, side, offset)},
      "S031",
      fmt::format("{} in dimension {} ({} end of region {})", describe_access(access),
                  dimension + 1, side == Side::Low ? "low" : "high", env_.print(region_)),
      span};
  add_empty_alternatives(check.any_nonnegative, region_);
  env_.add_check(std::move(check));
}

}  // namespace stencil::sema
