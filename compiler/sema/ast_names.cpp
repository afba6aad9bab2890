// A walk over expressions that collects names. Lets are evaluated in order, each once, and only those
// that a value needs: a let with an access that is out of bounds for one piece of a stencil does no
// harm there if that piece does not use it. Finding the needed ones first keeps evaluation free of
// recursion from let to let, whose depth the parser does not bound.
#include "compiler/sema/ast_names.h"

#include <algorithm>

namespace stencil::sema {
namespace {

struct NameCollector {
  std::unordered_set<std::string>& names;

  void operator()(const ast::Number&) const {}
  void operator()(const ast::Boolean&) const {}
  void operator()(const ast::Name& name) const { names.insert(name.name); }
  void operator()(const ast::Level& level) const { names.insert(level.field); }
  void operator()(const ast::Unary& unary) const { collect_names(*unary.operand, names); }
  void operator()(const ast::Binary& binary) const {
    collect_names(*binary.left, names);
    collect_names(*binary.right, names);
  }
  void operator()(const ast::Call& call) const {
    names.insert(call.callee.name);
    for (const ast::ExprPtr& argument : call.arguments) collect_names(*argument, names);
  }
  void operator()(const ast::Comprehension& comprehension) const {
    for (const ast::Binder& binder : comprehension.binders) {
      collect_names(*binder.low, names);
      collect_names(*binder.high, names);
    }
    collect_names(*comprehension.body, names);
  }
  void operator()(const ast::Bracket& bracket) const {
    collect_names(*bracket.base, names);
    for (const ast::ExprPtr& index : bracket.indices) collect_names(*index, names);
  }
  void operator()(const ast::Member& member) const { collect_names(*member.base, names); }
  void operator()(const ast::Aggregate& aggregate) const {
    for (const auto& entry : aggregate.entries) collect_names(*entry.value, names);
  }
};

}  // namespace

void collect_names(const ast::Expr& expr, std::unordered_set<std::string>& names) {
  std::visit(NameCollector{names}, expr.kind);
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
