// What a streamed tile keeps, and when it computes what.
//
// The outermost dimension is streamed: iteration n brings the front to the next plane (a row in
// 2-D, a plane in 3-D), and every stage then computes one plane, `lag` planes behind the front. A
// stage is one stencil function of one step of the time tile, so T steps are in flight at once.
//
// What stages read and write are quantities: one component of one version of a field, where version
// 0 is loaded from memory and each writer makes the next; versions -1, -2, ... are older time
// levels, loaded as well. Of a field with history, the last version of each of the last steps is
// written. A plane of a quantity has an age, the
// iterations since it appeared: ages 0, 1, ... are a queue in registers that moves on by one per
// iteration. A thread owns a patch of elements_y x elements_x contiguous points of each plane. What
// it reads beyond its patch comes from the threads beside it: columns by shuffles within its row of
// threads, rows through shared memory, where each thread publishes the rows of its patch that
// others read; planes that were copied to shared memory anyway are read from there. A row can be
// read one iteration after it appeared, so one barrier per iteration serves all stages; a stage
// that reads other threads' rows lags one plane more for it.
//
// This is N.5-dimensional blocking (Nguyen et al., SC'10) with the high-degree temporal blocking of
// AN5D (Matsumura et al., CGO'20); overlapped halos are as in Holewinski et al., ICS'12.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/analysis/time_tile.h"
#include "compiler/ir/congruence.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/parts/limits.h"
#include "compiler/schedule/streaming/scatter.h"

namespace stencil::schedule {

// Columns fetched from neighbours on either side of a row of a patch.
struct Sides {
  int low = 0, high = 0;
  friend bool operator==(const Sides&, const Sides&) = default;
};

// Points of a plane that a thread holds besides its patch: rows by their place relative to the
// patch (0 is its first row), each with its columns beyond the patch.
using Cells = std::map<int, Sides>;

struct Quantity {
  ir::FieldId field = 0;
  int component = 0;
  int version = 0;
  Scalar type = Scalar::F32;
  int part = -1;        // >= 0: a partial sum on the way to this version (scatter form)
  int output = -1;      // >= 0: written, as this level of the field (0: the newest)
  bool written = true;  // false: a coefficient, which every step reads as it was loaded

  int lag = 0;    // the plane of age 0 is that far behind the front
  int ready = 0;  // the first age that may be read: loads are ahead of their use
  int ages = 1;   // planes kept in registers
  // Planes in the ring of shared memory that copies fill; 0: loaded into registers. Besides those
  // on their way it holds the planes whose rows are still read by other threads.
  int ring = 0;
  bool shared_rows = false;  // others read rows of it, from the ring or, where there is none,
  int slots = 0;             // from so many planes of published rows
  int rows_below = 0, rows_above = 0;  // how many rows beyond their patch others read
  Cells halo;                          // hull of all cells beside the patch, at any age
  std::vector<Cells> fetched;  // [age] cells that a thread fetches when a plane has this age
  std::vector<Cells> kept;     // [age] fetched cells that move on to the next age

  // Where conditions leave out points: by age, row and column, of which planes some stage reads the
  // column beside the patch, a bit for each remainder (StreamPlan::known). Without an entry nobody
  // reads it.
  bool asked_for = false;
  std::map<std::tuple<int, int, int>, uint32_t> asked;

  bool loaded() const { return version <= 0; }
  int level() const { return -version; }  // of a loaded quantity
  bool is_output() const { return output >= 0; }
};

// A plane in the queue of a quantity: the patch, and what any age needs beside it.
struct QueuePlane {
  int row = 0, column = 0;  // where the patch starts
  int row_count = 1, column_count = 1;
};

struct StagePiece {
  ir::Box region;
  std::shared_ptr<const ir::Graph> graph;
  std::vector<ir::NodeId> results;
  std::vector<ir::Congruence> congruences = {};
  const ir::Piece* piece = nullptr;  // that it is; null for a sum of the scatter form
};

struct StreamStage {
  int step = 0;      // of the time tile, from 0
  std::string name;  // of the stencil function
  std::vector<StagePiece> pieces;
  bool everywhere = false;  // a partial sum: one piece, computed at every point of the tile
  // Columns of other threads are taken one iteration after they appear, too, so that nothing waits
  // for a shuffle of what was just computed.
  bool patient = false;
  int lag = 0;
  std::vector<int> results;  // quantities made, one per component of the targets
  // Fields that records sample once the stage has made their state at the end of its step.
  std::vector<ir::FieldId> sampled;
  std::vector<int> old;  // quantities they replace, kept where no piece applies
  // Points that no piece covers never change: their value is read from the field in memory instead
  // of from `old`, which then need not be kept.
  bool old_in_memory = false;
  // (field, level, component) read -> quantity
  std::map<std::tuple<ir::FieldId, int, int>, int> source;
  std::set<std::pair<int, int>> planes;  // (quantity, age) that it reads
};

constexpr int kOccupancyFlags = 512;  // of a block, at most; a byte each

struct StreamPlan {
  Machine machine;  // that it is for
  int rank = 0;
  int steps = 0;  // T
  // What some stage reads is more than any thread keeps, by far. Planning ended where that was
  // seen: tiles and margins are planned, stages and queues are not.
  bool hopeless = false;
  std::array<int, 2> patch = {1, 1};    // points per thread in x and y
  std::array<int, 2> threads = {1, 1};  // in x and y of a tile; a 2-D tile has one row of threads
  std::vector<Quantity> quantities;
  std::vector<StreamStage> stages;
  // Per tiled dimension, x first: points of a tile, and how many of them at either end are not
  // written because their values are incomplete; in x multiples of a vector or of a patch.
  std::array<int64_t, 2> cover = {1, 1};
  std::array<analysis::Reach, 2> margin = {};
  int64_t halo = 0;        // of the streamed dimension, both sides together
  int64_t fill = 0;        // planes read before the first plane that is written
  int64_t drain = 0;       // planes the front is ahead of the last plane that is written
  int unroll = 1;          // planes per iteration of the loop
  int call_words = 0;      // registers that a subroutine takes, 32 bits each; see slow_operations
  bool bulk = false;       // copied planes are copied a tile at a time
  bool at_points = false;  // some stage reads what sets of points give
  bool sampled = false;    // records sample what some stage makes
  // Per dimension, outermost first: places beyond the grid are images of the points on the far
  // side (image_dimensions).
  std::vector<bool> images;
  // What is known of the first place of any patch when the kernel is compiled, by dimension; of the
  // streamed one, of the front ahead of each group of `unroll` planes, which therefore begins at
  // multiples of that modulus from the grid's edge.
  ir::Residue known;

  TileSides sides() const;  // of the tiled dimensions, x first
  int64_t core(int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return cover[i] - margin[i].low - margin[i].high;
  }
  // Points at the grid's ends that the first and the last tile write besides their core: they have
  // no margin there, but for images.
  int64_t spared(int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return images[static_cast<size_t>(rank) - 1 - i] ? 0 : margin[i].low + margin[i].high;
  }
};

// `schedule` gives shapes, prefetch and form; its time tile is replaced by `steps`. Refers to the
// program of `tiles`.
StreamPlan plan_stream(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps,
                       const Machine& machine = gpu());

// What the stage reads at points.
std::vector<ir::Access> reads_at_points(const StreamStage& stage);
std::vector<ir::Access> reads_at_points(const StreamPlan& plan);

// One piece of the stage covers every place of every tile: all of them are points or images.
bool covers_all_places(const ir::Program& program, const StreamPlan& plan,
                       const StreamStage& stage);

// A kernel of this plan can serve tiles of fewer steps by doing nothing in the first ones: its
// stages test every point anyway, and the state of every field is its newest level.
bool may_leave_out_steps(const ir::Program& program, const StreamPlan& plan);

}  // namespace stencil::schedule
