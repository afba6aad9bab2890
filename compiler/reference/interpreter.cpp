// The semantics of a step:
//
//   a step      = its phases in order, with the reductions that it reads at their places between
//                 them, then the other reductions that are due, then the stop condition
//   a phase     = its functions in order, repeated for each iteration
//   a function  = every piece evaluated from the current levels into the spare one; then commit
//   commit      = the first function that writes a field in a step moves its levels back by one;
//                 every function swaps the newest level with the spare
//
// A function never writes a level that can be read. Its input is therefore a snapshot, and the
// order of points, the order of pieces, and accesses to the target itself do not matter.
#include "compiler/reference/interpreter.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "compiler/reference/evaluator.h"
#include "compiler/reference/points.h"
#include "compiler/reference/scalar_types.h"
#include "compiler/support/threads.h"

namespace stencil::reference {
namespace {

// The smallest amount of work for which starting a thread pays off.
constexpr int64_t kLeastPoints = int64_t{1} << 16;
constexpr int64_t kLeastBytes = int64_t{1} << 20;

// A piece with its region at the sizes of the run, and one evaluator per part of the region that is
// evaluated in parallel.
class Sweep {
 public:
  Sweep(const ir::Program& program, const State& state, const ir::Piece& piece)
      : region_(*concrete(piece.region, state.integer_params)),
        rows_(region_, row_length(region_)) {
    const int parts = parts_of(rows_.count(), kLeastPoints / row_length(region_));
    for (int part = 0; part < parts; ++part) {
      evaluators_.emplace_back(program, state, piece.graph, piece.results, row_length(region_));
    }
  }

  // Calls visit(point, count, evaluator) for every row of the region, in row-major order.
  template <class Visit>
  void run(Visit visit) {
    run_part(evaluators_[0], 0, rows_.count(), visit);
  }

  // The level of a field that takes results.
  struct Place {
    const FieldData* field;
    FieldData::Level* level;
  };
  // Stores the results for all points of the region into levels that the piece does not read, of
  // fields with the same box. Points are independent, so their order does not matter.
  void write(const std::vector<Place>& places) {
    const auto store = [&](const std::vector<int64_t>& point, int64_t count,
                           const Evaluator& evaluator) {
      size_t result = 0;
      for (const Place& place : places) {
        const int64_t position = place.field->position(point);
        for (size_t c = 0; c < place.field->types.size(); ++c, ++result) {
          const int64_t size = size_in_bytes(place.field->types[c]);
          std::memcpy((*place.level)[c].data() + position * size, evaluator.result(result),
                      static_cast<size_t>(count * size));
        }
      }
    };
    in_parts(static_cast<int>(evaluators_.size()), rows_.count(),
             [&](int part, int64_t begin, int64_t end) {
               run_part(evaluators_[part], begin, end, store);
             });
  }

  // begin() must be called first; then at() returns the result at one point of the region.
  void begin() { evaluators_[0].begin_sweep(); }
  const void* at(const std::vector<int64_t>& point) {
    evaluators_[0].evaluate_row(point, 1);
    return evaluators_[0].result(0);
  }

  bool covers(const FieldData& data) const { return region_ == data.box; }
  const ConcreteBox& region() const { return region_; }

 private:
  template <class Visit>
  void run_part(Evaluator& evaluator, int64_t begin, int64_t end, const Visit& visit) {
    evaluator.begin_sweep();
    rows_.visit(begin, end, [&](const std::vector<int64_t>& point, int64_t count) {
      evaluator.evaluate_row(point, count);
      visit(point, count, evaluator);
    });
  }

  static int64_t row_length(const ConcreteBox& region) {
    const auto& [low, high] = region.back();
    return std::clamp<int64_t>(high - low + 1, 1, kLongestRow);
  }

  ConcreteBox region_;
  Rows rows_;
  std::vector<Evaluator> evaluators_;
};

// Memory is filled by as many threads as a sweep uses: the first write to a page allocates it,
// which costs more than computing the values.
void fill_with_zeros(FieldData::Level& level) {
  for (Buffer& component : level) {
    const auto bytes = static_cast<int64_t>(component.size());
    in_parts(parts_of(bytes, kLeastBytes), bytes, [&](int, int64_t begin, int64_t end) {
      std::fill(component.begin() + begin, component.begin() + end, std::byte{0});
    });
  }
}

void copy(const FieldData::Level& from, FieldData::Level& to) {
  for (size_t c = 0; c < from.size(); ++c) {
    const auto bytes = static_cast<int64_t>(from[c].size());
    in_parts(parts_of(bytes, kLeastBytes), bytes, [&](int, int64_t begin, int64_t end) {
      std::copy(from[c].begin() + begin, from[c].begin() + end, to[c].begin() + begin);
    });
  }
}

template <class T>
T identity(ir::Reducer reducer) {
  using Limits = std::numeric_limits<T>;
  switch (reducer) {
    case ir::Reducer::Sum:
      return T{0};
    case ir::Reducer::Prod:
      return T{1};
    case ir::Reducer::Min:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case ir::Reducer::Max:
      break;
  }
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// One step of a reduction. Integers wrap. NaN stays: `total` is kept if it is NaN, and replaced if
// `value` is.
template <class T>
T combine(ir::Reducer reducer, T total, T value) {
  using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
  switch (reducer) {
    case ir::Reducer::Sum:
      return static_cast<T>(static_cast<Sum>(total) + static_cast<Sum>(value));
    case ir::Reducer::Prod:
      return static_cast<T>(static_cast<Sum>(total) * static_cast<Sum>(value));
    case ir::Reducer::Min:
      return total <= value || total != total ? total : value;
    case ir::Reducer::Max:
      break;
  }
  return total >= value || total != total ? total : value;
}

// Combines lane l with lane l + s for s = half the lanes, ... 2, 1.
template <class T>
T combine_lanes(ir::Reducer reducer, std::vector<T>& lanes) {
  for (size_t stride = lanes.size() / 2; stride > 0; stride /= 2) {
    for (size_t l = 0; l < stride; ++l) {
      lanes[l] = combine<T>(reducer, lanes[l], lanes[l + stride]);
    }
  }
  return lanes[0];
}

// Combines values that `lane_count` lanes take in turn.
template <class T>
T combine_values(ir::Reducer reducer, const std::vector<T>& values, int lane_count) {
  std::vector<T> lanes(static_cast<size_t>(lane_count), identity<T>(reducer));
  for (size_t i = 0; i < values.size(); ++i) {
    T& total = lanes[i % lanes.size()];
    total = combine<T>(reducer, total, values[i]);
  }
  return combine_lanes(reducer, lanes);
}

// Combines values in the order that the language defines: ir::reduction_tile. Rows are processed as
// they come, by the lanes of all tiles that they cross, so the sweep can be row-major.
template <class T>
class Reduce {
 public:
  Reduce(ir::Reducer reducer, const ConcreteBox& region)
      : reducer_(reducer),
        region_(region),
        tile_(ir::reduction_tile(static_cast<int>(region.size()))) {}

  // Takes the values of `count` points starting at `point`. Calls for parts of one line of points
  // (along the last dimension) must follow each other in order.
  template <class Value>
  void take(const std::vector<int64_t>& point, int64_t count, Value value) {
    const size_t last = region_.size() - 1;
    const int64_t first = point[last] - region_[last][0];
    const int64_t line = last == 0 ? 0 : (point[last - 1] - region_[last - 1][0]) % tile_[last - 1];
    if (line == 0 && (last == 0 ? first % tile_[0] == 0 : first == 0)) {
      close_tiles();
      first_open_ = first / tile_[last];
    }
    for (int64_t i = 0; i < count; ++i) {
      const auto tile = static_cast<size_t>((first + i) / tile_[last] - first_open_);
      if (tile == open_.size()) {
        open_.push_back(std::vector<T>(ir::kReductionLanes, identity<T>(reducer_)));
      }
      const int64_t number = line * tile_[last] + (first + i) % tile_[last];
      T& total = open_[tile][number % ir::kReductionLanes];
      total = combine<T>(reducer_, total, value(i));
    }
  }

  T finish() {
    close_tiles();
    return combine_values(reducer_, tiles_, ir::kReductionLanes);
  }

 private:
  void close_tiles() {
    for (std::vector<T>& lanes : open_) tiles_.push_back(combine_lanes(reducer_, lanes));
    open_.clear();
  }

  ir::Reducer reducer_;
  const ConcreteBox& region_;
  std::vector<int64_t> tile_;
  std::vector<std::vector<T>> open_;  // the lanes of the tiles along the current rows
  int64_t first_open_ = 0;            // index within its rows of the first open tile
  std::vector<T> tiles_;              // values of completed tiles
};

// Calls visit(numbers) for all index tuples below `extents`, the last index running fastest.
template <class Visit>
void for_each_number(const std::vector<int64_t>& extents, Visit visit) {
  std::vector<int64_t> numbers(extents.size(), 0);
  if (std::any_of(extents.begin(), extents.end(), [](int64_t n) { return n <= 0; })) return;
  while (true) {
    visit(numbers);
    size_t d = extents.size();
    while (d > 0 && ++numbers[d - 1] == extents[d - 1]) numbers[--d] = 0;
    if (d == 0) return;
  }
}

// Reduces a box of the reduced dimensions in the order that the language defines; `value` gives the
// value at a point, counted from the low corner.
template <class T, class Value>
T reduce_box(ir::Reducer reducer, const std::vector<int64_t>& extents, Value value) {
  const std::vector<int64_t> tile = ir::reduction_tile(static_cast<int>(extents.size()));
  std::vector<int64_t> tiles;
  for (size_t d = 0; d < tile.size(); ++d) tiles.push_back((extents[d] + tile[d] - 1) / tile[d]);
  std::vector<T> of_tiles;
  for_each_number(tiles, [&](const std::vector<int64_t>& number) {
    std::vector<T> lanes(ir::kProfileLanes, identity<T>(reducer));
    int64_t within = 0;
    for_each_number(tile, [&](std::vector<int64_t> point) {
      T& total = lanes[within++ % ir::kProfileLanes];
      bool exists = true;
      for (size_t d = 0; d < tile.size(); ++d) {
        point[d] += number[d] * tile[d];
        exists = exists && point[d] < extents[d];
      }
      if (exists) total = combine<T>(reducer, total, value(point));
    });
    of_tiles.push_back(combine_lanes(reducer, lanes));
  });
  return combine_values(reducer, of_tiles, ir::kProfileLanes);
}

// A function with the sweeps of its pieces.
struct BoundFunction {
  std::vector<ir::FieldId> targets;
  std::vector<Sweep> pieces;
};

struct BoundReduction {
  const ir::Reduction& source;
  ir::ReductionId id;
  Sweep values;
};

// A program prepared for a run: sweeps are set up once, not in every step.
class Run {
 public:
  Run(const ir::Program& program, State& state) : program_(program), state_(state) {
    place_points();
    for (const ir::Function& function : program.functions) {
      BoundFunction bound{function.targets, {}};
      for (const ir::Piece& piece : function.pieces) {
        bound.pieces.emplace_back(program, state, piece);
      }
      functions_.push_back(std::move(bound));
    }
    for (size_t r = 0; r < program.reductions.size(); ++r) {
      const ir::Reduction& source = program.reductions[r];
      reductions_.push_back(
          {source, static_cast<ir::ReductionId>(r), Sweep(program, state, source.piece)});
    }
  }

  void step() {
    std::vector<bool> advanced(state_.fields.size(), false);
    std::vector<bool> evaluated(reductions_.size(), false);
    if (state_.step == 0) {
      std::vector<bool> none(state_.fields.size(), false);
      take(program_.start, none, evaluated);
    }
    take(program_.run.body, advanced, evaluated);
    for (BoundReduction& reduction : reductions_) {
      const bool due = (state_.step + 1) % reduction.source.every == 0;
      if (reduction.source.in_step || !due) continue;
      reduce(reduction);
      evaluated[reduction.id] = true;
    }
    state_.stopped = stops(evaluated);
    ++state_.step;
  }

 private:
  void place_points() {
    state_.placed.assign(state_.fields.size(), nullptr);
    for (size_t f = 0; f < state_.fields.size(); ++f) {
      if (!program_.fields[f].is_point_set()) continue;
      const PointSet set(program_, static_cast<ir::FieldId>(f), state_);
      state_.placed[f] = std::make_shared<PlacedPoints>(set.place());
    }
  }

  void take(const ir::Sequence& sequence, std::vector<bool>& advanced,
            std::vector<bool>& evaluated) {
    for (const ir::Step& step : sequence) {
      if (const auto* inner = std::get_if<ir::Sequence>(&step.kind)) {
        take(*inner, advanced, evaluated);
      } else if (const auto* applied = std::get_if<ir::Apply>(&step.kind)) {
        apply(functions_[applied->function], advanced);
      } else if (const auto* repeat = std::get_if<ir::Repeat>(&step.kind)) {
        for (int64_t i = 0; i < repeat->iterations; ++i) take(repeat->body, advanced, evaluated);
      } else if (const auto* reduction = std::get_if<ir::Reduce>(&step.kind)) {
        reduce(reductions_[reduction->reduction]);
        evaluated[reduction->reduction] = true;
      }
    }
  }

  // `advanced`: the fields that already have a new level in this step.
  void apply(BoundFunction& function, std::vector<bool>& advanced) {
    std::vector<Sweep::Place> places;
    for (const ir::FieldId id : function.targets) {
      FieldData& target = state_.fields[id];
      const bool covered = function.pieces.size() == 1 && function.pieces[0].covers(target);
      if (!covered) copy(target.levels[0], target.spare);
      places.push_back({&target, &target.spare});
    }
    for (Sweep& piece : function.pieces) piece.write(places);
    for (const ir::FieldId target : function.targets) {
      commit(state_.fields[target], !advanced[target]);
      advanced[target] = true;
    }
  }

  static void commit(FieldData& field, bool first_in_step) {
    if (first_in_step)
      std::rotate(field.levels.begin(), field.levels.end() - 1, field.levels.end());
    std::swap(field.levels.front(), field.spare);
  }

  void reduce(BoundReduction& reduction) {
    ReductionValue& value = state_.reductions[reduction.id];
    const ir::Piece& piece = reduction.source.piece;
    with_type(piece.graph[piece.results[0]].type, [&](auto element) {
      using T = decltype(element);
      with_type(value.type, [&](auto zero) {
        using Total = decltype(zero);
        if constexpr (!kIsStorage<Total> && !std::is_same_v<Total, bool>) {
          if constexpr (std::is_floating_point_v<Total>) {
            if (reduction.source.at) return record<T, Total>(reduction);
          }
          if (reduction.source.target) {
            reduce_to_profile<T, Total>(reduction, value);
          } else {
            reduce_to_value<T, Total>(reduction, value);
          }
        }
      });
    });
    ++value.evaluations;
  }

  void note_nan(ReductionValue& value) const {
    if (value.first_nan == 0) value.first_nan = state_.step + 1;
  }

  template <class T, class Total>
  void reduce_to_value(BoundReduction& reduction, ReductionValue& value) {
    Reduce<Total> order(reduction.source.reducer, reduction.values.region());
    reduction.values.run(
        [&](const std::vector<int64_t>& point, int64_t count, const Evaluator& evaluator) {
          const T* row = static_cast<const T*>(evaluator.result(0));
          order.take(point, count, [&](int64_t i) { return convert<Total>(row[i]); });
        });
    const Total total = order.finish();
    value.replaced_real = value.real;
    value.replaced_integer = value.integer;
    if constexpr (std::is_floating_point_v<Total>) {
      value.real = total;
    } else {
      value.integer = total;
    }
    if (value.is_nan()) note_nan(value);
  }

  // Fills the next row: for each point of the set, the weighted sum over the grid points around it,
  // in row-major order.
  template <class T, class Total>
  void record(BoundReduction& reduction) {
    const ir::Reduction& source = reduction.source;
    const ir::PointSet& set = *program_.fields[*source.at].as_point_set();
    const PlacedPoints& placed = *state_.placed[*source.at];
    FieldData& rows = state_.fields[*source.target];
    const int64_t row = ir::row_at(source, state_.step + 1);
    if (row >= rows.extents[0]) return;  // no run has that many steps (ir::StepLimit)
    auto* out = reinterpret_cast<Total*>(rows.data(0, 0)) + row * rows.extents[1];
    const auto rank = static_cast<size_t>(program_.grid().rank());
    const std::vector<int64_t> corners(rank, set.width);
    size_t entry = 0;
    reduction.values.begin();
    for (int64_t p = 0; p < rows.extents[1]; ++p) {
      Total sum = 0;
      for_each_number(corners, [&](std::vector<int64_t> point) {
        const int32_t own = placed.entries[entry++];
        if (own < 0) return;
        for (size_t d = 0; d < rank; ++d) {
          point[d] += placed.firsts[static_cast<size_t>(p) * rank + d];
        }
        const Total value = convert<Total>(*static_cast<const T*>(reduction.values.at(point)));
        sum += placed.weight<Total>(own) * value;
      });
      out[p] = sum;
    }
  }

  // All values are computed first, because they come row by row.
  template <class T, class Total>
  void reduce_to_profile(BoundReduction& reduction, ReductionValue& value) {
    const ConcreteBox& region = reduction.values.region();
    FieldData& profile = state_.fields[*reduction.source.target];
    std::vector<int64_t> extents;
    for (const auto& [low, high] : region) extents.push_back(std::max<int64_t>(high - low + 1, 0));
    std::vector<Total> values;
    reduction.values.run(
        [&](const std::vector<int64_t>&, int64_t count, const Evaluator& evaluator) {
          const T* row = static_cast<const T*>(evaluator.result(0));
          for (int64_t i = 0; i < count; ++i) values.push_back(convert<Total>(row[i]));
        });
    const std::vector<int> over = ir::reduced_dimensions(program_, reduction.source);
    const std::vector<int> kept = program_.fields[*reduction.source.target].dimensions();
    std::vector<int64_t> reduced;
    for (const int d : over) reduced.push_back(extents[d]);
    auto* out = reinterpret_cast<Total*>(profile.spare[0].data());
    for_each_number(profile.extents, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> point(extents.size());
      for (size_t d = 0; d < kept.size(); ++d) point[kept[d]] = at[d];
      const auto value_at = [&](const std::vector<int64_t>& within) {
        for (size_t d = 0; d < over.size(); ++d) point[over[d]] = within[d];
        int64_t position = 0;
        for (size_t d = 0; d < point.size(); ++d) position = position * extents[d] + point[d];
        return values[position];
      };
      *out = reduce_box<Total>(reduction.source.reducer, reduced, value_at);
      if (*out != *out) note_nan(value);
      ++out;
    });
    commit(profile, true);
  }

  // The stop condition is evaluated when a reduction that it names has a new value (at every step
  // if it names none), once all of them have values. It does not hold while one of them is NaN.
  bool stops(const std::vector<bool>& evaluated) {
    if (!program_.run.until) return false;
    const ir::Graph& graph = program_.run.until->graph;
    bool names_any = false;
    bool due = false;
    for (const ir::Node& node : graph.nodes()) {
      const auto* ref = std::get_if<ir::ReductionRef>(&node.kind);
      if (ref == nullptr) continue;
      const ReductionValue& value = state_.reductions[ref->reduction];
      if (value.evaluations == 0 || value.is_nan()) return false;
      names_any = true;
      due = due || evaluated[ref->reduction];
    }
    if (names_any && !due) return false;
    const std::vector<ir::NodeId> results{program_.run.until->condition};
    Evaluator evaluator(program_, state_, graph, results, 1);
    evaluator.begin_sweep();
    return *static_cast<const bool*>(evaluator.result(0));
  }

  const ir::Program& program_;
  State& state_;
  std::vector<BoundFunction> functions_;
  std::vector<BoundReduction> reductions_;
};

}  // namespace

void initialise(const ir::Program& program, ir::FieldId id, State& state) {
  FieldData& field = state.fields[id];
  const auto init = std::find_if(program.inits.begin(), program.inits.end(),
                                 [&](const ir::Init& other) { return other.field == id; });
  if (init == program.inits.end()) {
    for (FieldData::Level& level : field.levels) fill_with_zeros(level);
    return;
  }
  Sweep(program, state, init->piece).write({{&field, &field.levels[0]}});
  for (size_t level = 1; level < field.levels.size(); ++level) {
    copy(field.levels[0], field.levels[level]);
  }
}

void initialise(const ir::Program& program, State& state) {
  state.step = 0;
  state.stopped = false;
  for (ReductionValue& value : state.reductions) value = {.type = value.type};
  for (size_t f = 0; f < state.fields.size(); ++f) {
    initialise(program, static_cast<ir::FieldId>(f), state);
  }
}

int64_t advance(const ir::Program& program, State& state, int64_t steps, const Progress& progress) {
  if (state.stopped || steps <= 0) return 0;
  Run run(program, state);
  for (int64_t done = 1; done <= steps; ++done) {
    run.step();
    const bool interrupted = progress && !progress(state.step);
    if (state.stopped || interrupted) return done;
  }
  return steps;
}

}  // namespace stencil::reference
