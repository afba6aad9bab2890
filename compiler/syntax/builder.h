// Builds the syntax tree while the grammar matches. Each action of actions.h calls one member here;
// the order of the calls is the order of the text.
//
// Grammar rules pass no values to each other, so parts that have been read but not yet used wait on
// stacks: names, operands, types. A finished construct takes everything above its opening bracket
// (an item takes everything) and pushes itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/support/diagnostic.h"
#include "compiler/syntax/ast.h"

namespace stencil {

// Thrown inside the parser, by actions and by failed `must` rules, and caught per item in
// parse.cpp; never leaves parse().
struct SyntaxError {
  Diagnostic diagnostic;
  bool only_end_is_missing = false;  // the next item begins where the ';' of this one is missing
  bool block_is_missing = false;     // instead of the '{' of a block
};

class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  std::string_view item_word() const {
    return text(item_);
  }  // "param"; empty before the first item
  uint32_t item_begin() const { return item_.begin; }

  // Discards an unfinished item and begins another one, whose first token is `word`.
  void start_item(Span word);
  ast::Program take_program() { return std::move(program_); }
  int open_repeats() const { return open_repeats_; }

  // Names and expressions.
  void name(Span at);
  void expression_begin();
  void expression_end();
  void prefix_operator(Span at);
  void binary_operator(Span at);
  void open(Span bracket);
  void number(Span at);
  void boolean(Span at);
  void plain_name();
  void level(Span at);
  void direction(Span word);
  void same_step();
  void other_level();
  void parenthesized(Span close);
  void call(Span close);
  void comprehension(Span close);
  void within();
  void bracket(Span close);
  void member();
  void aggregate_entry();
  void aggregate(Span close);

  // Boxes, regions, types.
  void range_begin();
  void range_stride();
  void range_end();
  void box_begin(Span bracket);
  void box_end(Span bracket);
  void region_box();
  void region_name();
  void names_begin();
  void region_indices();
  void where();
  void named_type();
  void vector_begin(Span word);
  void vector_type();
  void struct_type(Span close);

  // Parts of items.
  void steps(Span at);
  void origin_begin(Span at);
  void spacing_begin(Span at);
  void value_list(Span close);
  void value_for_all();
  void ratio_begin(Span word);
  void cells(Span word);
  void levels(Span at);
  void derived_grid();
  void history(Span at);
  void constant(Span at);
  void along_begin(Span at);
  void over_begin(Span at);
  void series_domain();
  void boundary_begin(Span at);
  void boundary_with_value(Span at);
  void boundary_without_value(Span at);
  void boundary_sides();
  void boundary_open(Span bracket);
  void boundary_close(Span bracket);
  void argument_field();
  void argument();
  void let();
  void stencil_every();
  void piece();
  void else_word(Span word);
  void else_piece();
  void body_end(Span brace);
  void item_end(Span semicolon);

  // Blocks of statements.
  void block_begin(Span brace);
  void block_end(Span brace);
  void statement_begin(Span word);
  void statement_end();
  void apply_statement();
  void repeat_statement();
  void coarser_statement();
  void then_block();
  void else_block();
  void else_if();

  // Items.
  void param();
  void grid();
  void subgrid();
  void type_decl();
  void field();
  void series();
  void point_weights();
  void points();
  void table();
  void function();
  void target_end();
  void stencil();
  void cycle();
  void step();
  void start();
  void repeat();
  void repeat_end(Span brace);
  void init();
  void every();
  void initial();
  void reduce();
  void record();
  void stop();
  void require();

 private:
  struct Operand {
    ast::ExprPtr expr;
    int height;                            // of the tree, in nodes
    std::optional<ast::Identifier> label;  // of an entry of an aggregate
  };
  struct Operator {
    bool prefix;
    Op op;
    int precedence;
    Span span;
  };
  struct Opening {  // an open bracket, with the heights of the stacks when it was opened
    Span span;
    size_t operands;
    size_t names;
    size_t types;
    size_t statements;
  };

  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  ast::Identifier pop_name();
  Operand pop_operand();
  ast::ExprPtr pop_expr() { return pop_operand().expr; }
  ast::ExprPtr pop_optional_expr();
  ast::TypeExpr pop_type();
  ast::Block pop_block();
  Opening close();
  std::vector<ast::ExprPtr> operands_above(size_t count, int& height);
  void push(Span span, int height, decltype(ast::Expr::kind) kind);
  void reduce_operator();
  void once(bool given, Span at, std::string_view attribute) const;
  void per_dimension_begin(std::optional<ast::PerDimension>& to, Span at);
  ast::Coarsening take_coarsening();
  template <typename Kind>
  void finish(Kind kind) {
    program_.items.push_back({std::move(kind), {item_.begin, end_}});
  }

  std::string_view text_;
  ast::Program program_;
  int open_repeats_ = 0;

  // State of the current item.
  Span item_;         // its keyword
  uint32_t end_ = 0;  // end of its last token

  std::vector<ast::Identifier> names_;
  std::vector<Operand> operands_;
  std::vector<Operator> operators_;
  std::vector<size_t> operator_bases_;  // per open expression: index of its first operator
  std::vector<Opening> openings_;
  std::vector<ast::TypeExpr> types_;

  size_t range_operands_ = 0;  // stack heights before the current range
  size_t range_names_ = 0;
  ast::ExprPtr range_stride_;
  ast::Box box_;
  std::optional<ast::Region> region_;
  size_t index_names_ = 0;  // names before the current list of indices
  std::vector<ast::Identifier> indices_;
  ast::ExprPtr where_, every_, initial_;
  Span else_;
  ast::ExprPtr steps_, weights_;
  std::optional<ast::PerDimension> origin_, spacing_, along_, over_, ratios_;
  std::optional<ast::PerDimension>* per_dimension_ = nullptr;  // the current one
  Span direction_;                                             // the word of `fine u`
  std::optional<Span> cells_;                                  // the word, after the current ratio
  std::optional<ast::Identifier> grid_parent_;
  std::optional<ast::Coarsening> grid_ratio_, level_ratio_;
  ast::ExprPtr levels_;
  std::optional<ast::Identifier> domain_;
  ast::ExprPtr history_;
  bool constant_ = false;
  std::optional<ast::Boundary> boundary_;
  std::vector<ast::BoundaryRule> rules_;  // read, but not yet assigned to a dimension
  bool argument_is_field_ = false;
  std::vector<ast::Function::Argument> arguments_;
  std::vector<ast::Let> lets_;
  std::vector<ast::Piece> pieces_;
  std::vector<ast::Target> targets_;
  std::vector<ast::Statement> statements_;  // of the open blocks, outermost first
  std::vector<ast::Block> blocks_;          // closed, but not yet part of a statement
  std::vector<Span> statement_words_;       // of the statements that have begun
};

}  // namespace stencil
