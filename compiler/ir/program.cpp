// Small operations of the stencil IR: hash-consing of graph nodes, and queries.
//
// Graphs share common subexpressions when they are built: adding a node that equals an existing one
// in kind and type returns the existing node. Constants are compared by their bits, so that 0.0 and
// -0.0 stay distinct (1/0.0 and 1/-0.0 differ) and a NaN equals itself. A shared node keeps the
// span and hint of its first occurrence, because readers look for the place where the value first
// appears.
#include "compiler/ir/program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "compiler/ir/uniform.h"

namespace stencil::ir {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdULL;
}

struct HashKind {
  uint64_t operator()(const Constant& c) const {
    return mix(mix(1, std::bit_cast<uint64_t>(c.real)), static_cast<uint64_t>(c.integer));
  }
  uint64_t operator()(const ParamRef& p) const { return mix(2, static_cast<uint64_t>(p.param)); }
  uint64_t operator()(const Index& i) const { return mix(3, static_cast<uint64_t>(i.dimension)); }
  uint64_t operator()(const Time&) const { return 4; }
  uint64_t operator()(const ReductionRef& r) const {
    return mix(mix(5, static_cast<uint64_t>(r.reduction)), r.replaced ? 1 : 0);
  }
  uint64_t operator()(const Access& a) const {
    uint64_t hash = mix(mix(6, static_cast<uint64_t>(a.field)), static_cast<uint64_t>(a.component));
    hash = mix(mix(hash, static_cast<uint64_t>(a.level)), a.escapes);
    for (const IndexMap& map : a.maps) {
      hash = mix(mix(hash, static_cast<uint64_t>(map.offset)),
                 static_cast<uint64_t>(map.scale) << 32 | static_cast<uint64_t>(map.divisor));
    }
    return hash;
  }
  uint64_t operator()(const Operation& o) const {
    uint64_t hash = mix(7, static_cast<uint64_t>(o.op));
    for (NodeId operand : o.operands) hash = mix(hash, static_cast<uint64_t>(operand));
    return hash;
  }
};

bool same_kind(const Node& a, const Node& b) {
  const auto* left = std::get_if<Constant>(&a.kind);
  const auto* right = std::get_if<Constant>(&b.kind);
  if (left && right) {
    return left->integer == right->integer &&
           std::bit_cast<uint64_t>(left->real) == std::bit_cast<uint64_t>(right->real);
  }
  return a.kind == b.kind;
}

}  // namespace

NodeId Graph::add(Node node) {
  const uint64_t hash = mix(std::visit(HashKind{}, node.kind), static_cast<uint64_t>(node.type));
  const auto [first, last] = index_.equal_range(hash);
  for (auto candidate = first; candidate != last; ++candidate) {
    const Node& existing = (*this)[candidate->second];
    if (existing.type == node.type && same_kind(existing, node)) return candidate->second;
  }
  const NodeId id = size();
  nodes_.push_back(std::move(node));
  index_.emplace(hash, id);
  return id;
}

void Graph::name(NodeId id, const std::string& hint) {
  std::string& current = nodes_[id].hint;
  if (current.empty()) current = hint;
}

std::vector<Boundary> uniform_boundary(int rank, const BoundaryRule& rule) {
  return std::vector<Boundary>(static_cast<size_t>(rank), {rule, rule});
}

bool meets(const Field& field, const Access& access, size_t d, BoundaryKind kind) {
  return (access.escapes_below(d) && field.boundary[d].low.kind == kind) ||
         (access.escapes_above(d) && field.boundary[d].high.kind == kind);
}

std::vector<std::string> param_names(const Program& program) {
  std::vector<std::string> names;
  names.reserve(program.params.size());
  for (const Param& param : program.params) names.push_back(param.name);
  return names;
}

bool writes(const Function& function, FieldId field) {
  return std::find(function.targets.begin(), function.targets.end(), field) !=
         function.targets.end();
}

std::vector<Output> outputs(const Program& program, const Function& function) {
  std::vector<Output> out;
  for (const FieldId field : function.targets) {
    const std::vector<Component>& all = program.fields[field].components;
    for (size_t c = 0; c < all.size(); ++c) {
      out.push_back({field, static_cast<int>(c), all[c].type});
    }
  }
  return out;
}

const Box& target_box(const Program& program, const Function& function) {
  return program.fields[function.targets.front()].box;
}

std::string target_names(const Program& program, const Function& function) {
  std::string out;
  for (const FieldId field : function.targets) {
    out += (out.empty() ? "" : ", ") + program.fields[field].name;
  }
  return out;
}

bool keeps(const Piece& piece, NodeId result, const Output& output) {
  const auto* operation = std::get_if<Operation>(&piece.graph[result].kind);
  if (operation && operation->op == Op::Convert && is_storage(output.type)) {
    result = operation->operands[0];
  }
  const auto* access = std::get_if<Access>(&piece.graph[result].kind);
  return access && access->field == output.field && access->component == output.component &&
         access->level == 0 && access->at_point();
}

bool is_written(const Program& program, FieldId field) {
  for (const Function& function : program.functions) {
    if (writes(function, field)) return true;
  }
  return false;
}

bool changes(const Program& program, FieldId field) {
  return is_written(program, field) || reduction_into(program, field);
}

bool is_read_only(const Program& program, FieldId field, int component) {
  if (reduction_into(program, field)) return false;
  const bool several = program.fields[field].components.size() > 1;
  bool read = false;
  const auto note_reads = [&](const Graph& graph, const std::vector<NodeId>& results) {
    for (const auto& [id, access] : accesses(graph, results)) {
      read = read || (access->field == field && access->component == component);
    }
  };
  for (const Function& function : program.functions) {
    const std::vector<Output> all = outputs(program, function);
    for (const Piece& piece : function.pieces) {
      std::vector<NodeId> computed;
      for (size_t r = 0; r < all.size(); ++r) {
        const bool own = all[r].field == field && all[r].component == component;
        if (several && keeps(piece, piece.results[r], all[r])) continue;
        if (own) return false;
        computed.push_back(piece.results[r]);
      }
      note_reads(piece.graph, computed);
    }
  }
  for (const Reduction& reduction : program.reductions) {
    note_reads(reduction.piece.graph, reduction.piece.results);
  }
  return read;
}

bool has_initial_value(const Program& program, FieldId field) {
  return std::any_of(program.inits.begin(), program.inits.end(),
                     [&](const Init& init) { return init.field == field; });
}

bool is_record(const Program& program, FieldId field) {
  const auto made = reduction_into(program, field);
  return made && program.reductions[*made].at;
}

namespace {

// Calls visit(id, operation) for every operation that the results need, users before their
// operands, except those that are computed once for all points.
template <class Visitor>
void visit_operations(const Piece& piece, Visitor visit) {
  std::vector<bool> reachable(static_cast<size_t>(piece.graph.size()), false);
  for (NodeId result : piece.results) reachable[result] = true;
  const Uniformity kinds = uniformity(piece.graph);
  for (NodeId id = piece.graph.size() - 1; id >= 0; --id) {  // users come after their operands
    if (!reachable[id]) continue;
    const auto* operation = std::get_if<Operation>(&piece.graph[id].kind);
    if (!operation || kinds.computed_once(piece.graph, id)) continue;
    for (NodeId operand : operation->operands) reachable[operand] = true;
    visit(id, *operation);
  }
}

// A factor of a product without its sign. Contraction moves the sign of a product into a factor.
using Factor = std::variant<NodeId, double>;

Factor factor_of(const Graph& graph, NodeId id) {
  if (const auto* constant = std::get_if<Constant>(&graph[id].kind))
    return std::abs(constant->real);
  const auto* operation = std::get_if<Operation>(&graph[id].kind);
  return operation && operation->op == Op::Neg ? factor_of(graph, operation->operands[0])
                                               : Factor(id);
}

}  // namespace

int count_operations(const Piece& piece) {
  int count = 0;
  visit_operations(piece, [&](NodeId, const Operation& operation) {
    if (operation.op != Op::Convert) ++count;
  });
  return count;
}

int count_flops(const Piece& piece) {
  std::set<std::pair<Factor, Factor>> products;
  int others = 0;
  visit_operations(piece, [&](NodeId id, const Operation& operation) {
    if (!is_float(piece.graph[id].type)) return;
    switch (operation.op) {
      case Op::Neg:
      case Op::Select:
      case Op::Convert:
        return;
      case Op::Mul:
      case Op::Fma:
        products.emplace(factor_of(piece.graph, operation.operands[0]),
                         factor_of(piece.graph, operation.operands[1]));
        others += operation.op == Op::Fma;
        return;
      default:
        ++others;
    }
  });
  return others + static_cast<int>(products.size());
}

std::vector<int64_t> reduction_tile(int rank) {
  if (rank == 1) return {kReductionTilePoints};
  std::vector<int64_t> tile(static_cast<size_t>(rank), 1);
  tile.end()[-1] = tile.end()[-2] = 32;
  return tile;
}

Scalar value_type(const Reduction& reduction) {
  const Scalar type = reduction.piece.graph[reduction.piece.results[0]].type;
  return type == Scalar::Bool ? Scalar::I32 : arithmetic_type(type);
}

std::vector<int> reduced_dimensions(const Program& program, const Reduction& reduction) {
  std::vector<int> kept;
  if (reduction.target) kept = program.fields[*reduction.target].dimensions();
  std::vector<int> out;
  for (int d = 0; d < program.grid().rank(); ++d) {
    if (std::find(kept.begin(), kept.end(), d) == kept.end()) out.push_back(d);
  }
  return out;
}

Step::Step(const Step&) = default;
Step::Step(Step&&) noexcept = default;
Step& Step::operator=(const Step&) = default;
Step& Step::operator=(Step&&) noexcept = default;
Step::~Step() = default;

std::vector<IndexMap> shifts(const std::vector<int>& offsets) {
  return {offsets.begin(), offsets.end()};
}

std::vector<int> offsets_of(const std::vector<IndexMap>& maps) {
  std::vector<int> offsets;
  for (const IndexMap& map : maps) offsets.push_back(map.offset);
  return offsets;
}

std::vector<IndexMap> maps_between(const Program& program, DomainId from, DomainId to) {
  const auto ratio = [&](DomainId domain, size_t d) {  // to the first domain
    int product = 1;
    while (const auto& coarsened = program.domains[domain].coarsened) {
      product *= coarsened->ratios[d];
      domain = coarsened->of;
    }
    return product;
  };
  std::vector<IndexMap> maps(program.domains[to].box.ranges.size());
  for (size_t d = 0; d < maps.size(); ++d) {
    const int scale = ratio(from, d), divisor = ratio(to, d);
    const int common = std::gcd(scale, divisor);
    maps[d].scale = scale / common;
    maps[d].divisor = divisor / common;
  }
  return maps;
}

std::vector<int> Field::dimensions() const {
  if (const auto* profile = std::get_if<Profile>(&kind)) return profile->dimensions;
  if (const auto* series = std::get_if<Series>(&kind)) {
    std::vector<int> all = {kTime};
    all.insert(all.end(), series->dimensions.begin(), series->dimensions.end());
    return all;
  }
  if (is_point_set()) return {kPoints};
  const auto* values = std::get_if<AtPoints>(&kind);
  if (!values) return {};
  return values->per_step ? std::vector<int>{kTime, kPoints} : std::vector<int>{kPoints};
}

std::optional<FieldId> Field::set() const {
  if (const PointSet* own = as_point_set()) return own->id;
  const auto* values = std::get_if<AtPoints>(&kind);
  return values ? std::optional(values->set) : std::nullopt;
}

std::optional<ReductionId> reduction_into(const Program& program, FieldId field) {
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    if (program.reductions[r].target == field) return static_cast<ReductionId>(r);
  }
  return std::nullopt;
}

std::optional<Sampled> sampled_by(const Program& program, const Reduction& record) {
  if (!record.at || cuts_steps(program)) return std::nullopt;
  const Piece& piece = record.piece;
  const auto* access = std::get_if<Access>(&piece.graph[piece.results[0]].kind);
  if (!access || access->in_place || access->level != 0 || access->escapes != 0)
    return std::nullopt;
  if (!access->at_point() || !is_written(program, access->field)) return std::nullopt;
  return Sampled{access->field, access->component};
}

std::vector<ReductionId> reductions_read(const Graph& graph) {
  std::set<ReductionId> read;
  for (const Node& node : graph.nodes()) {
    const auto* reference = std::get_if<ReductionRef>(&node.kind);
    if (reference) read.insert(reference->reduction);
  }
  return {read.begin(), read.end()};
}

std::optional<int64_t> steps_between_evaluations(const Program& program) {
  std::optional<int64_t> least;
  for (const Reduction& reduction : program.reductions) {
    if (reduction.in_step || sampled_by(program, reduction)) continue;
    least = std::min(least.value_or(reduction.every), reduction.every);
  }
  return least;
}

bool reduces_in_steps(const Program& program) {
  return std::any_of(program.reductions.begin(), program.reductions.end(),
                     [](const Reduction& reduction) { return reduction.in_step; });
}

Constant neutral(Reducer reducer, Scalar type) {
  const bool least = reducer == Reducer::Max;
  if (reducer == Reducer::Sum || reducer == Reducer::Prod) {
    const int value = reducer == Reducer::Prod ? 1 : 0;
    return {static_cast<double>(value), value};
  }
  if (is_float(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {least ? -kInfinity : kInfinity, 0};
  }
  const auto of = [&]<typename T>(T) {
    using Limits = std::numeric_limits<T>;
    return static_cast<int64_t>(least ? Limits::lowest() : Limits::max());
  };
  return {0, type == Scalar::I32 ? of(int32_t{}) : of(int64_t{})};
}

}  // namespace stencil::ir
