#include "compiler/driver/cutting.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/decompose/restrict.h"
#include "compiler/schedule/explore.h"
#include "compiler/schedule/scheduler.h"

namespace stencil {

const Link& gpu_link() {
  static const Link kLink = {"NVLink", 26e-6, 300e9};
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

std::string describe(const decompose::Decomposition& decomposition) {
  const std::string often =
      decomposition.steps == 1 ? "every step" : fmt::format("every {} steps", decomposition.steps);
  return fmt::format("{}, cut {} (x first), halos exchanged {}", decomposition.subdomains(),
                     decompose::print(decomposition.cuts), often);
}

int typical_subdomain(const decompose::Decomposition& decomposition) {
  std::vector<int> place;
  for (const int subdomains : decomposition.cuts) place.push_back(subdomains / 2);
  return decomposition.subdomain_at(place);
}

ir::Program subdomain_alone(const ir::Program& program, const Cutting& cutting) {
  const decompose::Decomposition& decomposition = cutting.decomposition;
  ir::Program out =
      decompose::restrict_to(program, decomposition, typical_subdomain(decomposition));
  const ir::Points& owned = out.origin.subdomain->owned.front();
  const size_t rimmed = out.domains.size() == 1 ? owned.size() : 0;
  for (size_t d = 0; d < rimmed; ++d) {
    const auto& [low, high] = owned[d];
    out.origin.rim.resize(owned.size());
    out.origin.rim[d] = {std::max<int64_t>(low - decompose::low_of(out.grid(), d), 0),
                         std::max<int64_t>(decompose::high_of(out.grid(), d) - high, 0)};
  }
  out.origin.subdomain.reset();
  return out;
}

namespace {

class Chooser {
 public:
  Chooser(const ir::Program& program, const std::string& line, const schedule::Machine& machine,
          const Link& link)
      : program_(program), line_(line), machine_(machine), link_(link) {}

  // The decomposition with this number of steps between exchanges, its schedule and its predicted
  // cost.
  std::optional<Cutting> at(const decompose::Cuts& cuts, int64_t steps, Diagnostics& diagnostics) {
    auto decomposition = decompose::decompose(program_, cuts, steps, diagnostics);
    if (!decomposition) return std::nullopt;
    Cutting out{std::move(*decomposition), {}, {}};
    if (!schedule_) {  // the schedule of one subdomain; other subdomains differ by a few points
      const auto least = decompose::decompose(program_, cuts, 1, diagnostics);
      if (!least) return std::nullopt;
      const ir::Program own = subdomain_alone(program_, {*least, {}, {}});
      schedule::Scheduler scheduler(own, machine_);
      schedule_ = scheduler.parse(line_, diagnostics);
      if (!schedule_) return std::nullopt;
      alone_ = step_of(scheduler, *schedule_).seconds;
    }
    out.schedule = *schedule_;
    out.decomposition.set_common_tile(schedule_->time_tile);
    const int64_t left = out.decomposition.steps % out.decomposition.common_tile;
    // The number of steps must be a multiple of the tile.
    if (left != 0) return at(cuts, out.decomposition.steps - left, diagnostics);
    const int subdomain = typical_subdomain(out.decomposition);
    const ir::Program own = decompose::restrict_to(program_, out.decomposition, subdomain);
    schedule::Scheduler scheduler(own, machine_);
    CutPrediction& expected = out.prediction;
    expected.alone = alone_;
    schedule::Schedule common = *schedule_;
    common.time_tile =
        static_cast<int>(std::min<int64_t>(time_tile(), out.decomposition.common_tile));
    const Step step = step_of(scheduler, common);
    expected.compute = std::max(step.seconds, alone_);
    expected.redundancy = redundancy(own);
    expected.exchange = exchange(out.decomposition);
    expected.waited = expected.exchange;
    expected.beside_tiles = exchanges_beside_tiles(scheduler, common);
    if (expected.beside_tiles) {
      const auto steps = static_cast<double>(out.decomposition.steps);
      const double tile = expected.compute * static_cast<double>(common.time_tile);
      const double waited =
          std::max(expected.exchange * steps - kBeside * tile, kNotBeside * link_.seconds);
      expected.waited = (waited + kOfWave * tile / std::max(step.waves, 1.0)) / steps;
    }
    return out;
  }

  int64_t time_tile() const { return schedule_ ? std::max(schedule_->time_tile, 1) : 1; }

 private:
  // kBeside: the fraction of the last tile before an exchange that overlaps with the exchange.
  // kNotBeside: the fraction of the exchange latency that cannot overlap. kOfWave: the fraction of
  // a wave of blocks that is lost if a tile needs two launches.
  static constexpr double kBeside = 0.5, kNotBeside = 0.1, kOfWave = 0.04;

  struct Step {
    double seconds, waves;  // `waves`: waves of blocks in a tile
  };

  Step step_of(schedule::Scheduler& scheduler, const schedule::Schedule& schedule) const {
    const auto candidate = schedule::predict(scheduler, schedule);
    if (candidate) return {candidate->prediction.seconds, candidate->prediction.waves};
    // Bytes per point and step, if the model does not know the schedule.
    constexpr double kBytes = 8;
    return {points_of(scheduler.program()) * kBytes / machine_.bytes_per_second, 1};
  }

  // The number of computed points for each owned point, averaged over the steps of a tile. Early
  // steps also compute the rim (ir::Program::rim). The last step does not.
  static double redundancy(const ir::Program& subdomain) {
    double written = 1, owned = 1;
    for (size_t d = 0; d < subdomain.grid().ranges.size(); ++d) {
      const int64_t rim = subdomain.origin.rim.empty()
                              ? 0
                              : subdomain.origin.rim[d][0] + subdomain.origin.rim[d][1];
      written *= static_cast<double>(decompose::high_of(subdomain.grid(), d) -
                                     decompose::low_of(subdomain.grid(), d) + 1 - rim);
      owned *= static_cast<double>(subdomain.origin.subdomain->owned.front()[d][1] -
                                   subdomain.origin.subdomain->owned.front()[d][0] + 1);
    }
    return (points_of(subdomain) + written) / 2 / owned;
  }

  static double points_of(const ir::Program& program) {
    double points = 1;
    for (size_t d = 0; d < program.grid().ranges.size(); ++d) {
      points *= static_cast<double>(decompose::high_of(program.grid(), d) -
                                    decompose::low_of(program.grid(), d) + 1);
    }
    return points;
  }

  static bool exchanges_beside_tiles(schedule::Scheduler& scheduler,
                                     const schedule::Schedule& schedule) {
    Diagnostics refusals;
    const auto module = scheduler.lower(schedule, refusals);
    return module && kernel::exchange_beside_tiles(module->plan);
  }

  // The predicted time for exchanges, in seconds per step.
  double exchange(const decompose::Decomposition& decomposition) const {
    double seconds = 0;
    const auto leaves = ir::leaves_of_step(program_);
    for (size_t o = 0; o < decomposition.needs.by_occasion.size(); ++o) {
      if (decomposition.needs.by_occasion[o].empty()) continue;
      const double bytes = decompose::bytes_received(program_, decomposition, o);
      // If steps are cut into phases, each leaf has an occasion (decompose::Needs).
      const auto* phase = ir::cuts_steps(program_) ? std::get_if<ir::Phase>(&leaves[o]) : nullptr;
      const double iterations = phase ? static_cast<double>(phase->iterations_per_step()) : 1;
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
  double alone_ = 0;  // seconds per step
};

double seconds_of(const Cutting& cutting) {
  return cutting.prediction.seconds();
}

// The number by which cuts are compared.
double merit_of(const Cutting& cutting) {
  return seconds_of(cutting) * (cutting.prediction.beside_tiles ? 1 : kBetweenTiles);
}

// If exchanges overlap with computation, deeper halos save little time. Redundant points cost more
// than their share if the blocks of a subdomain's own points already fill the device. Deeper halos
// are therefore chosen only if they gain at least this factor.
constexpr double kWorthDeeper = 1.01;

// The best number of steps between exchanges for these cuts: 1, 2, 4, ... time tiles of the
// schedule.
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
    // Stop if `wanted` steps between exchanges are impossible: their halo is deeper than a
    // subdomain, or they exceed kMostSteps. A smaller number of steps is accepted only for the
    // first value.
    const bool whole = next->decomposition.steps == wanted || wanted == tile;
    if (!whole) break;
    const double worth = best->prediction.beside_tiles ? kWorthDeeper : 1;
    if (wanted == tile || worth * seconds_of(*next) < seconds_of(*best)) best = std::move(next);
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
  const int rank = program.grid().rank();
  const auto given = decompose::parse(request.cuts, rank);
  if (!given) {
    diagnostics
        .error("L032", program.domain().span,
               fmt::format("'{}' is not a valid way to cut a grid of {} dimension{}", request.cuts,
                           rank, rank == 1 ? "" : "s"))
        .hint =
        "give the number of subdomains (at most 65536), or the numbers along x, y, ... as in 2x2";
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
    if (other && (!best || merit_of(*other) < merit_of(*best))) best = std::move(other);
  }
  if (!best) {
    for (const Diagnostic& refusal : refusals.items()) diagnostics.add(refusal);
  }
  return best;
}

}  // namespace stencil
