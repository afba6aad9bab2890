// Computes origin and spacing exactly as a piece would compute the same expressions, each operation
// in its own type. A picture therefore shows a point exactly where the program computed it to be.
#include "compiler/ir/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/ir/known.h"

namespace stencil::ir {
namespace {

struct Evaluated {
  AxisValue value;
  bool admissible;
};

Evaluated evaluate(const Axis& axis, const std::vector<int64_t>& integers,
                   const std::vector<double>& reals) {
  const std::vector<Constant> values = evaluate_on_params(axis.graph, integers, reals);
  const auto value = [&](NodeId id) { return values[id]; };
  return {{value(axis.origin).real, value(axis.spacing).real}, value(axis.admissible).integer != 0};
}

template <typename Visit>
void for_each_param(const Axis& axis, Visit visit) {
  for (const Node& node : axis.graph.nodes()) {
    if (const auto* reference = std::get_if<ParamRef>(&node.kind)) visit(reference->param);
  }
}

// If the program gives one value for all dimensions, an error in it is reported only once.
void check_axis(const Program& program, const Axis& axis, const Evaluated& found,
                Diagnostics& out) {
  if (found.admissible) return;
  const bool spacing = !std::isfinite(found.value.spacing) || found.value.spacing <= 0;
  const Span span = spacing ? axis.spacing_span : axis.origin_span;
  const bool reported =
      std::any_of(out.items().begin(), out.items().end(), [&](const Diagnostic& other) {
        return other.code == "S046" && other.span.begin == span.begin;
      });
  if (reported) return;
  Diagnostic& error = out.error(
      "S046", span,
      spacing ? "the spacing of points is not positive" : "the origin of the grid is not finite");
  error.expected = spacing ? "a positive finite number" : "a finite number";
  error.found = print_coordinate(program, spacing ? found.value.spacing : found.value.origin);
}

}  // namespace

std::vector<AxisValue> axis_values(const Program& program, const std::vector<int64_t>& integers,
                                   const std::vector<double>& reals) {
  std::vector<AxisValue> values(program.grid().ranges.size());
  for (size_t d = 0; d < program.domain().axes.size(); ++d) {
    values[d] = evaluate(program.domain().axes[d], integers, reals).value;
  }
  return values;
}

PlaceInFirstDomain place_in_first_domain(const Program& program, DomainId domain, int d) {
  const auto& coarsened = program.domains[domain].coarsened;
  if (!coarsened) return {};
  const PlaceInFirstDomain fine = place_in_first_domain(program, coarsened->of, d);
  const double ratio = coarsened->ratios[static_cast<size_t>(d)];
  const double middle = coarsened->cells ? (ratio - 1) / 2 : 0;  // of the cells that are covered
  return {fine.ratio * ratio, fine.shift + fine.ratio * middle};
}

std::vector<AxisValue> axes_of(const Program& program, const Field& field,
                               const std::vector<AxisValue>& first) {
  const auto in_real = [&](double value) {
    return program.real == Scalar::F32 ? static_cast<float>(value) : value;
  };
  std::vector<AxisValue> out;
  for (size_t d = 0; d < field.box.ranges.size(); ++d) {
    const int of_grid = field.dimension(d);
    if (of_grid < 0) {
      out.push_back({});
      continue;
    }
    const auto [ratio, shift] = place_in_first_domain(program, field.domain, of_grid);
    const auto [origin, spacing] = first[of_grid];
    out.push_back({in_real(origin + in_real(spacing * shift)), in_real(spacing * ratio)});
  }
  return out;
}

bool indices_are_coordinates(const Program& program, const Field& field) {
  return program.domain().axes.empty() && !program.domains[field.domain].coarsened;
}

std::string axis_name(const Program& program, const Field& field, size_t d) {
  const int of_grid = field.dimension(d);
  if (of_grid == kPoints) return "point";
  return of_grid == kTime ? "time" : kAxes[program.grid().rank() - 1 - of_grid];
}

std::optional<std::vector<AxisValue>> default_axis_values(const Program& program) {
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const Param& param : program.params) {
    integers.push_back(param.integer_value.value_or(0));
    reals.push_back(param.real_value.value_or(0));
  }
  bool known = true;
  for (const Axis& axis : program.domain().axes) {
    for_each_param(axis, [&](ParamId id) {
      const Param& param = program.params[id];
      known = known && (param.integer_value || param.real_value);
    });
  }
  if (!known) return std::nullopt;
  return axis_values(program, integers, reals);
}

std::string print_coordinate(const Program& program, double value) {
  if (program.real == Scalar::F32) return fmt::format("{}", static_cast<float>(value));
  return fmt::format("{}", value);
}

bool is_known(const Axis& axis) {
  bool known = true;
  for_each_param(axis, [&](ParamId) { known = false; });
  return known;
}

void check_axes(const Program& program, const std::vector<int64_t>& integers,
                const std::vector<double>& reals, Diagnostics& out) {
  for (const Axis& axis : program.domain().axes) {
    check_axis(program, axis, evaluate(axis, integers, reals), out);
  }
}

void check_known_axes(const Program& program, Diagnostics& out) {
  for (const Axis& axis : program.domain().axes) {
    if (is_known(axis)) check_axis(program, axis, evaluate(axis, {}, {}), out);
  }
}

}  // namespace stencil::ir
