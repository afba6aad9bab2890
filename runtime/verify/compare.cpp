// The comparison used by `verify` and by the tests.
//
// --fp=strict and contract promise the same bits, so blocks of memory are compared first, and
// values only where a block differs. NaNs are an exception: payload and sign are unspecified. A
// tolerance is needed only where maths libraries may differ (exp on another device) or under
// --fp=fast. It is relative to the largest value of the component, because cancellation makes
// errors relative to single values meaningless. Large fields are compared by several threads.
#include "runtime/verify/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

#include "compiler/support/threads.h"

namespace stencil::runtime {

namespace {

using reference::FieldData;

// Distance between neighbouring values of the type at 1.
double spacing(Scalar type) {
  switch (type) {
    case Scalar::F16:
      return 0x1p-10;
    case Scalar::BF16:
      return 0x1p-7;
    case Scalar::F32:
      return 0x1p-23;
    case Scalar::F64:
      return 0x1p-52;
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::I32:
    case Scalar::I64:
      return 0;
  }
  return 0;
}

constexpr int64_t kPointsOfThread = int64_t{1} << 20;  // per thread

double largest_magnitude(const FieldData& field, int level, int component) {
  std::mutex mutex;
  double largest = 0;
  in_ranges(field.points, kPointsOfThread, [&](int64_t begin, int64_t end) {
    double here = 0;
    for (int64_t i = begin; i < end; ++i) {
      const double value = std::fabs(field.real(level, component, i));
      if (std::isfinite(value)) here = std::max(here, value);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    largest = std::max(largest, here);
  });
  return largest;
}

// The permitted difference if the largest magnitude is `largest`. At least `units` times the least
// normal number, because smaller values may be flushed to zero where rounding may differ.
double bound_of(const Tolerance& tolerance, Scalar type, double largest) {
  const double least = type == Scalar::F64 ? std::numeric_limits<double>::min()
                                           : double{std::numeric_limits<float>::min()};
  const double relative = std::max(tolerance.units * spacing(type), tolerance.part) * largest;
  return std::max(relative, tolerance.units * least);
}

std::string print_point(const FieldData& field, int64_t position) {
  return fmt::format("[{}]", fmt::join(field.point(position), ", "));
}

std::string print_value(const FieldData& field, int level, int component, int64_t position) {
  const Scalar type = field.types[component];
  if (!is_float(type)) return fmt::format("{}", field.integer(level, component, position));
  const double value = field.real(level, component, position);
  return fmt::format("{:.{}g} ({:a})", value, type == Scalar::F64 ? 17 : 9, value);
}

// Compares one component at one level.
class Comparison {
 public:
  Comparison(const FieldData& expected, const FieldData& actual, int level, int component,
             Tolerance tolerance)
      : expected_(expected),
        actual_(actual),
        level_(level),
        component_(component),
        type_(expected.types[component]),
        exact_(tolerance.exact()) {
    if (!exact_ && is_float(type_)) {
      bound_ = bound_of(tolerance, type_, largest_magnitude(expected, level, component));
    }
  }

  bool same_memory() const {
    const auto bytes = static_cast<size_t>(expected_.size_in_bytes(component_));
    return bytes == 0 || std::memcmp(expected_.data(level_, component_),
                                     actual_.data(level_, component_), bytes) == 0;
  }

  bool same_at(int64_t position) const {
    const auto size = static_cast<size_t>(size_in_bytes(type_));
    const size_t offset = static_cast<size_t>(position) * size;
    const bool same_bits = std::memcmp(expected_.data(level_, component_) + offset,
                                       actual_.data(level_, component_) + offset, size) == 0;
    if (same_bits || !is_float(type_)) return same_bits;
    const double a = expected_.real(level_, component_, position);
    const double b = actual_.real(level_, component_, position);
    if (std::isnan(a) && std::isnan(b)) return true;
    if (exact_) return false;
    return !std::isfinite(a) || std::fabs(a - b) <= bound_;
  }

 private:
  const FieldData& expected_;
  const FieldData& actual_;
  int level_;
  int component_;
  Scalar type_;
  bool exact_;
  double bound_ = 0;
};

void compare_component(const ir::Field& field, const FieldData& expected, const FieldData& actual,
                       int level, int component, Tolerance tolerance, Difference& difference) {
  const Comparison comparison(expected, actual, level, component, tolerance);
  if (comparison.same_memory()) return;
  std::mutex mutex;
  int64_t count = 0, first = expected.points;
  in_ranges(expected.points, kPointsOfThread, [&](int64_t begin, int64_t end) {
    int64_t count_here = 0, first_here = expected.points;
    for (int64_t i = begin; i < end; ++i) {
      if (!comparison.same_at(i) && count_here++ == 0) first_here = i;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    count += count_here;
    first = std::min(first, first_here);
  });
  if (count > 0 && difference.count == 0) {
    difference.where = field.name + field.components[component].path +
                       (level > 0 ? fmt::format("@-{}", level) : "") + print_point(expected, first);
    difference.expected = print_value(expected, level, component, first);
    difference.actual = print_value(actual, level, component, first);
  }
  difference.count += count;
}

void note(Difference& difference, const std::string& where, int64_t expected, int64_t actual) {
  if (expected == actual || difference.count++ > 0) return;
  difference.where = where;
  difference.expected = fmt::format("{}", expected);
  difference.actual = fmt::format("{}", actual);
}

void compare_reduction(const std::string& name, const reference::ReductionValue& expected,
                       const reference::ReductionValue& actual, Tolerance tolerance,
                       Difference& difference) {
  note(difference, "evaluations of " + name, expected.evaluations, actual.evaluations);
  note(difference, "the first step at which " + name + " was NaN", expected.first_nan,
       actual.first_nan);
  if (!is_float(expected.type)) {
    return note(difference, "reduction " + name, expected.integer, actual.integer);
  }
  const double a = expected.real, b = actual.real;
  if (std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b))) return;
  const double bound = bound_of(tolerance, expected.type, std::fabs(a));
  if (!tolerance.exact() && (!std::isfinite(a) || std::fabs(a - b) <= bound)) return;
  if (difference.count++ > 0) return;
  difference.where = "reduction " + name;
  difference.expected = fmt::format("{:.17g} ({:a})", a, a);
  difference.actual = fmt::format("{:.17g} ({:a})", b, b);
}

bool any_transcendental(const ir::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const ir::Node& node) {
    const auto* operation = std::get_if<ir::Operation>(&node.kind);
    return operation != nullptr && is_transcendental(operation->op);
  });
}

}  // namespace

std::optional<Difference> compare(const ir::Program& program, const reference::State& expected,
                                  const reference::State& actual, Tolerance tolerance) {
  Difference difference;
  note(difference, "steps", expected.step, actual.step);
  note(difference, "whether the run has stopped", expected.stopped, actual.stopped);
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    compare_reduction(program.reductions[r].name, expected.reductions[r], actual.reductions[r],
                      tolerance, difference);
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const FieldData& field = expected.fields[f];
    for (int level = 0; level < static_cast<int>(field.levels.size()); ++level) {
      for (int component = 0; component < field.component_count(); ++component) {
        compare_component(program.fields[f], field, actual.fields[f], level, component, tolerance,
                          difference);
      }
    }
  }
  if (difference.count == 0) return std::nullopt;
  return difference;
}

bool uses_transcendentals(const ir::Program& program) {
  for (const ir::Function& function : program.functions) {
    for (const ir::Piece& piece : function.pieces) {
      if (any_transcendental(piece.graph)) return true;
    }
  }
  for (const ir::Reduction& reduction : program.reductions) {
    if (any_transcendental(reduction.piece.graph)) return true;
  }
  return program.run.until && any_transcendental(program.run.until->graph);
}

}  // namespace stencil::runtime
