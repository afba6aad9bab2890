// The distance of tiles and patches from the grid's edge is known modulo some number. If a
// condition on coordinates modulo a number requires it, the loop over planes is unrolled so that
// the distance of planes is also known modulo that number. A stage then reads a cell beside the
// patch only in some planes. With two colours, for example, a row of a patch needs one column on
// the left or one on the right.
#include "compiler/schedule/streaming/known.h"

#include <algorithm>
#include <numeric>

#include "compiler/ir/rewrite.h"
#include "compiler/schedule/streaming/resolved_offsets.h"

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
      const int64_t below = plan_.images[d] ? plan_.margin[i].low : 0;
      know(d, alike(d, std::gcd(plan_.core(axis), plan_.patch[i])), below);
    }
  }

  void planes_for(const ir::Congruence& congruence) {
    for (int d = 1; d < plan_.rank; ++d) {
      if (plan_.known.modulus[d] % congruence.period(d) != 0) return;
    }
    const int64_t before = plan_.known.modulus[0];
    const int64_t planes = std::lcm(before, congruence.period(0));
    const int64_t unroll = std::lcm<int64_t>(plan_.unroll, planes);
    if (planes == before || alike(0, planes) != planes) return;
    if (schedule_.of<StreamingSettings>().unroll > 0 ? unroll != plan_.unroll
                                                     : unroll > kLongestUnroll)
      return;
    know(0, planes, 0);
    if (plan_.known.modulus[0] == planes) plan_.unroll = static_cast<int>(unroll);
  }

 private:
  // Records that a place in dimension d lies `below` points before a multiple of `modulus` from the
  // edge.
  void know(int d, int64_t modulus, int64_t below) {
    const ir::Range& grid = program_.grid().ranges[d];
    if (!grid.low.is_constant()) return;
    plan_.known.modulus[d] = modulus;
    plan_.known.remainder[d] = positive_remainder(grid.low.constant - below, modulus);
  }

  // For periodic images, residues are known only if the modulus divides the period.
  int64_t alike(int d, int64_t modulus) const {
    if (!plan_.images[d]) return modulus;
    const ir::Range& grid = program_.grid().ranges[d];
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
      : program_(program),
        congruences_(congruences),
        plan_(plan),
        periods_(plan.known.modulus[0]) {}

  // Records the cells beside the patch that the stage reads, by plane remainder.
  void stage(const StreamStage& stage) {
    for (const StagePiece& piece : stage.pieces) {
      if (piece.congruences.empty()) {
        for (const auto& [id, access] : ir::accesses(*piece.graph, piece.results)) {
          for (int k = 0; k < plan_.patch[1]; ++k) everywhere(stage, *access, k);
        }
        continue;
      }
      const ResidueClasses& classes = congruences_.classes(*piece.piece, plan_.known.modulus);
      for (int k = 0; k < plan_.patch[1]; ++k) {
        for (int i = 0; i < plan_.patch[0]; ++i) {
          for (int64_t plane = 0; plane < periods_; ++plane) point(stage, classes, plane, k, i);
        }
      }
    }
  }

 private:
  void everywhere(const StreamStage& stage, const ir::Access& access, int k) {
    for (int i = 0; i < plan_.patch[0]; ++i) {
      for (int64_t plane = 0; plane < periods_; ++plane) read(stage, access, plane, k, i);
    }
  }

  void point(const StreamStage& stage, const ResidueClasses& classes, int64_t plane, int k, int i) {
    std::vector<int64_t> at = plan_.known.remainder;
    at.front() = plane;
    at.back() += i;
    if (plan_.rank > 2) at[1] += k;
    for (const ir::Access* access : classes.at(at).accesses) read(stage, *access, plane, k, i);
  }

  void read(const StreamStage& stage, const ir::Access& access, int64_t plane, int k, int i) {
    if (access.in_place) return;
    if (access.escapes == 0 || stage.everywhere) {
      return read_at(stage, access, offsets_of(access.maps), plane, k, i);
    }
    const auto [entry, fresh] = resolved_offsets_.try_emplace(&access);
    if (fresh) {
      entry->second = resolved_offsets(program_.fields[access.field], access);
    }
    for (const std::vector<int>& place : entry->second) {
      read_at(stage, access, place, plane, k, i);
    }
  }

  void read_at(const StreamStage& stage, const ir::Access& access, const std::vector<int>& place,
               int64_t plane, int k, int i) {
    const int column = i + place.back();
    if (column >= 0 && column < plan_.patch[0]) return;
    Quantity& quantity =
        plan_.quantities[stage.source.at({access.field, access.level, access.component})];
    const int age = stage.lag - place.front() - quantity.lag;
    const int row = k + (place.size() > 2 ? place[1] : 0);
    const int64_t remainder = positive_remainder(plane + place.front(), periods_);
    quantity.asked[{age, row, column}] |= uint32_t{1} << remainder;
  }

  const ir::Program& program_;
  PieceCongruences& congruences_;
  StreamPlan& plan_;
  const int64_t periods_;  // number of plane remainders
  std::map<const ir::Access*, std::vector<std::vector<int>>> resolved_offsets_;
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
  for (const StreamStage& stage : plan.stages) asking.stage(stage);
}

uint32_t planes_fetched(const StreamPlan& plan, const Quantity& quantity, int age, int row,
                        int column) {
  if (!quantity.asked_for) return all_planes(plan);
  // In 2-D, columns move with their plane and may be read later.
  const int last = plan.rank == 2 ? quantity.ages - 1 : age;
  uint32_t out = 0;
  for (int read = age; read <= last; ++read) {
    const auto found = quantity.asked.find({read, row, column});
    if (found != quantity.asked.end()) out |= found->second;
  }
  return out;
}

uint32_t all_planes(const StreamPlan& plan) {
  return (uint32_t{1} << plan.known.modulus[0]) - 1;
}

}  // namespace stencil::schedule
