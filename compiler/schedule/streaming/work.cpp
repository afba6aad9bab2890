#include "compiler/schedule/streaming/work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/common/operations.h"
#include "compiler/schedule/streaming/chunks.h"
#include "compiler/schedule/streaming/known.h"
#include "compiler/schedule/streaming/resources.h"

namespace stencil::schedule {

namespace {

int patch_points(const StreamPlan& plan) {
  return plan.patch[0] * plan.patch[1];
}

// The graphs of a program's pieces where no condition on the distance from an edge is met, cached
// (TimeTiles::kept).
class InsidePieces {
 public:
  explicit InsidePieces(const ir::Program&) {}
  const ir::Residual& of(const StagePiece& piece) {
    const auto [entry, fresh] = known_.try_emplace(piece.piece);
    if (fresh) entry->second = ir::away_from_edges(*piece.graph, piece.results, piece.edges);
    return entry->second;
  }

 private:
  std::map<const ir::Piece*, ir::Residual> known_;
};

// Adds the operations of a stage, for a patch and all steps, and its selects by position. If the
// inside is computed apart, its operations, and as selects what is added at the edges.
void count_stage(const analysis::TimeTiles& tiles, const StreamPlan& plan, const StreamStage& stage,
                 bool split, Operations& out, double& selects) {
  std::vector<ir::Box> regions;
  for (const StagePiece& piece : stage.pieces) regions.push_back(piece.region);
  if (regions.empty()) return;
  const StagePiece& main = stage.pieces[main_piece(regions)];
  const double points = patch_points(plan) * plan.steps;
  PieceArithmetic& arithmetic = tiles.kept<PieceArithmetic>();
  if (split && !main.edges.empty()) {
    const ir::Residual& inside = tiles.kept<InsidePieces>().of(main);
    const Operations& apart = arithmetic.of(inside.graph, inside.results, Sharing::InPlane);
    const Operations& all = arithmetic.of(*main.graph, main.results, Sharing::InPlane);
    out.add(apart, points);
    selects +=
        points * (all.real + all.single + all.integer - apart.real - apart.single - apart.integer);
  } else if (main.congruences.empty()) {
    out.add(arithmetic.of(*main.graph, main.results, Sharing::InPlane), points);
  } else {  // without points excluded by conditions
    const auto& classes =
        tiles.kept<PieceCongruences>().classes(*main.piece, plan.known.modulus).all();
    for (const ResidueClasses::Class& each : classes) {
      out.add(arithmetic.of(each.rest.graph, each.rest.results, Sharing::InPlane),
              points / static_cast<double>(classes.size()));
    }
  }
  if (!covers_all_places(tiles.program(), plan, stage)) {
    selects +=
        points * static_cast<double>(stage.pieces.size() * stage.results.size()) * (plan.rank - 1);
  }
}

// Adds the in-place loads of a patch. Points that differ only in dimensions that a profile lacks
// share a load.
void count_in_place(const ir::Program& program, const StreamPlan& plan, const StreamStage& stage,
                    Operations& out) {
  for (const StagePiece& piece : stage.pieces) {
    for (const auto& [id, access] : ir::accesses(*piece.graph, piece.results)) {
      if (access->at_points) out.loads += plan.steps;  // the slab of the plane
      if (!access->in_place || access->per_step || access->at_points) continue;
      double loads = plan.steps;
      for (const int d : program.fields[access->field].dimensions()) {
        const int axis = plan.rank - 1 - d;
        if (d > 0) loads *= plan.patch[axis];
      }
      out.loads += loads * words((*piece.graph)[id].type);
      out.accesses += loads;
    }
  }
}

// Adds words transferred to or from shared memory by threads whose data are `patch` points apart,
// in vectors. Shared memory serves 128 bytes per cycle from 32 banks of 4 bytes (CUDA C++
// Programming Guide, "Shared Memory").
void count_shared(const StreamPlan& plan, Scalar type, double words, Operations& out) {
  constexpr int kAtOnce = 128;
  const int length = vector_length(plan, type);
  const int in_turn = std::gcd(plan.patch[0] / length, kAtOnce / (length * size_in_bytes(type)));
  out.shared += words;
  out.conflicts += words * (in_turn - 1);
}

// Columns fetched from other threads, averaged over planes.
double columns_fetched(const StreamPlan& plan, const Quantity& q, size_t age, int row,
                       const Sides& sides) {
  if (!q.asked_for) return sides.low + sides.high;
  int planes = 0;
  for (int c = -sides.low; c < plan.patch[0] + sides.high; ++c) {
    if (c >= 0 && c < plan.patch[0]) continue;
    const uint32_t fetched = planes_fetched(plan, q, static_cast<int>(age), row, c);
    planes += std::popcount(fetched);
  }
  return static_cast<double>(planes) / static_cast<double>(plan.known.modulus[0]);
}

// Adds the exchange of values between threads.
void count_exchange(const StreamPlan& plan, const Quantity& q, Operations& out) {
  const int length = vector_length(plan, q.type);
  const double row_vectors = static_cast<double>(plan.patch[0]) / length;
  const double row_words = plan.patch[0] * words(q.type);
  for (size_t age = 0; age < q.fetched.size(); ++age) {
    for (const auto& [row, sides] : q.fetched[age]) {
      out.shuffles += columns_fetched(plan, q, age, row, sides) * words(q.type);
      if (row >= 0 && row < plan.patch[1]) continue;
      count_shared(plan, q.type, row_words, out);
      out.accesses += row_vectors;
    }
  }
  if (q.published_planes > 0) {
    const auto rows = static_cast<double>(published_rows(q, plan.patch[1]).size());
    count_shared(plan, q.type, rows * row_words, out);
    out.accesses += rows * row_vectors;
  }
}

// Adds transfers between memory and registers.
void count_traffic(const StreamPlan& plan, const Quantity& q, double warps, Operations& out,
                   double& bytes) {
  const double points = patch_points(plan);
  const double vectors = points / vector_length(plan, q.type);
  const double patch_words = points * words(q.type);
  if (q.loaded()) {
    bytes += points * size_in_bytes(q.type);
    if (q.ring > 0) {
      // in 2-D each row of threads copies its own tile
      out.bulk += !plan.bulk ? 0 : plan.rank == 2 ? 1 : 1 / warps;
      out.copies += plan.bulk ? 0 : patch_words;
      count_shared(plan, q.type, patch_words, out);
      out.accesses += plan.bulk ? vectors : 2 * vectors;
    } else {
      out.loads += patch_words;
      out.accesses += vectors;
    }
  }
  if (q.is_output()) {
    bytes += points * size_in_bytes(q.type);
    out.stores += patch_words;
    out.accesses += vectors;
  }
}

double tiles_along(const ir::Program& program, const StreamPlan& plan, int axis) {
  const int dimension = plan.rank - 1 - axis;
  const double rest = static_cast<double>(usual_extent(program, dimension) - plan.spared(axis));
  return std::max(1.0,
                  std::ceil(rest / static_cast<double>(std::max<int64_t>(plan.core(axis), 1))));
}

}  // namespace

TileWork work_of(const analysis::TimeTiles& tiles, const Schedule& schedule,
                 const StreamPlan& plan) {
  const ir::Program& program = tiles.program();
  Work work;
  work.threads = threads_of(schedule);
  work.points = static_cast<double>(schedule.elements.product());
  work.registers = expected_registers(plan);
  work.promised = occupancy_of(schedule, plan);
  work.shared_bytes = shared_bytes(schedule, plan);
  work.ahead = schedule.prefetch;
  const bool split = schedule.interior == Interior::Split;
  double selects = 0;
  work.stages = 0;
  const bool in_place = std::any_of(program.fields.begin(), program.fields.end(),
                                    [](const ir::Field& field) { return field.read_in_place(); });
  for (const StreamStage& stage : plan.stages) {
    if (stage.step == 0) count_stage(tiles, plan, stage, split, work.iteration, selects);
    if (stage.step == 0 && in_place) count_in_place(program, plan, stage, work.iteration);
    work.stages += stage.patient ? 0 : 1;
  }
  double bytes = 0;
  bool shared_rows = false;
  for (const Quantity& q : plan.quantities) {
    count_exchange(plan, q, work.iteration);
    count_traffic(plan, q, std::ceil(work.threads / static_cast<double>(plan.machine.warp)),
                  work.iteration, bytes);
    shared_rows |= q.shared_rows;
    // A queue whose length divides the unrolling moves no registers.
    const int carried = q.ages - 1;
    const bool moves = q.loaded() && q.ready > 0 && carried > 0 && plan.unroll % carried != 0;
    if (moves) work.awaited = 1.0 / plan.unroll;
  }
  work.barriers = shared_rows || plan.bulk ? 1 : 0;
  work.bytes = bytes * work.threads;
  work.footprint = footprint(program);

  // Tiles per plane. If there is a variant without tests, only tiles at the ends run the tested
  // one.
  double side_by_side = 1, inside = 1;
  double compulsory = 1;
  for (int axis = 0; axis < plan.rank - 1; ++axis) {
    const double tiles = tiles_along(program, plan, axis);
    inside *= std::max(tiles - 2, 0.0) / tiles;
    compulsory *= std::max<double>(static_cast<double>(plan.core(axis)), 1) /
                  static_cast<double>(plan.cover[axis]);
    side_by_side *= tiles;
  }
  if (plan.rank == 2) side_by_side = std::ceil(side_by_side / schedule.block[1]);
  (split ? work.edge_selects : work.iteration.selects) = selects;
  work.edge = split ? 1 - inside : 0;

  // With two variants, the addresses of both stay live. The cost is noticeable in 3-D.
  if (split && plan.rank == 3) {
    constexpr double kFelt = 0.14;
    work.iteration.add(Operations(work.iteration), kFelt);
  }

  const Chunks chunks = cut_chunks(program, schedule, plan);
  const double planes = static_cast<double>(written_extent(program, 0));
  const double chunk = std::min(static_cast<double>(chunks.length), planes);
  work.iterations = chunk + static_cast<double>(plan.fill + plan.drain);
  work.compulsory = compulsory * chunk / work.iterations;
  work.blocks = side_by_side * std::ceil(planes / chunk);
  if (chunks.groups > 0) {
    work.blocks = std::max(side_by_side - 2, 0.0) * std::ceil(planes / chunk) +
                  2 * std::ceil(planes / static_cast<double>(chunks.boundary_length));
  }
  return {plan.steps, written_points(program), {work}};
}

}  // namespace stencil::schedule
