// Which grammar rule calls which member of the builder. Rules that are not listed here build
// nothing.
#pragma once

#include "compiler/syntax/builder.h"
#include "compiler/syntax/grammar.h"

namespace stencil {

// Passes the builder the span of the matched text.
template <void (TreeBuilder::*member)(Span)>
struct CallsWithSpan {
  template <typename Input>
  static void apply(const Input& in, TreeBuilder& builder) {
    const char* text = builder.text().data();
    const Span span = {static_cast<uint32_t>(in.begin() - text),
                       static_cast<uint32_t>(in.end() - text)};
    (builder.*member)(span);
  }
};

// Only tells the builder that the rule has matched.
template <void (TreeBuilder::*member)()>
struct Calls {
  static void apply0(TreeBuilder& builder) { (builder.*member)(); }
};

template <typename Rule>
struct Action : tao::pegtl::nothing<Rule> {};

// clang-format off

// Names and expressions.
template <> struct Action<grammar::name_text> : CallsWithSpan<&TreeBuilder::name> {};
template <> struct Action<grammar::expression_begin> : Calls<&TreeBuilder::expression_begin> {};
template <> struct Action<grammar::expression_end> : Calls<&TreeBuilder::expression_end> {};
template <> struct Action<grammar::prefix_text> : CallsWithSpan<&TreeBuilder::prefix_operator> {};
template <> struct Action<grammar::binary_text> : CallsWithSpan<&TreeBuilder::binary_operator> {};
template <> struct Action<grammar::number_text> : CallsWithSpan<&TreeBuilder::number> {};
template <> struct Action<grammar::boolean_text> : CallsWithSpan<&TreeBuilder::boolean> {};
template <> struct Action<grammar::plain_name> : Calls<&TreeBuilder::plain_name> {};
template <> struct Action<grammar::level_text> : CallsWithSpan<&TreeBuilder::level> {};
template <> struct Action<grammar::direction_text> : CallsWithSpan<&TreeBuilder::direction> {};
template <> struct Action<grammar::same_step> : Calls<&TreeBuilder::same_step> {};
template <> struct Action<grammar::other_level> : Calls<&TreeBuilder::other_level> {};
template <> struct Action<grammar::paren_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::paren_close> : CallsWithSpan<&TreeBuilder::parenthesized> {};
template <> struct Action<grammar::call_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::call_close> : CallsWithSpan<&TreeBuilder::call> {};
template <> struct Action<grammar::comprehension_close> : CallsWithSpan<&TreeBuilder::comprehension> {};
template <> struct Action<grammar::within> : Calls<&TreeBuilder::within> {};
template <> struct Action<grammar::bracket_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::bracket_close> : CallsWithSpan<&TreeBuilder::bracket> {};
template <> struct Action<grammar::member> : Calls<&TreeBuilder::member> {};
template <> struct Action<grammar::aggregate_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::entry> : Calls<&TreeBuilder::aggregate_entry> {};
template <> struct Action<grammar::aggregate_close> : CallsWithSpan<&TreeBuilder::aggregate> {};

// Boxes, regions, types.
template <> struct Action<grammar::range_begin> : Calls<&TreeBuilder::range_begin> {};
template <> struct Action<grammar::range_stride> : Calls<&TreeBuilder::range_stride> {};
template <> struct Action<grammar::range_end> : Calls<&TreeBuilder::range_end> {};
template <> struct Action<grammar::box_open> : CallsWithSpan<&TreeBuilder::box_begin> {};
template <> struct Action<grammar::box_close> : CallsWithSpan<&TreeBuilder::box_end> {};
template <> struct Action<grammar::box> : Calls<&TreeBuilder::region_box> {};
template <> struct Action<grammar::region_name> : Calls<&TreeBuilder::region_name> {};
template <> struct Action<grammar::names_open> : Calls<&TreeBuilder::names_begin> {};
template <> struct Action<grammar::region_indices> : Calls<&TreeBuilder::region_indices> {};
template <> struct Action<grammar::where> : Calls<&TreeBuilder::where> {};
template <> struct Action<grammar::else_word> : CallsWithSpan<&TreeBuilder::else_word> {};
template <> struct Action<grammar::type_name> : Calls<&TreeBuilder::named_type> {};
template <> struct Action<grammar::vector_word> : CallsWithSpan<&TreeBuilder::vector_begin> {};
template <> struct Action<grammar::vector_type> : Calls<&TreeBuilder::vector_type> {};
template <> struct Action<grammar::struct_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::struct_close> : CallsWithSpan<&TreeBuilder::struct_type> {};

// Parts of items.
template <> struct Action<grammar::steps> : CallsWithSpan<&TreeBuilder::steps> {};
template <> struct Action<grammar::origin_word> : CallsWithSpan<&TreeBuilder::origin_begin> {};
template <> struct Action<grammar::spacing_word> : CallsWithSpan<&TreeBuilder::spacing_begin> {};
template <> struct Action<grammar::value_list_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::value_list_close> : CallsWithSpan<&TreeBuilder::value_list> {};
template <> struct Action<grammar::value_for_all> : Calls<&TreeBuilder::value_for_all> {};
template <> struct Action<grammar::ratio_word> : CallsWithSpan<&TreeBuilder::ratio_begin> {};
template <> struct Action<grammar::cells_word> : CallsWithSpan<&TreeBuilder::cells> {};
template <> struct Action<grammar::levels> : CallsWithSpan<&TreeBuilder::levels> {};
template <> struct Action<grammar::derived_grid> : Calls<&TreeBuilder::derived_grid> {};
template <> struct Action<grammar::history> : CallsWithSpan<&TreeBuilder::history> {};
template <> struct Action<grammar::constant> : CallsWithSpan<&TreeBuilder::constant> {};
template <> struct Action<grammar::along_word> : CallsWithSpan<&TreeBuilder::along_begin> {};
template <> struct Action<grammar::series_domain> : Calls<&TreeBuilder::series_domain> {};
template <> struct Action<grammar::over_word> : CallsWithSpan<&TreeBuilder::over_begin> {};
template <> struct Action<grammar::boundary_keyword> : CallsWithSpan<&TreeBuilder::boundary_begin> {};
template <> struct Action<grammar::boundary_with_value> : CallsWithSpan<&TreeBuilder::boundary_with_value> {};
template <> struct Action<grammar::boundary_without_value> : CallsWithSpan<&TreeBuilder::boundary_without_value> {};
template <> struct Action<grammar::boundary_sides> : Calls<&TreeBuilder::boundary_sides> {};
template <> struct Action<grammar::boundary_for_all> : Calls<&TreeBuilder::boundary_sides> {};
template <> struct Action<grammar::boundary_open> : CallsWithSpan<&TreeBuilder::boundary_open> {};
template <> struct Action<grammar::boundary_close> : CallsWithSpan<&TreeBuilder::boundary_close> {};
template <> struct Action<grammar::argument_field> : Calls<&TreeBuilder::argument_field> {};
template <> struct Action<grammar::argument> : Calls<&TreeBuilder::argument> {};
template <> struct Action<grammar::let> : Calls<&TreeBuilder::let> {};
template <> struct Action<grammar::else_piece> : Calls<&TreeBuilder::else_piece> {};
template <> struct Action<grammar::region_piece> : Calls<&TreeBuilder::piece> {};
template <> struct Action<grammar::stencil_every> : Calls<&TreeBuilder::stencil_every> {};
template <> struct Action<grammar::single_piece> : Calls<&TreeBuilder::piece> {};
template <> struct Action<grammar::body_open> : CallsWithSpan<&TreeBuilder::open> {};
template <> struct Action<grammar::body_close> : CallsWithSpan<&TreeBuilder::body_end> {};
template <> struct Action<grammar::item_end> : CallsWithSpan<&TreeBuilder::item_end> {};

// Items.
template <> struct Action<grammar::param> : Calls<&TreeBuilder::param> {};
template <> struct Action<grammar::grid> : Calls<&TreeBuilder::grid> {};
template <> struct Action<grammar::subgrid> : Calls<&TreeBuilder::subgrid> {};
template <> struct Action<grammar::type_decl> : Calls<&TreeBuilder::type_decl> {};
template <> struct Action<grammar::field> : Calls<&TreeBuilder::field> {};
template <> struct Action<grammar::series> : Calls<&TreeBuilder::series> {};
template <> struct Action<grammar::point_weights> : Calls<&TreeBuilder::point_weights> {};
template <> struct Action<grammar::points> : Calls<&TreeBuilder::points> {};
template <> struct Action<grammar::table> : Calls<&TreeBuilder::table> {};
template <> struct Action<grammar::function> : Calls<&TreeBuilder::function> {};
template <> struct Action<grammar::target_end> : Calls<&TreeBuilder::target_end> {};
template <> struct Action<grammar::stencil> : Calls<&TreeBuilder::stencil> {};
template <> struct Action<grammar::block_open> : CallsWithSpan<&TreeBuilder::block_begin> {};
template <> struct Action<grammar::block_close> : CallsWithSpan<&TreeBuilder::block_end> {};
template <> struct Action<grammar::repeat_begin> : CallsWithSpan<&TreeBuilder::statement_begin> {};
template <> struct Action<grammar::repeat_statement> : Calls<&TreeBuilder::repeat_statement> {};
template <> struct Action<grammar::coarser_begin> : CallsWithSpan<&TreeBuilder::statement_begin> {};
template <> struct Action<grammar::coarser_statement> : Calls<&TreeBuilder::coarser_statement> {};
template <> struct Action<grammar::if_begin> : CallsWithSpan<&TreeBuilder::statement_begin> {};
template <> struct Action<grammar::then_block> : Calls<&TreeBuilder::then_block> {};
template <> struct Action<grammar::else_if> : Calls<&TreeBuilder::else_if> {};
template <> struct Action<grammar::else_block> : Calls<&TreeBuilder::else_block> {};
template <> struct Action<grammar::if_statement> : Calls<&TreeBuilder::statement_end> {};
template <> struct Action<grammar::apply> : Calls<&TreeBuilder::apply_statement> {};
template <> struct Action<grammar::cycle> : Calls<&TreeBuilder::cycle> {};
template <> struct Action<grammar::step> : Calls<&TreeBuilder::step> {};
template <> struct Action<grammar::start> : Calls<&TreeBuilder::start> {};
template <> struct Action<grammar::repeat_open> : CallsWithSpan<&TreeBuilder::item_end> {};
template <> struct Action<grammar::repeat> : Calls<&TreeBuilder::repeat> {};
template <> struct Action<grammar::repeat_close> : CallsWithSpan<&TreeBuilder::repeat_end> {};
template <> struct Action<grammar::init> : Calls<&TreeBuilder::init> {};
template <> struct Action<grammar::every> : Calls<&TreeBuilder::every> {};
template <> struct Action<grammar::initial> : Calls<&TreeBuilder::initial> {};
template <> struct Action<grammar::reduce> : Calls<&TreeBuilder::reduce> {};
template <> struct Action<grammar::record> : Calls<&TreeBuilder::record> {};
template <> struct Action<grammar::stop> : Calls<&TreeBuilder::stop> {};
template <> struct Action<grammar::require> : Calls<&TreeBuilder::require> {};

// clang-format on

}  // namespace stencil
