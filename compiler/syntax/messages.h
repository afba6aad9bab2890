// Syntax error messages: for every rule that the grammar requires (`must`), what was expected
// there, in the user's terms; and one function per P-code.
//
//   P001 unexpected token        P005 expression too deep     P009 malformed number
//   P002 number out of range     P006 chained comparison      P010 file too large
//   P003 unterminated comment    P007 keyword as a name       P011 attribute given twice
//   P004 nesting too deep        P008 bad character
#pragma once

#include <string>
#include <string_view>

#include "compiler/syntax/boundary_words.h"
#include "compiler/syntax/builder.h"
#include "compiler/syntax/grammar.h"

namespace stencil {

// What is reported if a required rule does not match, and a hint; "{}" stands for the item's
// keyword. The default is never shown: it is for rules that cannot fail by themselves, only through
// a rule listed here.
struct Expectation {
  std::string_view expected = "a valid program";
  std::string_view hint = {};
};

template <typename Rule>
inline constexpr Expectation kExpectation = {};
template <typename Text>
inline constexpr Expectation kExpectation<grammar::token<Text>> = kExpectation<Text>;

inline constexpr std::string_view kThreeStencilForms =
    "a stencil is written 'stencil n : F on REGION = e;', 'stencil n : F[box] = e;' or "
    "'stencil n : F { region = e; }'";

// clang-format off
#define STENCIL_EXPECT(rule, ...) \
  template <> inline constexpr Expectation kExpectation<grammar::rule> = {__VA_ARGS__}

STENCIL_EXPECT(item, "an item: param, grid, subgrid, type, field, series, points, table, "
                     "function, stencil, cycle, step, start, repeat, init, reduce, record, stop or "
                     "require");
STENCIL_EXPECT(end, "';' after the {}");
STENCIL_EXPECT(let_end, "';' after the value");
STENCIL_EXPECT(piece_end, "';' after the piece");

STENCIL_EXPECT(item_name, "the name of the {}");
STENCIL_EXPECT(parent_name, "the name of the grid or sub-grid it is part of");
STENCIL_EXPECT(domain_name, "the name of the field's grid");
STENCIL_EXPECT(target_name, "the name of a field");
STENCIL_EXPECT(index_name, "the name of an index");
STENCIL_EXPECT(argument_name, "the name of an argument");
STENCIL_EXPECT(let_name, "the name of the local value");
STENCIL_EXPECT(member_name, "the name of a member");
STENCIL_EXPECT(reducer_name, "a reducer: sum, prod, min or max");

STENCIL_EXPECT(primary, "an expression");
STENCIL_EXPECT(paren_close, "')' or an operator");
STENCIL_EXPECT(aggregate_close, "',' or '}' in the list of values");
STENCIL_EXPECT(binder, "an index and its range, as in 'a in -1..1'");
STENCIL_EXPECT(binder_colon, "',' or ':' after the range", "write 'sum(a in -1..1 : expression)'");
STENCIL_EXPECT(comprehension_close, "')' after the expression");
STENCIL_EXPECT(call_close, "',' or ')' in the list of arguments");
STENCIL_EXPECT(bracket_close, "',' or ']' in the list of indices");
STENCIL_EXPECT(level_sign, "'-' and a number of steps, as in U@-1");
STENCIL_EXPECT(level_text, "a number of steps, as in U@-1");
STENCIL_EXPECT(no_call, "the offsets of the field in brackets, as in 'fine u[0]'");

STENCIL_EXPECT(dots, "'..' and the end of the range");
STENCIL_EXPECT(plain_box, "a box: '[' and a range per dimension, as in [0..N-1]");
STENCIL_EXPECT(strided_box, "a box: '[' and a range per dimension, as in [0..N-1]");
STENCIL_EXPECT(times, "'[' and the range of the series' steps, as in [0..999]");
STENCIL_EXPECT(numbers, "'[' and the range of the points' numbers, as in [0..999]");
STENCIL_EXPECT(rows, "'[' and the range of the record's rows, as in [0..999]",
               "write 'record r [0..999] = expression at POINTS;'");
STENCIL_EXPECT(record_at, "'at' and the name of a set of points",
               "write 'record r [0..999] = expression at POINTS;'");
STENCIL_EXPECT(points_name, "the name of a set of points");
STENCIL_EXPECT(series_end, "'on', 'along', 'boundary' or ';' after the series");
STENCIL_EXPECT(grid_form, "'=' or 'of'",
               "a grid is written 'grid G = [0..N-1];' or 'grid C of G by 2;'");
STENCIL_EXPECT(grid_parent, "the name of the grid that it is derived from");
STENCIL_EXPECT(grid_ratio_word, "'by' and the ratio of the grids", "write 'grid C of G by 2;'");
STENCIL_EXPECT(level_ratio_word, "'by' and the ratio of the levels", "write 'levels 3 by 2'");
STENCIL_EXPECT(grid_end, "'steps', 'origin', 'spacing', 'levels' or ';' after the grid");
STENCIL_EXPECT(value_list_close, "',' or ']' in the list of values");
STENCIL_EXPECT(box_close, "',', '..' or ']' in the box");
STENCIL_EXPECT(region, "a region: the name of a grid or sub-grid, or a box [lo..hi, ...]");

STENCIL_EXPECT(type, "a type");
STENCIL_EXPECT(struct_close, "',' or '}' in the list of members");

STENCIL_EXPECT(colon, "':'");
STENCIL_EXPECT(assign, "'='");
STENCIL_EXPECT(keyword<grammar::of_>, "'of'");
STENCIL_EXPECT(keyword<grammar::on_>, "'on' and the name of a grid");
STENCIL_EXPECT(keyword<grammar::in_>, "'in'");
STENCIL_EXPECT(keyword<grammar::when_>, "'when'", "write 'stop when condition;'");
STENCIL_EXPECT(on_region, "'on' and a region", "write 'reduce r = max(expression) on G;'");

STENCIL_EXPECT(boundary_rules, expected_boundary<true>());
STENCIL_EXPECT(boundary_kind, expected_boundary<false>());
STENCIL_EXPECT(boundary_high, "the boundary at the high side, as in clamp .. mirror");
STENCIL_EXPECT(boundary_close, "',', '..' or ']' in the list of boundaries");
STENCIL_EXPECT(extents, "'[' and the extents of the table");
STENCIL_EXPECT(extents_close, "',' or ']' in the list of extents");
STENCIL_EXPECT(argument_open, "'(' and the arguments of the function");
STENCIL_EXPECT(argument_close, "',' or ')' in the list of arguments");
STENCIL_EXPECT(argument_type, "a type, or 'field'");
STENCIL_EXPECT(function_form, "'=' or '{'",
               "a function is written 'function f(u : field) = e;' or "
               "'function f(u : field) { let x = e; = e; }'");
STENCIL_EXPECT(function_value, "'let', or '=' and the value of the function",
               "a function's body ends with its value: '= expression;'");
STENCIL_EXPECT(body_close, "'}' after the body");
STENCIL_EXPECT(stencil_form, "'on', '[' or '{'", kThreeStencilForms);
STENCIL_EXPECT(form_behind_every, "'on' or '{' after the interval",
               "write 'stencil n : F every 4 on [box] = e;'");
STENCIL_EXPECT(statement_due, "a statement or '}' after the block");
STENCIL_EXPECT(block_end, "a statement or '}' after the block");
STENCIL_EXPECT(apply_end, "';' after the name");
STENCIL_EXPECT(cycle_block, "'{' and the statements of the cycle",
               "write 'cycle v { smooth; correct; }'");
STENCIL_EXPECT(step_block, "'{' and the statements of the step", "write 'step { smooth; }'");
STENCIL_EXPECT(start_block, "'{' and the statements before the first step",
               "write 'start { smooth; }'");
STENCIL_EXPECT(coarser_block, "'{' and the statements of the coarser level",
               "write 'coarser { smooth; }'");
STENCIL_EXPECT(repeat_count, "the number of iterations", "write 'repeat 2 { smooth; }'");
STENCIL_EXPECT(condition, "a condition", "write 'if level == 0 { smooth; }'");
STENCIL_EXPECT(repeat_block, "'{' and the statements that are repeated",
               "write 'repeat 2 { smooth; }'");
STENCIL_EXPECT(then_block, "'{' and the statements of the condition",
               "write 'if level == 0 { smooth; }'");
STENCIL_EXPECT(else_form, "'{' or 'if' after 'else'");
STENCIL_EXPECT(repeat_open, "'{' and the stencil functions that are repeated",
               "write 'repeat 20 { stencil ... }'");
STENCIL_EXPECT(piece, "a piece: region = expression;");
STENCIL_EXPECT(names_close, "',' or ']' in the list of index names");
STENCIL_EXPECT(reduce_open, "'(' and the expression to reduce");
STENCIL_EXPECT(reduce_close, "')' after the expression");

#undef STENCIL_EXPECT
// clang-format on

// The error at a token that the grammar does not allow at `offset`: P007 if a name is expected and
// the token is a keyword, P008 for a character that no program may contain, else P001.
SyntaxError unexpected_token(const TreeBuilder& builder, size_t offset, Expectation expectation,
                             bool name_is_due);

SyntaxError number_out_of_range(std::string_view text, Span number, std::string expected);  // P002
SyntaxError unterminated_comment(Span opening);                                             // P003
SyntaxError nesting_too_deep(Span bracket);                                                 // P004
SyntaxError blocks_too_deep(Span place);                                                    // P004
SyntaxError expression_too_deep(Span place);                                                // P005
SyntaxError chained_comparison(Span comparison);                                            // P006
// P009: `number` is a number up to `digits_end`, followed by more characters without a blank.
SyntaxError malformed_number(std::string_view text, Span number, uint32_t digits_end);
// Whether the next item begins at the token at `offset`, or the text ends.
bool item_may_end_at(std::string_view text, size_t offset);

// The keyword of an item that `word` is or misspells; "" if there is none.
std::string meant_item(const std::string& word);

SyntaxError file_too_large(size_t bytes, size_t limit);  // P010
SyntaxError attribute_given_twice(Span attribute, std::string_view name,
                                  std::string_view item);  // P011

// PEGTL calls this when a `must` fails; it throws one of the errors above.
template <typename Rule>
struct Control : tao::pegtl::normal<Rule> {
  template <typename Input>
  [[noreturn]] static void raise(const Input& in, TreeBuilder& builder) {
    const auto offset = static_cast<size_t>(in.current() - builder.text().data());
    if constexpr (std::is_same_v<Rule, grammar::unterminated_comment>) {
      throw unterminated_comment(
          {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset + 2)});
    } else {
      SyntaxError error = unexpected_token(builder, offset, kExpectation<Rule>,
                                           std::is_base_of_v<grammar::name, Rule>);
      constexpr bool is_end =
          std::is_base_of_v<grammar::end, Rule> || std::is_same_v<Rule, grammar::end>;
      error.only_end_is_missing = is_end && item_may_end_at(builder.text(), offset);
      error.block_is_missing =
          std::is_base_of_v<grammar::block, Rule> || std::is_same_v<Rule, grammar::else_form>;
      throw error;
    }
  }
};

}  // namespace stencil
