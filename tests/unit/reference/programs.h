// Builds small stencil programs by hand. The interpreter is thus tested on exactly the IR that a
// test writes, independently of the front end.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "compiler/reference/interpreter.h"

namespace stencil::reference {

inline ir::Box box(std::initializer_list<std::pair<int64_t, int64_t>> bounds) {
  ir::Box result;
  for (const auto& [low, high] : bounds) result.ranges.push_back({{low, {}}, {high, {}}});
  return result;
}

// The state of a program at its default sizes, with initial values.
inline State state_of(const ir::Program& program) {
  std::string error;
  std::optional<State> state = allocate(program, {}, {}, error);
  EXPECT_TRUE(state) << error;
  initialise(program, *state);
  return std::move(*state);
}

// Appends nodes to the graph of a piece.
class Expression {
 public:
  explicit Expression(ir::Graph& graph) : graph_(graph) {}

  ir::NodeId number(Scalar type, double value) {
    ir::Constant constant;
    if (is_float(type)) {
      constant.real = value;
    } else {
      constant.integer = static_cast<int64_t>(value);
    }
    return add(constant, type);
  }
  ir::NodeId read(ir::FieldId field, std::vector<int> offsets, int level = 0,
                  Scalar type = Scalar::F32, int component = 0) {
    return add(ir::Access{field, component, level, ir::shifts(offsets), 0}, type);
  }
  ir::NodeId index(int dimension) { return add(ir::Index{dimension}, Scalar::I32); }
  ir::NodeId time() { return add(ir::Time{}, Scalar::I32); }
  ir::NodeId param(ir::ParamId id, Scalar type) { return add(ir::ParamRef{id}, type); }
  ir::NodeId reduction(ir::ReductionId id, Scalar type) { return add(ir::ReductionRef{id}, type); }
  // The type is that of the last operand, Bool for comparisons.
  ir::NodeId op(Op op, std::vector<ir::NodeId> operands) {
    const Scalar type = is_comparison(op) ? Scalar::Bool : graph_[operands.back()].type;
    return add(ir::Operation{op, std::move(operands)}, type);
  }
  ir::NodeId convert(ir::NodeId value, Scalar type) {
    return add(ir::Operation{Op::Convert, {value}}, type);
  }

 private:
  template <class Kind>
  ir::NodeId add(Kind kind, Scalar type) {
    return graph_.add({std::move(kind), type, {}, ""});
  }
  ir::Graph& graph_;
};

// A piece over `region` whose results `build(expression)` returns.
template <class Build>
ir::Piece piece(ir::Box region, Build build) {
  ir::Piece result;
  result.region = std::move(region);
  Expression expression(result.graph);
  result.results = {build(expression)};
  return result;
}

inline ir::Field field(std::string name, ir::Box box, Scalar type = Scalar::F32) {
  ir::Field result;
  result.name = std::move(name);
  result.components = {{"", type}};
  result.boundary = ir::uniform_boundary(box.rank(), {});
  result.box = std::move(box);
  return result;
}

inline ir::Function function(std::string name, ir::FieldId target, std::vector<ir::Piece> pieces) {
  return {std::move(name), {target}, std::move(pieces), {}};
}

// Allocates and initialises the state; fails the test if the program is refused.
inline State started(const ir::Program& program, std::vector<int64_t> integer_params = {},
                     std::vector<double> real_params = {}) {
  std::string error;
  std::optional<State> state =
      allocate(program, std::move(integer_params), std::move(real_params), error);
  EXPECT_TRUE(state.has_value()) << error;
  if (!state) return {};
  initialise(program, *state);
  return std::move(*state);
}

inline std::string refused(const ir::Program& program, std::vector<int64_t> integer_params = {}) {
  std::string error;
  EXPECT_FALSE(allocate(program, std::move(integer_params), {}, error).has_value());
  return error;
}

inline std::vector<double> values(const State& state, ir::FieldId field, int level = 0,
                                  int component = 0) {
  std::vector<double> result;
  const FieldData& data = state.fields[field];
  for (int64_t i = 0; i < data.points; ++i) result.push_back(data.real(level, component, i));
  return result;
}

inline void set(State& state, ir::FieldId field, const std::vector<double>& values) {
  for (int level = 0; level < static_cast<int>(state.fields[field].levels.size()); ++level) {
    for (size_t i = 0; i < values.size(); ++i) {
      state.fields[field].set_real(level, 0, static_cast<int64_t>(i), values[i]);
    }
  }
}

}  // namespace stencil::reference
