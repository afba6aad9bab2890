// Walks over expressions and collects names. Only the lets that a value needs are evaluated, each
// once and in order. An out-of-bounds access in a let is therefore harmless for a piece of a
// stencil that does not use the let. The needed lets are found in advance. Otherwise, evaluation
// would recurse from let to let, to a depth that the parser does not limit.
#include "compiler/sema/ast_names.h"

#include <algorithm>
#include <utility>

namespace stencil::sema {
namespace {

class FreeNames {
 public:
  using ExprVisitor = std::function<void(const ast::Expr&)>;

  explicit FreeNames(const NameVisitor& visit, ExprVisitor visit_expr = {})
      : visit_(visit), visit_expr_(std::move(visit_expr)) {}

  void walk(const ast::Expr& expr) {
    if (visit_expr_) visit_expr_(expr);
    std::visit([&](const auto& kind) { (*this)(kind, expr.span); }, expr.kind);
  }

 private:
  void operator()(const ast::Number&, Span) {}
  void operator()(const ast::Boolean&, Span) {}
  void operator()(const ast::Name& name, Span span) { mention(name.name, span); }
  void operator()(const ast::Level& level, Span span) { mention(level.field, span); }
  void operator()(const ast::Unary& unary, Span) { walk(*unary.operand); }
  void operator()(const ast::Binary& binary, Span) {
    walk(*binary.left);
    walk(*binary.right);
  }
  void operator()(const ast::Call& call, Span) {
    mention(call.callee.name, call.callee.span);
    for (const ast::ExprPtr& argument : call.arguments) walk(*argument);
  }
  void operator()(const ast::Comprehension& comprehension, Span) {
    const size_t outer = bound_.size();
    for (const ast::Binder& binder : comprehension.binders) {
      walk(*binder.low);
      walk(*binder.high);
      bound_.push_back(&binder.name.name);
    }
    walk(*comprehension.body);
    bound_.resize(outer);
  }
  void operator()(const ast::Bracket& bracket, Span) {
    walk(*bracket.base);
    for (const ast::ExprPtr& index : bracket.indices) walk(*index);
  }
  void operator()(const ast::Member& member, Span) { walk(*member.base); }
  void operator()(const ast::Aggregate& aggregate, Span) {
    for (const auto& entry : aggregate.entries) walk(*entry.value);
  }

  void operator()(const ast::Within& within, Span) {
    walk(*within.value);
    walk(*within.bound);
  }

  void mention(const std::string& name, Span span) {
    const bool bound = std::any_of(bound_.begin(), bound_.end(),
                                   [&](const std::string* other) { return *other == name; });
    if (!bound) visit_(name, span);
  }

  const NameVisitor& visit_;
  ExprVisitor visit_expr_;                 // may be empty
  std::vector<const std::string*> bound_;  // variables of the enclosing comprehensions
};

}  // namespace

void for_each_free_name(const ast::Expr& expr, const NameVisitor& visit) {
  FreeNames(visit).walk(expr);
}

namespace {

void for_each_expr(const ast::Expr& expr, const std::function<void(const ast::Expr&)>& visit) {
  const NameVisitor ignored = [](const std::string&, Span) {};
  FreeNames(ignored, visit).walk(expr);
}

}  // namespace

void for_each_read(const ast::Expr& expr, const std::string& name,
                   const std::function<void(const ast::Bracket*)>& visit) {
  for_each_expr(expr, [&](const ast::Expr& part) {
    const auto* level = std::get_if<ast::Level>(&part.kind);
    if (level && level->field == name) visit(nullptr);
    const auto* bracket = std::get_if<ast::Bracket>(&part.kind);
    const auto* base = bracket ? std::get_if<ast::Name>(&bracket->base->kind) : nullptr;
    if (base && base->name == name) visit(bracket);
  });
}

void for_each_call(const ast::Expr& expr, const std::function<void(const ast::Call&)>& visit) {
  for_each_expr(expr, [&](const ast::Expr& part) {
    if (const auto* call = std::get_if<ast::Call>(&part.kind)) visit(*call);
  });
}

void collect_names(const ast::Expr& expr, std::unordered_set<std::string>& names) {
  for_each_free_name(expr, [&](const std::string& name, Span) { names.insert(name); });
}

LetUses::LetUses(const std::vector<ast::Let>& lets) : lets_(lets) {
  std::unordered_set<std::string> declared;
  for (const ast::Let& let : lets) {
    std::unordered_set<std::string> mentioned;
    collect_names(*let.value, mentioned);
    std::unordered_set<std::string> uses;
    for (const std::string& name : mentioned) {
      if (declared.count(name)) uses.insert(name);
    }
    names_.push_back(std::move(uses));
    declared.insert(let.name.name);
  }
}

std::vector<const ast::Let*> LetUses::needed_by(const ast::Expr& expr) const {
  std::vector<const ast::Let*> needed;
  if (lets_.empty()) return needed;
  std::unordered_set<std::string> wanted;
  collect_names(expr, wanted);
  for (size_t i = lets_.size(); i-- > 0;) {
    if (!wanted.count(lets_[i].name.name)) continue;
    needed.push_back(&lets_[i]);
    wanted.insert(names_[i].begin(), names_[i].end());
  }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

}  // namespace stencil::sema
