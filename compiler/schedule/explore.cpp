// Searches for the best tiles first, with the other settings at the family's defaults. Then it
// improves the best candidates by hill climbing, one setting at a time.
#include "compiler/schedule/explore.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "compiler/schedule/presets.h"
#include "compiler/schedule/settings.h"
#include "compiler/support/work.h"

namespace stencil::schedule {

namespace {

bool is_power_of_two(int n) {
  return (n & (n - 1)) == 0;
}

// Whether the settings are within the range that the model was fitted to. Outside this range, a
// schedule may rank first only because the model underestimates its time. So `auto` stays inside
// the range.
bool is_calibrated(const Schedule& schedule, const Machine& machine, int rank) {
  constexpr int kShortestChunk = 8, kFarthestAhead = 4, kDeepestStream = 12;
  constexpr int64_t kMostOfSweep = 4, kMostIndependent = 128;
  const Family& family = *find_family(schedule.family);
  if (machine.threads_are_loops) {
    constexpr int kShortestOnCpu = 16;
    return schedule.chunk == 0 || schedule.chunk >= kShortestOnCpu;
  }
  // A sweep gets few points per thread, because points with long code are computed one after
  // another.
  if (!family.has(shared::kTimeTile)) return schedule.elements.product() <= kMostOfSweep;
  if (!family.has(shared::kPrefetch)) return true;
  // In 2-D the warps of a block share nothing. In a larger block they only wait until registers are
  // free for all of them.
  if (rank == 2 && schedule.block.product() > kMostIndependent) return false;
  const bool chunk = schedule.chunk == 0 || schedule.chunk >= kShortestChunk;
  const bool ahead = schedule.prefetch >= 1 && schedule.prefetch <= kFarthestAhead;
  return chunk && ahead && schedule.time_tile <= kDeepestStream;
}

bool is_same_tile(const Schedule& a, const Schedule& b) {
  return a.family == b.family && a.time_tile == b.time_tile && a.block == b.block &&
         a.elements == b.elements;
}

bool is_same_but_tile(Schedule a, const Schedule& b) {
  a.block = b.block;
  a.elements = b.elements;
  return a == b;
}

class Explorer {
 public:
  Explorer(Scheduler& scheduler, Effort effort)
      : scheduler_(scheduler), effort_(effort), rank_(scheduler.program().grid().rank()) {
    for (const ir::Function& function : scheduler.program().functions) {
      for (const ir::Piece& piece : function.pieces) nodes_ += piece.graph.size();
    }
  }

  Space explore() {
    const bool on_request = !quick() && !scheduler_.machine().threads_are_loops;
    for (const Family& family : family_table()) {
      if (on_request || !family.on_request) tiles(family);
    }
    refine();
    rank();
    for (auto& [reason, pruned] : pruned_) space_.pruned.push_back(std::move(pruned));
    std::stable_sort(space_.pruned.begin(), space_.pruned.end(),
                     [](const Pruned& a, const Pruned& b) { return a.count > b.count; });
    return std::move(space_);
  }

 private:
  bool quick() const { return effort_ != Effort::Whole; }

  // Fills Space::ranked. Of several schedules that the model cannot distinguish, only the first
  // stays.
  void rank() {
    for (Candidate& candidate : sorted()) {
      const bool alike = !space_.ranked.empty() && is_alike(space_.ranked.back(), candidate);
      if (alike) {
        prune(candidate.schedule, "same prediction as a schedule that is ranked");
      } else {
        space_.ranked.push_back(std::move(candidate));
      }
    }
  }

  static bool is_alike(const Candidate& a, const Candidate& b) {
    if (a.prediction.seconds != b.prediction.seconds) return false;
    if (!is_same_tile(a.schedule, b.schedule)) return false;
    const auto& settings = find_family(a.schedule.family)->settings;
    return std::all_of(settings.begin(), settings.end(), [&](const Setting& setting) {
      return !setting.reorders || setting.get(a.schedule) == setting.get(b.schedule);
    });
  }

  std::vector<Candidate> sorted() const {
    std::vector<Candidate> out = all_;
    std::stable_sort(out.begin(), out.end(), is_faster);
    return out;
  }

  void prune(const Schedule& schedule, const std::string& reason) {
    Pruned& pruned = pruned_[reason];
    if (pruned.count++ > 0) return;
    pruned.reason = reason;
    pruned.example = print(schedule, rank_);
  }

  // The largest useful T: the number of steps, or kMaxTimeTile if that number is unknown. If the
  // step is cut into phases, the largest number of iterations of a phase.
  int64_t most_steps() const {
    if (scheduler_.phases().cut()) return scheduler_.phases().most_iterations();
    const auto& steps = scheduler_.program().steps;
    if (!steps || !steps->is_constant()) return kMaxTimeTile;
    return std::max<int64_t>(steps->constant, 1);
  }

  // Whether the family's planning budget is used up. Planning time is proportional to the graph
  // nodes in a tile. Each family has a budget of nodes, spent in the order in which schedules are
  // tried.
  bool is_spent(const Schedule& schedule) {
    constexpr int64_t kQuick = 300'000, kWhole = 30'000'000;
    int64_t& spent = spent_[schedule.family];
    if (spent >= (quick() ? kQuick : kWhole)) return true;
    spent += nodes_ * std::max(schedule.time_tile, 1);
    return false;
  }

  // The prediction; nullopt if the schedule is pruned. Each schedule is planned once.
  std::optional<Prediction> look_at(const Schedule& schedule) {
    const std::string line = print(schedule, rank_);
    const auto [known, fresh] = seen_.try_emplace(line, -1);
    if (!fresh && known->second < 0) return std::nullopt;
    if (!fresh) return all_[known->second].prediction;
    ++space_.looked_at;
    support::count_work();
    if (schedule.time_tile > most_steps()) {
      prune(schedule, "T is larger than the program's number of steps");
      return std::nullopt;
    }
    if (is_spent(schedule)) {
      prune(schedule, "not planned: the planning budget for this program was used up");
      return std::nullopt;
    }
    Diagnostics refusals;
    const PlanPtr plan = scheduler_.plan_once(schedule, refusals);
    if (!plan) {
      prune(schedule, refusals.items().front().message);
      return std::nullopt;
    }
    const auto work = work_of(*plan, scheduler_.program());
    // On CPUs Plan::unrewarding is more reliable than the model.
    const std::string why = plan->unrewarding();
    if (!work || (quick() && scheduler_.machine().threads_are_loops && !why.empty())) {
      prune(schedule, fmt::format("{} does not suit this machine{}", schedule.family,
                                  why.empty() ? "" : ": " + why));
      return std::nullopt;
    }
    known->second = static_cast<int>(all_.size());
    all_.push_back({schedule, predict(*work, scheduler_.machine())});
    return all_.back().prediction;
  }

  // The shapes for a quick search. Sides are powers of two; for autotuning a thread may also have
  // three rows. Blocks have at least one warp of threads, in rows of at least 16 threads (32 in
  // 2-D). In 4 or more dimensions, blocks have at least 128 threads and a thread has at most 8
  // elements.
  std::vector<Shape> usual(const std::vector<Shape>& shapes, bool block) const {
    if (!quick()) return shapes;
    const bool many = rank_ > 3;
    std::vector<Shape> out;
    for (const Shape& shape : shapes) {
      bool takes = true;
      for (size_t axis = 0; axis < kMaxRank; ++axis) {
        const bool rows = !block && axis > 0 && effort_ == Effort::Timed;
        takes &= is_power_of_two(shape[axis]) || (rows && shape[axis] == 3);
      }
      if (block) {
        takes &= shape.product() >= (many ? 128 : 32);
        takes &= shape[0] >= (rank_ == 2 ? 32 : rank_ == 1 ? 1 : 16);
      } else if (many) {
        takes &= shape.product() <= 8;
      }
      if (takes) out.push_back(shape);
    }
    return out;
  }

  // Blocks for a CPU: the proposed one and variants with sides scaled by powers of two. The shapes
  // in the families' lists are meant for GPUs. Their rows are too short for a CPU.
  std::vector<Shape> around(const Shape& proposed) const {
    std::vector<Shape> out = {proposed};
    for (size_t axis = 0; axis < static_cast<size_t>(rank_); ++axis) {
      if (proposed[axis] == 1) continue;
      const std::vector<Shape> others = out;
      for (const double factor : {0.25, 0.5, 2.0}) {
        for (Shape shape : others) {
          shape[axis] = std::max(static_cast<int>(factor * shape[axis]), 1);
          if (takes_block(scheduler_.machine(), shape)) out.push_back(shape);
        }
      }
    }
    return out;
  }

  // The presets of the family. Hill climbing from the family's proposal does not reach these
  // combinations of settings.
  std::vector<Schedule> kernels_of_papers(const Family& family) {
    std::vector<Schedule> out;
    if (quick()) return out;
    for (const Preset& preset : preset_table()) {
      Diagnostics none;
      auto schedule = scheduler_.parse("@" + preset.name, none);
      if (schedule && schedule->family == family.name) out.push_back(std::move(*schedule));
    }
    return out;
  }

  // Tries all tiles of a family.
  void tiles(const Family& family) {
    Schedule base = scheduler_.proposal(family).schedule;
    base.time_tile = static_cast<int>(std::min<int64_t>(base.time_tile, most_steps()));
    // If a family refuses its own proposal, it refuses everything.
    if (!look_at(base)) return;
    std::vector<Schedule> forms = {base};
    for (const Setting& setting : family.settings) {
      if (!setting.reorders || scheduler_.program().fp != FpMode::Fast) continue;
      std::vector<Schedule> reordered;
      for (const Schedule& form : forms) {
        for (Choice& choice : choices(form, setting, rank_)) {
          reordered.push_back(std::move(choice.schedule));
        }
      }
      forms = std::move(reordered);
    }
    for (Schedule& form : kernels_of_papers(family)) {
      const bool known = std::any_of(forms.begin(), forms.end(), [&](const Schedule& other) {
        form.time_tile = base.time_tile;
        return is_same_but_tile(form, other);
      });
      if (!known) forms.push_back(std::move(form));
    }
    Shapes shapes = family.shapes(rank_);
    shapes.blocks = usual(shapes.blocks, true);
    shapes.elements = usual(shapes.elements, false);
    if (scheduler_.machine().threads_are_loops) {
      const std::vector<Shape> blocks = around(base.block);
      if (quick()) shapes = {{}, {base.elements}};
      shapes.blocks.insert(shapes.blocks.end(), blocks.begin(), blocks.end());
    }
    for (const Schedule& form : forms) {
      for (const Shape& block : shapes.blocks) {
        for (const Shape& elements : shapes.elements) {
          Schedule tile = form;
          tile.block = block;
          tile.elements = elements;
          deeper_and_deeper(family, tile);
        }
      }
    }
  }

  // The best prediction for the tile. For autotuning, short chunks are tried, too, if the blocks do
  // not fill one wave. The additional blocks then cost only their prologue and epilogue planes.
  std::optional<Prediction> best_of_chunks(const Family& family, const Schedule& tile) {
    constexpr int kShort = 32;
    auto best = look_at(tile);
    const Setting* setting = family.find(shared::kChunk);
    if (effort_ != Effort::Timed || !setting || !best || best->waves >= 1) return best;
    for (const Choice& choice : choices(tile, *setting, rank_)) {
      const int chunk = choice.schedule.chunk;
      if (chunk == 0 || chunk > kShort) continue;
      if (!is_calibrated(choice.schedule, scheduler_.machine(), rank_)) continue;
      const auto other = look_at(choice.schedule);
      if (other && other->seconds < best->seconds) best = other;
    }
    return best;
  }

  // Whether shorter tiles do the iterations of a phase in as many launches.
  bool wastes_steps(int64_t steps) const {
    const auto& phase = scheduler_.program().origin.phase;
    if (!phase) return false;
    const int64_t all = phase->phase.iterations, launches = (all + steps - 1) / steps;
    return (all + launches - 1) / launches != steps;
  }

  void deeper_and_deeper(const Family& family, const Schedule& tile) {
    const Setting* setting = family.find(shared::kTimeTile);
    if (!setting) {
      if (!quick() || is_calibrated(tile, scheduler_.machine(), rank_)) look_at(tile);
      return;
    }
    double least = 0;
    int worse = 0;
    for (const Choice& choice : choices(tile, *setting, rank_)) {
      if (quick() && !is_calibrated(choice.schedule, scheduler_.machine(), rank_)) continue;
      if (wastes_steps(choice.schedule.time_tile)) continue;
      const auto prediction = best_of_chunks(family, choice.schedule);
      if (!prediction) return;  // larger T has an even wider halo
      const double seconds = prediction->seconds;
      if (least == 0 || seconds < least) {
        least = seconds;
        worse = 0;
        continue;
      }
      constexpr double kMuch = 1.3;
      constexpr int kPatience = 2;
      worse += seconds > kMuch * least ? kPatience : 1;
      if (quick() && worse >= kPatience) return;
    }
  }

  // Improves the overall best candidates and the best of each family by hill climbing.
  void refine() {
    const size_t most = quick() ? 6 : 100, of_family = quick() ? 2 : 25;
    std::vector<Schedule> best;
    std::map<std::string, size_t> of;
    for (const Candidate& candidate : sorted()) {
      if (best.size() < most || of[candidate.schedule.family] < of_family) {
        best.push_back(candidate.schedule);
        ++of[candidate.schedule.family];
      }
    }
    for (Schedule& schedule : best) climb(std::move(schedule));
  }

  void climb(Schedule schedule) {
    const Family& family = *find_family(schedule.family);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
      const Schedule before = schedule;
      for (const Setting& setting : family.settings) {
        if (setting.shape || setting.reorders || setting.name == shared::kRows) continue;
        for (const Choice& choice : choices(schedule, setting, rank_)) {
          constexpr double kNoticeable = 0.995;
          if (quick() && !is_calibrated(choice.schedule, scheduler_.machine(), rank_)) continue;
          const auto now = look_at(schedule), then = look_at(choice.schedule);
          if (!then || then->spills) continue;
          if (now->spills || then->seconds < kNoticeable * now->seconds) schedule = choice.schedule;
        }
      }
      if (schedule == before) return;
    }
  }

  Scheduler& scheduler_;
  const Effort effort_;
  const int rank_;
  int64_t nodes_ = 0;                     // in all graphs
  std::map<std::string, int64_t> spent_;  // nodes planned, by family
  Space space_;
  std::vector<Candidate> all_;
  std::map<std::string, int> seen_;  // schedule line -> index into all_; -1: refused
  std::map<std::string, Pruned> pruned_;
};

}  // namespace

Space explore(Scheduler& scheduler, Effort effort) {
  return Explorer(scheduler, effort).explore();
}

std::optional<TileWork> work_of(const Plan& plan, const ir::Program& program) {
  auto work = plan.work();
  std::optional<int64_t> between = ir::steps_between_evaluations(program);
  // In a program of one phase, steps are the iterations.
  if (program.origin.phase) between = program.origin.phase->phase.iterations;
  if (!work || !between) return work;
  const int64_t tiles = (*between + work->steps - 1) / work->steps;
  work->done = static_cast<double>(*between) / static_cast<double>(tiles * work->steps);
  return work;
}

std::vector<Schedule> best_of_tiles(const Space& space, size_t most) {
  std::vector<Schedule> out;
  for (const Candidate& candidate : space.ranked) {
    if (out.size() >= most) break;
    const Schedule& schedule = candidate.schedule;
    const bool known = std::any_of(out.begin(), out.end(), [&](const Schedule& other) {
      return is_same_tile(schedule, other);
    });
    if (!known) out.push_back(schedule);
  }
  return out;
}

std::vector<Schedule> further_tiles(const Space& space, std::vector<Schedule> known, size_t most) {
  constexpr double kPossible = 1.5;  // tiles slower than the best by this factor are not timed
  using Alike = bool (*)(const Schedule& a, const Schedule& b);
  const Alike same_points = [](const Schedule& a, const Schedule& b) {
    return a.family == b.family && a.elements == b.elements;
  };
  const Alike as_deep = [](const Schedule& a, const Schedule& b) {
    return a.family == b.family && a.time_tile >= b.time_tile;
  };
  const auto best_unlike = [&](Alike alike) -> const Schedule* {
    for (const Candidate& candidate : space.ranked) {
      const double least = space.ranked.front().prediction.seconds;
      if (candidate.prediction.spills) return nullptr;
      if (candidate.prediction.seconds >= kPossible * least) return nullptr;
      const Schedule& tile = candidate.schedule;
      const bool is_known = std::any_of(known.begin(), known.end(),
                                        [&](const Schedule& other) { return alike(tile, other); });
      if (!is_known) return &tile;
    }
    return nullptr;
  };
  const Alike turns[] = {is_same_tile, same_points, as_deep};
  std::vector<Schedule> out;
  while (out.size() < most) {
    const Schedule* next = best_unlike(turns[out.size() % std::size(turns)]);
    if (!next) next = best_unlike(is_same_tile);
    if (!next) break;
    known.push_back(*next);
    out.push_back(*next);
  }
  return out;
}

std::optional<Candidate> predict(Scheduler& scheduler, const Schedule& schedule,
                                 const std::vector<CompiledKernel>& compiled) {
  Diagnostics none;
  const PlanPtr plan = scheduler.plan_once(schedule, none);
  auto work = plan ? work_of(*plan, scheduler.program()) : std::nullopt;
  if (!work) return std::nullopt;
  const Prediction counted = predict(*work, scheduler.machine());
  if (compiled.empty()) return Candidate{schedule, counted};
  CompiledKernel hungriest;
  for (const CompiledKernel& each : compiled) {
    hungriest.registers = std::max(hungriest.registers, each.registers);
    hungriest.local_bytes = std::max(hungriest.local_bytes, each.local_bytes);
    hungriest.shared_bytes = std::max(hungriest.shared_bytes, each.shared_bytes);
  }
  const bool known = compiled.size() == work->kernels.size();
  for (size_t k = 0; k < work->kernels.size(); ++k) {
    Work& kernel = work->kernels[k];
    const CompiledKernel& has = known ? compiled[k] : hungriest;
    kernel.registers = has.registers + static_cast<double>(has.local_bytes / 4);
    kernel.shared_bytes = has.shared_bytes;
    kernel.issued = has.issued;
    kernel.edge_issued = has.edge_issued;
  }
  // Spills of a few bytes are hardly ever on the critical path.
  constexpr int64_t kHarmless = 16;
  Candidate out{schedule, predict(*work, scheduler.machine())};
  // The two estimates have nearly independent errors, so a weighted mean is better than either.
  constexpr double kWeightOfCode = 0.4;
  const double ratio = out.prediction.seconds / counted.seconds;
  const double rest = std::pow(ratio, kWeightOfCode - 1);
  out.prediction.seconds *= rest;
  out.prediction.points_per_second /= rest;
  out.prediction.registers = hungriest.registers;
  out.prediction.spills = hungriest.local_bytes > kHarmless;
  return out;
}

bool is_faster(const Candidate& a, const Candidate& b) {
  if (a.prediction.spills != b.prediction.spills) return b.prediction.spills;
  return a.prediction.seconds < b.prediction.seconds;
}

std::vector<Schedule> neighbours(const Schedule& schedule, int rank) {
  std::vector<Schedule> out;
  for (const Setting& setting : find_family(schedule.family)->settings) {
    for (const Choice& choice : choices(schedule, setting, rank)) {
      if (!(choice.schedule == schedule)) out.push_back(choice.schedule);
    }
  }
  return out;
}

}  // namespace stencil::schedule
