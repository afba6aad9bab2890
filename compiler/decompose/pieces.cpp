#include "compiler/decompose/pieces.h"

#include "compiler/ir/rewrite.h"

namespace stencil::decompose {

namespace {

void rewrite_piece(ir::Piece& piece, const ir::NodeRewrite& rewrite) {
  std::vector<ir::NodeId*> roots;
  for (ir::NodeId& result : piece.results) roots.push_back(&result);
  ir::rewrite_graph(piece.graph, roots, rewrite);
}

// The dimension of a profile access that corresponds to dimension d of the grid.
std::optional<size_t> own_dimension(const ir::Program& program, const ir::Access& access,
                                    size_t d) {
  const ir::Field& field = program.fields[access.field];
  if (!field.read_in_place() || access.at_points) return std::nullopt;
  for (size_t own = 0; own < access.maps.size(); ++own) {
    if (field.dimension(own) == static_cast<int>(d)) return own;
  }
  return std::nullopt;
}

}  // namespace

bool is_across(const ir::Program& program, const ir::Access& access) {
  return access.in_place && !program.fields[access.field].read_in_place();
}

analysis::Margin reach_of(const ir::Program& program, const ir::Piece& piece) {
  analysis::Margin out(program.grid().ranges.size());
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (access->in_place) continue;
    const ir::Field& field = program.fields[access->field];
    analysis::Margin reach;
    for (size_t d = 0; d < out.size(); ++d) {
      reach.push_back(analysis::reach_of(field, *access, d));
    }
    out = analysis::hull(out, reach);
  }
  return out;
}

bool reads_other_grids(const ir::Program& program, const ir::Piece& piece) {
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (is_across(program, *access)) return true;
  }
  return false;
}

bool depends_on(const ir::Piece& piece, size_t d) {
  const auto needed = ir::reachable(piece.graph, piece.results);
  for (ir::NodeId id = 0; id < piece.graph.size(); ++id) {
    if (!needed[id]) continue;
    const ir::Node& node = piece.graph[id];
    if (const auto* index = std::get_if<ir::Index>(&node.kind)) {
      if (index->dimension == static_cast<int>(d)) return true;
    }
    if (const auto* access = std::get_if<ir::Access>(&node.kind)) {
      if (access->in_place) return true;
    }
  }
  return false;
}

void replace_index(ir::Piece& piece, size_t d,
                   const std::function<ir::NodeId(ir::Graph&, ir::NodeId)>& there) {
  rewrite_piece(piece, [&](ir::Graph& graph, ir::Node node) {
    const auto* index = std::get_if<ir::Index>(&node.kind);
    const bool replaced = index && index->dimension == static_cast<int>(d);
    const ir::NodeId here = graph.add(std::move(node));
    return replaced ? there(graph, here) : here;
  });
}

void move_profiles(const ir::Program& program, ir::Piece& piece, size_t d, int64_t shift) {
  rewrite_piece(piece, [&](ir::Graph& graph, ir::Node node) {
    if (auto* access = std::get_if<ir::Access>(&node.kind)) {
      const auto own = own_dimension(program, *access, d);
      if (own) access->maps[*own].offset -= static_cast<int>(shift);
    }
    return graph.add(std::move(node));
  });
}

bool reads_profiles(const ir::Program& program, const ir::Piece& piece, size_t d) {
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (own_dimension(program, *access, d)) return true;
  }
  return false;
}

ir::NodeId add_operation(ir::Graph& graph, Op op, Scalar type, std::vector<ir::NodeId> operands) {
  return graph.add({ir::Operation{op, std::move(operands)}, type, {}, ""});
}

ir::NodeId add_integer(ir::Graph& graph, int64_t value, Scalar type) {
  return graph.add({ir::Constant{0, value}, type, {}, ""});
}

ir::NodeId add_wrapped(ir::Graph& graph, ir::NodeId at, ir::NodeId low, ir::NodeId high,
                       ir::NodeId period) {
  const ir::NodeId below = add_operation(graph, Op::Lt, Scalar::Bool, {at, low});
  const ir::NodeId above = add_operation(graph, Op::Gt, Scalar::Bool, {at, high});
  const ir::NodeId up = add_operation(graph, Op::Add, Scalar::I32, {at, period});
  const ir::NodeId down = add_operation(graph, Op::Sub, Scalar::I32, {at, period});
  const ir::NodeId raised = add_operation(graph, Op::Select, Scalar::I32, {below, up, at});
  return add_operation(graph, Op::Select, Scalar::I32, {above, down, raised});
}

}  // namespace stencil::decompose
