// Cycles, the step and the start of stencil/builder.h, and the statements of their blocks.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/builder/call.h"
#include "compiler/syntax/messages.h"

namespace stencil::dsl {

namespace {

using detail::Call;
using detail::item_of;
using detail::StatementNode;
using Kind = StatementNode::Kind;

Statement apply(const std::string& name, uint64_t builder, Place place) {
  return Access::statement(
      std::make_shared<const StatementNode>(StatementNode{Kind::apply, place, name, builder}));
}

// A statement with blocks. If it contains a statement with a problem, that one takes its place.
Statement compound(StatementNode node) {
  for (const Block* block : {&node.body, &node.otherwise}) {
    for (const Statement& statement : *block) {
      const StatementNode& inner = Access::node(statement);
      if (inner.problem) return statement;
      node.depth = std::max(node.depth, inner.depth + 1);
      node.size = std::min(node.size + inner.size, detail::kMostNodes + 1);
    }
  }
  if (node.depth >= ast::kMaxNesting) {
    node.problem = std::make_shared<const Diagnostic>(blocks_too_deep({}).diagnostic);
  } else if (node.size > detail::kMostNodes) {
    node.problem = detail::problem(
        "P025", fmt::format("the block has more than {} statements", detail::kMostNodes),
        "each use of a statement repeats it; make it a cycle and apply the cycle");
  }
  if (node.problem) {
    node = {node.kind, node.place, {}, 0, {}, {}, {}, 0, 1, std::move(node.problem)};
  }
  return Access::statement(std::make_shared<const StatementNode>(std::move(node)));
}

}  // namespace

ast::Block detail::Call::block(const Block& statements) {
  ast::Block out{{}, span_};
  for (const dsl::Statement& statement : statements) {
    const StatementNode& node = Access::node(statement);
    Call inner(state_, node.place);
    inner.check(node.problem);
    if (node.problem) continue;
    ast::Statement& made = out.statements.emplace_back();
    made.span = inner.span();
    switch (node.kind) {
      case Kind::apply:
        made.kind = ast::ApplyStatement{inner.name(node.name, node.builder)};
        break;
      case Kind::repeat:
        made.kind = ast::RepeatStatement{inner.expr(node.value), inner.block(node.body)};
        break;
      case Kind::branch:
        made.kind = ast::IfStatement{inner.expr(node.value), inner.block(node.body),
                                     inner.block(node.otherwise)};
        break;
      case Kind::coarser:
        made.kind = ast::CoarserStatement{inner.block(node.body)};
        break;
    }
  }
  return out;
}

const std::string& Access::name(const Stencil& stencil) {
  return item_of<ast::Stencil>(*stencil.state_, stencil.item_).name.name;
}

Statement::Statement(const Stencil& function, Place place)
    : Statement(apply(Access::name(function), Access::builder(function), place)) {}
Statement::Statement(const Cycle& cycle, Place place)
    : Statement(apply(Access::name(cycle), Access::builder(cycle), place)) {}
Statement::Statement(const Reduction& reduction, Place place)
    : Statement(apply(Access::name(reduction), Access::builder(reduction), place)) {}
Statement::Statement(const Field& profile, Place place)
    : Statement(apply(Access::name(profile), Access::builder(profile), place)) {}

Statement repeat(const Expr& count, const Block& body, Place place) {
  return compound({Kind::repeat, place, {}, 0, count, body});
}

Statement if_(const Expr& condition, const Block& body, const Block& otherwise, Place place) {
  return compound({Kind::branch, place, {}, 0, condition, body, otherwise});
}

Statement coarser(const Block& body, Place place) {
  return compound({Kind::coarser, place, {}, 0, {}, body});
}

void Cycle::body(const Block& statements, Place place) const {
  Call line(*state_, place);
  ast::Block block = line.block(statements);
  auto& cycle = item_of<ast::Cycle>(*state_, item_);
  if (cycle.body.span.valid()) {
    line.check(detail::problem("P023", fmt::format("cycle '{}' already has a body", name_)));
  }
  cycle.body = std::move(block);
}

Cycle Builder::cycle(const std::string& name, Place place) {
  Call item(*state_, place);
  return Cycle(state_, item.add(ast::Cycle{item.name(name), {}}), name);
}

Cycle Builder::cycle(const std::string& name, const Block& body, Place place) {
  const Cycle made = cycle(name, place);
  made.body(body, place);
  return made;
}

void Builder::step(const Block& body, Place place) {
  Call item(*state_, place);
  item.add(ast::StepBlock{item.block(body)});
}

void Builder::start(const Block& body, Place place) {
  Call item(*state_, place);
  item.add(ast::StartBlock{item.block(body)});
}

}  // namespace stencil::dsl
