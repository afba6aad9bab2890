// A program as mathematics, as the text of a `.stn` file.
//
// Items are written in the order in which semantic analysis numbers them: params, points, fields,
// series, then the step with its reductions in their places.
#include "compiler/ir/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "compiler/ir/write_expressions.h"

namespace stencil::ir {
namespace {

// A type as a tree over the components of a field. Members of structures have names, elements of
// vectors have none.
struct TypeTree {
  size_t first = 0, count = 1;  // components
  std::string member;
  bool vector = false;
  std::vector<TypeTree> parts = {};
};

// `at`: the length of the path that leads to the tree.
TypeTree tree_of(const std::vector<Component>& components, size_t first, size_t count, size_t at) {
  TypeTree tree{first, count, ""};
  if (components[first].path.size() == at) return tree;
  tree.vector = components[first].path[at] == '[';
  const auto step = [&](size_t c) {  // ".name" or "[k]"
    const std::string& path = components[c].path;
    return path.substr(at, path.find_first_of(".[", at + 1) - at);
  };
  for (size_t c = first; c < first + count;) {
    size_t end = c;
    while (end < first + count && step(end) == step(c)) ++end;
    TypeTree part = tree_of(components, c, end - c, at + step(c).size());
    part.member = tree.vector ? "" : step(c).substr(1);
    tree.parts.push_back(std::move(part));
    c = end;
  }
  return tree;
}

TypeTree tree_of(const Field& field) {
  return tree_of(field.components, 0, field.components.size(), 0);
}

std::string type_text(const Field& field, const TypeTree& tree) {
  if (tree.parts.empty()) return std::string(name(field.components[tree.first].type));
  if (tree.vector) {
    return fmt::format("vector {} of {}", tree.parts.size(), type_text(field, tree.parts[0]));
  }
  std::vector<std::string> members;
  for (const TypeTree& part : tree.parts) {
    members.push_back(fmt::format("{} : {}", part.member, type_text(field, part)));
  }
  return fmt::format("{{ {} }}", fmt::join(members, ", "));
}

// An aggregate with `values` at its components.
std::string value_text(const TypeTree& tree, const std::vector<std::string>& values) {
  if (tree.parts.empty()) return values[tree.first];
  std::vector<std::string> parts;
  for (const TypeTree& part : tree.parts) {
    const std::string value = value_text(part, values);
    parts.push_back(tree.vector ? value : fmt::format("{} = {}", part.member, value));
  }
  return fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

constexpr NodeId kUnwritten = -1;  // a result of no target

struct Target {  // of a stencil function
  std::string name, path;
  TypeTree tree;
  size_t base = 0;  // of the field's components, into the outputs of the function
};

// The largest parts of a field that a function computes.
void add_targets(const Function& function, const Field& field, size_t base, const TypeTree& tree,
                 const std::string& path, std::vector<Target>& out) {
  size_t kept = 0;
  for (size_t c = 0; c < tree.count; ++c) kept += function.keeps(base + tree.first + c) ? 1 : 0;
  if (kept == tree.count && !path.empty()) return;
  const bool whole = kept == 0 || kept == tree.count || tree.vector;
  if (whole) {
    const size_t dot = path.rfind('.');
    const std::string name = path.empty() ? field.name : path.substr(dot + 1);
    out.push_back({name, field.name + path, tree, base});
    return;
  }
  for (const TypeTree& part : tree.parts) {
    add_targets(function, field, base, part, path + "." + part.member, out);
  }
}

class Writer {
 public:
  Writer(const Program& program, Diagnostics& diagnostics)
      : program_(program), names_(program, diagnostics) {
    for (const Domain& domain : program.domains) grids_.push_back(fresh_name(domain.name, "G"));
  }

  std::string run() {
    // Uses of reductions tell their initial values, so the step is written first.
    const std::string step = write_step();
    line("// {}: written by stencilc; analyse it with --real {} --fp {}", program_.name,
         name(program_.real), name(program_.fp));
    for (size_t p = 0; p < program_.params.size(); ++p) param(static_cast<ParamId>(p));
    grid();
    const size_t domains = out_.size();
    for (const Field& field : program_.fields) declare(field);
    out_.insert(domains, domains_);
    for (const Requirement& requirement : program_.requirements) {
      const std::string condition = value(requirement.graph, requirement.condition, {}, {});
      line("require {};", condition);
    }
    for (const Init& init : program_.inits) write_init(init);
    out_ += step;
    if (program_.run.until) {
      const std::string condition =
          value(program_.run.until->graph, program_.run.until->condition, {}, {});
      line("stop when {};", condition);
    }
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  std::string range(const Range& range) const {
    const std::string low = names_.affine(range.low);
    return range.low == range.high ? low : fmt::format("{}..{}", low, names_.affine(range.high));
  }
  std::string box(const Box& box, const std::vector<std::string>& indices = {}) const {
    std::vector<std::string> ranges;
    for (size_t d = 0; d < box.ranges.size(); ++d) {
      const bool named = !indices.empty() && !indices[d].empty();
      const std::string index = named ? indices[d] + " in " : "";
      ranges.push_back(index + range(box.ranges[d]));
    }
    return fmt::format("[{}]", fmt::join(ranges, ", "));
  }

  std::string fresh_name(const std::string& given, const std::string& otherwise) {
    return names_.fresh(given.empty() ? otherwise : given);
  }

  // The name of a grid, or of a sub-grid of it, that is this box.
  std::string domain(DomainId id, const Box& box) {
    if (box == program_.domains[id].box) return grids_[id];
    for (const auto& [of, known, name] : boxes_) {
      if (of == id && known == box) return name;
    }
    const auto& declared = program_.domains[id].subgrids;
    const auto same = std::find_if(declared.begin(), declared.end(),
                                   [&](const Subgrid& subgrid) { return subgrid.box == box; });
    const std::string name = fresh_name(same == declared.end() ? "" : same->name, "part");
    boxes_.emplace_back(id, box, name);
    domains_ += fmt::format("subgrid {} of {} = {};\n", name, grids_[id], this->box(box));
    return name;
  }

  // A value where the language has no `let`. A large graph becomes a function with lets.
  std::string value(const Graph& graph, NodeId root, const std::vector<std::string>& indices,
                    ReaderPlace place) {
    constexpr double kLargest = 2000;
    ExpressionWriter inlined(names_, graph, {root}, indices, place, false);
    if (inlined.size() <= kLargest) return inlined.text(root);
    ExpressionWriter body(names_, graph, {root}, indices, place, true);
    const std::string name = names_.fresh("value");
    std::vector<std::string> arguments = indices;
    std::erase(arguments, "");
    line("function {}({}) {{", name, fmt::join(arguments, ", "));
    for (const std::string& let : body.lets()) line("  let {};", let);
    line("  = {};\n}}", body.text(root));
    return fmt::format("{}({})", name, fmt::join(arguments, ", "));
  }

  void param(ParamId id) {
    const Param& param = program_.params[id];
    if (names_.is_quotient(id)) return;
    std::string text;
    if (param.derived) {
      const auto& [graph, root, as_written] = *param.derived;
      text = ExpressionWriter(names_, graph, {root}, {}, {}, false).text(root);
    } else if (param.affine) {
      text = names_.affine(*param.affine);
    } else if (param.integer_value) {
      text = write_constant({0, *param.integer_value}, param.type, true);
    } else if (param.real_value) {
      text = write_constant({*param.real_value, 0}, Scalar::F64, true);
    }
    line("param {} : {}{};", param.name, name(param.type), text.empty() ? "" : " = " + text);
  }

  void grid() {
    std::string text = fmt::format("grid {} = {}", grids_[0], box(program_.grid()));
    if (program_.steps) text += fmt::format(" steps {}", names_.affine(*program_.steps));
    std::vector<std::string> origins, spacings;
    for (const Axis& axis : program_.domain().axes) {
      origins.push_back(value(axis.graph, axis.origin, {}, {}));
      spacings.push_back(value(axis.graph, axis.spacing, {}, {}));
    }
    if (!origins.empty()) {
      text += fmt::format(" origin [{}] spacing [{}]", fmt::join(origins, ", "),
                          fmt::join(spacings, ", "));
    }
    line("{};", text);
    for (size_t id = 1; id < program_.domains.size(); ++id) {
      const auto& [of, ratios, cells] = *program_.domains[static_cast<DomainId>(id)].coarsened;
      line("grid {} of {} by [{}]{};", grids_[static_cast<DomainId>(id)], grids_[of],
           fmt::join(ratios, ", "), cells ? " cells" : "");
    }
  }

  // --- Fields

  std::string rule(const Field& field, const BoundaryRule& rule) {
    std::vector<std::string> values;
    for (size_t c = 0; c < rule.values.size(); ++c) {
      const Scalar type = arithmetic_type(field.components[c].type);
      const Constant number{rule.values[c], static_cast<int64_t>(rule.values[c])};
      // As a number of double precision: the rule keeps it so, and it is rounded where it is used.
      values.push_back(write_constant(number, is_float(type) ? Scalar::F64 : type, true));
    }
    for (size_t c = 0; rule.value && c < rule.value->results.size(); ++c) {
      values.push_back(value(rule.value->graph, rule.value->results[c], {}, {}));
    }
    const std::string keyword(rule.row().keyword);
    return values.empty() ? keyword
                          : fmt::format("{} {}", keyword, value_text(tree_of(field), values));
  }

  std::string boundary(const Field& field) {
    const size_t rank = field.boundary.size() - (field.set() ? 1 : 0);
    std::vector<std::string> dimensions;
    bool none = true;
    for (size_t d = 0; d < rank; ++d) {
      const Boundary& rules = field.boundary[d];
      none &= rules == Boundary{};
      dimensions.push_back(rule(field, rules.low));
      if (rules.low != rules.high) dimensions.back() += " .. " + rule(field, rules.high);
    }
    return none ? "" : fmt::format(" boundary [{}]", fmt::join(dimensions, ", "));
  }

  // " on DOMAIN along [...]" for the dimensions of the grid from `first` on.
  std::string on_grid(const Field& field, size_t first, bool along) {
    Box whole = program_.domains[field.domain].box;
    std::vector<int> dimensions;
    for (size_t d = first; d < field.box.ranges.size(); ++d) {
      whole.ranges[field.dimension(d)] = field.box.ranges[d];
      dimensions.push_back(field.dimension(d));
    }
    const std::string list = along ? fmt::format(" along [{}]", fmt::join(dimensions, ", ")) : "";
    return fmt::format(" on {}{}", domain(field.domain, whole), list);
  }

  void declare(const Field& field) {
    const auto id = static_cast<FieldId>(&field - &program_.fields[0]);
    if (reduction_into(program_, id)) return;  // its reduction declares it
    if (const PointSet* set = field.as_point_set()) {
      const std::string weights =
          set->weighted ? fmt::format(" weights {}", set->width) : std::string();
      line("points {} {} on {}{};", field.name, box(field.box), domain(field.domain, set->within),
           weights);
      return;
    }
    const std::string type = type_text(field, tree_of(field));
    const std::string rules = boundary(field);
    const std::string set = field.set() ? program_.fields[*field.set()].name : "";
    if (field.is_series()) {
      const size_t own = field.dimensions().size();
      const std::string place = field.set() ? " on " + set : own > 1 ? on_grid(field, 1, true) : "";
      line("series {} : {} [{}]{}{};", field.name, type, range(field.box.ranges[0]), place, rules);
      return;
    }
    const std::string place = field.set() ? " on " + set : on_grid(field, 0, field.read_in_place());
    const std::string history =
        field.history > 1 ? fmt::format(" history {}", field.history) : std::string();
    line("field {} : {}{}{}{}{};", field.name, type, place, history,
         field.constant ? " constant" : "", rules);
  }

  // Names of indices for the dimensions of a piece. `all`: also for those that no value uses.
  std::vector<std::string> indices(const Piece& piece, bool all) {
    std::vector<bool> used(piece.region.ranges.size(), all);
    for (const Node& node : piece.graph.nodes()) {
      if (const auto* index = std::get_if<Index>(&node.kind)) used[index->dimension] = true;
    }
    std::vector<std::string> out(used.size());
    for (size_t d = 0; d < used.size(); ++d) {
      if (!used[d]) continue;
      const bool named = d < piece.index_names.size() && !piece.index_names[d].empty();
      out[d] = names_.fresh(named ? piece.index_names[d] : fmt::format("x{}", d));
    }
    return out;
  }

  // The value of a result before it is stored: a store converts to a storage type.
  static NodeId unstored(const Piece& piece, NodeId result) {
    const auto* operation = std::get_if<Operation>(&piece.graph[result].kind);
    const bool storage =
        operation && operation->op == Op::Convert && is_storage(piece.graph[result].type);
    return storage ? operation->operands[0] : result;
  }

  void write_init(const Init& init) {
    const Field& field = program_.fields[init.field];
    const std::vector<std::string> names = indices(init.piece, true);
    std::vector<std::string> values;
    for (const NodeId result : init.piece.results) {
      values.push_back(value(init.piece.graph, unstored(init.piece, result), names, {}));
    }
    line("init {}[{}] = {};", field.name, fmt::join(names, ", "),
         value_text(tree_of(field), values));
  }

  // --- The step

  // The number of functions before each reduction in the text. Those without a place in the step
  // stand before the next one that has a place.
  std::vector<size_t> places_of_reductions() const {
    std::vector<size_t> places(program_.reductions.size(), program_.functions.size());
    size_t next = program_.functions.size();
    for (size_t r = places.size(); r-- > 0;) {
      next = functions_before(program_, static_cast<ReductionId>(r)).value_or(next);
      places[r] = next;
    }
    return places;
  }

  std::string write_step() {
    const std::string before = std::move(out_);
    out_.clear();
    const std::vector<size_t> places = places_of_reductions();
    std::vector<std::string> items;
    for (size_t f = 0; f < program_.functions.size(); ++f) items.push_back(written_function(f));
    // Inner reductions first: their initial values may be known from later ones.
    std::vector<WrittenReduction> reductions(places.size());
    for (size_t r = places.size(); r-- > 0;) {
      reductions[r] = written_reduction(static_cast<ReductionId>(r));
    }
    StepText text{items, {}, places, 0, 0, {}};
    for (size_t r = 0; r < places.size(); ++r) {
      const auto initial = names_.initial.find(static_cast<ReductionId>(r));
      const std::string first =
          initial == names_.initial.end() ? "" : " initial " + initial->second;
      text.reductions.push_back(reductions[r].head + first + reductions[r].tail);
    }
    if (program_.start.empty() && applies_in_order(program_)) {
      append(program_.run.body, text);
      append_reductions(text);
    } else {
      for (const std::string& function : text.functions) text.out += function;
      for (const std::string& reduction : text.reductions) text.out += reduction;
      if (!program_.start.empty()) text.out += block("start", program_.start, 0);
      text.out += block("step", program_.run.body, 0);
    }
    out_ = before;
    return text.out;
  }

  // A block of statements: HEAD { ... }.
  std::string block(const std::string& head, const Sequence& sequence, size_t depth) const {
    const std::string indent(2 * depth, ' ');
    return fmt::format("{0}{1} {{\n{2}{0}}}\n", indent, head, statements(sequence, depth + 1));
  }
  std::string statements(const Sequence& sequence, size_t depth) const {
    const std::string indent(2 * depth, ' ');
    std::string out;
    for (const Step& step : sequence) {
      if (const auto* inner = std::get_if<Sequence>(&step.kind)) out += statements(*inner, depth);
      if (const auto* apply = std::get_if<Apply>(&step.kind)) {
        out += fmt::format("{}{};\n", indent, program_.functions[apply->function].name);
      }
      if (const auto* reduce = std::get_if<Reduce>(&step.kind)) {
        out += fmt::format("{}{};\n", indent, program_.reductions[reduce->reduction].name);
      }
      if (const auto* repeat = std::get_if<Repeat>(&step.kind)) {
        out += block(fmt::format("repeat {}", repeat->iterations), repeat->body, depth);
      }
    }
    return out;
  }

  // The text of a step as far as it is written.
  struct StepText {
    const std::vector<std::string>& functions;
    std::vector<std::string> reductions;
    const std::vector<size_t>& places;  // functions before each reduction
    size_t functions_done, reductions_done;
    std::string out;
  };

  // The reductions that stand before the next function.
  static void append_reductions(StepText& to) {
    for (size_t& r = to.reductions_done; r < to.places.size(); ++r) {
      if (to.places[r] > to.functions_done) return;
      to.out += to.reductions[r];
    }
  }

  static void append(const Sequence& sequence, StepText& to) {
    for (const Step& step : sequence) {
      if (const auto* inner = std::get_if<Sequence>(&step.kind)) append(*inner, to);
      if (const auto* apply = std::get_if<Apply>(&step.kind)) {
        append_reductions(to);
        to.out += to.functions[apply->function];
        ++to.functions_done;
      }
      if (const auto* repeat = std::get_if<Repeat>(&step.kind)) {
        append_reductions(to);
        to.out += fmt::format("repeat {} {{\n", repeat->iterations);
        append(repeat->body, to);
        to.out += "}\n";
      }
    }
  }

  std::vector<Target> targets_of(const Function& function) {
    std::vector<Target> targets;
    size_t base = 0;
    for (const FieldId id : function.targets) {
      const Field& field = program_.fields[id];
      add_targets(function, field, base, tree_of(field), "", targets);
      base += field.components.size();
    }
    std::set<std::string> names;
    for (const Target& target : targets) {
      if (names.insert(target.name).second) continue;
      names_.diagnostics.error("S093", function.span, "targets of one function with the same name")
          .found = target.path;
    }
    return targets;
  }

  std::string written_function(size_t index) {
    const Function& function = program_.functions[index];
    const std::vector<Target> targets = targets_of(function);
    std::vector<std::string> paths;
    for (const Target& target : targets) paths.push_back(target.path);
    std::string lets, pieces;
    for (const Piece& piece : function.pieces) {
      const std::vector<std::string> names = indices(piece, false);
      std::vector<NodeId> roots;
      for (size_t r = 0; r < piece.results.size(); ++r) {
        const bool written = std::any_of(targets.begin(), targets.end(), [&](const Target& t) {
          return t.base + t.tree.first <= r && r < t.base + t.tree.first + t.tree.count;
        });
        roots.push_back(written ? unstored(piece, piece.results[r]) : kUnwritten);
      }
      std::vector<NodeId> needed = roots;
      std::erase(needed, kUnwritten);
      ExpressionWriter writer(names_, piece.graph, needed, names, {index, {}}, true);
      for (const std::string& let : writer.lets()) lets += fmt::format("  let {};\n", let);
      std::vector<std::string> entries;
      for (const Target& target : targets) {
        std::vector<std::string> values(target.tree.first + target.tree.count);
        for (size_t c = target.tree.first; c < values.size(); ++c) {
          values[c] = writer.text(roots[target.base + c]);
        }
        const std::string value = value_text(target.tree, values);
        entries.push_back(targets.size() == 1 ? value : fmt::format("{} = {}", target.name, value));
      }
      const std::string value =
          targets.size() == 1 ? entries[0] : fmt::format("{{ {} }}", fmt::join(entries, ", "));
      pieces += fmt::format("  {} = {};\n", box(piece.region, names), value);
    }
    return fmt::format("stencil {} : {} {{\n{}{}}}\n", function.name, fmt::join(paths, ", "), lets,
                       pieces);
  }

  struct WrittenReduction {
    std::string head, tail;  // the initial value stands between them
  };
  WrittenReduction written_reduction(ReductionId id) {
    const std::string before = std::move(out_);
    out_.clear();
    WrittenReduction out = program_.reductions[id].at ? written_record(id) : written_value(id);
    out.head.insert(0, out_);  // functions that it uses
    out_ = before;
    return out;
  }

  static std::string every(const Reduction& reduction) {
    return reduction.every > 1 ? fmt::format(" every {}", reduction.every) : std::string();
  }

  WrittenReduction written_record(ReductionId id) {
    const Reduction& record = program_.reductions[id];
    const std::string sampled = value(record.piece.graph, record.piece.results[0], {}, {{}, id});
    return {fmt::format("record {} [{}] = {} at {}{}", record.name,
                        range(program_.fields[*record.target].box.ranges[0]), sampled,
                        program_.fields[*record.at].name, every(record)),
            ";\n"};
  }

  WrittenReduction written_value(ReductionId id) {
    const Reduction& reduction = program_.reductions[id];
    const Piece& piece = reduction.piece;
    const bool indexed =
        std::any_of(piece.graph.nodes().begin(), piece.graph.nodes().end(),
                    [](const Node& node) { return std::holds_alternative<Index>(node.kind); });
    // a named region has all index names or none
    const std::vector<std::string> names = indices(piece, reduction.domain != 0 && indexed);
    NodeId result = piece.results[0];
    std::string where, over, rules;
    if (const auto chosen = where_of(reduction)) {
      where = " where " + value(piece.graph, chosen->first, names, {{}, id});
      result = chosen->second;
    }
    const std::string reduced = value(piece.graph, result, names, {{}, id});
    if (reduction.target) {
      over = fmt::format(" over [{}]", fmt::join(reduced_dimensions(program_, reduction), ", "));
      rules = boundary(program_.fields[*reduction.target]);
    }
    return {
        fmt::format("reduce {} = {}({}){} on {}{}{}", reduction.name, keyword(reduction.reducer),
                    reduced, over, region(reduction, names), where, every(reduction)),
        rules + ";\n"};
  }

  // A box means the first grid, so regions of other grids have a name.
  std::string region(const Reduction& reduction, const std::vector<std::string>& names) {
    const Box& box = reduction.piece.region;
    if (reduction.domain == 0) return this->box(box, names);
    const std::string name = domain(reduction.domain, box);
    const bool named = std::any_of(names.begin(), names.end(),
                                   [](const std::string& index) { return !index.empty(); });
    return named ? fmt::format("{}[{}]", name, fmt::join(names, ", ")) : name;
  }

  // The condition and the value if the reduction has a `where`: elsewhere it takes the neutral
  // element.
  static std::optional<std::pair<NodeId, NodeId>> where_of(const Reduction& reduction) {
    const Graph& graph = reduction.piece.graph;
    const NodeId result = reduction.piece.results[0];
    const auto* operation = std::get_if<Operation>(&graph[result].kind);
    if (!operation || operation->op != Op::Select) return std::nullopt;
    const auto* other = std::get_if<Constant>(&graph[operation->operands[2]].kind);
    const Constant none = neutral(reduction.reducer, graph[result].type);
    const bool same =
        other && (is_float(graph[result].type)
                      ? std::bit_cast<uint64_t>(other->real) == std::bit_cast<uint64_t>(none.real)
                      : other->integer == none.integer);
    if (!same) return std::nullopt;
    return std::pair(operation->operands[0], operation->operands[1]);
  }

  static const char* keyword(Reducer reducer) {
    switch (reducer) {
      case Reducer::Sum:
        return "sum";
      case Reducer::Prod:
        return "prod";
      case Reducer::Min:
        return "min";
      case Reducer::Max:
        return "max";
    }
    return "";
  }

  const Program& program_;
  WrittenNames names_;
  IdVector<DomainId, std::string> grids_;
  std::string out_;
  std::string domains_;  // items that declare sub-grids
  std::vector<std::tuple<DomainId, Box, std::string>> boxes_;
};

}  // namespace

std::optional<std::string> write(const Program& program, Diagnostics& diagnostics) {
  Diagnostics own;
  std::string text = Writer(program, own).run();
  for (const Diagnostic& diagnostic : own.items()) diagnostics.add(diagnostic);
  if (own.has_errors()) return std::nullopt;
  return text;
}

}  // namespace stencil::ir
