// The part of the builder that makes boxes, types and items.
//
// An item is made when its rule has matched completely, from the stacks in text order: names first
// to last, then operands. Where the order alone is ambiguous (which of a field's expressions is its
// history?), the action of the part has already moved it to a member of the builder.
#include <iterator>
#include <utility>

#include "compiler/syntax/builder.h"
#include "compiler/syntax/messages.h"
#include "compiler/syntax/token.h"

namespace stencil {

void TreeBuilder::start_item(Span word) {
  item_ = word;
  end_ = word.end;
  names_.clear();
  operands_.clear();
  operators_.clear();
  operator_bases_.clear();
  openings_.clear();
  types_.clear();
  box_ = {};
  range_stride_.reset();
  region_.reset();
  indices_.clear();
  where_.reset();
  every_.reset();
  initial_.reset();
  steps_.reset();
  weights_.reset();
  origin_.reset();
  spacing_.reset();
  along_.reset();
  over_.reset();
  ratios_.reset();
  cells_.reset();
  grid_parent_.reset();
  grid_ratio_.reset();
  level_ratio_.reset();
  levels_.reset();
  domain_.reset();
  history_.reset();
  constant_ = false;
  boundary_.reset();
  rules_.clear();
  argument_is_field_ = false;
  arguments_.clear();
  lets_.clear();
  pieces_.clear();
  targets_.clear();
  statements_.clear();
  blocks_.clear();
  statement_words_.clear();
}

// Boxes and regions.

void TreeBuilder::range_begin() {
  range_operands_ = operands_.size();
  range_names_ = names_.size();
}

void TreeBuilder::range_stride() {
  range_stride_ = pop_expr();
}

void TreeBuilder::range_end() {
  ast::Range range;
  range.stride = std::move(range_stride_);
  if (operands_.size() > range_operands_ + 1) range.high = pop_expr();
  range.low = pop_expr();
  range.span = range.high ? join(range.low->span, range.high->span) : range.low->span;
  if (range.stride) range.span = join(range.span, range.stride->span);
  if (names_.size() > range_names_) {
    range.index = pop_name();
    range.span = join(range.index->span, range.span);
  }
  box_.ranges.push_back(std::move(range));
}

void TreeBuilder::box_begin(Span bracket) {
  open(bracket);
  box_ = {};
}

void TreeBuilder::box_end(Span bracket) {
  box_.span = join(close().span, bracket);
}

void TreeBuilder::region_box() {
  region_ = std::move(box_);
}
void TreeBuilder::region_name() {
  region_ = ast::NamedRegion{pop_name(), {}};
}
void TreeBuilder::names_begin() {
  index_names_ = names_.size();
}
void TreeBuilder::region_indices() {
  const auto first = names_.begin() + static_cast<ptrdiff_t>(index_names_);
  indices_.assign(std::make_move_iterator(first), std::make_move_iterator(names_.end()));
  names_.erase(first, names_.end());
  if (!region_) return;
  auto* named = std::get_if<ast::NamedRegion>(&*region_);
  if (named) named->indices = std::move(indices_);
}
void TreeBuilder::where() {
  where_ = pop_expr();
}

// Types.

ast::TypeExpr TreeBuilder::pop_type() {
  auto type = std::move(types_.back());
  types_.pop_back();
  return type;
}

void TreeBuilder::named_type() {
  auto name = pop_name();
  types_.push_back({ast::NamedType{std::move(name.name)}, name.span});
}

// A vector type contains its element type, so it counts as a bracket in the limit on nesting.
void TreeBuilder::vector_begin(Span word) {
  open(word);
}

void TreeBuilder::vector_type() {
  const Opening opening = close();
  auto element = std::make_unique<ast::TypeExpr>(pop_type());
  auto& type = types_.emplace_back();
  type.span = join(opening.span, element->span);
  type.kind = ast::VectorType{pop_expr(), std::move(element)};
}

void TreeBuilder::struct_type(Span close_span) {
  const Opening opening = close();
  ast::StructType type;
  for (size_t i = 0; opening.types + i < types_.size(); ++i) {
    type.members.push_back({std::move(names_[opening.names + i]),
                            std::make_unique<ast::TypeExpr>(std::move(types_[opening.types + i]))});
  }
  names_.resize(opening.names);
  types_.erase(types_.begin() + static_cast<std::ptrdiff_t>(opening.types), types_.end());
  types_.push_back({std::move(type), join(opening.span, close_span)});
}

// Parts of items.

void TreeBuilder::once(bool given, Span at, std::string_view attribute) const {
  if (given) throw attribute_given_twice(token_at(text_, at.begin).span, attribute, item_word());
}

void TreeBuilder::steps(Span at) {
  once(steps_ != nullptr, at, "steps");
  steps_ = pop_expr();
}

void TreeBuilder::per_dimension_begin(std::optional<ast::PerDimension>& to, Span at) {
  once(to.has_value(), at, text(at));
  to = ast::PerDimension{false, {}, at};
  per_dimension_ = &to;
}

void TreeBuilder::origin_begin(Span at) {
  per_dimension_begin(origin_, at);
}

void TreeBuilder::spacing_begin(Span at) {
  per_dimension_begin(spacing_, at);
}

void TreeBuilder::along_begin(Span at) {
  per_dimension_begin(along_, at);
}

void TreeBuilder::over_begin(Span at) {
  per_dimension_begin(over_, at);
}

void TreeBuilder::series_domain() {
  domain_ = pop_name();
}

void TreeBuilder::value_list(Span close_span) {
  ast::PerDimension& list = **per_dimension_;
  int height = 0;
  list.values = operands_above(close().operands, height);
  list.list = true;
  list.span = join(list.span, close_span);
}

void TreeBuilder::value_for_all() {
  ast::PerDimension& all = **per_dimension_;
  all.values.push_back(pop_expr());
  all.span = join(all.span, all.values.front()->span);
}

void TreeBuilder::ratio_begin(Span word) {
  ratios_.reset();
  per_dimension_begin(ratios_, word);
}

void TreeBuilder::cells(Span word) {
  cells_ = word;
}

ast::Coarsening TreeBuilder::take_coarsening() {
  const auto cells = std::exchange(cells_, std::nullopt);
  const Span span = cells ? join(ratios_->span, *cells) : ratios_->span;
  return {std::move(*ratios_), cells.has_value(), span};
}

void TreeBuilder::levels(Span at) {
  once(levels_ != nullptr, at, "levels");
  level_ratio_ = take_coarsening();
  levels_ = pop_expr();
}

void TreeBuilder::derived_grid() {
  grid_ratio_ = take_coarsening();
  grid_parent_ = pop_name();
}

void TreeBuilder::history(Span at) {
  once(history_ != nullptr, at, "history");
  history_ = pop_expr();
}

void TreeBuilder::constant(Span at) {
  once(constant_, at, "constant");
  constant_ = true;
}

void TreeBuilder::boundary_begin(Span at) {
  once(boundary_.has_value(), at, "boundary");
  boundary_ = ast::Boundary{false, {}, at};
}

void TreeBuilder::boundary_with_value(Span at) {
  auto value = pop_expr();
  const Span span = {at.begin, value->span.end};
  rules_.push_back({boundary_at(text(at))->kind, std::move(value), span});
}

void TreeBuilder::boundary_without_value(Span at) {
  rules_.push_back({boundary_at(text(at))->kind, nullptr, at});
}

void TreeBuilder::boundary_sides() {
  ast::BoundarySides sides{std::move(rules_.front()), {}};
  if (rules_.size() > 1) sides.high = std::move(rules_.back());
  rules_.clear();
  boundary_->span = join(boundary_->span, sides.high ? sides.high->span : sides.low.span);
  boundary_->dimensions.push_back(std::move(sides));
}

void TreeBuilder::boundary_open(Span bracket) {
  open(bracket);
  boundary_->list = true;
}

void TreeBuilder::boundary_close(Span bracket) {
  close();
  boundary_->span = join(boundary_->span, bracket);
}

void TreeBuilder::argument_field() {
  argument_is_field_ = true;
}

void TreeBuilder::argument() {
  arguments_.push_back({pop_name(), std::exchange(argument_is_field_, false)});
  if (!types_.empty()) arguments_.back().type = pop_type();
}

void TreeBuilder::let() {
  lets_.push_back({pop_name(), pop_expr()});
}

void TreeBuilder::stencil_every() {
  every_ = pop_expr();
}

void TreeBuilder::piece() {
  auto value = pop_expr();
  const Span place = std::holds_alternative<ast::Box>(*region_)
                         ? std::get<ast::Box>(*region_).span
                         : std::get<ast::NamedRegion>(*region_).name.span;
  const Span span = join(place, value->span);
  pieces_.push_back({std::move(*region_), std::move(where_), std::move(value), span});
}

void TreeBuilder::else_word(Span word) {
  else_ = word;
  region_ = ast::NamedRegion{{"else", word}, {}};
}

void TreeBuilder::else_piece() {
  auto value = pop_expr();
  const Span span = join(else_, value->span);
  pieces_.push_back({std::move(*region_), nullptr, std::move(value), span, true});
}

void TreeBuilder::body_end(Span brace) {
  close();
  end_ = brace.end;
}

void TreeBuilder::item_end(Span semicolon) {
  end_ = semicolon.end;
}

// Items.

void TreeBuilder::param() {
  finish(ast::Param{pop_name(), pop_type(), pop_optional_expr()});
}

void TreeBuilder::grid() {
  finish(ast::Grid{pop_name(), std::move(box_), std::move(steps_), std::move(origin_),
                   std::move(spacing_), std::move(grid_parent_), std::move(grid_ratio_),
                   std::move(levels_), std::move(level_ratio_)});
}

void TreeBuilder::subgrid() {
  auto parent = pop_name();
  finish(ast::Subgrid{pop_name(), std::move(parent), std::move(box_)});
}

void TreeBuilder::type_decl() {
  finish(ast::TypeDecl{pop_name(), pop_type()});
}

void TreeBuilder::field() {
  auto domain = pop_name();
  finish(ast::Field{std::move(names_), pop_type(), std::move(domain), std::move(along_),
                    std::move(history_), constant_, std::move(boundary_)});
}

void TreeBuilder::series() {
  finish(ast::Series{std::move(names_), pop_type(), std::move(box_), std::move(domain_),
                     std::move(along_), std::move(boundary_)});
}

void TreeBuilder::point_weights() {
  weights_ = pop_expr();
}

void TreeBuilder::points() {
  auto domain = pop_name();
  finish(ast::Points{std::move(names_), std::move(box_), std::move(domain), std::move(weights_)});
}

void TreeBuilder::table() {
  auto value = pop_expr();
  int height = 0;
  auto extents = operands_above(0, height);
  finish(ast::Table{pop_name(), pop_type(), std::move(extents), std::move(value)});
}

void TreeBuilder::function() {
  finish(ast::Function{pop_name(), std::move(arguments_), std::move(lets_), pop_expr()});
}

// The names after the name of the stencil function form the target.
void TreeBuilder::target_end() {
  ast::Target target{std::move(names_[1]), {}};
  target.members.assign(std::make_move_iterator(names_.begin() + 2),
                        std::make_move_iterator(names_.end()));
  names_.resize(1);
  targets_.push_back(std::move(target));
}

void TreeBuilder::stencil() {
  finish(ast::Stencil{pop_name(), std::move(targets_), std::move(lets_), std::move(pieces_),
                      std::move(every_)});
}

void TreeBuilder::repeat() {
  ast::ExprPtr count = pop_expr();
  if (open_repeats_ >= ast::kMaxNesting) throw nesting_too_deep(count->span);
  ++open_repeats_;
  finish(ast::Repeat{std::move(count)});
}

void TreeBuilder::repeat_end(Span brace) {
  if (open_repeats_ == 0) {
    throw unexpected_token(*this, brace.begin, kExpectation<grammar::item>, false);
  }
  --open_repeats_;
  end_ = brace.end;
  finish(ast::RepeatEnd{});
}

void TreeBuilder::init() {
  finish(ast::Init{pop_name(), std::move(indices_), pop_expr()});
}

void TreeBuilder::every() {
  every_ = pop_expr();
}

void TreeBuilder::initial() {
  initial_ = pop_expr();
}

void TreeBuilder::reduce() {
  auto value = pop_expr();
  auto reducer = pop_name();
  finish(ast::Reduce{pop_name(), std::move(reducer), std::move(value), std::move(*region_),
                     std::move(where_), std::move(every_), std::move(initial_), std::move(over_),
                     std::move(boundary_)});
}

void TreeBuilder::record() {
  auto points = pop_name();
  auto value = pop_expr();
  ast::Reduce record{};
  record.name = pop_name();
  record.value = std::move(value);
  record.every = std::move(every_);
  record.at = std::move(points);
  record.rows = std::move(box_);
  finish(std::move(record));
}

void TreeBuilder::stop() {
  finish(ast::Stop{pop_expr()});
}

void TreeBuilder::require() {
  finish(ast::Require{pop_expr()});
}

}  // namespace stencil
