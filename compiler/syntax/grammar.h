// The grammar of the stencil language: only rules. actions.h says what a rule builds, messages.h
// what is reported when it does not match.
//
// Three properties hold by construction:
// - No backtracking over expressions. A rule commits on its first token. Where one token is not
//   enough (a binder `i in`, a labelled entry `rho =`), a lookahead of two tokens decides. Parsing
//   is therefore linear, and actions never have to be undone.
// - Expressions are flat here, operands separated by operators; the builder applies precedence. A
//   level of brackets costs a few stack frames instead of a dozen rules' worth.
// - Every token consumes the blanks and comments after it (`token`), so the input is always at
//   the start of a token when `must` fails.
#pragma once

#include <tao/pegtl.hpp>

#include "compiler/syntax/boundary_words.h"

namespace stencil::grammar {

using namespace tao::pegtl;  // NOLINT: the rule combinators are the vocabulary of this file

// clang-format off

// Blanks and comments.
struct unterminated_comment : failure {};
struct line_end : sor<one<'\r', '\n'>, eof> {};
struct line_comment : seq<two<'/'>, until<line_end>> {};
struct comment_open : string<'/', '*'> {};
struct block_comment : sor<seq<comment_open, until<string<'*', '/'>>>,
                           seq<at<comment_open>, raise<unterminated_comment>>> {};
struct blank : plus<one<' ', '\t', '\r', '\n', '\f', '\v'>> {};
struct skip : star<sor<blank, line_comment, block_comment>> {};
struct prologue : opt<utf8::bom> {};

template <typename Text> struct token : seq<Text, skip> {};

// Words. A keyword that does not match consumes nothing, not even a common prefix.
template <typename Text> struct word : seq<Text, not_at<identifier_other>> {};
template <typename Text> struct keyword : token<seq<at<word<Text>>, Text>> {};

using and_ = TAO_PEGTL_STRING("and");
using boundary_ = TAO_PEGTL_STRING("boundary");
using constant_ = TAO_PEGTL_STRING("constant");
using else_ = TAO_PEGTL_STRING("else");
using every_ = TAO_PEGTL_STRING("every");
using false_ = TAO_PEGTL_STRING("false");
using field_ = TAO_PEGTL_STRING("field");
using function_ = TAO_PEGTL_STRING("function");
using grid_ = TAO_PEGTL_STRING("grid");
using history_ = TAO_PEGTL_STRING("history");
using in_ = TAO_PEGTL_STRING("in");
using init_ = TAO_PEGTL_STRING("init");
using initial_ = TAO_PEGTL_STRING("initial");
using let_ = TAO_PEGTL_STRING("let");
using not_ = TAO_PEGTL_STRING("not");
using of_ = TAO_PEGTL_STRING("of");
using on_ = TAO_PEGTL_STRING("on");
using or_ = TAO_PEGTL_STRING("or");
using param_ = TAO_PEGTL_STRING("param");
using reduce_ = TAO_PEGTL_STRING("reduce");
using require_ = TAO_PEGTL_STRING("require");
using series_ = TAO_PEGTL_STRING("series");
using stencil_ = TAO_PEGTL_STRING("stencil");
using steps_ = TAO_PEGTL_STRING("steps");
using stop_ = TAO_PEGTL_STRING("stop");
using subgrid_ = TAO_PEGTL_STRING("subgrid");
using table_ = TAO_PEGTL_STRING("table");
using true_ = TAO_PEGTL_STRING("true");
using type_ = TAO_PEGTL_STRING("type");
using when_ = TAO_PEGTL_STRING("when");
using where_ = TAO_PEGTL_STRING("where");

template <typename... Texts> struct any_word : sor<word<Texts>...> {};
struct item_word : any_word<param_, grid_, subgrid_, type_, field_, series_, table_, function_,
                            stencil_, init_, reduce_, stop_, require_> {};
struct reserved : sor<item_word,
                      any_word<and_, boundary_, constant_, every_, false_, history_, in_, let_,
                               not_, of_, on_, or_, steps_, true_, when_>> {};

// Names. The rules below `name` differ only in the message if they are missing.
struct name_text : seq<not_at<reserved>, identifier> {};
struct name : token<name_text> {};
struct item_name : name {};
struct parent_name : name {};
struct domain_name : name {};
struct target_name : name {};
struct index_name : name {};
struct argument_name : name {};
struct let_name : name {};
struct member_name : name {};
struct reducer_name : name {};

// Punctuation. Brackets that build something have their own rules.
struct comma : token<one<','>> {};
struct colon : token<one<':'>> {};
struct assign : token<seq<not_at<two<'='>>, one<'='>>> {};
struct dots : token<two<'.'>> {};

// Numbers. The point of `0..N` belongs to the range, not to the number.
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct fraction : seq<one<'.'>, not_at<one<'.'>>, star<digit>> {};
struct based : sor<seq<one<'0'>, one<'x', 'X'>, plus<xdigit>>,
                   seq<one<'0'>, one<'b', 'B'>, plus<range<'0', '1'>>>> {};
struct number_text : sor<based, seq<plus<digit>, opt<fraction>, opt<exponent>>,
                         seq<one<'.'>, plus<digit>, opt<exponent>>> {};
struct number : token<number_text> {};

// Expressions.
struct expression;
struct expression_begin : success {};
struct expression_end : success {};

struct boolean_text : any_word<true_, false_> {};
struct boolean : token<boolean_text> {};

struct paren_open : one<'('> {};
struct paren_close : one<')'> {};
struct parenthesized : if_must<token<paren_open>, expression, token<paren_close>> {};

struct label_ahead : seq<identifier, skip, assign> {};
struct label : seq<at<label_ahead>, must<member_name>, assign> {};
struct entry : seq<opt<label>, expression> {};
struct aggregate_open : one<'{'> {};
struct aggregate_close : one<'}'> {};
struct aggregate : seq<token<aggregate_open>, list_must<entry, comma>,
                       must<token<aggregate_close>>> {};

struct binder_ahead : seq<identifier, skip, word<in_>> {};
struct binder : if_must<at<binder_ahead>, index_name, keyword<in_>, expression, dots,
                        expression> {};
struct binder_colon : colon {};
struct comprehension_close : one<')'> {};
struct comprehension : seq<at<binder_ahead>, list_must<binder, comma>,
                           must<binder_colon, expression, token<comprehension_close>>> {};

struct call_open : one<'('> {};
struct call_close : one<')'> {};
struct arguments : sor<token<call_close>,
                       seq<list_must<expression, comma>, must<token<call_close>>>> {};
struct call : seq<token<call_open>, sor<comprehension, arguments>> {};

struct level_sign : token<one<'-'>> {};
struct level_text : plus<digit> {};
struct level : if_must<token<one<'@'>>, level_sign, token<level_text>> {};

struct plain_name : success {};
struct named : seq<name, sor<call, level, plain_name>> {};

// fine u[0], coarse u[0]. A word that continues or ends the expression `fine` is not a field:
// `0..fine by 2`.
template <typename Word> struct no_field : seq<Word, skip, not_at<one<'[', '@', ',', ')'>>> {};
struct behind_operand : sor<any_word<TAO_PEGTL_STRING("along"), TAO_PEGTL_STRING("origin"),
                                     TAO_PEGTL_STRING("spacing")>,
                            no_field<any_word<TAO_PEGTL_STRING("at"), TAO_PEGTL_STRING("by"),
                                              TAO_PEGTL_STRING("cells"), initial_,
                                              TAO_PEGTL_STRING("levels"),
                                              TAO_PEGTL_STRING("within")>>> {};
struct direction_text : any_word<TAO_PEGTL_STRING("fine"), TAO_PEGTL_STRING("coarse")> {};
struct direction_ahead : seq<direction_text, skip, not_at<behind_operand>, name_text> {};
struct same_step : success {};
struct no_call : not_at<one<'('>> {};
struct other_level : seq<at<direction_ahead>, token<direction_text>, name, sor<level, same_step>,
                         must<no_call>> {};

struct primary : sor<number, other_level, named, parenthesized, boolean, aggregate> {};

struct within_word : word<TAO_PEGTL_STRING("within")> {};
struct within : if_must<token<within_word>, expression> {};
struct index : seq<expression, opt<within>> {};
struct bracket_open : one<'['> {};
struct bracket_close : one<']'> {};
struct bracket : seq<token<bracket_open>, list_must<index, comma>,
                     must<token<bracket_close>>> {};
struct member_dot : token<seq<not_at<two<'.'>>, one<'.'>>> {};
struct member : if_must<member_dot, member_name> {};

struct prefix_text : sor<one<'-', '~'>, seq<one<'!'>, not_at<one<'='>>>, word<not_>> {};
struct binary_text : sor<one<'+', '-', '*', '/', '%', '|', '^', '&'>,
                         two<'<'>, two<'>'>, two<'='>,
                         string<'<', '='>, string<'>', '='>, string<'!', '='>,
                         one<'<', '>'>, word<and_>, word<or_>> {};

struct operand : seq<star<token<prefix_text>>, must<primary>, star<sor<bracket, member>>> {};
struct expression : seq<expression_begin, operand, star<token<binary_text>, operand>,
                        expression_end> {};

// Boxes and regions. Only the boxes of stencils and reductions may name their indices.
struct range_begin : success {};
struct range_end : success {};
struct range_index : seq<at<binder_ahead>, must<index_name>, keyword<in_>> {};
struct plain_range : seq<range_begin, expression, opt<if_must<dots, expression>>, range_end> {};
struct by_word : word<TAO_PEGTL_STRING("by")> {};
struct range_stride : if_must<token<by_word>, expression> {};
struct range : seq<range_begin, opt<range_index>, expression,
                   opt<if_must<dots, expression, opt<range_stride>>>, range_end> {};
struct strided_range : seq<range_begin, expression, opt<if_must<dots, expression,
                           opt<range_stride>>>, range_end> {};
struct box_open : one<'['> {};
struct box_close : one<']'> {};
struct plain_box : seq<token<box_open>, list_must<plain_range, comma>, must<token<box_close>>> {};
struct strided_box : seq<token<box_open>, list_must<strided_range, comma>,
                         must<token<box_close>>> {};
struct box : seq<token<box_open>, list_must<range, comma>, must<token<box_close>>> {};
struct region_name : success {};
struct names_open : token<one<'['>> {};
struct names_close : token<one<']'>> {};
struct region_indices : seq<names_open, must<index_name>, star<if_must<comma, index_name>>,
                            must<names_close>> {};
struct region : sor<box, seq<name, region_name, opt<region_indices>>> {};
struct where : if_must<keyword<where_>, expression> {};

// Types.
struct type;
struct struct_open : one<'{'> {};
struct struct_close : one<'}'> {};
struct struct_member : seq<must<member_name>, must<colon, type>> {};
struct struct_type : if_must<token<struct_open>, list_must<struct_member, comma>,
                             token<struct_close>> {};
struct vector_word : word<TAO_PEGTL_STRING("vector")> {};
struct vector_type : if_must<token<vector_word>, expression, keyword<of_>, type> {};
struct type_name : success {};
struct named_type : seq<name, type_name> {};
struct type : sor<struct_type, vector_type, named_type> {};

// Items. After its keyword, an item is committed.
struct item_end : one<';'> {};
struct end : token<item_end> {};
struct optional_end : opt<end> {};

struct param : if_must<keyword<param_>, item_name, colon, type,
                       opt<if_must<assign, expression>>, end> {};
struct steps : if_must<keyword<steps_>, expression> {};
struct value_list_open : one<'['> {};
struct value_list_close : one<']'> {};
struct value_list : seq<token<value_list_open>, list_must<expression, comma>,
                        must<token<value_list_close>>> {};
struct value_for_all : seq<expression> {};
struct per_dimension : sor<value_list, value_for_all> {};
struct origin_word : word<TAO_PEGTL_STRING("origin")> {};
struct origin : seq<token<origin_word>, per_dimension> {};
struct spacing_word : word<TAO_PEGTL_STRING("spacing")> {};
struct spacing : seq<token<spacing_word>, per_dimension> {};
struct ratio_word : by_word {};
struct grid_ratio_word : token<ratio_word> {};
struct level_ratio_word : token<ratio_word> {};
struct cells_word : word<TAO_PEGTL_STRING("cells")> {};
template <typename Word> struct coarsening : seq<must<Word>, per_dimension, opt<token<cells_word>>> {};
struct levels_word : word<TAO_PEGTL_STRING("levels")> {};
struct levels : seq<token<levels_word>, must<expression>, coarsening<level_ratio_word>> {};
struct grid_parent : name {};
struct grid_with_box : if_must<assign, plain_box> {};
struct derived_grid : seq<keyword<of_>, must<grid_parent>, coarsening<grid_ratio_word>> {};
struct grid_form : sor<grid_with_box, derived_grid> {};
struct grid_end : end {};
struct grid : seq<keyword<grid_>, must<item_name, grid_form>,
                  star<sor<steps, origin, spacing, levels>>, must<grid_end>> {};
struct subgrid : if_must<keyword<subgrid_>, item_name, keyword<of_>, parent_name, assign, strided_box,
                         end> {};
struct type_decl : if_must<keyword<type_>, item_name, assign, type, end> {};

struct history : if_must<keyword<history_>, expression> {};
struct constant : keyword<constant_> {};
// The keyword of a boundary rule that takes a value, or of one that takes none.
template <bool takes_value> struct boundary_word {
  using rule_t = any::rule_t;  // for the analysis: the rule consumes input
  using subs_t = empty_list;
  template <typename Input> static bool match(Input& in) {
    const auto found = boundary_at({in.current(), in.size()});
    if (!found || row_of(found->kind).takes_value() != takes_value) return false;
    in.bump(found->length);
    return true;
  }
};
struct boundary_with_value : if_must<token<boundary_word<true>>, expression> {};
struct boundary_without_value : boundary_word<false> {};
struct boundary_kind : sor<boundary_with_value, token<boundary_without_value>> {};
struct boundary_high : boundary_kind {};
struct boundary_sides : seq<must<boundary_kind>, opt<if_must<dots, boundary_high>>> {};
struct boundary_open : one<'['> {};
struct boundary_close : one<']'> {};
struct boundary_list : seq<token<boundary_open>, list<boundary_sides, comma>,
                           must<token<boundary_close>>> {};
struct boundary_for_all : boundary_kind {};
struct boundary_rules : sor<boundary_list, boundary_for_all> {};
struct boundary_keyword : seq<at<word<boundary_>>, boundary_> {};
struct boundary : if_must<token<boundary_keyword>, boundary_rules> {};
struct along_word : word<TAO_PEGTL_STRING("along")> {};
struct along : seq<token<along_word>, per_dimension> {};
struct field : seq<keyword<field_>, must<item_name>, star<if_must<comma, item_name>>,
                   must<colon, type, keyword<on_>, domain_name>,
                   star<sor<along, history, constant, boundary>>, must<end>> {};
struct series_domain : if_must<keyword<on_>, domain_name> {};
struct times : plain_box {};
struct series_end : end {};
struct series : seq<keyword<series_>, must<item_name>, star<if_must<comma, item_name>>,
                    must<colon, type, times>, opt<series_domain>, star<sor<along, boundary>>,
                    must<series_end>> {};

struct points_word : word<TAO_PEGTL_STRING("points")> {};
struct numbers : plain_box {};
struct point_weights_word : word<TAO_PEGTL_STRING("weights")> {};
struct point_weights : if_must<token<point_weights_word>, expression> {};
struct points : if_must<seq<token<points_word>, at<name>>, item_name,
                        star<if_must<comma, item_name>>, numbers, keyword<on_>, domain_name,
                        opt<point_weights>, end> {};

struct extents_open : one<'['> {};
struct extents_close : one<']'> {};
struct extents : seq<token<extents_open>, list_must<expression, comma>,
                     must<token<extents_close>>> {};
struct table : if_must<keyword<table_>, item_name, colon, type, extents, assign, expression,
                       end> {};

struct body_open : one<'{'> {};
struct body_close : one<'}'> {};
struct let_end : token<one<';'>> {};
struct let : if_must<keyword<let_>, let_name, assign, expression, let_end> {};

struct argument_field : keyword<field_> {};
struct argument_type : sor<argument_field, type> {};
struct argument : seq<must<argument_name>, opt<if_must<colon, argument_type>>> {};
struct argument_open : token<one<'('>> {};
struct argument_close : token<one<')'>> {};
struct argument_list : sor<argument_close,
                           seq<list_must<argument, comma>, must<argument_close>>> {};
struct function_value : assign {};
struct function_body : seq<token<body_open>, star<let>,
                           must<function_value, expression, let_end, token<body_close>>,
                           optional_end> {};
struct function_form : sor<if_must<assign, expression, end>, function_body> {};
struct function : if_must<keyword<function_>, item_name, argument_open, argument_list,
                          function_form> {};

struct piece_end : token<one<';'>> {};
struct else_word : keyword<else_> {};
struct else_piece : if_must<seq<else_word, opt<region_indices>, assign>, expression, piece_end> {};
struct region_piece : if_must<region, opt<where>, assign, expression, piece_end> {};
struct piece : sor<else_piece, region_piece> {};
// One statement of a body, for the recovery after an error in the statements before it.
struct stencil_statement : sor<let, must<piece>> {};
struct function_statement : sor<let, must<function_value, expression, let_end>> {};
struct single_piece : success {};
struct stencil_body : seq<token<body_open>, star<let>, must<piece>, star<piece>,
                          must<token<body_close>>, optional_end> {};
struct single_value : seq<opt<where>, must<assign, expression>, single_piece, must<end>> {};
struct on_region : if_must<keyword<on_>, region> {};
struct stencil_on : seq<on_region, single_value> {};
struct stencil_every : if_must<keyword<every_>, expression> {};
struct form_behind_every : sor<stencil_on, stencil_body> {};
struct stencil_form : sor<seq<stencil_every, must<form_behind_every>>, stencil_on,
                          seq<box, single_value>, stencil_body> {};
struct target_end : success {};
struct target : seq<must<target_name>, star<if_must<member_dot, member_name>>, target_end> {};
struct stencil : seq<keyword<stencil_>, must<item_name, colon>, target,
                     star<if_must<comma, target>>, must<stencil_form>> {};

// Blocks of statements. A statement's word followed by ';' is the name of a stencil function.
template <typename Word> struct statement_word : seq<Word, not_at<seq<skip, one<';'>>>> {};
struct cycle_word : word<TAO_PEGTL_STRING("cycle")> {};
struct step_word : word<TAO_PEGTL_STRING("step")> {};
struct start_word : word<TAO_PEGTL_STRING("start")> {};
struct block_item_ahead : sor<seq<cycle_word, skip, name_text, skip, one<'{'>>,
                              seq<sor<step_word, start_word>, skip, one<'{'>>> {};
struct statement;
struct block_open : one<'{'> {};
struct block_close : one<'}'> {};
struct block_end : token<block_close> {};
struct block : seq<token<block_open>, star<statement>, must<block_end>> {};
struct repeat_word : word<TAO_PEGTL_STRING("repeat")> {};
struct repeat_begin : statement_word<repeat_word> {};
struct repeat_block : block {};
// Not a list of values in braces, so that a missing expression is reported as such.
struct repeat_count : seq<not_at<one<'{'>>, expression> {};
struct condition : seq<not_at<one<'{'>>, expression> {};
struct repeat_statement : if_must<token<repeat_begin>, repeat_count, repeat_block> {};
struct coarser_begin : statement_word<word<TAO_PEGTL_STRING("coarser")>> {};
struct coarser_block : block {};
struct coarser_statement : if_must<token<coarser_begin>, coarser_block> {};
struct if_statement;
struct if_begin : statement_word<word<TAO_PEGTL_STRING("if")>> {};
struct then_block : block {};
struct else_block : block {};
struct else_if : seq<if_statement> {};
struct else_form : sor<else_if, else_block> {};
struct else_branch : if_must<token<statement_word<word<else_>>>, else_form> {};
struct if_statement : seq<token<if_begin>, must<condition, then_block>, opt<else_branch>> {};
struct apply_end : token<one<';'>> {};
struct apply : seq<not_at<block_item_ahead>, name, must<apply_end>> {};
struct statement : sor<repeat_statement, if_statement, coarser_statement, apply> {};
// One statement, for the recovery after an error in the statements before it.
struct statement_due : statement {};
struct one_statement : must<statement_due> {};
struct cycle_block : block {};
struct cycle : if_must<token<cycle_word>, item_name, cycle_block, optional_end> {};
struct step_block : block {};
struct step : if_must<token<step_word>, step_block, optional_end> {};
struct start_block : block {};
struct start : if_must<token<start_word>, start_block, optional_end> {};

struct repeat_open : one<'{'> {};
struct repeat : if_must<token<repeat_word>, expression, token<repeat_open>> {};
struct repeat_close : one<'}'> {};

struct init : if_must<keyword<init_>, target_name, opt<region_indices>, assign, expression, end> {};
struct reduce_open : token<one<'('>> {};
struct reduce_close : token<one<')'>> {};
struct every : if_must<keyword<every_>, expression> {};
struct initial : if_must<keyword<initial_>, expression> {};
struct over_word : word<TAO_PEGTL_STRING("over")> {};
struct over : seq<token<over_word>, per_dimension> {};
struct reduce : if_must<keyword<reduce_>, item_name, assign, reducer_name, reduce_open, expression,
                        reduce_close, opt<over>, on_region, opt<where>,
                        opt<every>, opt<initial>, opt<boundary>, end> {};
struct record_word : word<TAO_PEGTL_STRING("record")> {};
struct rows : plain_box {};
struct record_at_word : word<TAO_PEGTL_STRING("at")> {};
struct record_at : token<record_at_word> {};
struct points_name : name {};
struct record : if_must<seq<token<record_word>, at<name>>, item_name, rows, assign, expression,
                        record_at, points_name, opt<every>, end> {};
struct stop : if_must<keyword<stop_>, keyword<when_>, expression, end> {};
struct require : if_must<keyword<require_>, expression, end> {};

struct item : sor<param, grid, subgrid, type_decl, field, series, points, table, function, stencil,
                  cycle, step, start, repeat, token<repeat_close>, init, reduce, record, stop, require> {};
struct one_item : must<item> {};

// The whole language as one rule, for the analysis that finds loops without progress. parse.cpp
// applies `one_item` repeatedly, so that it can continue after an error.
struct program : seq<prologue, skip, until<eof, one_item>> {};

// clang-format on

}  // namespace stencil::grammar
