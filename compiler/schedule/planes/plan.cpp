// Takes the stages from the time tile, and computes their lags and the number of planes to keep.
#include "compiler/schedule/planes/plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/schedule/common/tiling.h"
#include "compiler/support/work.h"

namespace stencil::schedule {

namespace {

using analysis::Margin;
using analysis::Reads;

class PlanesPlanner {
 public:
  PlanesPlanner(const ir::Program& program, const analysis::TimeTile& tile,
                const Schedule& schedule)
      : program_(program), tile_(tile) {
    const int rank = program.grid().rank();
    plan_.steps = tile.steps;
    plan_.images = analysis::image_dimensions(program, true);
    plan_.cover.push_back(1);
    for (int d = 1; d < rank; ++d) plan_.cover.push_back(along(schedule.block, rank, d));
  }

  PlanesPlan run(const Schedule& schedule) {
    take_stages();
    plan_.alike = may_be_alike() && even_out();
    drop_idle_stages();
    plan_.halo = plan_.margin[0].low + plan_.margin[0].high;
    for (const PlanesStage& stage : plan_.stages) plan_.halo = std::max(plan_.halo, stage.lag);
    for (const PlanesStage& stage : plan_.stages) keep_what_is_read(stage);
    for (PlanesVersion& version : plan_.versions) {
      if (version.sampled && !version.in_memory())
        version.ring = std::max<int64_t>(version.ring, 1);
    }
    if (plan_.alike) even_out_rings();
    choose_chunk(schedule);
    return std::move(plan_);
  }

 private:
  PlanesVersion& version(int id) { return plan_.versions[id]; }
  int64_t lag_of(const PlanesVersion& made) const { return plan_.stages[made.stage].lag; }
  const std::vector<Reads>& reads_of(const PlanesStage& stage) const {
    return tile_.reads[stage.function];
  }

  void take_stages() {
    plan_.margin = tile_.hull;
    for (const analysis::Version& made : tile_.versions) plan_.versions.push_back({made});
    for (const analysis::Stage& stage : tile_.stages) {
      plan_.stages.push_back({stage});
      set_lag(plan_.stages.back());
    }
  }

  // A plane can be read in the iteration that computes it.
  void set_lag(PlanesStage& stage) {
    const auto wait_for = [&](int from, int64_t ahead) {
      if (version(from).in_memory()) return;
      stage.lag = std::max(stage.lag, lag_of(version(from)) + ahead);
    };
    for (const analysis::StageResult& result : stage.results) {
      if (stage.carries) wait_for(result.old, 0);
    }
    for (const Reads& reads : reads_of(stage)) {
      wait_for(stage.source.at({reads.field, reads.level}), reads.offsets[0].high);
    }
  }

  void need_what_is_read(const PlanesStage& stage) {
    for (const analysis::StageResult& result : stage.results) {
      if (stage.carries) analysis::widen(version(result.old).needed, stage.computed);
    }
    for (const Reads& reads : reads_of(stage)) {
      analysis::widen(version(stage.source.at({reads.field, reads.level})).needed,
                      analysis::reached(stage.computed, reads));
    }
  }

  // --- Steps that are alike

  // If steps are alike, every step has the stages of the last step. A step reads only results of
  // its own and of the previous step, and the first step reads the latter from memory. This
  // excludes fields with older levels, because the number of levels that a tile reads and writes
  // depends on its number of steps. It also excludes functions that only a few of the last steps
  // compute, but a function may occur in the last step alone.
  bool may_be_alike() const {
    if (plan_.steps < 2) return false;
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      const bool written = ir::is_written(program_, static_cast<ir::FieldId>(f));
      if (written && program_.fields[f].history > 1) return false;
    }
    for (size_t f = 0; f < program_.functions.size(); ++f) {
      int count = 0;
      for (int t = 0; t < plan_.steps; ++t) count += is_needed(t, f) ? 1 : 0;
      if (count > 1 && count < plan_.steps) return false;
      if (count == 1 && !is_needed(plan_.steps - 1, f)) return false;
    }
    return true;
  }
  PlanesStage& stage_at(int step, size_t function) {
    return plan_.stages[static_cast<size_t>(step) * program_.functions.size() + function];
  }
  // Whether the results of the stage are needed: either all are needed or none.
  bool is_needed(const PlanesStage& stage) const {
    return plan_.versions[stage.results[0].made].needed.has_value();
  }
  bool is_needed(int step, size_t function) const {
    const size_t s = static_cast<size_t>(step) * program_.functions.size() + function;
    return is_needed(plan_.stages[s]);
  }

  // Minimal numbers per function that are affine in the step, subject to number(b) >= number(a) +
  // by, where b is `steps` steps after a.
  struct Least {
    size_t a, b;
    int64_t steps, by;
  };
  struct Line {
    std::vector<int64_t> start;
    int64_t slope = 0;
  };
  static Line least_line(size_t functions, const std::vector<Least>& all, bool may_fall) {
    Line line;
    for (const Least& least : all) line.slope = std::min(line.slope, may_fall ? least.by : 0);
    if (raise(functions, all, line)) return line;
    // Feasibility is monotone in the slope, so bisection finds the smallest one.
    int64_t too_small = line.slope, step = 1;
    for (line.slope += step; !raise(functions, all, line); line.slope += step) {
      too_small = line.slope;
      step *= 2;
    }
    int64_t enough = line.slope;
    while (enough - too_small > 1) {
      line.slope = too_small + (enough - too_small) / 2;
      (raise(functions, all, line) ? enough : too_small) = line.slope;
    }
    line.slope = enough;
    raise(functions, all, line);
    return line;
  }

  // The smallest starts for the line's slope; false if there are none.
  static bool raise(size_t functions, const std::vector<Least>& all, Line& line) {
    line.start.assign(functions, 0);
    for (size_t round = 0; round <= functions; ++round) {
      bool raised = false;
      for (const Least& least : all) {
        support::count_work();
        const int64_t number = line.start[least.a] + least.by - line.slope * least.steps;
        if (number <= line.start[least.b]) continue;
        line.start[least.b] = number;
        raised = true;
      }
      if (!raised) return true;
    }
    return false;
  }

  // Visits the last step's reads of results of its own step and of the step before.
  template <class Visit>
  void for_each_read(const Visit& visit) {
    const int last = plan_.steps - 1;
    for (size_t f = 0; f < program_.functions.size(); ++f) {
      if (!is_needed(last, f)) continue;
      const PlanesStage& stage = stage_at(last, f);
      const auto from = [&](int id, const Margin& offsets) {
        if (version(id).in_memory()) return;
        const PlanesStage& made = plan_.stages[version(id).stage];
        visit(f, made.function, last - made.step, offsets);
      };
      for (const analysis::StageResult& result : stage.results) {
        if (stage.carries) from(result.old, Margin(plan_.cover.size()));
      }
      for (const Reads& reads : reads_of(stage)) {
        from(stage.source.at({reads.field, reads.level}), reads.offsets);
      }
    }
  }

  // Makes lags and margins affine in the step, not smaller than required. Returns false, with
  // nothing changed, if that costs more than one additional step.
  bool even_out() {
    const size_t functions = program_.functions.size();
    const int last = plan_.steps - 1;
    std::vector<Least> waits;
    for_each_read([&](size_t reader, size_t made, int64_t steps, const Margin& offsets) {
      waits.push_back({made, reader, steps, offsets[0].high});
    });
    const Line lags = least_line(functions, waits, false);
    Margin slope(plan_.cover.size());
    std::vector<Margin> start(functions, slope);
    for (size_t d = 0; d < slope.size(); ++d) {
      for (auto side : {&analysis::Reach::low, &analysis::Reach::high}) {
        std::vector<Least> needs;
        for_each_read([&](size_t reader, size_t made, int64_t steps, const Margin& offsets) {
          needs.push_back({reader, made, steps, offsets[d].*side});
        });
        const Line line = least_line(functions, needs, true);
        slope[d].*side = line.slope;
        for (size_t f = 0; f < functions; ++f) start[f][d].*side = line.start[f];
      }
    }
    std::vector<PlanesStage> even = plan_.stages;
    for (PlanesStage& stage : even) {
      if (!is_needed(stage)) continue;
      const int64_t lag = lags.start[stage.function] + lags.slope * stage.step;
      if (lag > stage.lag + lags.slope) return false;
      stage.lag = lag;
      for (size_t d = 0; d < slope.size(); ++d) {
        for (auto side : {&analysis::Reach::low, &analysis::Reach::high}) {
          const int64_t margin =
              start[stage.function][d].*side + slope[d].*side * (last - stage.step);
          if (margin > stage.computed[d].*side + slope[d].*side) return false;
          stage.computed[d].*side = margin;
        }
      }
    }
    plan_.stages = std::move(even);
    for (const PlanesStage& stage : plan_.stages) {
      if (!is_needed(stage)) continue;
      plan_.margin = analysis::hull(plan_.margin, stage.computed);
      need_what_is_read(stage);
    }
    return true;
  }

  // Versions of all steps share one array, so their rings get equal length.
  void even_out_rings() {
    std::map<std::pair<size_t, size_t>, int64_t> rings;  // by function and target
    for (const PlanesStage& stage : plan_.stages) {
      for (size_t target = 0; target < stage.results.size(); ++target) {
        int64_t& ring = rings[{stage.function, target}];
        ring = std::max(ring, version(stage.results[target].made).ring);
      }
    }
    for (const PlanesStage& stage : plan_.stages) {
      for (size_t target = 0; target < stage.results.size(); ++target) {
        int64_t& ring = version(stage.results[target].made).ring;
        if (ring > 0) ring = rings[{stage.function, target}];
      }
    }
  }

  // Removes stages whose results are overwritten before they are read.
  void drop_idle_stages() {
    std::vector<PlanesStage> kept;
    for (PlanesStage& stage : plan_.stages) {
      if (!is_needed(stage)) continue;
      for (const analysis::StageResult& result : stage.results) {
        version(result.made).stage = static_cast<int>(kept.size());
      }
      kept.push_back(std::move(stage));
    }
    plan_.stages = std::move(kept);
  }

  void keep_what_is_read(const PlanesStage& stage) {
    for (const analysis::StageResult& result : stage.results) {
      if (stage.carries) keep(result.old, 0, stage);
    }
    for (const Reads& reads : reads_of(stage)) {
      keep(stage.source.at({reads.field, reads.level}), reads.offsets[0].low, stage);
    }
  }

  void keep(int id, int64_t behind, const PlanesStage& stage) {
    PlanesVersion& read = version(id);
    if (read.in_memory()) return;
    const int64_t age = stage.lag + behind - lag_of(read);
    read.ring = std::max(read.ring, age + 1);
  }

  // Chunks are 12 times as long as the recomputed planes at their ends, but at least 32 planes, and
  // cut to equal length. If there would be too few blocks, chunks are shorter: idle threads cost
  // more than recomputed planes.
  void choose_chunk(const Schedule& schedule) {
    constexpr int64_t kTimes = 12, kFewestTimes = 2, kLeast = 16, kBlocks = 64;
    plan_.chunk = schedule.chunk;
    if (plan_.chunk > 0) return;
    const int64_t recomputed = plan_.margin[0].low + plan_.margin[0].high;
    plan_.chunk = std::max(kTimes * recomputed, 2 * kLeast);
    auto planes = known_extent(program_, 0);
    if (!planes) return;
    planes = std::max<int64_t>(*planes - rim_of(program_, 0).low - rim_of(program_, 0).high, 1);
    int64_t tiles = 1;  // tiles per plane; open sizes count as many
    for (int d = 1; d < program_.grid().rank(); ++d) {
      const int64_t core = std::max<int64_t>(plan_.core(d), 1);
      const int64_t rest = std::max<int64_t>(
          known_extent(program_, d).value_or(kBlocks * core) - plan_.spared(d), 1);
      tiles *= divide_up(rest, core);
    }
    const int64_t wanted = *planes * tiles / kBlocks;
    const int64_t fewest = std::max(kFewestTimes * recomputed, kLeast);
    plan_.chunk = std::min(plan_.chunk, std::max(wanted, fewest));
    plan_.chunk = divide_up(*planes, divide_up(*planes, plan_.chunk));
  }

  const ir::Program& program_;
  const analysis::TimeTile& tile_;
  PlanesPlan plan_;
};

}  // namespace

const PlanesStage* PlanesPlan::before(const PlanesStage& stage) const {
  const auto found = std::find_if(stages.begin(), stages.end(), [&](const PlanesStage& other) {
    return other.function == stage.function && other.step == stage.step - 1;
  });
  return found == stages.end() ? nullptr : &*found;
}

TileSides PlanesPlan::sides() const {
  TileSides out;
  for (size_t d = 1; d < cover.size(); ++d) {
    out.push_back({static_cast<int>(d), cover[d], margin[d]});
  }
  return out;
}

PlanesPlan plan_planes(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps) {
  return PlanesPlanner(tiles.program(), tiles.of(steps), schedule).run(schedule);
}

int64_t ring_bytes(const ir::Program& program, const PlanesPlan& plan) {
  int64_t points = 1;
  for (const int64_t length : plan.cover) points = bounded_product(points, length);
  int64_t bytes = 0;
  for (const PlanesVersion& version : plan.versions) {
    const ir::Field& field = program.fields[version.field];
    const int64_t ring = bounded_product(version.ring, points);
    bytes = bounded_sum(bytes, bounded_product(ring, bytes_per_point(field)));
  }
  return bytes;
}

}  // namespace stencil::schedule
