// Tiles and patches begin at multiples of some number of points from the grid's edge. Planes do,
// and the loop over them is unrolled, where a condition on coordinates modulo a number asks for it
// that the other dimensions leave open. A stage then reads a cell beside the patch in some planes
// alone: of two colours, a row of a patch needs one column on the left or one on the right.
#include "compiler/schedule/streaming/known.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/streaming/landing_offsets.h"

namespace stencil::schedule {

namespace {

int64_t positive_remainder(int64_t value, int64_t modulus) {
  return (value % modulus + modulus) % modulus;
}

class Knowing {
 public:
  Knowing(const ir::Program& program, const Schedule& schedule, StreamPlan& plan)
      : program_(program), schedule_(schedule), plan_(plan) {
    const size_t rank = static_cast<size_t>(plan.rank);
    plan.known = {std::vector<int64_t>(rank, 1), std::vector<int64_t>(rank, 0)};
  }

  void tiles() {
    for (int d = 1; d < plan_.rank; ++d) {
      const int axis = plan_.rank - 1 - d;
      const size_t i = static_cast<size_t>(axis);
      const int64_t below = plan_.images[static_cast<size_t>(d)] ? plan_.margin[i].low : 0;
      know(d, alike(d, std::gcd(plan_.core(axis), plan_.patch[i])), below);
    }
  }

  void planes_for(const ir::Congruence& congruence) {
    for (int d = 1; d < plan_.rank; ++d) {
      if (plan_.known.modulus[static_cast<size_t>(d)] % congruence.period(d) != 0) return;
    }
    const int64_t before = plan_.known.modulus[0];
    const int64_t planes = std::lcm(before, congruence.period(0));
    const int64_t unroll = std::lcm<int64_t>(plan_.unroll, planes);
    if (planes == before || alike(0, planes) != planes) return;
    if (schedule_.unroll > 0 ? unroll != plan_.unroll : unroll > kLongestUnroll) return;
    know(0, planes, 0);
    if (plan_.known.modulus[0] == planes) plan_.unroll = static_cast<int>(unroll);
  }

 private:
  // Some place of dimension d is `below` ahead of a multiple of `modulus` from the edge.
  void know(int d, int64_t modulus, int64_t below) {
    const ir::Range& grid = program_.grid.ranges[static_cast<size_t>(d)];
    if (!grid.low.is_constant()) return;
    plan_.known.modulus[static_cast<size_t>(d)] = modulus;
    plan_.known.remainder[static_cast<size_t>(d)] =
        positive_remainder(grid.low.constant - below, modulus);
  }

  // Where places are images, their coordinates are known as far as the period is a multiple, too.
  int64_t alike(int d, int64_t modulus) const {
    if (!plan_.images[static_cast<size_t>(d)]) return modulus;
    const ir::Range& grid = program_.grid.ranges[static_cast<size_t>(d)];
    const ir::Affine period = grid.high - grid.low + 1;
    return period.is_constant() ? std::gcd(modulus, period.constant) : 1;
  }

  const ir::Program& program_;
  const Schedule& schedule_;
  StreamPlan& plan_;
};

class Asking {
 public:
  Asking(const ir::Program& program, PieceCongruences& congruences, StreamPlan& plan)
      : program_(program), congruences_(congruences), plan_(plan) {}

  // What the stage reads at the points of a patch in a plane with this remainder.
  void stage(const StreamStage& stage, int64_t plane) {
    const int rank = plan_.rank;
    for (const StagePiece& piece : stage.pieces) {
      for (int k = 0; k < plan_.patch[1]; ++k) {
        for (int i = 0; i < plan_.patch[0]; ++i) {
          ir::Residue at = plan_.known;
          at.remainder[0] = plane;
          at.remainder[static_cast<size_t>(rank) - 1] += i;
          if (rank > 2) at.remainder[1] += k;
          point(stage, piece, at, k, i);
        }
      }
    }
  }

 private:
  void point(const StreamStage& stage, const StagePiece& piece, const ir::Residue& at, int k,
             int i) {
    const bool decided = !piece.congruences.empty();
    const ir::Residual* residual = decided ? &congruences_.at(*piece.piece, at) : nullptr;
    const ir::Graph& graph = residual ? residual->graph : *piece.graph;
    for (const auto& [id, access] :
         ir::accesses(graph, residual ? residual->results : piece.results)) {
      if (access->in_place) continue;
      Quantity& quantity = plan_.quantities[static_cast<size_t>(
          stage.source.at({access->field, access->level, access->component}))];
      std::vector<std::vector<int>> places = {access->offsets};
      if (access->escapes != 0 && !stage.everywhere) {
        places = landing_offsets(program_.fields[static_cast<size_t>(access->field)], *access);
      }
      for (const std::vector<int>& place : places) {
        const int age = stage.lag - place.front() - quantity.lag;
        const int row = k + (place.size() > 2 ? place[1] : 0);
        const int64_t plane =
            positive_remainder(at.remainder[0] + place.front(), plan_.known.modulus[0]);
        quantity.asked[{age, row, i + place.back()}].insert(plane);
      }
    }
  }

  const ir::Program& program_;
  PieceCongruences& congruences_;
  StreamPlan& plan_;
};

}  // namespace

void know_residues(const ir::Program& program, const Schedule& schedule, StreamPlan& plan) {
  Knowing knowing(program, schedule, plan);
  knowing.tiles();
  for (const StreamStage& stage : plan.stages) {
    for (const StagePiece& piece : stage.pieces) {
      for (const ir::Congruence& congruence : piece.congruences) knowing.planes_for(congruence);
    }
  }
}

void ask_for_cells(const ir::Program& program, PieceCongruences& congruences, StreamPlan& plan) {
  const bool some = std::any_of(plan.stages.begin(), plan.stages.end(), [](const auto& stage) {
    return std::any_of(stage.pieces.begin(), stage.pieces.end(),
                       [](const StagePiece& piece) { return !piece.congruences.empty(); });
  });
  if (!some) return;
  for (Quantity& quantity : plan.quantities) quantity.asked_for = true;
  Asking asking(program, congruences, plan);
  for (const StreamStage& stage : plan.stages) {
    for (int64_t plane = 0; plane < plan.known.modulus[0]; ++plane) asking.stage(stage, plane);
  }
}

std::set<int64_t> planes_fetched(const StreamPlan& plan, const Quantity& quantity, int age, int row,
                                 int column) {
  std::set<int64_t> out;
  if (!quantity.asked_for) {
    for (int64_t plane = 0; plane < plan.known.modulus[0]; ++plane) out.insert(plane);
    return out;
  }
  // In 2-D, columns move on with their plane, to be read later.
  const int last = plan.rank == 2 ? quantity.ages - 1 : age;
  for (int read = age; read <= last; ++read) {
    const auto found = quantity.asked.find({read, row, column});
    if (found != quantity.asked.end()) out.insert(found->second.begin(), found->second.end());
  }
  return out;
}

}  // namespace stencil::schedule
