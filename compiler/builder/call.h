// One call of stencil/builder.h that adds to the program: an item, a line of a body or a statement
// of a block.
//
// A Call collects the parts of the syntax. If several parts are misused, only the first one is
// reported, at the place of the call. A misused part leaves an incomplete tree behind. A program
// with misuse is never built, so this tree is never used.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/builder/parts.h"

namespace stencil::dsl::detail {

class Call {
 public:
  Call(State& state, Place place) : state_(state), place_(place), span_(state.mark(place)) {}

  Span span() const { return span_; }

  ast::Identifier name(const std::string& name);
  // A name that the builder with this id has declared.
  ast::Identifier name(const std::string& name, uint64_t builder);
  ast::Identifier name(const Domain& domain);
  std::vector<ast::Identifier> names(const std::vector<Index>& indices);

  ast::ExprPtr expr(const Expr& expr);
  ast::ExprPtr expr(const std::optional<Expr>& optional);
  ast::TypeExpr type(const Type& type);

  ast::Box box(const Box& ranges);
  // The box of a grid or series, whose ranges must have no strides.
  ast::Box plain_box(const Box& ranges, const char* of);
  std::optional<ast::PerDimension> per_dimension(const PerDimension& values);
  // by RATIOS cells
  ast::Coarsening coarsening(const PerDimension& ratios, bool cells);
  ast::Region region(const Region& region);
  ast::ExprPtr where(const Region& region) { return expr(Access::where(region)); }
  std::optional<ast::Boundary> boundary(const Boundary& boundary);
  std::vector<ast::Function::Argument> arguments(const std::vector<Argument>& arguments);
  ast::Block block(const Block& statements);

  void check(const Problem& problem);

  // Adds the item and returns its index.
  template <typename Kind>
  size_t add(Kind kind) {
    state_.program.items.push_back({std::move(kind), span_});
    return state_.program.items.size() - 1;
  }

 private:
  void check_builder(uint64_t builder);
  bool sound(const Extent& extent);
  ast::BoundaryRule rule(const Rule& rule);

  State& state_;
  Place place_;
  Span span_;
  bool reported_ = false;
};

template <typename Item>
Item& item_of(State& state, size_t item) {
  return std::get<Item>(state.program.items[item].kind);
}

}  // namespace stencil::dsl::detail
