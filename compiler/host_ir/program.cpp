#include "compiler/host_ir/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/kernel/walk.h"

namespace stencil::host_ir {

std::string evaluations_of(size_t reduction) {
  return fmt::format("evaluations.{}", reduction);
}
std::string tiles_since(size_t exchange) {
  return fmt::format("tiles.{}", exchange);
}

const Variable* Program::find(const std::string& name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& variable) { return variable.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

bool For::continues() const {
  const auto* variable = std::get_if<kernel::Variable>(&begin->kind);
  return variable && variable->name == name;
}
bool For::is_over_steps() const {
  return name == kStep && !continues();
}

std::vector<Body*> bodies_of(Statement& statement) {
  if (auto* chosen = std::get_if<If>(&statement.kind)) return {&chosen->then, &chosen->otherwise};
  if (auto* block = std::get_if<Block>(&statement.kind)) return {&block->body};
  if (auto* loop = std::get_if<For>(&statement.kind)) return {&loop->body};
  if (auto* tile = std::get_if<Tile>(&statement.kind)) return {&tile->body};
  if (auto* replay = std::get_if<Replay>(&statement.kind)) return {&replay->body};
  return {};
}
std::vector<const Body*> bodies_of(const Statement& statement) {
  const auto bodies = bodies_of(const_cast<Statement&>(statement));
  return {bodies.begin(), bodies.end()};
}

std::vector<Expr> expressions_of(const Statement& statement) {
  std::vector<Expr> found;
  if (const auto* define = std::get_if<Define>(&statement.kind)) found = {define->value};
  if (const auto* assign = std::get_if<Assign>(&statement.kind)) found = {assign->value};
  if (const auto* chosen = std::get_if<If>(&statement.kind)) found = {chosen->condition};
  if (const auto* loop = std::get_if<For>(&statement.kind)) {
    found = {loop->begin, loop->end, loop->step};
  }
  const auto* launch = std::get_if<Launch>(&statement.kind);
  if (const auto* bind = std::get_if<Bind>(&statement.kind)) launch = &bind->launch;
  if (launch) found = {launch->step, launch->count};
  found.erase(std::remove(found.begin(), found.end(), nullptr), found.end());
  return found;
}

std::vector<std::string> arguments_of(const Launch& launch, const ArgumentSpelling& spelling) {
  std::vector<std::string> arguments;
  for (const kernel::ArrayArgument& argument : launch.launch->arrays) {
    arguments.push_back(spelling.memory(argument));
  }
  for (const kernel::ScalarValue& value : launch.launch->scalars) {
    if (const auto* parameter = std::get_if<kernel::ParameterArgument>(&value)) {
      arguments.push_back(spelling.parameter(parameter->parameter));
    } else if (std::holds_alternative<kernel::FirstBlock>(value)) {
      arguments.push_back(spelling.first_block);
    } else if (std::holds_alternative<kernel::StepCount>(value)) {
      arguments.push_back(spelling.count(launch.count));
    } else {
      arguments.push_back(spelling.step(launch.step));
    }
  }
  return arguments;
}

std::set<std::string> inputs_of(const Body& body) {
  std::set<std::string> used, defined;
  for_each_statement(body, [&](const Statement& statement) {
    for (const Expr& expr : expressions_of(statement)) used.merge(kernel::variables_in(expr));
    if (const auto* assign = std::get_if<Assign>(&statement.kind)) used.insert(assign->name);
    if (const auto* define = std::get_if<Define>(&statement.kind)) defined.insert(define->name);
    const auto* loop = std::get_if<For>(&statement.kind);
    if (loop && !loop->continues()) defined.insert(loop->name);
  });
  for (const std::string& name : defined) used.erase(name);
  return used;
}

std::set<int> arrays_of(const Body& body) {
  std::set<int> arrays;
  for_each_statement(body, [&](const Statement& statement) {
    if (const auto* rotate = std::get_if<Rotate>(&statement.kind)) arrays.insert(rotate->array);
    if (const auto* swap = std::get_if<Swap>(&statement.kind)) arrays.insert(swap->array);
    const auto* launch = std::get_if<Launch>(&statement.kind);
    if (!launch) return;
    for (const auto* arguments : {&launch->launch->arrays, &launch->launch->bulk_sources}) {
      for (const kernel::ArrayArgument& argument : *arguments) {
        if (argument.slot != kernel::kScratch) arrays.insert(argument.array);
      }
    }
  });
  return arrays;
}

bool reads(const Program& program, const std::string& name) {
  bool found = false;
  for_each_statement(program, [&](const Statement& statement) {
    for (const Expr& expr : expressions_of(statement)) {
      found = found || kernel::variables_in(expr).count(name) > 0;
    }
  });
  return found;
}

}  // namespace stencil::host_ir
