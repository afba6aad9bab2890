// Writes the syntax tree of the program as text. Comments in the text refer to lines of the C
// source.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "compiler/lift/points.h"
#include "compiler/lift/program_writer.h"
#include "compiler/lift/reductions.h"
#include "compiler/lift/rows.h"
#include "compiler/support/escape.h"
#include "compiler/syntax/write.h"

namespace stencil::lifter {

namespace {
constexpr size_t kMostFunctions = 256;
}  // namespace

LiftedProgram ProgramWriter::run() {
  functions_ = functions_of(pool_, execution_, shapes_);
  if (functions_.size() > kMostFunctions) {
    throw Refusal{
        "C024", functions_[0].place,
        fmt::format("a step of the program would have {} stencil functions, which is too many",
                    functions_.size()),
        "write the elements in loops that run over a grid, not one by one"};
  }
  if (!keep_ghosts_) ghosts_ = take_ghosts(pool_, execution_, shapes_, functions_);
  check_points();
  gather();
  roles_ = roles_of(execution_, shapes_, functions_, parts_);
  ghosts();
  bind();
  begin_reductions();
  for (const StepFunction& function : functions_) {
    point_statements_ahead_of(&function);
    reductions_ahead_of(&function);
    stencil(function);
  }
  point_statements_ahead_of(nullptr);
  reductions_ahead_of(nullptr);
  moves();
  stop();
  assemble();
  return std::move(out_);
}

void ProgramWriter::gather() {
  for (const StepFunction& function : functions_) {
    for (const ArrayPart& part : function.targets) parts_.insert(part);
    for (const StepPiece& piece : function.pieces) {
      for (X value : piece.values) {
        each_node(value, [&](X n) {
          if (n->kind == XKind::Load)
            parts_.insert(shapes_.access(n->id, n->args, *piece.point).part);
        });
      }
    }
  }
  for (const PointStatement& one : execution_.points) {
    if (!one.record)
      parts_.insert(shapes_.access(one.store.array, one.store.subscripts, one.store).part);
    each_node(one.store.value, [&](X n) {
      if (n->kind == XKind::Load && !shapes_.shape(n->id).extents.empty())
        parts_.insert(shapes_.access(n->id, n->args, one.store).part);
    });
  }
  for (const Reduction& r : execution_.reductions) {
    each_node(r.value, [&](X n) {
      if (n->kind == XKind::Load) parts_.insert(shapes_.access(n->id, n->args, r.point).part);
    });
  }
  // Buffers that are never read are included.
  const std::set<ArrayPart> seen = parts_;
  for (const ArrayPart& part : seen) {
    if (part.buffer_slot < 0) continue;
    for (int buffer_slot = 0; buffer_slot < shapes_.shape(part.array).copies; ++buffer_slot) {
      parts_.insert({part.array, part.fixed, buffer_slot});
    }
  }
  for (const Rotation& rotation : execution_.rotations) {
    for (int array : {rotation.before, rotation.after}) {
      if (shapes_.shape(array).extents.empty()) {
        throw Refusal{"C014", execution_.place,
                      fmt::format("'{}' is swapped with other pointers but never used",
                                  info(array).c_expression),
                      ""};
      }
      parts_.insert({array, {}, -1});
    }
  }
}

std::string ProgramWriter::domain_of(int array) {
  const ArrayShape& shape = shapes_.shape(array);
  std::vector<Poly> wanted = shapes_.extents();
  const size_t skip = shape.over_time ? 1 : 0;
  const auto mine = lengths(array);
  for (size_t k = 0; k + skip < mine.size(); ++k) {
    wanted[shape.along[k]] = mine[k + skip];
  }
  for (const auto& [d, periodic] : ghosts_.dimensions) wanted[d] = shapes_.extents()[d];
  if (wanted == shapes_.extents()) return "G";
  for (const auto& [name, extents] : boxes_) {
    if (extents == wanted) return name;
  }
  const std::string name = fresh(info(array).name + "_box");
  boxes_.emplace_back(name, wanted);
  return name;
}

std::string ProgramWriter::fresh(const std::string& name) {
  std::string out = name;
  for (int i = 2;; ++i) {
    bool taken = locals_.count(out) > 0;
    for (const SymbolInfo& symbol : execution_.symbols) taken = taken || symbol.name == out;
    for (const auto& [part, role] : roles_.of) taken = taken || role.field == out;
    if (!taken) break;
    out = fmt::format("{}{}", name, i);
  }
  locals_.insert(out);
  return out;
}

// Makes dimensions whose ghost cells are copies periodic and removes their ghost cells.
void ProgramWriter::ghosts() {
  for (const auto& [d, periodic] : ghosts_.dimensions) {
    std::vector<std::string> names;
    // A copy of a ghost cell would not be a copy of a point.
    if (periodic.layers > 1)
      has_points(periodic.high - periodic.low + Poly(1) - Poly(periodic.layers),
                 "ghost cells are copies of interior points, not of other ghost cells");
    std::set<std::string> fields;
    for (const ArrayPart& part : periodic.parts) {
      const std::string& field = roles_.of.at(part).field;
      fields.insert(field);
      auto& sides = rules_[field];
      sides.resize(static_cast<size_t>(shapes_.rank()));
      const std::string keyword(row_of(periodic.rule).keyword);
      sides[d] = {keyword, keyword};
    }
    // Every buffer of a ping-pong pair holds ghost copies in some step.
    for (const auto& [part, role] : roles_.of) {
      const std::string& name = info(part.array).c_expression;
      if (fields.count(role.field) > 0 &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
    std::vector<std::string> first;
    for (const ArrayPart& part : periodic.first) {
      if (std::find(first.begin(), first.end(), info(part.array).c_expression) == first.end())
        first.push_back(info(part.array).c_expression);
    }
    out_.assumed.push_back(fmt::format(
        "the caller does not use the ghost cells of {} in dimension {} afterwards{}",
        fmt::join(names, ", "), d,
        first.empty() ? ""
                      : fmt::format(", and fills the ghost cells of {} with copies before the loop",
                                    fmt::join(first, ", "))));
  }
}

void ProgramWriter::bind() {
  for (const auto& [part, role] : roles_.of) {
    const ArrayShape& shape = shapes_.shape(part.array);
    FieldBinding made;
    made.field = role.field;
    made.level = role.level;
    made.copies = role.copies;
    made.array = part.array;
    size_t fixed = 0;
    for (size_t k = 0; k < shape.extents.size(); ++k) {
      const int number = static_cast<int>(k);
      if (number == shape.buffer_slot_dimension) {
        made.subscripts.push_back(kBufferSlot);
      } else if (std::find(shape.fixed.begin(), shape.fixed.end(), number) != shape.fixed.end()) {
        made.subscripts.push_back(part.fixed[fixed++]);
      } else {
        made.subscripts.push_back(kSpace);
      }
    }
    made.buffer_slot = part.buffer_slot;
    for (size_t k = 0; k < shape.extents.size(); ++k) {
      const bool selects = static_cast<int>(k) == shape.buffer_slot_dimension;
      made.extents.push_back(selects ? pool_.integer(shape.copies)
                                     : shape.extents[k].expression(pool_));
    }
    for (size_t k = 0; k < shape.extents.size(); ++k) {
      made.lows.push_back(nullptr);
      made.copied.push_back(0);
      made.lengths.push_back(made.extents[k]);
      const auto space = std::find(shape.space.begin(), shape.space.end(), static_cast<int>(k));
      const size_t skip = shape.over_time ? 1 : 0;
      const size_t number = static_cast<size_t>(space - shape.space.begin());
      if (space == shape.space.end() || number < skip) continue;
      const auto periodic = ghosts_.dimensions.find(shape.along[number - skip]);
      if (periodic == ghosts_.dimensions.end()) continue;
      const Poly &low = periodic->second.low, &high = periodic->second.high;
      made.lows.back() = low.expression(pool_);
      const bool copied = periodic->second.first.count(part) > 0;
      made.copied.back() = copied ? row_of(periodic->second.rule).sign : 0;
      made.lengths.back() = (high - low + Poly(1)).expression(pool_);
    }
    made.written = shape.stored || role.copies > 1;
    made.over_time = shape.over_time;
    out_.fields.push_back(std::move(made));
  }
}

// Like box_of(), but without ghost cells.
ast::Box ProgramWriter::box_on_grid(const std::vector<Poly>& extents) {
  ast::Box box = box_of(extents);
  for (const auto& [d, periodic] : ghosts_.dimensions) {
    ast::Range& range = box.ranges[d];
    range.low = affine(periodic.low, execution_.place);
    range.high = affine(periodic.high, execution_.place);
  }
  return box;
}

ast::Box ProgramWriter::box_of(const std::vector<Poly>& extents) {
  ast::Box box;
  for (const Poly& extent : extents) {
    ast::Range range;
    range.low = make_integer(0);
    range.high = affine(extent - Poly(1), execution_.place);
    box.ranges.push_back(std::move(range));
  }
  return box;
}

// For pointers that rotate, describes which C buffer holds the newest level after a number of
// steps.
std::string ProgramWriter::turns(const Role& role) const {
  std::map<int, std::string> by_level;
  for (const auto& [part, its] : roles_.of) {
    if (its.field == role.field) by_level[its.level] = info(part.array).c_expression;
  }
  if (role.copies == 2)
    return fmt::format("; after an odd number of steps, the newest level is in {}", by_level[1]);
  std::vector<std::string> order;
  for (int step = 0; step < role.copies; ++step)
    order.push_back(by_level[(role.copies - step) % role.copies]);
  return fmt::format("; after 0, 1, 2, ... steps, the newest level is in {} in turn",
                     fmt::join(order, ", "));
}

void ProgramWriter::declare_fields(std::vector<ast::Item>& items,
                                   std::map<uint32_t, std::string>& comments) {
  std::set<std::string> declared;
  for (const auto& [part, role] : roles_.of) {
    if (!declared.insert(role.field).second) continue;
    const ArrayShape& shape = shapes_.shape(part.array);
    const ArrayInfo& array = info(part.array);
    const std::string element = type_name(array.element);
    if (element.empty()) {
      throw Refusal{"C023", functions_[0].place,
                    fmt::format("'{}' has elements of type '{}', which the language does not have",
                                array.c_expression, name_of(array.element)),
                    ""};
    }
    const Span span = next_span();
    std::string comment = array.c_expression;
    if (role.copies > 1) {
      std::vector<std::string> names;
      for (const auto& [other, its] : roles_.of) {
        if (its.field == role.field)
          names.push_back(fmt::format(
              "{}{}", info(other.array).c_expression,
              other.buffer_slot >= 0 ? fmt::format("[(t+{})%{}]", other.buffer_slot, role.copies)
                                     : ""));
      }
      comment = fmt::format("{}", fmt::join(names, ", "));
      if (part.buffer_slot < 0) comment += turns(role);
    }
    comments[span.begin] = comment;
    const size_t skip = shape.over_time ? 1 : 0;
    const bool full = static_cast<int>(shape.space.size() - skip) == shapes_.rank();
    const auto along = [&]() -> std::optional<ast::PerDimension> {
      if (full) return std::nullopt;
      ast::PerDimension out;
      out.list = shape.along.size() > 1;
      for (int d : shape.along) out.values.push_back(make_integer(d));
      return out;
    };
    if (shape.over_time) {
      ast::Series series;
      series.names = {make_identifier(role.field)};
      series.type = type(element);
      series.times = box_of({shape.extents[shape.space[0]]});
      if (shape.space.size() > 1) {
        series.domain = make_identifier(domain_of(part.array));
        series.along = along();
      }
      items.push_back({std::move(series), span});
      continue;
    }
    ast::Field field;
    field.names = {make_identifier(role.field)};
    field.type = type(element);
    field.domain = make_identifier(domain_of(part.array));
    field.along = along();
    field.constant = !shape.stored && role.copies == 1;
    if (role.copies > 1) field.history = make_integer(role.copies);
    field.boundary = boundary_of(role.field);
    items.push_back({std::move(field), span});
  }
}

// Converts a requirement `sum >= number` to a polynomial that must be >= 0.
std::optional<Poly> ProgramWriter::slack_of(X condition) {
  if (condition->kind != XKind::Binary || condition->text != ">=") return std::nullopt;
  if (!is_integer(condition->args[0]->type)) return std::nullopt;
  return Poly::of(condition->args[0]) - Poly::of(condition->args[1]);
}

// Writes slack >= 0, moving negative terms to the right: `n >= 3`, `m >= n - 1`.
ExprPtr ProgramWriter::at_least_zero(const Poly& slack) {
  Poly left, right;
  for (const auto& [monomial, factor] : slack.terms()) {
    const bool rises = factor > 0 && !monomial.empty();
    Poly term(rises ? factor : -factor);
    for (X atom : monomial) term = term * Poly::atom(atom);
    Poly& side = rises ? left : right;
    side = side + term;
  }
  const CPlace place = execution_.place;
  if (!left.zero()) return make_binary(">=", affine(left, place), affine(right, place));
  return make_binary("<=", affine(right - Poly(right.constant()), place),
                     make_integer(-right.constant()));
}

ExprPtr ProgramWriter::requirement(X condition) {
  if (const auto slack = slack_of(condition)) return at_least_zero(*slack);
  ValueWriter writer(
      pool_, execution_.place,
      [&](X x) -> ExprPtr { return x->kind == XKind::Symbol ? symbol(x) : nullptr; }, true);
  return writer.condition(condition);
}

// A program cannot have an empty grid, so empty grids are excluded. For an empty grid, the original
// does nothing.
void ProgramWriter::exclude_empty_grids(const std::vector<Poly>& slacks) {
  std::vector<Poly> lengths = shapes_.extents();
  for (const auto& [name, extents] : boxes_)
    lengths.insert(lengths.end(), extents.begin(), extents.end());
  std::set<std::string> known;
  for (const Poly& length : lengths) {
    const Poly slack = length - Poly(1);
    if (slack.is_constant() || proved(slack, slacks)) continue;
    const std::string text = stencil::write(*at_least_zero(slack));
    if (known.insert(text).second) out_.excluded.push_back({text, bounds_from_above(slack), false});
  }
}

std::vector<ast::Item> ProgramWriter::required(std::map<uint32_t, std::string>& comments) {
  std::vector<ast::Item> out;
  std::vector<Poly> slacks;
  for (const auto& [condition, why] : execution_.requirements) {
    if (const auto slack = slack_of(condition)) slacks.push_back(*slack);
  }
  if (contradictory(slacks)) {
    std::vector<std::string> texts;
    for (const auto& [condition, why] : execution_.requirements)
      texts.push_back(fmt::format("{} ({})", stencil::write(*requirement(condition)), why));
    throw Refusal{
        "C027", execution_.place,
        fmt::format("no sizes satisfy all requirements of the program: {}", fmt::join(texts, ", ")),
        "lift the loops one by one"};
  }
  const auto follows = [&](const Poly& slack) {  // a stricter requirement implies this one
    return std::any_of(slacks.begin(), slacks.end(), [&](const Poly& other) {
      const Poly more = slack - other;
      return more.is_constant() && more.constant() > 0;
    });
  };
  for (const auto& [condition, why] : execution_.requirements) {
    const auto slack = slack_of(condition);
    if (slack && follows(*slack)) continue;
    const Span span = next_span();
    comments[span.begin] = "assumed: " + why;
    const std::string text = stencil::write(*requirement(condition));
    out_.assumed.push_back(fmt::format("{} ({})", text, why));
    out_.excluded.push_back({text, slack && bounds_from_above(*slack), false});
    out.push_back({ast::Require{requirement(condition)}, span});
  }
  exclude_empty_grids(slacks);
  for (const std::string& result : execution_.dropped)
    out_.excluded.push_back({result, false, true});
  return out;
}

void ProgramWriter::assemble() {
  std::vector<ast::Item> fields;
  std::map<uint32_t, std::string> comments = comments_;
  declare_fields(fields, comments);
  ast::Program program;
  ast::Grid grid;
  grid.name = make_identifier("G");
  grid.box = box_on_grid(shapes_.extents());
  grid.steps = execution_.steps != nullptr ? affine(Poly::of(execution_.steps), execution_.place)
                                           : make_integer(1);
  std::vector<ast::Item> boxes;
  for (const auto& [name, extents] : boxes_) {
    boxes.push_back(
        {ast::Subgrid{make_identifier(name), make_identifier("G"), box_on_grid(extents)},
         next_span()});
  }
  for (const Poly& fact : shapes_.facts_used()) has_points(fact);
  std::vector<ast::Item> requirements = required(comments);
  for (size_t s = 0; s < execution_.symbols.size(); ++s) {
    if (used_.count(static_cast<int>(s)) == 0) continue;
    const SymbolInfo& symbol = execution_.symbols[s];
    const Span span = next_span();
    if (symbol.c_expression != symbol.name) comments[span.begin] = symbol.c_expression;
    ast::Param param{make_identifier(symbol.name), type(type_name(computed_type(symbol.type))),
                     nullptr};
    if (symbol.value) param.value = make_integer(*symbol.value);
    program.items.push_back({std::move(param), span});
    out_.params.push_back({symbol.name, static_cast<int>(s)});
  }
  program.items.push_back({std::move(grid), next_span()});
  for (auto* more : {&boxes, &requirements, &point_items_, &fields, &stencil_items_}) {
    for (ast::Item& item : *more) program.items.push_back(std::move(item));
  }
  out_.steps = execution_.steps;
  out_.reaches = shapes_.reaches();
  powers();
  of_symbols();
  aliasing();
  lengths_taken();
  longer();
  for (const std::string& more : execution_.assumptions) out_.assumed.push_back(more);
  render(program, comments);
}

// pow(x, 2) is exactly x*x. Higher powers are products here but calls of pow() in C.
void ProgramWriter::powers() {
  for (const StepFunction& function : functions_) {
    for (const StepPiece& piece : function.pieces) {
      for (X value : piece.values) {
        each_node(value, [&](X n) {
          if (n->kind != XKind::Call || n->text != "pow" || n->args[1]->kind != XKind::Real) return;
          const double power = n->args[1]->real;
          const bool exact = power == 0 || power == 1 || power == 2 || power != std::floor(power);
          out_.powers = out_.powers || !exact;
          out_.single = out_.single || (!exact && n->type == CScalar::F32);
        });
      }
    }
  }
  if (out_.powers)
    out_.assumed.push_back(
        "integer powers are products, which may differ from pow() in the last digits");
}

// Records assumptions about params that occur in values.
void ProgramWriter::of_symbols() {
  for (int id : computed_with_) {
    const SymbolInfo& symbol = execution_.symbols[id];
    if (symbol.type == CScalar::U64 && !symbol.value)
      out_.assumed.push_back(fmt::format("'{}' is below 2^62", symbol.c_expression));
    if (symbol.array < 0) continue;
    for (const auto& [part, role] : roles_.of) {
      if (part.array != symbol.array) continue;
      out_.assumed.push_back(fmt::format("'{}' is {}, which is also an element of the field '{}'",
                                         symbol.name, symbol.c_expression, role.field));
      break;
    }
  }
}

// Records assumptions about arrays whose length C does not declare. The accesses of C may end
// before the length that the program assumes.
void ProgramWriter::lengths_taken() {
  for (const ArrayReach& reach : out_.reaches) {
    const ArrayInfo& array = info(reach.array);
    if (reach.sure || array.local) continue;
    const Poly& length = shapes_.shape(reach.array).extents[0];
    out_.assumed.push_back(fmt::format(
        "{} has {} element{}, even if a condition in C skips some of them", array.c_expression,
        stencil::write(*affine(length, execution_.place)), length == Poly(1) ? "" : "s"));
  }
}

void ProgramWriter::render(const ast::Program& program,
                           const std::map<uint32_t, std::string>& comments) {
  const Written written = stencil::write(program);
  std::string text = fmt::format("// {}, lifted by stencilc.\n", comment_line(title_));
  for (const std::string& assumed : out_.assumed)
    text += "// Assumed: " + comment_line(assumed) + ".\n";
  size_t done = 0;
  std::vector<std::pair<size_t, std::string>> at;
  for (const auto& statement : written.statements) {
    const auto found = comments.find(statement.node.begin);
    if (found != comments.end()) at.emplace_back(statement.text.begin, found->second);
  }
  std::sort(at.begin(), at.end());
  for (const auto& [place, comment] : at) {
    size_t begin = written.text.rfind('\n', place);
    begin = begin == std::string::npos ? 0 : begin + 1;
    if (begin < done) continue;
    text += written.text.substr(done, begin - done);
    text += "// " + comment_line(comment) + "\n";
    done = begin;
  }
  text += written.text.substr(done);
  if (text.back() != '\n') text += '\n';
  out_.text = std::move(text);
}

std::string exclusions(const LiftedProgram& program) {
  std::vector<std::string> conditions, results;
  for (const Exclusion& one : program.excluded)
    (one.result ? results : conditions).push_back(one.text);
  std::string out;
  if (!conditions.empty()) out = fmt::format("for {} only", fmt::join(conditions, " and "));
  if (!results.empty()) {
    out += fmt::format("{}without {}", out.empty() ? "" : "; ", fmt::join(results, " and "));
  }
  return out;
}

LiftedProgram write_program(Pool& pool, Execution& execution, const std::string& title,
                            const std::string& file, bool keep_ghosts) {
  find_points(pool, execution);
  find_reductions(pool, execution);
  tidy(pool, execution);
  split_into_rows(pool, execution);
  return ProgramWriter(pool, execution, title, file, keep_ghosts).run();
}

}  // namespace stencil::lifter
