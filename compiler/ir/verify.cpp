// Checks the invariants on which passes and schedules rely. The front end runs it on every program
// after semantic analysis, and tests run it on rewritten programs. A violation is a bug of the
// compiler, so messages are terse.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/ir/passes.h"
#include "compiler/ir/rewrite.h"

namespace stencil::ir {

namespace {

class Verifier {
 public:
  Verifier(const Program& program, Form form) : program_(program), form_(form) {}

  std::vector<std::string> run() {
    if (!check_domains()) return std::move(problems_);
    const int rank = program_.grid().rank();
    for (size_t p = 0; p < program_.params.size(); ++p) check_derived(p);
    for (size_t f = 0; f < program_.fields.size(); ++f) check_field(f);
    for (const Function& function : program_.functions) {
      if (check_targets(function)) check_pieces(function);
    }
    check_step();
    for (const Init& init : program_.inits) {
      const Field& field = program_.fields[init.field];
      domain_ = field.domain;
      check_piece("init " + field.name, init.piece, field.box.rank(), types_of({init.field}));
      if (!reductions_read(init.piece.graph).empty()) fail("init " + field.name, "reduction");
    }
    for (const Reduction& reduction : program_.reductions) {
      if (reduction.every < 1) fail(reduction.name, "period below 1");
      if (reduction.in_step && reduction.every != 1) fail(reduction.name, "period in the step");
      domain_ = reduction.domain;
      check_piece(reduction.name, reduction.piece, rank, std::nullopt);
      if (reduction.target) check_profile(reduction);
    }
    if (program_.run.until) {
      check_graph("stop", program_.run.until->graph, Reads::Any);
      check_bool("stop", program_.run.until->graph, program_.run.until->condition);
    }
    for (const Requirement& requirement : program_.requirements) {
      check_graph("require", requirement.graph, Reads::None);
      check_bool("require", requirement.graph, requirement.condition);
    }
    check_axes();
    return std::move(problems_);
  }

 private:
  void fail(const std::string& where, const std::string& what) {
    problems_.push_back(where + ": " + what);
  }

  // The first domain is given, and each further one is derived from one before it.
  bool check_domains() {
    const auto& domains = program_.domains;
    if (domains.empty()) {
      fail("domains", "none");
      return false;
    }
    const int rank = domains.front().box.rank();
    if (rank < 1 || rank > kMaxRank) fail("grid", "rank out of range");
    const auto known = [&](const auto& user) {
      const bool valid = user.domain >= 0 && user.domain < static_cast<int>(domains.size());
      if (!valid) fail(user.name, "no such domain");
      return valid;
    };
    bool all = true;
    for (size_t id = 0; id < domains.size(); ++id) {
      const auto& [name, box, axes, subgrids, coarsened, span] = domains[static_cast<DomainId>(id)];
      if (box.rank() != rank) fail(name, "rank differs from that of the first domain");
      const bool derived = coarsened && coarsened->of < static_cast<int>(id);
      const bool sound = id == 0 ? !coarsened : derived;
      if (!sound) fail(name, "not derived from an earlier domain");
      const bool ratios =
          !coarsened || (static_cast<int>(coarsened->ratios.size()) == rank &&
                         std::all_of(coarsened->ratios.begin(), coarsened->ratios.end(),
                                     [](int ratio) { return ratio >= 1; }));
      if (!ratios) fail(name, "ratios");
      all &= sound && ratios && box.rank() == rank;
    }
    for (const Field& field : program_.fields) all &= known(field);
    for (const Function& function : program_.functions) all &= known(function);
    for (const Reduction& reduction : program_.reductions) all &= known(reduction);
    return all;
  }

  bool valid_field(FieldId id) const {
    return id >= 0 && id < static_cast<int>(program_.fields.size());
  }

  void check_axes() {
    for (const Domain& domain : program_.domains) check_axes(domain);
  }
  void check_axes(const Domain& domain) {
    if (!domain.axes.empty() && domain.axes.size() != domain.box.ranges.size()) {
      fail("grid", "number of axes");
    }
    for (const Axis& axis : domain.axes) {
      check_graph("grid", axis.graph, Reads::None);
      check_bool("grid", axis.graph, axis.admissible);
      for (const NodeId id : {axis.origin, axis.spacing}) {
        const bool node = id >= 0 && id < axis.graph.size();
        if (!node || axis.graph[id].type != program_.real) fail("grid", "type of a coordinate");
      }
    }
  }

  // Functions stand in the order of their first applications, and every reduction that is evaluated
  // in the step is evaluated once, outside of repeats.
  void check_step() {
    std::vector<int> applied(program_.functions.size(), 0);
    std::vector<int> evaluated(program_.reductions.size(), 0);
    const size_t before = problems_.size();
    check_sequence(program_.start, true, applied, evaluated);
    if (problems_.size() != before) return;
    check_sequence(program_.run.body, false, applied, evaluated);
    for (size_t f = 0; f < applied.size(); ++f) {
      const Function& function = program_.functions[f];
      if (applied[f] == 0) fail(function.name, "not applied by the step");
      if (applied[f] > 1) check_repeated(function);
    }
    for (size_t r = 0; r < evaluated.size(); ++r) {
      const Reduction& reduction = program_.reductions[static_cast<ReductionId>(r)];
      if (evaluated[r] != (reduction.in_step ? 1 : 0)) fail(reduction.name, "place in the step");
    }
  }

  void check_sequence(const Sequence& sequence, bool repeated, std::vector<int>& applied,
                      std::vector<int>& evaluated) {
    for (const Step& step : sequence) {
      if (const auto* inner = std::get_if<Sequence>(&step.kind)) {
        check_sequence(*inner, repeated, applied, evaluated);
      } else if (const auto* apply = std::get_if<Apply>(&step.kind)) {
        const size_t f = apply->function;
        if (f >= applied.size()) return fail("step", "no such function");
        const bool in_order = f == 0 || applied[f - 1] > 0;
        if (applied[f]++ == 0 && !in_order) fail("step", "order of the functions");
        if (repeated) check_repeated(program_.functions[apply->function]);
      } else if (const auto* reduce = std::get_if<Reduce>(&step.kind)) {
        const bool known =
            reduce->reduction >= 0 && static_cast<size_t>(reduce->reduction) < evaluated.size();
        if (!known || repeated) return fail("step", "reduction");
        ++evaluated[static_cast<size_t>(reduce->reduction)];
      } else if (const auto* repeat = std::get_if<Repeat>(&step.kind)) {
        if (repeat->iterations < 2) fail("repeat", "iterations");
        if (repeat->body.empty()) fail("repeat", "without a function");
        check_sequence(repeat->body, true, applied, evaluated);
      } else {
        fail("step", "a loop until a condition holds");
      }
    }
  }

  void check_repeated(const Function& function) {
    for (const FieldId target : function.targets) {
      if (valid_field(target) && program_.fields[target].history > 1) {
        fail(function.name, "writes a field with history several times in a step");
      }
    }
  }

  void check_derived(size_t p) {
    const Param& param = program_.params[p];
    if (!param.derived) return;
    const auto& [graph, value, text] = *param.derived;
    check_graph(param.name, graph, Reads::None);
    if (value < 0 || value >= graph.size() || graph[value].type != param.type) {
      fail(param.name, "type of the derived value");
    }
    for (const Node& node : graph.nodes()) {
      const auto* read = std::get_if<ParamRef>(&node.kind);
      if (read && read->param >= static_cast<int>(p))
        fail(param.name, "follows from a later param");
    }
  }

  void check_field(size_t id) {
    const Field& field = program_.fields[id];
    if (field.components.empty()) fail(field.name, "no components");
    check_dimensions(field, reduction_into(program_, static_cast<FieldId>(id)).has_value());
    if (field.history < 1) fail(field.name, "history below 1");
    if (field.boundary.size() != field.box.ranges.size()) {
      fail(field.name, "number of boundary rules");
    }
    for (const Boundary& rules : field.boundary) {
      check_rule(field, rules.low);
      check_rule(field, rules.high);
      const bool joins = rules.low.row().joins_edges() || rules.high.row().joins_edges();
      if (joins && rules.low.kind != rules.high.kind) {
        fail(field.name,
             fmt::format("{} .. {}", rules.low.row().keyword, rules.high.row().keyword));
      }
    }
  }

  // `reduced`: a reduction computes the field.
  void check_dimensions(const Field& field, bool reduced) {
    if (!field.read_in_place()) {
      if (field.box.rank() != program_.grid().rank())
        fail(field.name, "rank differs from the grid's");
      return;
    }
    if (field.dimensions().size() != field.box.ranges.size())
      fail(field.name, "number of dimensions");
    for (size_t d = 0; d < field.dimensions().size(); ++d) {
      const bool points =
          field.dimensions()[d] == kPoints && field.set() && d + 1 == field.dimensions().size();
      const bool ascending = d == 0 || points || field.dimensions()[d] > field.dimensions()[d - 1];
      const bool known = points || (field.dimensions()[d] >= kTime &&
                                    field.dimensions()[d] < program_.grid().rank());
      if (!ascending || !known) fail(field.name, "dimensions");
    }
    const bool record = field.is_series() && field.set();
    if (reduced && !field.constant && !field.is_series() && field.history <= 2) return;
    if (reduced != (record && !field.constant) || field.history != 1)
      fail(field.name, "not constant");
    if (field.set().has_value() != (field.dimensions().back() == kPoints)) {
      fail(field.name, "without points");
    }
    if (field.set()) check_points(field);
  }

  void check_points(const Field& field) {
    if (!valid_field(*field.set())) return fail(field.name, "on no field");
    const Field& of = program_.fields[*field.set()];
    const PointSet* set = of.as_point_set();
    const size_t rank = program_.domains[field.domain].box.ranges.size();
    if (!set || set->within.ranges.size() != rank || of.domain != field.domain ||
        of.box.ranges.back() != field.box.ranges.back()) {
      return fail(field.name, "on no set of points");
    }
    if (!field.is_point_set()) return;
    if (&of != &field) fail(field.name, "another set of points");
    const size_t values = static_cast<size_t>(set->weighted ? set->width + 1 : 1);
    if (field.components.size() != values * rank) {
      fail(field.name, "components of a point");
    }
  }

  // The target of a reduction has one point for every index of the reduction's region.
  void check_profile(const Reduction& reduction) {
    if (!valid_field(*reduction.target)) return fail(reduction.name, "no such target");
    if (reduction.piece.results.size() != 1) return;  // reported
    const Field& field = program_.fields[*reduction.target];
    if (types_of({*reduction.target}) != std::vector<Scalar>{value_type(reduction)}) {
      fail(field.name, "type of a reduction");
    }
    const auto same = [&](const Reduction& other) { return other.target == reduction.target; };
    if (std::count_if(program_.reductions.begin(), program_.reductions.end(), same) != 1) {
      fail(field.name, "made by several reductions");
    }
    if (is_written(program_, *reduction.target)) fail(field.name, "made and written");
    if (reduction.at) return check_record(reduction, field);
    for (size_t d = 0; d < field.dimensions().size(); ++d) {
      const size_t of_grid = static_cast<size_t>(field.dimensions()[d]);
      const bool known = of_grid < reduction.piece.region.ranges.size();
      if (known && program_.origin.subdomain)
        continue;  // a subdomain computes only some of the points
      if (!known || field.box.ranges[d] != reduction.piece.region.ranges[of_grid]) {
        fail(field.name, "not the region of its reduction");
      }
    }
    if (!field.read_in_place()) fail(field.name, "has all dimensions");
  }

  void check_record(const Reduction& record, const Field& series) {
    if (series.dimensions() != std::vector<int>{kTime, kPoints} || series.set() != record.at) {
      return fail(series.name, "not at the points of its record");
    }
    if (record.in_step) fail(record.name, "a record placed within the step");
    if (!is_float(value_type(record))) fail(record.name, "a record of integers");
    const PointSet* set = program_.fields[*record.at].as_point_set();
    if (!program_.origin.subdomain && set->within != record.piece.region)
      fail(record.name, "its region is not that of its points");
  }

  void check_rule(const Field& field, const BoundaryRule& rule) {
    const bool numbers = rule.kind == BoundaryKind::Constant && !rule.value;
    const size_t values = numbers ? field.components.size() : 0;
    if (rule.values.size() != values) fail(field.name, "boundary values do not match");
    if (!rule.plain()) check_computed_rule(field, rule);
  }

  void check_computed_rule(const Field& field, const BoundaryRule& rule) {
    if (form_ != Form::Mathematics) return fail(field.name, "a rule that is not plain");
    if (field.read_in_place()) fail(field.name, "a computed rule of a profile");
    if (rule.row().takes_value() != (rule.value != nullptr)) fail(field.name, "value of a rule");
    if (!rule.value) return;
    domain_ = field.domain;
    check_graph(field.name, rule.value->graph, Reads::None);
    if (rule.value->results.size() != field.components.size()) fail(field.name, "values of a rule");
    for (size_t c = 0; c < rule.value->results.size() && c < field.components.size(); ++c) {
      const NodeId id = rule.value->results[c];
      const bool node = id >= 0 && id < rule.value->graph.size();
      const Scalar type = arithmetic_type(field.components[c].type);
      if (!node || rule.value->graph[id].type != type) fail(field.name, "type of a rule's value");
    }
  }

  bool check_targets(const Function& function) {
    const std::vector<FieldId>& targets = function.targets;
    if (targets.empty() || !std::all_of(targets.begin(), targets.end(),
                                        [this](FieldId id) { return valid_field(id); })) {
      fail(function.name, "no such target");
      return false;
    }
    if (std::set<FieldId>(targets.begin(), targets.end()).size() != targets.size()) {
      fail(function.name, "a target stands twice");
    }
    for (const FieldId id : targets) {
      const Field& target = program_.fields[id];
      if (target.constant) fail(function.name, "writes a constant field");
      if (target.box != target_box(program_, function) || target.domain != function.domain) {
        fail(function.name, "targets on several boxes");
      }
    }
    return true;
  }

  void check_pieces(const Function& function) {
    const int rank = target_box(program_, function).rank();
    const std::vector<Scalar> types = types_of(function.targets);
    domain_ = function.domain;
    for (const Piece& piece : function.pieces) {
      check_piece(function.name, piece, rank, types);
    }
  }

  std::vector<Scalar> types_of(const std::vector<FieldId>& fields) const {
    std::vector<Scalar> types;
    for (const FieldId id : fields) {
      for (const Component& component : program_.fields[id].components) {
        types.push_back(component.type);
      }
    }
    return types;
  }

  // `types`: the types of the results; nullopt: one result of any type.
  void check_piece(const std::string& where, const Piece& piece, int rank,
                   const std::optional<std::vector<Scalar>>& types) {
    if (piece.region.rank() != rank) fail(where, "rank of the region");
    check_graph(where, piece.graph, Reads::InStep);
    if (piece.results.size() != (types ? types->size() : 1)) {
      fail(where, "number of results");
      return;
    }
    for (size_t c = 0; c < piece.results.size(); ++c) {
      if (piece.results[c] < 0 || piece.results[c] >= piece.graph.size()) {
        fail(where, "result is no node");
      } else if (types && piece.graph[piece.results[c]].type != (*types)[c]) {
        fail(where, "type of a result");
      }
    }
  }

  void check_bool(const std::string& where, const Graph& graph, NodeId id) {
    if (id < 0 || id >= graph.size() || graph[id].type != Scalar::Bool) {
      fail(where, "condition is not Bool");
    }
  }

  // Which reductions a graph may read.
  enum class Reads { None, InStep, Any };

  void check_reduction(const std::string& where, const Node& node, const ReductionRef& read,
                       Reads reads) {
    const size_t id = static_cast<size_t>(read.reduction);
    if (id >= program_.reductions.size()) return fail(where, "no such reduction");
    const Reduction& reduction = program_.reductions[id];
    if (reduction.target) return fail(where, reduction.name + ": a profile read as a value");
    if (node.type != value_type(reduction)) fail(where, reduction.name + ": type of a reduction");
    const bool in_step = reads == Reads::Any || (reads == Reads::InStep && reduction.in_step);
    if (!in_step) fail(where, reduction.name + ": not evaluated in the step");
  }

  bool is_folded(const Param& param) const {
    if (form_ == Form::Baked) return param.folded();
    return param.integer_value || param.affine;
  }

  void check_graph(const std::string& where, const Graph& graph, Reads reads) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph[id];
      if (const auto* access = std::get_if<Access>(&node.kind)) {
        check_access(where, node, *access);
      } else if (const auto* operation = std::get_if<Operation>(&node.kind)) {
        check_operation(where, graph, id, *operation);
      } else if (const auto* param = std::get_if<ParamRef>(&node.kind)) {
        const bool known =
            param->param >= 0 && param->param < static_cast<int>(program_.params.size());
        if (!known || program_.params[param->param].type != node.type) {
          fail(where, fmt::format("%{}: param", id));
        } else if (is_folded(program_.params[param->param])) {
          fail(where, fmt::format("%{}: param whose value is folded", id));
        }
      } else if (const auto* reduction = std::get_if<ReductionRef>(&node.kind)) {
        check_reduction(where, node, *reduction, reads);
      }
    }
  }

  void check_access(const std::string& where, const Node& node, const Access& access) {
    if (!valid_field(access.field)) return fail(where, "access to no field");
    const Field& field = program_.fields[access.field];
    if (access.component < 0 || access.component >= static_cast<int>(field.components.size())) {
      return fail(where, field.name + ": no such component");
    }
    const Scalar stored = field.components[access.component].type;
    // type of a sum of weights
    const Scalar sum = access.weights_in_double ? Scalar::F64 : Scalar::F32;
    const Scalar read = field.is_point_set() ? sum : arithmetic_type(stored);
    if (node.type != read) fail(where, field.name + ": type of an access");
    const bool narrow = access.at_points && read == Scalar::F64 &&
                        program_.fields[*field.set()].as_point_set()->weight != read;
    if (narrow) fail(where, field.name + ": weights are narrower than the type of the read");
    if (access.maps.size() != field.box.ranges.size()) {
      fail(where, field.name + ": number of offsets");
    }
    const bool across = field.domain != domain_;
    check_maps(where, field, access);
    const bool per_step = field.dimensions() == std::vector<int>{kTime};
    if (access.in_place != (field.read_in_place() || across) || access.per_step != per_step ||
        access.at_points != field.set().has_value()) {
      fail(where, field.name + ": where it is read");
    }
    if (access.level < 0 || access.level >= field.history) fail(where, field.name + ": level");
    const auto made = reduction_into(program_, access.field);
    if (made && !program_.reductions[*made].in_step) {
      fail(where, field.name + ": its reduction is not evaluated in the step");
    }
    for (size_t d = 0; d < field.boundary.size(); ++d) {
      const Boundary& rules = field.boundary[d];
      const bool below = access.escapes_below(d) && rules.low.kind == BoundaryKind::None;
      const bool above = access.escapes_above(d) && rules.high.kind == BoundaryKind::None;
      if (below || above) fail(where, field.name + ": leaves the grid without a boundary");
    }
  }

  void check_maps(const std::string& where, const Field& field, const Access& access) {
    std::vector<IndexMap> maps(access.maps.size());
    if (field.domain != domain_ && !access.per_step) {
      if (field.read_in_place()) return fail(where, field.name + ": read from another domain");
      maps = maps_between(program_, domain_, field.domain);
    }
    for (size_t d = 0; d < maps.size(); ++d) {
      const IndexMap& map = access.maps[d];
      if (map.scale != maps[d].scale || map.divisor != maps[d].divisor) {
        fail(where, field.name + ": scale of an index");
      }
    }
  }

  void check_operation(const std::string& where, const Graph& graph, NodeId id,
                       const Operation& operation) {
    const auto label = [&] { return fmt::format("%{} {}", id, name(operation.op)); };
    const bool any = operation.op == Op::Random && form_ < Form::NoRandom;
    if (!any && static_cast<int>(operation.operands.size()) != arity(operation.op)) {
      return fail(where, label() + ": number of operands");
    }
    for (NodeId operand : operation.operands) {
      if (operand < 0 || operand >= id)
        return fail(where, label() + ": an operand is not defined before its use");
    }
    const auto type = [&](int i) { return graph[operation.operands[i]].type; };
    const Scalar result = graph[id].type;
    if (operation.op == Op::Convert) return;
    if (operation.op == Op::Select) {
      const bool sound = type(0) == Scalar::Bool && type(1) == result && type(2) == result;
      if (!sound) fail(where, label() + ": types");
      return;
    }
    const bool logical = class_of(operation.op) == OpClass::Logic;
    const bool gives_bool = logical || is_comparison(operation.op);
    if ((result == Scalar::Bool) != gives_bool) fail(where, label() + ": type of the result");
    for (int i = 0; i < static_cast<int>(operation.operands.size()); ++i) {
      const Scalar wanted = logical ? Scalar::Bool : is_comparison(operation.op) ? type(0) : result;
      if (type(i) != wanted) fail(where, label() + ": type of an operand");
    }
  }

  const Program& program_;
  const Form form_;
  DomainId domain_ = 0;  // of the points of the graph
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Program& program, Form form) {
  return Verifier(program, form).run();
}

}  // namespace stencil::ir
