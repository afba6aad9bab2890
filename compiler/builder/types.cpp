// Types of stencil/builder.h.
#include "compiler/builder/parts.h"

namespace stencil::dsl {

Type::Type(ScalarType scalar) {
  auto node = std::make_shared<detail::TypeNode>();
  node->make = [name = std::string(scalar.name)] {
    return ast::TypeExpr{ast::NamedType{name}, {}};
  };
  node_ = std::move(node);
}

Type structure(const std::vector<Member>& members) {
  auto node = std::make_shared<detail::TypeNode>();
  for (const Member& member : members) {
    node->include(Access::node(member.type));
    if (!node->problem) node->problem = detail::check_name(member.name);
  }
  node->limit();
  if (node->problem) return Access::type(std::move(node));
  node->make = [members] {
    ast::StructType type;
    for (const Member& member : members) {
      type.members.push_back({ast::Identifier{member.name, {}},
                              std::make_unique<ast::TypeExpr>(Access::node(member.type).make())});
    }
    return ast::TypeExpr{std::move(type), {}};
  };
  return Access::type(std::move(node));
}

Type vector(const Expr& length, const Type& element) {
  auto node = std::make_shared<detail::TypeNode>();
  node->include(Access::node(length));
  node->include(Access::node(element));
  node->limit();
  if (node->problem) return Access::type(std::move(node));
  node->make = [length, element] {
    auto of = std::make_unique<ast::TypeExpr>(Access::node(element).make());
    return ast::TypeExpr{ast::VectorType{detail::tree(Access::node(length)), std::move(of)}, {}};
  };
  return Access::type(std::move(node));
}

}  // namespace stencil::dsl
