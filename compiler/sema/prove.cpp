// Proofs of bounds. If all sizes are known, bounds are constants and every condition is decided at
// once. With open params, a condition is a system of affine inequalities: the facts from `require`,
// the fact that grid and region are not empty, and the bound to be proved
// (ir::implies_nonnegative).
//   proved                    nothing more to do
//   refuted for all params    an error now
//   neither                   a Check, which decides before memory is allocated or kernels run
// An access may leave a field on a side with a boundary rule. If the access is not proved to stay
// inside, it is marked as escaping, and the rule applies there. An index that a mirror reflects may
// leave the field again on the other side. If that side has no rule, the reflected index is proved
// like an access. An empty region computes nothing, so each check also passes if the region is
// empty.
#include "compiler/sema/prove.h"

#include <fmt/format.h>

#include <algorithm>

namespace stencil::sema {
namespace {

ir::Affine at_least(const ir::Affine& a, const ir::Affine& b) {
  return a - b;
}  // a >= b
ir::Affine less(const ir::Affine& a, const ir::Affine& b) {
  return b - a - 1;
}  // a < b

void add_empty_alternatives(std::vector<ir::Affine>& alternatives, const ir::Box& box) {
  for (const ir::Range& range : box.ranges) {
    const ir::Affine empty = less(range.high, range.low);
    if (!empty.is_constant()) alternatives.push_back(empty);
  }
}

// Whether a range consists of a single index, as in [N, N]. The user may have meant [0..N-1,
// 0..N-1].
bool is_one_index(const ir::Range& range) {
  return range.low == range.high && !(range.low == ir::Affine{});
}
std::string hint_of_one_index(const Environment& env, const ir::Range& range, size_t dimension) {
  return fmt::format("dimension {} has the single index {}; write a range as 0..N-1", dimension,
                     env.print(range.low));
}

}  // namespace

std::vector<ir::Affine> facts_inside(const Environment& env, const ir::Box& box) {
  std::vector<ir::Affine> facts = env.facts;
  ir::add_nonempty(facts, box);
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
      error.expected = fmt::format("at least one point in dimension {}", d);
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
                                     env.print(limit.high), d);
        error.found = fmt::format("{}..{}", env.print(range.low), env.print(range.high));
        if (is_one_index(limit)) error.hint = hint_of_one_index(env, limit, d);
        return false;
      }
      ir::Check check{{goal}, "S032", fmt::format("{} in dimension {}", message, d), span};
      add_empty_alternatives(check.any_nonnegative, inner);
      env.add_check(std::move(check));
    }
  }
  return true;
}

std::optional<std::vector<ir::Box>> known_boxes(Environment& env, ir::BoxesLeft left, Span span,
                                                const char* what) {
  if (!left.unclear) return std::move(left.boxes);
  const auto& [taken, whole] = *left.unclear;
  Diagnostic& error = env.report.error("S049", span, fmt::format("{} depend on params", what));
  error.found = fmt::format("{} in {}", env.print(taken), env.print(whole));
  error.hint = "bound the params with 'require', or give them values (-D)";
  return std::nullopt;
}

void require_disjoint(Environment& env, const ir::Piece& a, const ir::Piece& b, bool strided) {
  std::vector<ir::Affine> alternatives;
  for (size_t d = 0; d < a.region.ranges.size(); ++d) {
    alternatives.push_back(less(a.region.ranges[d].high, b.region.ranges[d].low));
    alternatives.push_back(less(b.region.ranges[d].high, a.region.ranges[d].low));
  }
  for (const ir::Affine& apart : alternatives) {
    if (apart.is_constant() && apart.constant >= 0) return;
  }
  std::vector<ir::Affine> facts = facts_inside(env, a.region);
  ir::add_nonempty(facts, b.region);
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
    if (strided) error.hint = "'else' writes the points that a stride leaves out";
    return;
  }
  ir::Check check{alternatives, "S033",
                  fmt::format("{}: {} and {}", message, env.print(a.region), env.print(b.region)),
                  b.span};
  add_empty_alternatives(check.any_nonnegative, a.region);
  add_empty_alternatives(check.any_nonnegative, b.region);
  env.add_check(std::move(check));
}

bool limit_steps(Environment& env, const std::vector<ir::Affine>& facts, const ir::StepLimit& limit,
                 Span span) {
  const auto& steps = env.program.steps;
  if (steps && decide(facts, limit.steps - *steps) == Verdict::Fails) {
    Diagnostic& error = env.report.error("S031", span, limit.message);
    error.expected = fmt::format("at most {} steps", env.print(limit.steps));
    error.found = fmt::format("a run of {} steps", env.print(*steps));
    error.hint = limit.hint;
    if (span != limit.span) error.related.push_back({limit.span, "declared here"});
    return false;
  }
  auto& limits = env.program.step_limits;
  if (std::none_of(limits.begin(), limits.end(), [&](const ir::StepLimit& other) {
        return other.steps == limit.steps && other.message == limit.message;
      })) {
    limits.push_back(limit);
  }
  return true;
}

// --- Accesses ------------------------------------------------------------------------------------

using Boxes = std::vector<const ir::Box*>;

AccessProver::AccessProver(Environment& env, const ir::Box& region, const ir::Box& within,
                           const std::vector<std::string>& index_names, bool muted)
    : RegionBounds(env.program, env.facts, region,
                   muted ? Boxes{} : Boxes{&within, &env.here().box}),
      env_(env),
      index_names_(index_names),
      muted_(muted) {}

std::optional<uint32_t> AccessProver::prove(const ir::Access& access, Span span,
                                            const std::vector<Span>& applied_at) {
  uint32_t escapes = 0;
  if (muted_) return escapes;
  const ir::Field& field = field_of(access);
  for (int d = 0; d < field.box.rank(); ++d) {
    const ir::Boundary& rules = field.boundary[d];
    if (field.dimension(static_cast<size_t>(d)) == ir::kPoints) continue;
    if (field.dimension(static_cast<size_t>(d)) == ir::kTime) {
      if (!prove_steps(access, d, span, escapes)) return std::nullopt;
      continue;
    }
    for (const Side side : {Side::Low, Side::High}) {
      const bool low = side == Side::Low;
      const ir::BoundaryKind rule = rules.side(low).stored();
      const ir::BoundaryKind far = rules.side(!low).stored();
      if (rule == ir::BoundaryKind::None) {
        if (!require(access, {d, side}, span, applied_at)) return std::nullopt;
        continue;
      }
      if (verdict(access, {d, side}) == Verdict::Holds) continue;
      escapes |= 1u << (2 * d + (low ? 0 : 1));
      if (rule != ir::BoundaryKind::Mirror || far != ir::BoundaryKind::None) continue;
      if (!require(access, {d, side, Of::Reflection}, span, applied_at)) return std::nullopt;
    }
  }
  return escapes;
}

bool AccessProver::prove_image(const ir::Access& access, size_t d, bool low, int inside, Span span,
                               const std::vector<Span>& applied_at) {
  const bool wraps = field_of(access).boundary[d].side(low).row().joins_edges();
  const End end = {static_cast<int>(d), low ? Side::Low : Side::High,
                   wraps ? Of::Wrap : Of::Reflection, inside};
  return muted_ || require(access, end, span, applied_at);
}

// Proves a series access. A run begins at step 0, and its number of steps is known when it begins.
// Sets bits in `escapes` where a boundary rule may apply.
bool AccessProver::prove_steps(const ir::Access& access, int d, Span span, uint32_t& escapes) {
  const ir::Field& field = field_of(access);
  const auto i = static_cast<size_t>(d);
  const ir::Range& times = field.box.ranges[i];
  const ir::Affine first = ir::Affine{access.offset(i), {}} - times.low;
  const ir::Affine most = times.high - access.offset(i) + 1;  // largest number of steps
  const std::string text = fmt::format("series {} has values from {} to {}", field.name,
                                       env_.print(times.low), env_.print(times.high));
  const std::string more_values =
      fmt::format("give it more values, or a boundary: series {} ... boundary clamp;", field.name);
  const auto report = [&](const std::string& found) {
    Diagnostic& error = env_.report.error("S031", span, text);
    error.expected = "a value for every step of the run";
    error.found = found;
    error.hint = more_values;
    error.related.push_back({field.span, "declared here"});
    return false;
  };
  if (field.boundary[i].low.kind != ir::BoundaryKind::None) {
    if (decide(facts_, first) != Verdict::Holds) escapes |= 1u << (2 * d);
  } else if (decide(facts_, first) == Verdict::Fails) {
    return report(fmt::format("step {} in the first step of the run", access.offset(i)));
  } else if (decide(facts_, first) == Verdict::Unknown) {
    env_.add_check({{first}, "S031", text, span});
  }
  if (field.boundary[i].high.kind != ir::BoundaryKind::None) {
    escapes |= 2u << (2 * d);
    return true;
  }
  const ir::StepLimit limit = {most, text, more_values, field.span};
  return limit_steps(env_, facts_, limit, span);
}

bool AccessProver::require(const ir::Access& access, const End& end, Span span,
                           const std::vector<Span>& applied_at) {
  switch (verdict(access, end)) {
    case Verdict::Holds:
      return true;
    case Verdict::Fails:
      report_escape(access, end, span, applied_at);
      return false;
    case Verdict::Unknown:
      record_check(access, end, span);
      return true;
  }
  return true;
}

std::string AccessProver::describe_access(const ir::Access& access, const End& end) const {
  const ir::Field& field = field_of(access);
  std::string offsets;
  for (int offset : offsets_of(access.maps))
    offsets += fmt::format("{}{}", offsets.empty() ? "" : ",", offset);
  const std::string level = access.level == 0 ? "" : fmt::format("@-{}", access.level);
  const ir::Domain& domain = env_.program.domains[field.domain];
  const bool whole = field.box == domain.box;
  const std::string grid =
      field.domain == env_.domain ? "the grid" : fmt::format("grid '{}'", domain.name);
  return fmt::format("access {}{}[{}]{} leaves {}", field.name, level, offsets,
                     end.of == Of::Reflection ? ", mirrored,"
                     : end.of == Of::Wrap     ? ", wrapped around,"
                                              : "",
                     whole ? grid : "the domain of the field");
}

// The index that an access reads at one end of the region, or its image (End::of), as text.
std::string AccessProver::index_text(const ir::Access& access, const End& end) const {
  const auto d = static_cast<size_t>(end.dimension);
  const ir::IndexMap& map = access.maps[d];
  const ir::Range& domain = field_of(access).box.ranges[d];
  const ir::Range& region = region_in(access, d);
  const bool low = end.side == Side::Low;
  const ir::Affine place = (low ? region.low : region.high) * map.scale + map.offset;
  if (map.divisor != 1 && !place.is_constant()) {
    return fmt::format("({})/{}", env_.print(place), map.divisor);
  }
  ir::Affine at = place;
  if (map.divisor != 1) at.constant = ir::floor_quotient(place.constant, map.divisor);
  if (end.of == Of::Reflection) at = (low ? domain.low : domain.high) * 2 - at;
  const ir::Affine extent = domain.high - domain.low + 1;
  if (end.of == Of::Wrap) at = low ? at + extent : at - extent;
  return env_.print(at);
}

// The hint for an access that leaves its field. It suggests a region in which the access stays in
// the field, or a boundary rule on the side where it leaves.
std::string AccessProver::advice(const ir::Access& access, const End& end) const {
  const auto d = static_cast<size_t>(end.dimension);
  const ir::Field& field = field_of(access);
  const ir::Range& domain = field.box.ranges[d];
  const bool low = end.side == Side::Low;
  if (!access.maps[d].shifts()) {
    return fmt::format(
        "give the field a boundary (constant, clamp, mirror, periodic, ...), or {} the region "
        "further inside",
        low ? "start" : "end");
  }
  ir::Affine inside = (low ? domain.low : domain.high) - access.offset(d);
  const ir::Affine length = domain.high - domain.low + (end.of == Of::Wrap ? 1 : 0);
  if (end.of != Of::Index) inside = low ? inside - length : inside + length;
  inside = low ? inside + end.inside : inside - end.inside;
  const ir::Affine least = at_least(inside, domain.low), most = at_least(domain.high, inside);
  const auto fails = [](const ir::Affine& value) {
    return value.is_constant() && value.constant < 0;
  };
  if (is_one_index(domain)) return hint_of_one_index(env_, domain, d);
  if (end.of == Of::Index && (fails(least) || fails(most))) {
    return fmt::format(
        "offsets are relative to the current point, {}{}; to read this far, give the field a "
        "boundary",
        field.name, env_.point(field));
  }
  if (end.of != Of::Index && field.boundary[d].side(!low).kind != ir::BoundaryKind::None) {
    return fmt::format("{} the region at {}, or make the field larger: an index is {} only once",
                       low ? "start" : "end", env_.print(inside),
                       end.of == Of::Wrap ? "wrapped around" : "reflected");
  }
  const bool ruled = field.boundary != ir::uniform_boundary(field.box.rank(), {});
  const std::string rule = ruled ? fmt::format(
                                       "a boundary other than none at the {} side of "
                                       "dimension {}",
                                       low != (end.of == Of::Reflection) ? "low" : "high", d)
                                 : "a boundary (constant, clamp, mirror, periodic, ...)";
  return fmt::format("give the field {}, or {} the region at {}", rule, low ? "start" : "end",
                     env_.print(inside));
}

void AccessProver::report_escape(const ir::Access& access, const End& end, Span span,
                                 const std::vector<Span>& applied_at) {
  static const char* const kDefaultNames[kMaxRank] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  const auto d = static_cast<size_t>(end.dimension);
  const ir::Range& domain = field_of(access).box.ranges[d];
  const bool low = end.side == Side::Low;
  const bool leaves_low = low != (end.of == Of::Reflection);
  const ir::Range& region = region_in(access, d);
  const ir::Boundary& rules = field_of(access).boundary[d];
  const bool ruled =
      rules.low.kind != ir::BoundaryKind::None || rules.high.kind != ir::BoundaryKind::None;
  // Without a rule, all reads that leave the field at a side have the same cause. If the region is
  // the whole domain, this includes both sides: a boundary is missing.
  const bool whole = region == domain;
  const int sides = whole ? 0 : low ? 1 : 2;
  if (!ruled && !unruled_reported_.emplace(access.field, 3 * end.dimension + sides).second) return;
  const ir::Affine& at = low ? region.low : region.high;
  const auto of_grid = static_cast<size_t>(field_of(access).dimension(d));
  const std::string& given = index_names_[of_grid];
  const std::string name = given.empty() ? kDefaultNames[of_grid] : given;

  Diagnostic& error = env_.report.error("S031", span, describe_access(access, end));
  error.expected =
      fmt::format("index at {} {} in dimension {}", leaves_low ? "least" : "most",
                  env_.print(leaves_low ? domain.low + end.inside : domain.high - end.inside), d);
  const std::string moved =
      end.of == Of::Index
          ? ""
          : fmt::format(", {} from {}", end.of == Of::Wrap ? "wrapped around" : "mirrored",
                        index_text(access, {end.dimension, end.side}));
  error.found = fmt::format("{}{}, at {} = {} in region {}", index_text(access, end), moved, name,
                            env_.print(at), env_.print(region_));
  error.hint = advice(access, end);
  constexpr size_t kMaxPlaces = 3;
  for (size_t i = applied_at.size(); i-- > 0 && applied_at.size() - i <= kMaxPlaces;) {
    error.related.push_back({applied_at[i], "applied here"});
  }
}

void AccessProver::record_check(const ir::Access& access, const End& end, Span span) {
  ir::Check check{
      {goal(access, end)},
      "S031",
      fmt::format("{} in dimension {} ({} end of region {})", describe_access(access, end),
                  end.dimension, end.side == Side::Low ? "low" : "high", env_.print(region_)),
      span};
  add_empty_alternatives(check.any_nonnegative, region_);
  env_.add_check(std::move(check));
}

}  // namespace stencil::sema
