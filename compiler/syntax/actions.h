// Which rule of the grammar calls which member of the builder. A rule not listed here builds
// nothing.
#pragma once

#include "compiler/syntax/builder.h"
#include "compiler/syntax/grammar.h"

namespace stencil {

// The action that hands the builder the span of what the rule matched.
template <void (Builder::*member)(Span)>
struct CallsWithSpan {
  template <typename Input>
  static void apply(const Input& in, Builder& builder) {
    const char* text = builder.text().data();
    const Span span = {static_cast<uint32_t>(in.begin() - text),
                       static_cast<uint32_t>(in.end() - text)};
    (builder.*member)(span);
  }
};

// The action that only says that the rule has matched.
template <void (Builder::*member)()>
struct Calls {
  static void apply0(Builder& builder) { (builder.*member)(); }
};

template <typename Rule>
struct Action : tao::pegtl::nothing<Rule> {};

// clang-format off

// Names and expressions.
template <> struct Action<grammar::name_text> : CallsWithSpan<&Builder::name> {};
template <> struct Action<grammar::expression_begin> : Calls<&Builder::expression_begin> {};
template <> struct Action<grammar::expression_end> : Calls<&Builder::expression_end> {};
template <> struct Action<grammar::prefix_text> : CallsWithSpan<&Builder::prefix_operator> {};
template <> struct Action<grammar::binary_text> : CallsWithSpan<&Builder::binary_operator> {};
template <> struct Action<grammar::number_text> : CallsWithSpan<&Builder::number> {};
template <> struct Action<grammar::boolean_text> : CallsWithSpan<&Builder::boolean> {};
template <> struct Action<grammar::plain_name> : Calls<&Builder::plain_name> {};
template <> struct Action<grammar::level_text> : CallsWithSpan<&Builder::level> {};
template <> struct Action<grammar::paren_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::paren_close> : CallsWithSpan<&Builder::parenthesized> {};
template <> struct Action<grammar::call_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::call_close> : CallsWithSpan<&Builder::call> {};
template <> struct Action<grammar::comprehension_close> : CallsWithSpan<&Builder::comprehension> {};
template <> struct Action<grammar::bracket_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::bracket_close> : CallsWithSpan<&Builder::bracket> {};
template <> struct Action<grammar::member> : Calls<&Builder::member> {};
template <> struct Action<grammar::aggregate_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::entry> : Calls<&Builder::aggregate_entry> {};
template <> struct Action<grammar::aggregate_close> : CallsWithSpan<&Builder::aggregate> {};

// Boxes, regions, types.
template <> struct Action<grammar::range_begin> : Calls<&Builder::range_begin> {};
template <> struct Action<grammar::range_end> : Calls<&Builder::range_end> {};
template <> struct Action<grammar::box_open> : CallsWithSpan<&Builder::box_begin> {};
template <> struct Action<grammar::box_close> : CallsWithSpan<&Builder::box_end> {};
template <> struct Action<grammar::box> : Calls<&Builder::region_box> {};
template <> struct Action<grammar::region_name> : Calls<&Builder::region_name> {};
template <> struct Action<grammar::type_name> : Calls<&Builder::named_type> {};
template <> struct Action<grammar::vector_word> : CallsWithSpan<&Builder::vector_begin> {};
template <> struct Action<grammar::vector_type> : Calls<&Builder::vector_type> {};
template <> struct Action<grammar::struct_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::struct_close> : CallsWithSpan<&Builder::struct_type> {};

// Parts of items.
template <> struct Action<grammar::history> : CallsWithSpan<&Builder::history> {};
template <> struct Action<grammar::constant> : CallsWithSpan<&Builder::constant> {};
template <> struct Action<grammar::boundary_keyword> : CallsWithSpan<&Builder::boundary_begin> {};
template <> struct Action<grammar::boundary_constant> : CallsWithSpan<&Builder::boundary_constant> {};
template <> struct Action<grammar::boundary_text> : CallsWithSpan<&Builder::boundary_word> {};
template <> struct Action<grammar::boundary_sides> : Calls<&Builder::boundary_sides> {};
template <> struct Action<grammar::boundary_for_all> : Calls<&Builder::boundary_sides> {};
template <> struct Action<grammar::boundary_open> : CallsWithSpan<&Builder::boundary_open> {};
template <> struct Action<grammar::boundary_close> : CallsWithSpan<&Builder::boundary_close> {};
template <> struct Action<grammar::argument_field> : Calls<&Builder::argument_field> {};
template <> struct Action<grammar::argument> : Calls<&Builder::argument> {};
template <> struct Action<grammar::let> : Calls<&Builder::let> {};
template <> struct Action<grammar::piece> : Calls<&Builder::piece> {};
template <> struct Action<grammar::single_piece> : Calls<&Builder::piece> {};
template <> struct Action<grammar::body_open> : CallsWithSpan<&Builder::open> {};
template <> struct Action<grammar::body_close> : CallsWithSpan<&Builder::body_end> {};
template <> struct Action<grammar::item_end> : CallsWithSpan<&Builder::item_end> {};

// Items.
template <> struct Action<grammar::param> : Calls<&Builder::param> {};
template <> struct Action<grammar::grid> : Calls<&Builder::grid> {};
template <> struct Action<grammar::subgrid> : Calls<&Builder::subgrid> {};
template <> struct Action<grammar::type_decl> : Calls<&Builder::type_decl> {};
template <> struct Action<grammar::field> : Calls<&Builder::field> {};
template <> struct Action<grammar::table> : Calls<&Builder::table> {};
template <> struct Action<grammar::function> : Calls<&Builder::function> {};
template <> struct Action<grammar::stencil> : Calls<&Builder::stencil> {};
template <> struct Action<grammar::init> : Calls<&Builder::init> {};
template <> struct Action<grammar::reduce> : Calls<&Builder::reduce> {};
template <> struct Action<grammar::stop> : Calls<&Builder::stop> {};
template <> struct Action<grammar::require> : Calls<&Builder::require> {};

// clang-format on

}  // namespace stencil
