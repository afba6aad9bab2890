#include "compiler/analysis/time_tile.h"

#include <algorithm>

#include "compiler/support/work.h"

namespace stencil::analysis {

namespace {

class Unroller {
 public:
  Unroller(const ir::Program& program, int steps, Ends ends) : program_(program), ends_(ends) {
    tile_.steps = steps;
    tile_.hull = Margin(static_cast<size_t>(program.grid().rank()));
    for (const ir::Function& function : program.functions) {
      tile_.reads.push_back(reads_of(program, function));
    }
  }

  TimeTile run() {
    take_fields();
    for (int step = 0; step < tile_.steps; ++step) {
      std::vector<bool> written(program_.fields.size(), false);
      for (size_t f = 0; f < program_.functions.size(); ++f) {
        add_stage(step, f, written);
        for (const ir::FieldId target : program_.functions[f].targets) {
          written[target] = true;
        }
      }
      if (step + 1 < tile_.steps) note_samples();
      if (ends_ == Ends::Any) need_newest();
    }
    choose_outputs();
    find_needs();
    return std::move(tile_);
  }

 private:
  Version& version(int id) { return tile_.versions[id]; }

  int add(const Version& version) {
    tile_.versions.push_back(version);
    return static_cast<int>(tile_.versions.size()) - 1;
  }

  void take_fields() {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      levels_.emplace_back();
      for (int level = 0; level < program_.fields[f].history; ++level) {
        Version in_memory;
        in_memory.field = static_cast<ir::FieldId>(f);
        in_memory.level = level;
        levels_[f].push_back(add(in_memory));
      }
    }
  }

  // If one region covers the whole field, no old values remain.
  bool carries(const ir::Function& function) const {
    return !(function.pieces.size() == 1 &&
             function.pieces[0].region == ir::target_box(program_, function));
  }

  // The first function of a step that writes a field makes a new level of it. `written`: fields
  // that already have a new level.
  void add_stage(int step, size_t index, const std::vector<bool>& written) {
    const ir::Function& function = program_.functions[index];
    Stage stage;
    stage.step = step;
    stage.function = index;
    stage.carries = carries(function);
    for (const Reads& reads : tile_.reads[index]) {
      stage.source[{reads.field, reads.level}] = levels_[reads.field][reads.level];
    }
    for (const ir::FieldId target : function.targets) {
      std::vector<int>& levels = levels_[target];
      Version made;
      made.field = target;
      made.stage = static_cast<int>(tile_.stages.size());
      made.target = stage.results.size();
      stage.results.push_back({add(made), levels[0], !written[target]});
      if (stage.results.back().advances) levels.insert(levels.begin(), 0);
      levels[0] = stage.results.back().made;
    }
    tile_.stages.push_back(std::move(stage));
  }

  void note_samples() {
    for (const ir::Reduction& record : program_.reductions) {
      const auto sampled = ir::sampled_by(program_, record);
      if (!sampled) continue;
      Version& newest = version(levels_[sampled->field][0]);
      newest.sampled = true;
      newest.needed = Margin(tile_.hull.size());
    }
  }

  // Only the newest level needs marking: older ones were the newest after earlier steps.
  void need_newest() {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      if (!ir::is_written(program_, static_cast<ir::FieldId>(f))) continue;
      version(levels_[f][0]).needed = Margin(tile_.hull.size());
    }
  }

  void choose_outputs() {
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      if (!ir::is_written(program_, static_cast<ir::FieldId>(f))) continue;
      for (int level = 0; level < levels_made(program_.fields[f], tile_.steps); ++level) {
        Version& made = version(levels_[f][level]);
        made.output = level;
        made.needed = Margin(tile_.hull.size());
      }
    }
  }

  void find_needs() {
    for (size_t s = tile_.stages.size(); s-- > 0;) {
      Stage& stage = tile_.stages[s];
      // A stage computes and keeps all its results wherever one of them is needed.
      std::optional<Margin> needed;
      for (const StageResult& result : stage.results) {
        if (version(result.made).needed) widen(needed, *version(result.made).needed);
      }
      if (!needed) continue;
      stage.computed = *needed;
      tile_.hull = analysis::hull(tile_.hull, stage.computed);
      for (const StageResult& result : stage.results) {
        version(result.made).needed = needed;
        if (stage.carries) widen(version(result.old).needed, stage.computed);
      }
      for (const Reads& reads : tile_.reads[stage.function]) {
        support::count_work();
        widen(version(stage.source.at({reads.field, reads.level})).needed,
              reached(stage.computed, reads));
      }
    }
  }

  const ir::Program& program_;
  const Ends ends_;
  TimeTile tile_;
  std::vector<std::vector<int>> levels_;  // [field]: versions of its levels, newest first
};

}  // namespace

TimeTile unroll(const ir::Program& program, int steps, Ends ends) {
  return Unroller(program, steps, ends).run();
}

const TimeTile& TimeTiles::of(int steps) const {
  const auto found = tiles_.find(steps);
  return found != tiles_.end() ? found->second
                               : tiles_.emplace(steps, unroll(program_, steps)).first->second;
}

std::optional<Margin> needed_of(const TimeTile& tile, ir::FieldId field) {
  std::optional<Margin> needed;
  for (const Version& version : tile.versions) {
    if (version.field == field && version.needed) widen(needed, *version.needed);
  }
  return needed;
}

int levels_made(const ir::Field& field, int steps) {
  return std::min(steps, field.history);
}

int levels_loaded(const TimeTile& tile, ir::FieldId field) {
  int levels = 0;
  const auto take = [&](int id) {
    const Version& version = tile.versions[id];
    if (version.field == field && version.in_memory()) levels = std::max(levels, version.level + 1);
  };
  for (const Stage& stage : tile.stages) {
    for (const StageResult& result : stage.results) take(result.old);
    for (const auto& [read, source] : stage.source) take(source);
  }
  return levels;
}

int levels_kept(const ir::Program& program, const TimeTile& tile, ir::FieldId field) {
  int levels = levels_made(program.fields[field], tile.steps);
  for (const std::vector<Reads>& reads : tile.reads) {
    for (const Reads& read : reads) {
      if (read.field == field) levels = std::max(levels, read.level + 1);
    }
  }
  return levels;
}

double redundancy(const TimeTile& tile, const std::vector<int64_t>& output_lengths, bool hull) {
  const double core = points(output_lengths, Margin(output_lengths.size()));
  double useful = 0;
  double computed = 0;
  for (const Stage& stage : tile.stages) {
    if (stage.computed.empty()) continue;
    useful += core;
    computed += points(output_lengths, hull ? tile.hull : stage.computed);
  }
  return useful > 0 ? computed / useful : 1;
}

}  // namespace stencil::analysis
