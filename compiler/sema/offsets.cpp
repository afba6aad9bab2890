// Offsets: the distance from the current point to the point where a field is read or a function is
// applied.
//
// An offset is an integer known at compile time, or it varies within a bound: `d within 2`. A
// varying offset becomes a select among the accesses at all possible offsets. Later stages
// therefore know how far a program reads, and see only ordinary accesses. The selects form a binary
// search over the offsets (d <= -1, then d <= -2 or d <= 0, ...), so their depth is the logarithm
// of the number of offsets. A value beyond the bound selects the outermost offset on its side. No
// arithmetic is added that could overflow. If several dimensions vary, the selects of inner
// dimensions are nested in those of outer ones and share their comparisons.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/sema/elaborate.h"

namespace stencil::sema {
namespace {

constexpr int kMostAccesses = 81;  // largest number of accesses for one varying access

bool is_constant(const Value& value) {
  return std::holds_alternative<Constant>(value.leaves[0]);
}

}  // namespace

bool Elaborator::is_offset(int64_t value, Span span) {
  if (value <= kMaxOffset && value >= -kMaxOffset) return true;
  Diagnostic& error = env_.report.error("S029", span, "offset is out of range");
  error.expected = fmt::format("a value in {}..{}", -kMaxOffset, kMaxOffset);
  error.found = fmt::format("{}", value);
  return false;
}

// `moved`: the shift of the function application that is being inlined, in this dimension.
std::optional<Elaborator::Offset> Elaborator::offset(const ast::Expr& index, int moved) {
  if (const auto* within = std::get_if<ast::Within>(&index.kind)) {
    const auto varies = varying_offset(*within, moved);
    const bool fits =
        varies && is_offset(varies->low, index.span) && is_offset(varies->high, index.span);
    return fits ? varies : std::nullopt;
  }
  const std::optional<int64_t> value = constant_integer(index, "an offset");
  if (!value || !is_offset(*value, index.span) || !is_offset(*value + moved, index.span)) {
    return std::nullopt;
  }
  const int total = static_cast<int>(*value) + moved;
  return Offset{total, total};
}

void Elaborator::no_integer(const Value& value, Span span) {
  Diagnostic& error = env_.report.error("S060", span, "an offset that is not an integer");
  error.found = describe(*value.type);
  if (!value.type->scalar()) return;
  const Scalar type = arithmetic_.natural_type(value.leaves[0]);
  error.found = stencil::name(type);
  error.hint = type == Scalar::Bool
                   ? "integer(c) is 1 where the condition holds, else 0"
                   : "integer(floor(x)) is the point below, integer(round(x)) the nearest one";
}

std::optional<Elaborator::Offset> Elaborator::varying_offset(const ast::Within& within, int moved) {
  const auto bound = constant_integer(*within.bound, "the bound of an offset");
  Value value = elaborate(*within.value);
  if (!bound || !value.ok()) return std::nullopt;
  const Span span = within.value->span;
  if (*bound < 0 || *bound > kMaxOffset) {
    Diagnostic& error =
        env_.report.error("S029", within.bound->span, "the bound of an offset is out of range");
    error.expected = fmt::format("a value in 0..{}", kMaxOffset);
    error.found = fmt::format("{}", *bound);
    return std::nullopt;
  }
  if (!value.type->scalar() || !is_integer(arithmetic_.natural_type(value.leaves[0]))) {
    no_integer(value, span);
    return std::nullopt;
  }
  const int most = static_cast<int>(*bound);
  if (is_constant(value)) {
    const int64_t known = *std::get<Constant>(value.leaves[0]).integer;
    const int total = static_cast<int>(std::clamp<int64_t>(known, -most, most)) + moved;
    return Offset{total, total};
  }
  return Offset{moved - most, moved + most, std::move(value), moved};
}

bool Elaborator::few_enough(const Offsets& offsets, Span span) {
  int64_t count = 1;
  std::string product;
  for (const Offset& offset : offsets) {
    const int64_t choices = int64_t{offset.high} - offset.low + 1;
    count = std::min<int64_t>(count * choices, int64_t{1} << 40);
    if (choices > 1) product += fmt::format("{}{}", product.empty() ? "" : "*", choices);
  }
  if (count <= kMostAccesses) return true;
  Diagnostic& error = env_.report.error("S061", span, "an access with too many possible offsets");
  error.expected = fmt::format("at most {}", kMostAccesses);
  error.found = product;
  error.hint = "use smaller bounds: all of these points are read and one value is selected";
  return false;
}

std::optional<Elaborator::Offsets> Elaborator::offsets(const std::vector<ast::ExprPtr>& indices,
                                                       Span span, ir::DomainId of) {
  const auto rank = static_cast<size_t>(env_.rank());
  if (indices.size() != rank) {
    Diagnostic& error = env_.report.error("S014", span, "wrong number of offsets");
    error.expected = fmt::format("{}, one per dimension of the grid", rank);
    error.found = fmt::format("{}", indices.size());
    error.hint =
        fmt::format("one bracket holds all offsets: {} is the current point", env_.point());
    return std::nullopt;
  }
  Offsets result;
  const std::vector<ir::IndexMap> maps = ir::maps_between(env_.program, env_.domain, of);
  for (size_t d = 0; d < rank; ++d) {
    const int moved = shift_.empty() ? 0 : shift_[d] * maps[d].scale;
    if (const auto found = offset(*indices[d], moved)) result.push_back(*found);
  }
  if (result.size() != rank || !few_enough(result, span)) return std::nullopt;
  return result;
}

// The number of steps ahead of the current one for an index `time`, `time + 1` or `time - 2`.
std::optional<int> Elaborator::steps_ahead(const ast::Expr& index) {
  const auto is_time = [](const ast::Expr& expr) {
    const auto* name = std::get_if<ast::Name>(&expr.kind);
    return name && name->name == "time";
  };
  if (is_time(index)) return 0;
  const auto* sum = std::get_if<ast::Binary>(&index.kind);
  const bool minus = sum && sum->op == Op::Sub;
  const bool first = sum && is_time(*sum->left);
  const bool timed = sum && (minus || sum->op == Op::Add) && (first || is_time(*sum->right));
  if (!timed || (minus && !first)) {
    Diagnostic& error = env_.report.error("S052", index.span, "a series must be read at 'time'");
    error.expected = "time, or a constant number of steps before or after: time - 1";
    error.found = env_.text(index.span);
    return std::nullopt;
  }
  const auto steps = constant_integer(first ? *sum->right : *sum->left, "an offset");
  if (!steps || !is_offset(*steps, index.span)) return std::nullopt;
  return static_cast<int>(minus ? -*steps : *steps);
}

// The offsets of a profile or series, one for each of its own dimensions.
std::optional<Elaborator::Offsets> Elaborator::own_offsets(const ir::Field& field,
                                                           const std::vector<ast::ExprPtr>& indices,
                                                           Span span) {
  if (field.set() && !at_point_itself(field, span)) return std::nullopt;
  const size_t given = field.box.ranges.size() - (field.set() ? 1 : 0);
  if (indices.size() != given) {
    Diagnostic& error = env_.report.error("S014", span, "wrong number of offsets");
    error.expected = fmt::format("{}, {}one per dimension of '{}'", given,
                                 field.is_series() ? "the step and " : "", field.name);
    error.found = fmt::format("{}", indices.size());
    error.hint =
        fmt::format("its value at the current point is {}{}", field.name, env_.point(field));
    error.related.push_back({field.span, "declared here"});
    return std::nullopt;
  }
  Offsets result;
  for (size_t d = 0; d < indices.size(); ++d) {
    const int dimension = field.dimension(d);
    if (dimension == ir::kTime) {
      const auto steps = steps_ahead(*indices[d]);
      if (!steps) return std::nullopt;
      result.push_back({*steps, *steps});
      continue;
    }
    const auto found = offset(*indices[d], shift_.empty() ? 0 : shift_[dimension]);
    if (!found) return std::nullopt;
    result.push_back(*found);
  }
  if (field.set()) result.push_back({0, 0});
  if (!few_enough(result, span)) return std::nullopt;
  return result;
}

// Reads at the offset that is selected at the point.
Value Elaborator::at_offsets(const Offsets& offsets, Span span, const AtOffset& read) {
  std::vector<int> at;
  return chosen_offset(offsets, at, offsets[0].low, offsets[0].high, span, read);
}

// Selects an offset among low..high in dimension at.size(). `at` contains the offsets of earlier
// dimensions.
Value Elaborator::chosen_offset(const Offsets& offsets, std::vector<int>& at, int low, int high,
                                Span span, const AtOffset& read) {
  const size_t d = at.size();
  if (low == high) {
    at.push_back(low);
    const Value value =
        at.size() == offsets.size()
            ? read(at)
            : chosen_offset(offsets, at, offsets[d + 1].low, offsets[d + 1].high, span, read);
    at.pop_back();
    return value;
  }
  const int middle = low + (high - low) / 2;
  const Value last = Value::of_leaf(Constant::of_integer(middle - offsets[d].middle));
  const Value below = arithmetic_.apply(Op::Le, {offsets[d].varies, last}, span);
  const Value first_half = chosen_offset(offsets, at, low, middle, span, read);
  if (!first_half.ok()) return {};
  const Value second_half = chosen_offset(offsets, at, middle + 1, high, span, read);
  if (!second_half.ok()) return {};
  return arithmetic_.apply(Op::Select, {below, first_half, second_half}, span);
}

// Reports a `within` that does not bound an offset (S062).
Value Elaborator::no_offset(Span span) {
  Diagnostic& error = env_.report.error("S062", span, "'within' is allowed only in an offset");
  error.expected = "an offset of a field or of a function application";
  error.found = env_.text(span);
  error.hint = "to clamp a value, write max(a, min(x, b))";
  return {};
}

}  // namespace stencil::sema
