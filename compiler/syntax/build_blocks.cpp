// The part of the builder that makes blocks of statements.
//
// Statements of a block wait on a stack above those of the blocks around it. A block that is closed
// takes the statements above its brace; the statement that it belongs to takes the block.
#include <iterator>
#include <utility>

#include "compiler/syntax/builder.h"
#include "compiler/syntax/messages.h"

namespace stencil {

void TreeBuilder::block_begin(Span brace) {
  if (openings_.size() >= size_t{ast::kMaxNesting}) throw blocks_too_deep(brace);
  open(brace);
}

void TreeBuilder::block_end(Span brace) {
  const Opening opening = close();
  const auto first = statements_.begin() + static_cast<std::ptrdiff_t>(opening.statements);
  ast::Block& block = blocks_.emplace_back();
  block.statements.assign(std::make_move_iterator(first),
                          std::make_move_iterator(statements_.end()));
  block.span = join(opening.span, brace);
  statements_.erase(first, statements_.end());
  end_ = brace.end;
}

ast::Block TreeBuilder::pop_block() {
  auto block = std::move(blocks_.back());
  blocks_.pop_back();
  return block;
}

// In a chain of `else if`, every `if` lies within the previous `if`, without a brace.
void TreeBuilder::statement_begin(Span word) {
  if (statement_words_.size() >= size_t{ast::kMaxNesting}) throw blocks_too_deep(word);
  statement_words_.push_back(word);
}

void TreeBuilder::statement_end() {
  statement_words_.pop_back();
}

void TreeBuilder::apply_statement() {
  auto name = pop_name();
  const Span span = name.span;
  statements_.push_back({ast::ApplyStatement{std::move(name)}, span});
}

void TreeBuilder::repeat_statement() {
  auto body = pop_block();
  const Span span = join(statement_words_.back(), body.span);
  statements_.push_back({ast::RepeatStatement{pop_expr(), std::move(body)}, span});
  statement_end();
}

void TreeBuilder::coarser_statement() {
  auto body = pop_block();
  const Span span = join(statement_words_.back(), body.span);
  statements_.push_back({ast::CoarserStatement{std::move(body)}, span});
  statement_end();
}

void TreeBuilder::then_block() {
  auto then = pop_block();
  const Span span = join(statement_words_.back(), then.span);
  statements_.push_back({ast::IfStatement{pop_expr(), std::move(then), {}}, span});
}

void TreeBuilder::else_block() {
  ast::Statement& statement = statements_.back();
  ast::Block& otherwise = std::get<ast::IfStatement>(statement.kind).otherwise;
  otherwise = pop_block();
  statement.span = join(statement.span, otherwise.span);
}

void TreeBuilder::else_if() {
  ast::Block& block = blocks_.emplace_back();
  block.span = statements_.back().span;
  block.statements.push_back(std::move(statements_.back()));
  statements_.pop_back();
  else_block();
}

void TreeBuilder::cycle() {
  finish(ast::Cycle{pop_name(), pop_block()});
}

void TreeBuilder::step() {
  finish(ast::StepBlock{pop_block()});
}

void TreeBuilder::start() {
  finish(ast::StartBlock{pop_block()});
}

}  // namespace stencil
