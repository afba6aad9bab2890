#include "compiler/schedule/common/combine.h"

namespace stencil::schedule {

using kernel::Body;
using kernel::Expr;

KernelBuilder ReductionModule::builder(const std::string& name, const std::string& comment) const {
  return {interface, module, names.unique(module.name + "_" + name), comment};
}

int ReductionModule::add_scratch(const std::string& name, Scalar type, Expr elements) const {
  module.plan.scratch.push_back({names.unique(name), type, std::move(elements)});
  return static_cast<int>(module.plan.scratch.size()) - 1;
}

Expr last_step() {
  return kernel::sub(kernel::add(first_step(), step_count()), kernel::integer(1));
}

Expr is_nan(const Expr& value) {
  return kernel::operation(Op::Ne, {value, value});
}

namespace {

Op operation_of(ir::Reducer reducer, Scalar type) {
  switch (reducer) {
    case ir::Reducer::Sum:
      return is_integer(type) ? Op::WrapAdd : Op::Add;
    case ir::Reducer::Prod:
      return is_integer(type) ? Op::WrapMul : Op::Mul;
    case ir::Reducer::Min:
      return Op::Min;
    case ir::Reducer::Max:
      return Op::Max;
  }
  return Op::Add;
}

// `total` combined with `value`; both are names. A NaN on either side propagates, unlike in the
// language's min(a, b) and max(a, b).
Expr combined(ir::Reducer reducer, const Expr& total, const Expr& value) {
  const Op op = operation_of(reducer, total->type);
  const bool chooses = op == Op::Min || op == Op::Max;
  if (!chooses || !is_float(total->type)) return kernel::operation(op, {total, value});
  const Op keeps = op == Op::Min ? Op::Le : Op::Ge;
  const Expr stays =
      kernel::operation(Op::Or, {kernel::operation(keeps, {total, value}), is_nan(total)});
  return kernel::operation(Op::Select, {stays, total, value});
}

}  // namespace

Expr bound(const std::string& hint, const Expr& value, KernelBuilder& builder, Body& body) {
  const std::string name = builder.names().unique(hint);
  body.push_back({kernel::Let{name, value}});
  return kernel::variable(name, value->type);
}

Expr with_taken_in(ir::Reducer reducer, const Element& element, const Expr& value,
                   KernelBuilder& builder, Body& body) {
  const Expr before =
      bound("before", kernel::load(element.buffer, element.index, value->type), builder, body);
  return combined(reducer, before, bound("taken", value, builder, body));
}

Expr identity(ir::Reducer reducer, Scalar type) {
  const ir::Constant value = ir::neutral(reducer, type);
  return is_float(type) ? kernel::real(value.real, type) : kernel::integer(value.integer, type);
}

Expr value_at(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
              Body& body) {
  const ReadAccess read = [&](const ir::Access& access, AccessResolver& resolver) {
    return access.in_place ? builder.load_in_place(access, resolver)
                           : builder.load_global(access, resolver.resolve(access));
  };
  const ReadReduction read_reduction = [&](const ir::ReductionRef& other) {
    return builder.load_reduction(other);
  };
  const ir::Piece& piece = reduction.piece;
  return kernel::convert(
      evaluate(builder.interface(), piece.graph, piece.results, point, last_step(), read,
               builder.scope(), builder.names(), body, read_reduction)[0],
      ir::value_type(reduction));
}

void take_in_point(KernelBuilder& builder, const ir::Reduction& reduction, const Point& point,
                   const Element& total, Body& body) {
  const Expr value = value_at(builder, reduction, point, body);
  const Expr both = with_taken_in(reduction.reducer, total, value, builder, body);
  body.push_back({kernel::Store{total.buffer, total.index, both}});
}

void combine_lanes(ir::Reducer reducer, Scalar type, const Lanes& lanes,
                   const WithResult& with_result, KernelBuilder& builder, Body& body) {
  const std::vector<Expr> own = lanes.index(lanes.lane);
  for (int stride = lanes.count / 2; stride >= 1; stride /= 2) {
    const Expr from = kernel::add(lanes.lane, kernel::integer(stride));
    const Expr other = kernel::load(lanes.buffer, lanes.index(from), type);
    Body combine;
    const Expr both = with_taken_in(reducer, {lanes.buffer, own}, other, builder, combine);
    if (stride > 1) {
      combine.push_back({kernel::Store{lanes.buffer, own, both}});
    } else {
      with_result(bound("result", both, builder, combine), combine);
    }
    Body section;
    section.push_back(
        {kernel::If{kernel::less(lanes.lane, kernel::integer(stride)), std::move(combine), {}}});
    body.push_back({kernel::Barrier{}});
    body.push_back({kernel::Threads{std::move(section)}});
  }
}

}  // namespace stencil::schedule
