#include "runtime/devices/scalar_bytes.h"

namespace stencil::runtime {

namespace {

ScalarBytes param_bytes(const kernel::Parameter& parameter, const reference::State& state) {
  const size_t id = static_cast<size_t>(parameter.param);
  switch (arithmetic_type(parameter.type)) {
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::I32:
      return bytes_of(static_cast<int32_t>(state.integer_params[id]));
    case Scalar::I64:
      return bytes_of(state.integer_params[id]);
    case Scalar::F64:
      return bytes_of(state.real_params[id]);
    case Scalar::F32:
    case Scalar::F16:
    case Scalar::BF16:
      return bytes_of(static_cast<float>(state.real_params[id]));
  }
  return {};
}

}  // namespace

ScalarBytes bytes_of(Scalar type, const reference::ReductionValue& value) {
  if (type == Scalar::F32) return bytes_of(static_cast<float>(value.real));
  if (type == Scalar::F64) return bytes_of(value.real);
  if (type == Scalar::I32) return bytes_of(static_cast<int32_t>(value.integer));
  return bytes_of(value.integer);
}

void set_value(Scalar type, const ScalarBytes& bytes, reference::ReductionValue& value) {
  if (type == Scalar::F32) value.real = from_bytes<float>(bytes);
  if (type == Scalar::F64) value.real = from_bytes<double>(bytes);
  if (type == Scalar::I32) value.integer = from_bytes<int32_t>(bytes);
  if (type == Scalar::I64) value.integer = from_bytes<int64_t>(bytes);
}

ScalarBytes scalar_argument(const kernel::ScalarValue& value, const kernel::Plan& plan,
                            const reference::State& state, const TilePosition& at) {
  struct Visitor {
    const kernel::Plan& plan;
    const reference::State& state;
    const TilePosition& at;
    ScalarBytes operator()(const kernel::ParameterArgument& argument) const {
      return param_bytes(plan.parameters[argument.parameter], state);
    }
    ScalarBytes operator()(const kernel::FirstStep&) const {
      return bytes_of(static_cast<int32_t>(at.step));
    }
    ScalarBytes operator()(const kernel::StepCount&) const {
      return bytes_of(static_cast<int32_t>(at.count));
    }
    ScalarBytes operator()(const kernel::FirstBlock&) const { return bytes_of(at.first_block); }
  };
  return std::visit(Visitor{plan, state, at}, value);
}

}  // namespace stencil::runtime
