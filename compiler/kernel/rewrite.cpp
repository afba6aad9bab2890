#include "compiler/kernel/rewrite.h"

#include "compiler/support/work.h"

namespace stencil::kernel {

std::vector<Expr> Rewriter::all(const std::vector<Expr>& exprs) {
  std::vector<Expr> out;
  out.reserve(exprs.size());
  for (const Expr& e : exprs) out.push_back(expr(e));
  return out;
}

Expr Rewriter::expr(const Expr& original) {
  const auto done = done_.find(original.get());
  if (done != done_.end()) return done->second;
  support::count_work();
  Expr result = replace_(original);
  if (!result) result = with_operands(original);
  return done_[original.get()] = result;
}

Expr Rewriter::with_operands(const Expr& original) {
  if (const auto* operation = std::get_if<Operation>(&original->kind)) {
    std::vector<Expr> operands = all(operation->operands);
    if (operands == operation->operands) return original;
    if (operation->op == Op::Convert) return convert(operands[0], original->type);
    return kernel::operation(operation->op, std::move(operands));
  }
  if (const auto* source = std::get_if<Load>(&original->kind)) {
    std::vector<Expr> index = all(source->index);
    const BufferId buffer = this->buffer(source->buffer);
    if (index != source->index || buffer != source->buffer) {
      return load(buffer, std::move(index), original->type);
    }
  }
  return original;
}

Body Rewriter::body(const Body& body) {
  Body out;
  out.reserve(body.size());
  for (const Statement& s : body) out.push_back(statement(s));
  return out;
}

Statement Rewriter::statement(const Statement& original) {
  struct Copier {
    Rewriter& to;
    Statement operator()(const Comment& comment) const { return {comment}; }
    Statement operator()(const Let& let) const {
      return {Let{let.name, to.expr(let.value), let.cases}};
    }
    Statement operator()(const Store& store) const {
      std::vector<Expr> index = to.all(store.index);
      return {Store{to.buffer(store.buffer), std::move(index), to.expr(store.value)}};
    }
    Statement operator()(const Copy& copy) const {
      Copy out = copy;
      out.to = to.buffer(copy.to);
      out.from = to.buffer(copy.from);
      out.to_index = to.all(copy.to_index);
      out.from_index = to.all(copy.from_index);
      return {std::move(out)};
    }
    Statement operator()(const CommitCopies& commit) const { return {commit}; }
    Statement operator()(const AwaitCopies& await) const { return {await}; }
    Statement operator()(const For& loop) const {
      Expr begin = to.expr(loop.begin), end = to.expr(loop.end);
      return {For{loop.kind, loop.name, std::move(begin), std::move(end), loop.step,
                  to.body(loop.body), loop.step_name}};
    }
    Statement operator()(const If& branch) const {
      Expr condition = to.expr(branch.condition);
      Body then = to.body(branch.then);
      return {If{std::move(condition), std::move(then), to.body(branch.otherwise)}};
    }
    Statement operator()(const Threads& threads) const {
      Threads out{{}, threads.few, to.all(threads.conditions), threads.loops};
      for (ThreadLoop& loop : out.loops) {
        loop.begin = to.expr(loop.begin);
        loop.end = to.expr(loop.end);
        if (loop.condition) loop.condition = to.expr(loop.condition);
      }
      out.body = to.body(threads.body);
      return {std::move(out)};
    }
    Statement operator()(const Barrier& barrier) const { return {barrier}; }
    Statement operator()(const Shuffle& shuffle) const {
      Shuffle out = shuffle;
      for (Shuffle::Move& move : out.moves) {
        move.to = to.buffer(move.to);
        move.from = to.buffer(move.from);
        move.to_index = to.all(move.to_index);
        move.from_index = to.all(move.from_index);
      }
      return {std::move(out)};
    }
    Statement operator()(const BulkCopies& bulk) const {
      BulkCopies out = bulk;
      out.batch = to.expr(bulk.batch);
      for (BulkCopy& copy : out.copies) {
        copy.to = to.buffer(copy.to);
        copy.origin = to.all(copy.origin);
        copy.to_index = to.all(copy.to_index);
      }
      return {std::move(out)};
    }
    Statement operator()(const AwaitBulk& await) const { return {AwaitBulk{to.expr(await.batch)}}; }
    Statement operator()(const Scope& scope) const { return {Scope{to.body(scope.body)}}; }
  };
  return std::visit(Copier{*this}, original.kind);
}

}  // namespace stencil::kernel
