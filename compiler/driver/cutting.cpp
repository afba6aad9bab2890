#include "compiler/driver/cutting.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/scheduler.h"

namespace stencil {

const Link& gpu_link() {
  static const Link kLink = {"NVLink", 20e-6, 300e9};
  return kLink;
}
const Link& memory_link() {
  static const Link kLink = {"memory", 3e-6, 8e9};
  return kLink;
}
const Link& network_link() {
  static const Link kLink = {"MPI", 40e-6, 10e9};
  return kLink;
}

int typical_part(const decompose::Decomposition& decomposition) {
  std::vector<int> place;
  for (const int parts : decomposition.cuts) place.push_back(parts / 2);
  return decomposition.part_at(place);
}

ir::Program part_alone(const ir::Program& program, const Cutting& cutting) {
  ir::Program out =
      decompose::restrict_to(program, cutting.decomposition, typical_part(cutting.decomposition));
  out.part.reset();
  return out;
}

namespace {

double points_of(const ir::Points& box) {
  double points = 1;
  for (const auto& [low, high] : box) points *= static_cast<double>(high - low + 1);
  return points;
}

ir::Points grid_of(const ir::Program& program) {
  ir::Points out;
  for (const ir::Range& range : program.grid.ranges) {
    out.push_back({range.low.constant, range.high.constant});
  }
  return out;
}

// By a step, on average: the first one of a tile computes the rim, too, the last one does not.
double points_computed(const ir::Program& program) {
  ir::Points inner = grid_of(program);
  for (size_t d = 0; d < inner.size() && !program.rim.empty(); ++d) {
    inner[d][0] += program.rim[d][0];
    inner[d][1] -= program.rim[d][1];
  }
  return (points_of(grid_of(program)) + points_of(inner)) / 2;
}

class Chooser {
 public:
  Chooser(const ir::Program& program, const std::string& line, const schedule::Machine& machine,
          const Link& link)
      : program_(program), line_(line), machine_(machine), link_(link) {}

  // The decomposition at a number of steps, with the schedule and what they are expected to cost.
  std::optional<Cutting> at(const decompose::Cuts& cuts, int64_t steps, Diagnostics& diagnostics) {
    auto decomposition = decompose::decompose(program_, cuts, steps, diagnostics);
    if (!decomposition) return std::nullopt;
    Cutting out{std::move(*decomposition), {}, {}};
    const ir::Program own = part_alone(program_, out);
    if (!schedule_) {  // of one part: others differ from it by a few points
      schedule::Scheduler scheduler(own, machine_);
      schedule_ = scheduler.parse(line_, diagnostics);
      if (!schedule_) return std::nullopt;
      const auto candidate = schedule::predict(scheduler, *schedule_);
      rate_ = candidate ? candidate->prediction.points_per_second : machine_.bytes_per_second / 8;
    }
    out.schedule = *schedule_;
    out.decomposition.set_round(schedule_->time_tile);
    const double owned = points_of(out.decomposition.owned(typical_part(out.decomposition)));
    out.prediction.alone = owned / rate_;
    out.prediction.compute = points_computed(own) / rate_;
    out.prediction.exchange = exchange(out.decomposition);
    return out;
  }

  int64_t time_tile() const { return schedule_ ? std::max(schedule_->time_tile, 1) : 1; }

 private:
  // Seconds per step.
  double exchange(const decompose::Decomposition& decomposition) const {
    double seconds = 0;
    const bool cut = ir::cuts_steps(program_);
    const auto phases = ir::phases(program_);
    for (size_t o = 0; o < decomposition.needs.by_occasion.size(); ++o) {
      if (decomposition.needs.by_occasion[o].empty()) continue;
      const double bytes = decompose::bytes_received(program_, decomposition, o);
      // Every second occasion of a cut step is a phase.
      const double iterations =
          cut && o % 2 == 1 ? static_cast<double>(phases[o / 2].iterations) : 1;
      seconds += (link_.seconds + bytes / link_.bytes_per_second) * iterations /
                 static_cast<double>(decomposition.needs.lasts[o]);
    }
    return seconds;
  }

  const ir::Program& program_;
  const std::string& line_;
  const schedule::Machine& machine_;
  const Link& link_;
  std::optional<schedule::Schedule> schedule_;
  double rate_ = 1;  // points per second
};

double seconds_of(const Cutting& cutting) {
  return cutting.prediction.compute + cutting.prediction.exchange;
}

// The best number of steps for these cuts: multiples of the schedule's time tile, as long as more
// of them pay.
std::optional<Cutting> best_steps(Chooser& chooser, const decompose::Cuts& cuts, int64_t steps,
                                  Diagnostics& diagnostics) {
  if (steps > 0) return chooser.at(cuts, steps, diagnostics);
  auto best = chooser.at(cuts, 1, diagnostics);
  if (!best) return best;
  const int64_t tile = chooser.time_tile();
  for (int64_t wanted = tile; wanted <= 64 * tile; wanted *= 2) {
    Diagnostics refusals;
    auto next = chooser.at(cuts, wanted, refusals);
    if (!next) break;
    // A tile that is cut short at every exchange costs what it saves.
    const bool whole = next->decomposition.steps == wanted || wanted == tile;
    if (!whole) break;
    if (wanted > tile && seconds_of(*next) >= seconds_of(*best)) break;
    best = std::move(next);
  }
  return best;
}

bool is_number(const std::string& text) {
  return text.find('x') == std::string::npos;
}

}  // namespace

std::optional<Cutting> cut(const ir::Program& program, const CutRequest& request,
                           const std::string& line, const schedule::Machine& machine,
                           const Link& link, Diagnostics& diagnostics) {
  const int rank = program.grid.rank();
  const auto given = decompose::parse(request.cuts, rank);
  if (!given) {
    diagnostics
        .error("L032", program.grid_span,
               fmt::format("'{}' is no way to cut a grid of {} dimension{}", request.cuts, rank,
                           rank == 1 ? "" : "s"))
        .hint = "give a number of parts, or parts along x, y, ... as 2x2";
    return std::nullopt;
  }
  if (!is_number(request.cuts) || rank == 1) {
    Chooser chooser(program, line, machine, link);
    return best_steps(chooser, *given, request.steps, diagnostics);
  }
  std::optional<Cutting> best;
  Diagnostics refusals;
  for (const decompose::Cuts& cuts : decompose::all_cuts(decompose::count(*given), rank)) {
    const auto sides = std::count_if(cuts.begin(), cuts.end(), [](int n) { return n > 1; });
    if (sides > 3) continue;
    Chooser chooser(program, line, machine, link);
    auto other = best_steps(chooser, cuts, request.steps, refusals);
    if (other && (!best || seconds_of(*other) < seconds_of(*best))) best = std::move(other);
  }
  if (!best) {
    for (const Diagnostic& refusal : refusals.items()) diagnostics.add(refusal);
  }
  return best;
}

}  // namespace stencil
