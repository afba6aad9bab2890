// Plans the stages in order, then their lags, then the values to keep and for how long.
#include "compiler/schedule/streaming/plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "compiler/ir/rewrite.h"
#include "compiler/kernel/kernel.h"
#include "compiler/schedule/common/slow_operations.h"
#include "compiler/schedule/streaming/known.h"
#include "compiler/schedule/streaming/resolved_offsets.h"
#include "compiler/schedule/streaming/resources.h"
#include "compiler/support/work.h"

namespace stencil::schedule {

namespace {

// Limits on the reads of one quantity: planes between the newest and the oldest one, and places at
// which one access may resolve. A thread needs a register for every plane and for at least every
// second place, so beyond these limits no tile is possible. Planning stops before listing the
// reads, because time and memory for that grow with the offsets.
constexpr int64_t kMostPlanes = 1024;
// 32-bit words of the newest plane per thread: four times what any family uses.
constexpr int64_t kMostWords = 2048;
constexpr int64_t kMostPlaces = 4096;

// A place that a stage reads, relative to the computed point.
struct Read {
  int quantity;
  int plane, row, column;
  auto key() const { return std::tie(quantity, plane, row, column); }
  bool operator<(const Read& other) const { return key() < other.key(); }
};

Sides hull(const Sides& a, const Sides& b) {
  return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

class StreamPlanner {
 public:
  StreamPlanner(const ir::Program& program, const analysis::TimeTile& tile,
                const Schedule& schedule, ScatterForms& forms, PieceCongruences& congruences,
                const Machine& machine)
      : program_(program),
        tile_(tile),
        schedule_(schedule),
        forms_(forms),
        congruences_(congruences) {
    plan_.machine = machine;
    plan_.rank = program.grid().rank();
    plan_.steps = tile.steps;
    plan_.images = analysis::image_dimensions(program, false);
    plan_.patch = {schedule.elements[0], plan_.rank > 2 ? schedule.elements[1] : 1};
    plan_.threads = {schedule.block[0], plan_.rank > 2 ? schedule.block[1] : 1};
  }

  StreamPlan run() {
    load_fields();
    set_margins();
    plan_.hopeless = plan_.halo > kMostHaloPlanes || !has_core() || front_words() > kMostWords;
    for (const analysis::Stage& stage : tile_.stages) {
      if (!plan_.hopeless) add_stage(stage);
    }
    if (!plan_.hopeless) {
      choose_outputs();
      delay_loads();
      plan_.hopeless = oldest_plane() > kMostPlanes;
    }
    if (plan_.hopeless) return std::move(plan_);
    for (size_t s = 0; s < plan_.stages.size(); ++s) keep_what_is_read(plan_.stages[s], reads_[s]);
    for (Quantity& quantity : plan_.quantities) arrange(quantity);
    if (plan_.bulk) join_rings();
    set_unroll();
    know_residues(program_, schedule_, plan_);
    ask_for_cells(program_, congruences_, plan_);
    align_rings();
    for (const StreamStage& stage : plan_.stages) {
      plan_.at_points |= !reads_at_points(stage).empty();
      for (const StagePiece& piece : stage.pieces) {
        const bool called = slow_operations(*piece.graph, piece.results, program_.fp).calls > 0;
        const int words = (*piece.graph)[piece.results[0]].type == Scalar::F64 ? 96 : 56;
        if (called) plan_.call_words = std::max(plan_.call_words, words);
      }
    }
    return std::move(plan_);
  }

 private:
  // The quantities of a version, by component.
  std::vector<int>& quantities(int version) { return quantities_[version]; }

  bool has_core() const {
    const TileSides sides = plan_.sides();
    return std::all_of(sides.begin(), sides.end(),
                       [](const TileSide& side) { return side.core() > 0; });
  }
  // 32-bit words that a thread keeps of the front plane.
  int64_t front_words() const {
    int64_t words = 0;
    for (const Quantity& quantity : plan_.quantities) {
      words += int64_t{plan_.patch[0]} * plan_.patch[1] * ((size_in_bytes(quantity.type) + 3) / 4);
    }
    return words;
  }

  // Adds a quantity for every field that some function reads or writes, and for older levels that
  // are read.
  void load_fields() {
    quantities_.resize(tile_.versions.size());
    for (size_t f = 0; f < program_.fields.size(); ++f) {
      const ir::FieldId field = static_cast<ir::FieldId>(f);
      const int levels = analysis::levels_loaded(tile_, field);
      for (size_t c = 0; c < program_.fields[f].components.size(); ++c) {
        for (size_t v = 0; v < tile_.versions.size(); ++v) {
          const analysis::Version& version = tile_.versions[v];
          if (version.field != field || !version.in_memory() || version.level >= levels) continue;
          quantities_[v].push_back(add(load(field, static_cast<int>(c), version.level)));
        }
      }
    }
  }

  int add(Quantity quantity) {
    plan_.quantities.push_back(std::move(quantity));
    return static_cast<int>(plan_.quantities.size()) - 1;
  }

  Quantity load(ir::FieldId field, int component, int level) {
    Quantity loaded;
    loaded.field = field;
    loaded.component = component;
    loaded.version = -level;
    loaded.written = ir::is_written(program_, field);
    const ir::Field& declared = program_.fields[field];
    loaded.type = declared.components[component].type;
    // Asynchronous copies move at least 4 bytes; narrower types go through registers.
    const bool async =
        schedule_.of<StreamingSettings>().loads == Loads::Async && size_in_bytes(loaded.type) >= 4;
    const bool copied =
        schedule_.prefetch > 0 && (async || schedule_.of<StreamingSettings>().loads == Loads::Bulk);
    loaded.ready = copied ? 0 : schedule_.prefetch;
    loaded.ring = copied ? schedule_.prefetch + 1 : 0;
    plan_.bulk |= copied && schedule_.of<StreamingSettings>().loads == Loads::Bulk;
    return loaded;
  }

  void choose_outputs() {
    for (size_t v = 0; v < tile_.versions.size(); ++v) {
      if (tile_.versions[v].output < 0) continue;
      for (int id : quantities_[v]) {
        Quantity& made = plan_.quantities[id];
        made.output = tile_.versions[v].output;
        plan_.drain = std::max<int64_t>(plan_.drain, made.lag);
      }
    }
    for (const StreamStage& stage : plan_.stages) {
      if (!stage.sampled.empty()) plan_.drain = std::max<int64_t>(plan_.drain, stage.lag);
    }
  }

  // Delays the loads of quantities until their first use, instead of keeping the planes longer.
  void delay_loads() {
    std::map<int, int> spare;  // by quantity: slack common to all readers
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      for (const Read& read : reads_[s]) {
        const int slack = plan_.stages[s].lag - earliest(read, plan_.stages[s].patient);
        const auto [entry, fresh] = spare.try_emplace(read.quantity, slack);
        if (!fresh) entry->second = std::min(entry->second, slack);
      }
    }
    for (const auto& [id, slack] : spare) {
      Quantity& quantity = plan_.quantities[id];
      if (quantity.loaded()) quantity.lag = slack;
    }
  }

  void add_stage(const analysis::Stage& of) {
    const ir::Function& function = program_.functions[of.function];
    StreamStage stage;
    stage.step = of.step;
    stage.name = function.name;
    for (const analysis::StageResult& result : of.results) {
      const std::vector<int>& old = quantities(result.old);
      stage.old.insert(stage.old.end(), old.begin(), old.end());
    }
    const ScatterForm* form =
        schedule_.of<StreamingSettings>().form == Form::Scatter ? forms_.of(of.function) : nullptr;
    if (form) {
      add_partial_sums(of, stage, function, *form);
    } else {
      for (const ir::Piece& piece : function.pieces) {
        stage.pieces.push_back({piece.region,
                                {std::shared_ptr<const void>(), &piece.graph},
                                piece.results,
                                congruences_.of(piece),
                                &piece,
                                ir::edge_conditions(program_, piece.graph)});
      }
    }
    std::set<Read> reads = reads_of(of, stage);
    if (!form) {
      for (int old : stage.old) reads.insert({old, 0, 0, 0});
    }
    stage.patient = form != nullptr;
    stage.lag = lag_behind(reads, stage.patient);
    for (const analysis::StageResult& result : of.results) {
      for (int old : quantities(result.old)) {
        stage.results.push_back(add(made_by(stage, old)));
        quantities(result.made).push_back(stage.results.back());
      }
      const analysis::Version& made = tile_.versions[result.made];
      if (made.sampled) stage.sampled.push_back(made.field);
      plan_.sampled |= made.sampled;
    }
    plan_.stages.push_back(std::move(stage));
    reads_.push_back(std::move(reads));
  }

  // The quantity that the stage computes in place of an old one.
  Quantity made_by(const StreamStage& stage, int replaced) const {
    const Quantity& old = plan_.quantities[replaced];
    Quantity made;
    made.field = old.field;
    made.component = old.component;
    made.version = old.version + 1;
    made.type = old.type;
    made.lag = stage.lag;
    return made;
  }

  // Partial sums of a step become separate stages; the function's own stage adds the newest plane.
  void add_partial_sums(const analysis::Stage& of, StreamStage& stage, const ir::Function& function,
                        const ScatterForm& form) {
    const size_t first = sums_.size();  // first sum of this form
    for (const PartialSum& sum : form.sums) {
      add_sum_stage(of, stage, {program_.grid(), renumbered(sum.graph, first), {sum.result}});
    }
    stage.pieces.push_back(
        {function.pieces[0].region, renumbered(form.last.graph, first), {form.last.result}});
    stage.old_in_memory = true;
  }

  std::shared_ptr<const ir::Graph> renumbered(const std::shared_ptr<const ir::Graph>& graph,
                                              size_t first) const {
    if (first == 0) return graph;
    ir::Graph out;
    for (ir::Node node : graph->nodes()) {
      auto* access = std::get_if<ir::Access>(&node.kind);
      if (access && is_sum(access->field)) access->field = access->field + static_cast<int>(first);
      out.add(std::move(node));
    }
    return std::make_shared<const ir::Graph>(std::move(out));
  }

  void add_sum_stage(const analysis::Stage& of, const StreamStage& whole, StagePiece piece) {
    StreamStage stage;
    stage.step = whole.step;
    stage.name = whole.name;
    stage.everywhere = true;
    stage.pieces.push_back(std::move(piece));
    std::set<Read> reads = reads_of(of, stage);
    stage.patient = true;
    stage.lag = lag_behind(reads, stage.patient);
    Quantity made = made_by(stage, whole.old[0]);
    made.part = static_cast<int>(sums_.size());
    stage.results.push_back(add(std::move(made)));
    sums_.push_back(stage.results.back());
    plan_.stages.push_back(std::move(stage));
    reads_.push_back(std::move(reads));
  }

  bool is_sum(ir::FieldId field) const {
    return static_cast<size_t>(field) >= program_.fields.size();
  }

  // The places that the stage's pieces read; also sets the stage's sources.
  std::set<Read> reads_of(const analysis::Stage& of, StreamStage& stage) {
    std::set<Read> out;
    for (const StagePiece& piece : stage.pieces) {
      for (const auto& [id, access] : ir::accesses(*piece.graph, piece.results)) {
        if (access->in_place) continue;
        const int quantity =
            is_sum(access->field)
                ? sums_[static_cast<size_t>(access->field) - program_.fields.size()]
                : quantities(of.source.at({access->field, access->level}))[access->component];
        stage.source[{access->field, access->level, access->component}] = quantity;
        std::vector<std::vector<int>> places = {ir::offsets_of(access->maps)};
        if (access->escapes != 0) {
          const ir::Field& field = program_.fields[access->field];
          if (resolved_offset_count(field, *access) > kMostPlaces) {
            plan_.hopeless = true;
            return out;
          }
          places = resolved_offsets(field, *access);
        }
        support::count_work(static_cast<int64_t>(places.size()));
        for (const std::vector<int>& at : places) {
          out.insert({quantity, at.front(), at.size() > 2 ? at[1] : 0, at.back()});
        }
      }
    }
    return out;
  }

  // The smallest lag with which a stage can make this read.
  int earliest(const Read& read, bool patient) const {
    const Quantity& quantity = plan_.quantities[read.quantity];
    const bool here = plan_.bulk && quantity.ring > 0;  // readable by all threads at once
    const bool row = read.row != 0 && !here;
    const int published = row || (patient && read.column != 0) ? 1 : 0;
    return quantity.lag + quantity.ready + read.plane + published;
  }

  int lag_behind(const std::set<Read>& reads, bool patient) const {
    int lag = 0;
    for (const Read& read : reads) lag = std::max(lag, earliest(read, patient));
    return lag;
  }

  // The greatest age at which a stage reads a plane.
  int64_t oldest_plane() const {
    int64_t oldest = 0;
    for (size_t s = 0; s < plan_.stages.size(); ++s) {
      for (const Read& read : reads_[s]) {
        const Quantity& quantity = plan_.quantities[read.quantity];
        oldest = std::max<int64_t>(oldest, plan_.stages[s].lag - read.plane - quantity.lag);
      }
    }
    return oldest;
  }

  // Records which cells the stage needs at which ages.
  void keep_what_is_read(StreamStage& stage, const std::set<Read>& reads) {
    for (const Read& read : reads) {
      Quantity& quantity = plan_.quantities[read.quantity];
      const int age = stage.lag - read.plane - quantity.lag;
      quantity.ages = std::max(quantity.ages, age + 1);
      stage.planes.insert({read.quantity, age});
      if (static_cast<int>(quantity.fetched.size()) <= age) {
        quantity.fetched.resize(static_cast<size_t>(age) + 1);
      }
      Cells& cells = quantity.fetched[age];
      const Sides sides = {std::max(-read.column, 0), std::max(read.column, 0)};
      for (int k = 0; k < plan_.patch[1]; ++k) {
        const int row = k + read.row;
        const bool own = row >= 0 && row < plan_.patch[1];
        if (own && read.column == 0) continue;
        Sides& wanted = cells[row];
        wanted = hull(wanted, sides);
      }
      quantity.rows_below = std::max(quantity.rows_below, -read.row);
      quantity.rows_above = std::max(quantity.rows_above, read.row);
    }
  }

  // Turns the cells needed at each age into cells fetched at each age. In 2-D fetched columns move
  // with the queue, so each column is fetched once. In 3-D a patch has too many columns beside it
  // to keep them, so they are fetched again.
  void arrange(Quantity& quantity) {
    const size_t ages = static_cast<size_t>(quantity.ages);
    quantity.fetched.resize(ages);
    quantity.kept.assign(ages, {});
    for (const Cells& cells : quantity.fetched) {
      for (const auto& [row, sides] : cells) {
        Sides& all = quantity.halo[row];
        all = hull(all, sides);
      }
    }
    int last_published = -1;
    for (size_t age = 0; age < ages; ++age) {
      for (const auto& [row, sides] : quantity.fetched[age]) {
        if (row < 0 || row >= plan_.patch[1]) last_published = static_cast<int>(age);
      }
    }
    quantity.shared_rows = last_published >= 0;
    if (quantity.shared_rows && quantity.ring > 0) quantity.ring += last_published;
    if (quantity.shared_rows && quantity.ring == 0) {
      quantity.published_planes = last_published - quantity.ready + 1;
    }
    if (plan_.rank == 2) keep_columns(quantity);
  }

  void keep_columns(Quantity& quantity) {
    Sides later;  // needed at a later age
    std::vector<Sides> needed_after(static_cast<size_t>(quantity.ages));
    for (size_t age = static_cast<size_t>(quantity.ages); age-- > 0;) {
      needed_after[age] = later;
      if (quantity.fetched[age].count(0)) later = hull(later, quantity.fetched[age].at(0));
    }
    Sides present;
    for (size_t age = 0; age < static_cast<size_t>(quantity.ages); ++age) {
      Cells& cells = quantity.fetched[age];
      const bool wanted = cells.count(0) > 0;
      // Columns needed at any later age are fetched together with the first ones.
      Sides goal = wanted ? hull(cells.at(0), needed_after[age]) : present;
      if (wanted && goal == present) cells.clear();
      if (wanted && !(goal == present)) cells[0] = goal;
      if (wanted) present = goal;
      const Sides moved = {std::min(present.low, needed_after[age].low),
                           std::min(present.high, needed_after[age].high)};
      if (moved.low > 0 || moved.high > 0) quantity.kept[age][0] = moved;
      present = moved;
    }
  }

  void set_margins() {
    int64_t ahead = 0;
    for (const analysis::Version& version : tile_.versions) {
      if (!version.needed) continue;
      const analysis::Margin& margin = *version.needed;
      plan_.fill = std::max(plan_.fill, margin.front().low);
      ahead = std::max(ahead, margin.front().high);
      for (int axis = 0; axis < plan_.rank - 1; ++axis) {
        const analysis::Reach reach = margin[margin.size() - 1 - static_cast<size_t>(axis)];
        analysis::Reach& all = plan_.margin[axis];
        all = {std::max(all.low, reach.low), std::max(all.high, reach.high)};
      }
    }
    plan_.halo = plan_.fill + ahead;
    for (size_t axis = 0; axis < 2; ++axis) {
      plan_.cover[axis] = int64_t{plan_.patch[axis]} * plan_.threads[axis];
    }
    align_columns();
  }

  // Aligns tile boundaries to vectors, so that loads and stores stay aligned. Boundaries at whole
  // patches are better still: a thread then stores all of its row or nothing, and tiles start at
  // larger powers of two. This wider alignment may cost up to an eighth of the core. Bulk copies
  // require boxes that start at multiples of kBulkUnit bytes.
  void align_columns() {
    const analysis::Reach exact = plan_.margin[0];
    const auto align = [&](int64_t to) {
      plan_.margin[0] = {(exact.low + to - 1) / to * to, (exact.high + to - 1) / to * to};
      return plan_.core(0);
    };
    int64_t vector = 1;
    for (const Quantity& quantity : plan_.quantities) {
      vector = std::max<int64_t>(vector, vector_length(plan_, quantity.type));
      if (!plan_.bulk || quantity.ring == 0) continue;
      vector = std::max<int64_t>(vector, kernel::kBulkUnit / size_in_bytes(quantity.type));
    }
    const int64_t widest = align(vector);
    if (8 * align(std::lcm<int64_t>(vector, plan_.patch[0])) < 7 * widest) align(vector);
  }

  // A queue that carries n planes between iterations is back in its registers after n iterations.
  // Unrolled by n, the loop moves no registers.
  void set_unroll() {
    plan_.unroll = schedule_.of<StreamingSettings>().unroll;
    if (plan_.unroll > 0) return;
    std::map<int, int> votes;  // by carried planes
    for (const Quantity& quantity : plan_.quantities) {
      if (quantity.ages > 1) votes[quantity.ages - 1] += 1;
    }
    plan_.unroll = 1;
    int most = 0;
    for (const auto& [carried, count] : votes) {
      if (count > most && carried <= kLongestUnroll) plan_.unroll = carried;
      most = std::max(most, count);
    }
  }

  // A batch of bulk copies fills one plane of every ring, so all rings have the same length.
  void join_rings() {
    int longest = 0;
    for (const Quantity& quantity : plan_.quantities) longest = std::max(longest, quantity.ring);
    for (Quantity& quantity : plan_.quantities) {
      if (quantity.ring > 0) quantity.ring = longest;
    }
  }

  // If the number of published planes divides the planes per iteration, ring indices are
  // compile-time constants.
  void align_rings() {
    for (Quantity& quantity : plan_.quantities) {
      if (quantity.published_planes == 0) continue;
      for (int planes = quantity.published_planes; planes <= plan_.unroll; ++planes) {
        if (plan_.unroll % planes != 0) continue;
        quantity.published_planes = planes;
        break;
      }
    }
  }

  const ir::Program& program_;
  const analysis::TimeTile& tile_;
  const Schedule& schedule_;
  ScatterForms& forms_;
  PieceCongruences& congruences_;
  StreamPlan plan_;
  std::vector<std::vector<int>> quantities_;  // [version of the time tile][component]
  std::vector<std::set<Read>> reads_;         // per stage
  std::vector<int> sums_;                     // quantities of partial sums
};

}  // namespace

std::vector<ir::Access> reads_at_points(const StreamStage& stage) {
  std::vector<ir::Access> out;
  for (const StagePiece& piece : stage.pieces) {
    analysis::add_reads_at_points(*piece.graph, piece.results, out);
  }
  return out;
}

std::vector<ir::Access> reads_at_points(const StreamPlan& plan) {
  std::vector<ir::Access> out;
  for (const StreamStage& stage : plan.stages) {
    for (const ir::Access& access : reads_at_points(stage)) out.push_back(access);
  }
  return out;
}

StreamPlan plan_stream(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps,
                       const Machine& machine) {
  return StreamPlanner(tiles.program(), tiles.of(steps), schedule, tiles.kept<ScatterForms>(),
                       tiles.kept<PieceCongruences>(), machine)
      .run();
}

TileSides StreamPlan::sides() const {
  TileSides out;
  for (int axis = 0; axis < rank - 1; ++axis) {
    const size_t i = static_cast<size_t>(axis);
    out.push_back({rank - 1 - axis, cover[i], margin[i]});
  }
  return out;
}

bool covers_all_places(const ir::Program& program, const StreamPlan& plan,
                       const StreamStage& stage) {
  return stage.pieces[0].region == program.grid() &&
         std::all_of(plan.images.begin(), plan.images.end(), [](bool image) { return image; });
}

bool may_leave_out_steps(const ir::Program& program, const StreamPlan& plan) {
  return std::all_of(plan.stages.begin(), plan.stages.end(), [&](const StreamStage& stage) {
    for (const int id : stage.results) {
      const Quantity& made = plan.quantities[id];
      if (program.fields[made.field].history > 1) return false;
    }
    return stage.everywhere || !covers_all_places(program, plan, stage);
  });
}

}  // namespace stencil::schedule
