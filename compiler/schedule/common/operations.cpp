#include "compiler/schedule/common/operations.h"

#include <algorithm>

#include "compiler/ir/linear_form.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/uniform.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/common/slow_operations.h"
#include "compiler/schedule/common/tiling.h"

namespace stencil::schedule {

namespace {

// Like ir::fused_operations, for points that share no subexpressions.
double separate_operations(const ir::Graph& graph, const std::vector<ir::NodeId>& results) {
  const std::vector<bool> needed = ir::reachable(graph, results);
  const ir::Uniformity kinds = ir::uniformity(graph);
  std::vector<int> uses(needed.size(), 0), fused(needed.size(), 0);
  double count = 0;
  const auto operation = [&](ir::NodeId id) { return std::get_if<ir::Operation>(&graph[id].kind); };
  for (const ir::NodeId root : results) ++uses[root];
  for (ir::NodeId id = 0; id < graph.size(); ++id) {
    const ir::Operation* op = operation(id);
    if (!op || !needed[id] || kinds.computed_once(graph, id)) continue;
    if (op->op != Op::Neg && op->op != Op::Convert) count += 1;
    bool has_product = false;
    for (const ir::NodeId operand : op->operands) {
      ++uses[operand];
      const ir::Operation* product = operation(operand);
      const bool sum = op->op == Op::Add || op->op == Op::Sub;
      if (!sum || has_product || !product || product->op != Op::Mul) continue;
      if (kinds.computed_once(graph, operand) || !is_float(graph[operand].type)) continue;
      ++fused[operand];
      has_product = true;
    }
  }
  for (size_t id = 0; id < uses.size(); ++id) count -= fused[id] > 0 && fused[id] == uses[id];
  return count;
}

}  // namespace

Operations arithmetic(const ir::Graph& graph, const std::vector<ir::NodeId>& results, FpMode fp,
                      Sharing sharing) {
  Operations out;
  if (graph.size() == 0 || results.empty()) return out;
  const Scalar type = graph[results[0]].type;
  const bool wide = type == Scalar::F64;
  const double count = sharing == Sharing::InPlane ? ir::fused_operations(graph, results, 0)
                                                   : separate_operations(graph, results);
  (wide ? out.real : is_float(type) ? out.single : out.integer) = count;
  const SlowOperations slow = slow_operations(graph, results, fp);
  const int shared = sharing == Sharing::InPlane ? slow.placed_calls : 0;
  (wide ? out.real_calls : out.calls) = slow.calls - shared;
  (wide ? out.real_multiplied : out.multiplied) = slow.multiplied;
  return out;
}

const Operations& PieceArithmetic::of(const ir::Graph& graph,
                                      const std::vector<ir::NodeId>& results, Sharing sharing) {
  const auto [entry, fresh] = known_.try_emplace({&graph, sharing});
  if (fresh) entry->second = arithmetic(graph, results, program_.fp, sharing);
  return entry->second;
}

Operations at_point(const analysis::TimeTiles& tiles, const ir::Function& function,
                    const std::function<bool(ir::FieldId)>& held) {
  std::vector<ir::Box> regions;
  for (const ir::Piece& piece : function.pieces) regions.push_back(piece.region);
  const ir::Piece& piece = function.pieces[main_piece(regions)];
  Operations out = tiles.kept<PieceArithmetic>().of(piece.graph, piece.results, Sharing::None);
  for (const auto& [id, access] : ir::accesses(piece.graph, piece.results)) {
    if (access->per_step) continue;
    (held(access->field) ? out.shared : out.loads) += words(piece.graph[id].type);
    out.accesses += 1;
  }
  for (const ir::NodeId result : piece.results) {
    out.shared += words(piece.graph[result].type);
    out.accesses += 1;
  }
  const int rank = tiles.program().grid().rank();
  out.selects = static_cast<double>(function.pieces.size());
  out.points = rank * rank;
  return out;
}

size_t main_piece(const std::vector<ir::Box>& regions) {
  size_t largest = 0;
  double most = -1;
  for (size_t i = 0; i < regions.size(); ++i) {
    double points = 1;
    for (const ir::Range& range : regions[i].ranges) {
      const ir::Affine extent = range.high - range.low + 1;
      constexpr double kOpen = 1e6;
      points *=
          extent.is_constant() ? static_cast<double>(std::max<int64_t>(extent.constant, 0)) : kOpen;
    }
    if (points <= most) continue;
    largest = i;
    most = points;
  }
  return largest;
}

int64_t usual_extent(const ir::Program& program, int dimension) {
  constexpr int64_t kUsual[] = {1 << 24, 4096, 512, 96};  // by rank
  const auto known = known_extent(program, dimension);
  const int rank = std::min(program.grid().rank(), 4);
  return known ? *known : kUsual[static_cast<size_t>(rank) - 1];
}

int64_t written_extent(const ir::Program& program, int dimension) {
  const analysis::Reach rim = rim_of(program, dimension);
  return std::max<int64_t>(usual_extent(program, dimension) - rim.low - rim.high, 1);
}

double written_points(const ir::Program& program) {
  double points = 1;
  for (int d = 0; d < program.grid().rank(); ++d) {
    points *= static_cast<double>(written_extent(program, d));
  }
  return points;
}

double usual_points(const ir::Program& program) {
  double points = 1;
  for (int d = 0; d < program.grid().rank(); ++d) {
    points *= static_cast<double>(usual_extent(program, d));
  }
  return points;
}

double bytes_of_planes(const ir::Program& program, const ir::Function& function) {
  double bytes = 0;
  for (const analysis::Reads& reads : analysis::reads_of(program, function)) {
    const int64_t planes = reads.offsets[0].low + reads.offsets[0].high + 1;
    bytes += static_cast<double>(planes * bytes_per_point(program.fields[reads.field]));
  }
  return bytes;
}

int words(Scalar type) {
  return (size_in_bytes(type) + 3) / 4;
}

double sectors(double bytes) {
  constexpr double kSector = 32, kWord = 4;
  return bytes + kSector - kWord;
}

double footprint(const ir::Program& program) {
  double bytes = 0;
  for (const ir::Field& field : program.fields) {
    if (field.read_in_place()) continue;  // negligible size
    const ir::FieldId id = static_cast<ir::FieldId>(&field - program.fields.data());
    const int levels = field.history + (ir::is_written(program, id) ? 1 : 0);
    bytes += static_cast<double>(bytes_per_point(field)) * levels;
  }
  return bytes * usual_points(program);
}

}  // namespace stencil::schedule
