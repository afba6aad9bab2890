// Origin and spacing are expressions of params. These params may get their values only when the
// program runs, so the expressions are kept in two forms.
//
// The axes of the program are graphs that are evaluated once the params are known. Files, pictures,
// and the check that origin and spacing are valid use them. The functions `position`, `origin` and
// `spacing` are abbreviations, like functions of the program. Each application elaborates the
// expression again into ordinary nodes, so later stages need not know these functions.
#include "compiler/sema/coordinates.h"

#include <fmt/format.h>

#include <limits>

#include "compiler/ir/axes.h"
#include "compiler/sema/elaborate.h"
#include "compiler/syntax/write.h"

namespace stencil::sema {
namespace {

constexpr const char* kOrigin = "origin";
constexpr const char* kSpacing = "spacing";

// The expression for dimension d. Null if the program gives no expression for it.
const ast::Expr* value_in(const std::optional<ast::PerDimension>& values, size_t d) {
  if (!values) return nullptr;
  const size_t at = values->list ? d : 0;
  return at < values->values.size() ? values->values[at].get() : nullptr;
}

bool is_constant(const Value& value, double number) {
  const auto* constant = value.ok() ? std::get_if<Constant>(&value.leaves[0]) : nullptr;
  return constant && constant->real == number;
}

bool has_right_length(Environment& env, const std::optional<ast::PerDimension>& values,
                      const char* what) {
  const auto rank = static_cast<size_t>(env.rank());
  if (!values || !values->list || values->values.size() == rank) return true;
  Diagnostic& error =
      env.report.error("S014", values->span, fmt::format("wrong number of values of '{}'", what));
  error.expected = fmt::format("{}, one per dimension of the grid, or one without brackets", rank);
  error.found = fmt::format("{}", values->values.size());
  return false;
}

// Builds the graph of one dimension.
class AxisBuilder {
 public:
  explicit AxisBuilder(Environment& env) : env_(env), real_(env.program.real) {}

  std::optional<ir::Axis> build(const ast::Expr* origin, const ast::Expr* spacing) {
    const auto o = node_of(origin, 0);
    const auto s = node_of(spacing, 1);
    if (!o || !s) return std::nullopt;
    axis_.origin = *o;
    axis_.spacing = *s;
    axis_.admissible = admissible();
    axis_.origin_text = origin ? write(*origin) : "0";
    axis_.spacing_text = spacing ? write(*spacing) : "1";
    if (origin) axis_.origin_span = origin->span;
    if (spacing) axis_.spacing_span = spacing->span;
    return std::move(axis_);
  }

 private:
  std::optional<ir::NodeId> node_of(const ast::Expr* expr, double absent) {
    if (!expr) return constant(absent);
    Elaborator elaborator(env_, kCoordinateSite, axis_.graph);
    const auto stored = elaborator.arithmetic().store(
        elaborator.elaborate(*expr, scalar_type(real_).get()), *scalar_type(real_), expr->span);
    return stored ? std::optional(stored->front()) : std::nullopt;
  }

  // The condition that the spacing is positive and neither value is infinite or NaN.
  ir::NodeId admissible() {
    const ir::NodeId most = constant(real_ == Scalar::F32 ? std::numeric_limits<float>::max()
                                                          : std::numeric_limits<double>::max());
    const ir::NodeId positive = operation(Op::Lt, {constant(0), axis_.spacing}, Scalar::Bool);
    const ir::NodeId finite = operation(Op::Le, {axis_.spacing, most}, Scalar::Bool);
    const ir::NodeId spaced = operation(Op::And, {positive, finite}, Scalar::Bool);
    if (std::holds_alternative<ir::Constant>(axis_.graph[axis_.origin].kind)) return spaced;
    const ir::NodeId distance = operation(Op::Abs, {axis_.origin}, real_);
    const ir::NodeId near = operation(Op::Le, {distance, most}, Scalar::Bool);
    return operation(Op::And, {spaced, near}, Scalar::Bool);
  }

  ir::NodeId constant(double value) {
    return axis_.graph.add({ir::Constant{value, 0}, real_, {}, {}});
  }
  ir::NodeId operation(Op op, std::vector<ir::NodeId> operands, Scalar type) {
    return axis_.graph.add({ir::Operation{op, std::move(operands)}, type, {}, {}});
  }

  Environment& env_;
  Scalar real_;
  ir::Axis axis_;
};

}  // namespace

std::optional<Coordinate> coordinate_named(const std::string& name) {
  if (name == "position") return Coordinate::Position;
  if (name == kOrigin) return Coordinate::Origin;
  if (name == kSpacing) return Coordinate::Spacing;
  return std::nullopt;
}

void declare_coordinates(Environment& env, const ast::Grid& grid) {
  if (!grid.origin && !grid.spacing) return;
  const bool origins = has_right_length(env, grid.origin, kOrigin);
  const bool spacings = has_right_length(env, grid.spacing, kSpacing);
  if (!origins || !spacings) return;
  std::vector<ir::Axis> axes;
  for (size_t d = 0; d < env.here().box.ranges.size(); ++d) {
    auto axis = AxisBuilder(env).build(value_in(grid.origin, d), value_in(grid.spacing, d));
    if (axis) axes.push_back(std::move(*axis));
  }
  if (axes.size() == env.here().box.ranges.size()) env.program.domain().axes = std::move(axes);
}

// --- The functions -------------------------------------------------------------------------------

// The dimension that the argument of `call` names. The argument is an index name. If `number` is
// set, it may be a dimension number, counted from 0.
std::optional<Elaborator::Dimension> Elaborator::dimension_of(const ast::Call& call, bool number) {
  const ast::Expr& argument = *call.arguments[0];
  const Value value = elaborate(argument);
  if (!value.ok()) return std::nullopt;
  const int rank = env_.rank();
  if (value.type->scalar()) {
    if (const auto* id = std::get_if<ir::NodeId>(&value.leaves[0])) {
      const auto* index = std::get_if<ir::Index>(&graph_[*id].kind);
      const bool step =
          index && field_ && field_->dimension(static_cast<size_t>(index->dimension)) < 0;
      if (index && !step) {
        const int own = index->dimension;
        return Dimension{own, field_ ? field_->dimension(static_cast<size_t>(own)) : own};
      }
    }
    const auto* constant = std::get_if<Constant>(&value.leaves[0]);
    if (number && constant && constant->integer && !value.leaves[0].coordinate &&
        constant->type != Scalar::Bool && *constant->integer >= 0 && *constant->integer < rank) {
      return Dimension{0, static_cast<int>(*constant->integer)};
    }
  }
  const std::string& name = call.callee.name;
  Diagnostic& error = env_.report.error(
      "S047", argument.span,
      fmt::format("the argument of '{}' is not {}", name, number ? "a dimension" : "an index"));
  error.expected = "the name of an index, such as the i of a box [i in 1..N-2] or of init A[i]";
  if (number) error.expected += fmt::format(", or the number of a dimension, 0 to {}", rank - 1);
  error.found = env_.text(argument.span);
  if (!number) {
    error.hint =
        "a neighbour is at position(i) + spacing(i), and the point with index n at origin(i) + n * "
        "spacing(i)";
  }
  return std::nullopt;
}

// The value that the grid declares for dimension d, as a `real`. The value does not depend on the
// place of the call, so local names and offsets of that place are hidden while it is elaborated.
Value Elaborator::declared_coordinate(const std::optional<ast::PerDimension>& values, int d,
                                      int64_t absent) {
  const auto of_grid = [&](const Value& value, Span span) {
    Value real = arithmetic_.convert(value, env_.program.real, span);
    for (Leaf& leaf : real.leaves) leaf.coordinate = true;
    return real;
  };
  const ast::Expr* expr = value_in(values, static_cast<size_t>(d));
  if (!expr) {
    if (values) return {};  // the list is too short, and an error is reported elsewhere
    return of_grid(Value::of_leaf(Constant::of_integer(absent)), {});
  }
  const Value value = elsewhere(*expr, kCoordinateSite, {}, scalar_type(env_.program.real).get());
  const bool scalar = value.ok() && value.type->scalar();
  return scalar ? of_grid(value, expr->span) : Value{};
}

Value Elaborator::coordinate(Coordinate what, const ast::Call& call, Span span) {
  if (!site_.coordinates) {
    Diagnostic& error = env_.report.error(
        "S026", span, fmt::format("'{}' can't be used in {}", call.callee.name, site_.what));
    error.found = "a coordinate of the grid, which is known only when all params have values";
    error.hint = "give the grid this value through a param, and use that param here";
    return {};
  }
  const bool position = what == Coordinate::Position;
  const std::optional<Dimension> d = dimension_of(call, !position);
  const ast::Grid* grid = env_.grid;
  if (!d || !grid) return {};
  const auto [ratio, shift] = ir::place_in_first_domain(env_.program, env_.domain, d->of_grid);
  const auto real = [&](double number) {
    const Value literal = Value::of_leaf(Constant{std::nullopt, std::nullopt, number});
    return arithmetic_.convert(literal, env_.program.real, span);
  };
  Value origin = declared_coordinate(grid->origin, d->of_grid, 0);
  Value spacing = declared_coordinate(grid->spacing, d->of_grid, 1);
  const auto spacings = [&](double number) {
    if (is_constant(spacing, 1)) return real(number);
    return arithmetic_.apply(Op::Mul, {spacing, real(number)}, span);
  };
  if (shift != 0 && is_constant(origin, 0)) {
    origin = spacings(shift);
  } else if (shift != 0) {
    origin = arithmetic_.apply(Op::Add, {std::move(origin), spacings(shift)}, span);
  }
  if (ratio != 1) spacing = spacings(ratio);
  if (what == Coordinate::Origin) return origin;
  if (!position) return spacing;
  const Value index = Value::of_leaf(graph_.add({ir::Index{d->index}, Scalar::I32, span, {}}));
  Value at = arithmetic_.convert(index, env_.program.real, span);
  if (!is_constant(spacing, 1)) at = arithmetic_.apply(Op::Mul, {std::move(at), spacing}, span);
  if (is_constant(origin, 0)) return at;
  return arithmetic_.apply(Op::Add, {std::move(at), origin}, span);
}

}  // namespace stencil::sema
