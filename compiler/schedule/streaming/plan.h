// Plan of a streamed tile: which values it keeps, and when it computes them.
//
// The outermost dimension is streamed. Iteration n moves the front to the next plane (a row in 2-D,
// a plane in 3-D), and every stage then computes one plane, `lag` planes behind the front. A stage
// is one stencil function of one step of the time tile, so T steps are in flight at once.
//
// Stages read and write quantities. A quantity is one component of one version of a field. Version
// 0 is loaded from memory and each writer makes the next; versions -1, -2, ... are older time
// levels, also loaded. If a field has history, the last version of each of the last steps is
// written. The age of a plane of a quantity is the number of iterations since it appeared. Ages 0,
// 1, ... form a queue in registers that moves by one per iteration.
//
// A thread owns a patch of elements_y x elements_x contiguous points of each plane. Values beyond
// the patch come from neighbouring threads: columns by shuffles within a row of threads, rows
// through shared memory, where each thread publishes the rows of its patch that others read. Rows
// of planes that were copied to shared memory are read from these copies. A row can be read one
// iteration after it appeared. So one barrier per iteration suffices for all stages, but a stage
// that reads other threads' rows lags one plane more.
//
// This is N.5-dimensional blocking (Nguyen et al., SC'10) with the high-degree temporal blocking of
// AN5D (Matsumura et al., CGO'20). Overlapped halos follow Holewinski et al., ICS'12.
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
#include "compiler/ir/edges.h"
#include "compiler/ir/program.h"
#include "compiler/schedule/common/limits.h"
#include "compiler/schedule/streaming/scatter.h"

namespace stencil::schedule {

// Columns fetched from neighbours on either side of a row of a patch.
struct Sides {
  int low = 0, high = 0;
  friend bool operator==(const Sides&, const Sides&) = default;
};

// Points of a plane that a thread holds beside its patch: by row relative to the patch (0 is its
// first row), the numbers of columns beyond the patch.
using Cells = std::map<int, Sides>;

struct Quantity {
  ir::FieldId field = 0;
  int component = 0;
  int version = 0;
  Scalar type = Scalar::F32;
  int part = -1;        // >= 0: partial sum number `part` for this version (scatter form)
  int output = -1;      // >= 0: written as this level of the field (0: the newest)
  bool written = true;  // false: a coefficient, the same in all steps

  int lag = 0;    // planes that age 0 is behind the front
  int ready = 0;  // first age that may be read; > 0 if prefetched into registers
  int ages = 1;   // planes kept in registers
  // Planes of the shared-memory ring that copies fill; 0: loaded into registers. The ring holds
  // planes in flight and planes whose rows other threads still read.
  int ring = 0;
  bool shared_rows = false;  // other threads read its rows, from the ring or from published rows
  int published_planes = 0;  // planes of published rows; 0: none
  int rows_below = 0, rows_above = 0;  // how far beyond their patch other threads read rows
  Cells halo;                          // hull of all cells beside the patch, over all ages
  std::vector<Cells> fetched;          // [age] cells that a thread fetches at this age
  std::vector<Cells> kept;             // [age] fetched cells that are kept for the next age

  // If conditions exclude points: for (age, row, column) beside the patch, a bit mask of the plane
  // remainders (StreamPlan::known) at which some stage reads the column. No entry: never read.
  bool asked_for = false;
  std::map<std::tuple<int, int, int>, uint32_t> asked;

  bool loaded() const { return version <= 0; }
  int level() const { return -version; }  // time level of a loaded quantity
  bool is_output() const { return output >= 0; }
};

// A plane in a queue: the patch and the cells that any age needs beside it.
struct QueuePlane {
  int row = 0, column = 0;  // where the patch starts
  int row_count = 1, column_count = 1;
};

struct StagePiece {
  ir::Box region;
  std::shared_ptr<const ir::Graph> graph;
  std::vector<ir::NodeId> results;
  std::vector<ir::Congruence> congruences = {};
  const ir::Piece* piece = nullptr;  // its origin; null for a partial sum of the scatter form
  std::vector<ir::EdgeCondition> edges = {};  // decided in the variant without tests
};

struct StreamStage {
  int step = 0;      // of the time tile, from 0
  std::string name;  // of the stencil function
  std::vector<StagePiece> pieces;
  bool everywhere = false;  // a partial sum: one piece, computed at every point of the tile
  // Reads other threads' columns one iteration after they appear, so that it never waits for a
  // shuffle of a value that was just computed.
  bool patient = false;
  int lag = 0;
  std::vector<int> results;  // quantities computed, one per component of the targets
  // Fields to sample after this stage: it computes their state at the end of its step.
  std::vector<ir::FieldId> sampled;
  std::vector<int> old;  // quantities replaced; their values are kept where no piece applies
  // Points that no piece covers never change, so their values are read from memory instead of
  // `old`, which then need not be kept.
  bool old_in_memory = false;
  // (field, level, component) read -> quantity
  std::map<std::tuple<ir::FieldId, int, int>, int> source;
  std::set<std::pair<int, int>> planes;  // (quantity, age) pairs that it reads
};

constexpr int kPointFlags = 512;  // maximum per block; one byte each

struct StreamPlan {
  Machine machine;  // target machine
  int rank = 0;
  int steps = 0;  // T
  // The stages read far more than a thread can keep. Planning stopped there: tiles and margins are
  // planned, stages and queues are not.
  bool hopeless = false;
  std::array<int, 2> patch = {1, 1};    // points per thread in x and y
  std::array<int, 2> threads = {1, 1};  // in x and y per tile; a 2-D tile has one row of threads
  std::vector<Quantity> quantities;
  std::vector<StreamStage> stages;
  // Per tiled dimension, x first: points of a tile, and the points at either end that are not
  // written because their values are incomplete. In x multiples of a vector or a patch.
  std::array<int64_t, 2> cover = {1, 1};
  std::array<analysis::Reach, 2> margin = {};
  int64_t halo = 0;        // planes of the streaming dimension, both sides together
  int64_t fill = 0;        // prologue: planes read before the first plane that is written
  int64_t drain = 0;       // epilogue: planes from the last plane written to the last front
  int unroll = 1;          // planes per loop iteration
  int call_words = 0;      // 32-bit registers used by subroutines; see slow_operations
  bool bulk = false;       // planes are copied by bulk copies, a tile at a time
  bool at_points = false;  // some stage reads point sets (sources)
  bool sampled = false;    // records sample results of some stage
  // Per dimension, outermost first: places beyond the grid are periodic images (image_dimensions).
  std::vector<bool> images;
  // Known residue of the first place of every patch, by dimension. In the streaming dimension, the
  // residue is that of the front before each group of `unroll` planes. Each group therefore starts
  // at a multiple of the modulus from the grid's edge.
  ir::Residue known;

  TileSides sides() const;  // of the tiled dimensions, x first
  int64_t core(int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return cover[i] - margin[i].low - margin[i].high;
  }
  // Points at the grid's ends that the first and the last tile write in addition to their core.
  // Without images these tiles have no margin at the grid's ends.
  int64_t spared(int axis) const {
    const size_t i = static_cast<size_t>(axis);
    return images[static_cast<size_t>(rank) - 1 - i] ? 0 : margin[i].low + margin[i].high;
  }
};

// `schedule` provides shapes, prefetch and form; its T is replaced by `steps`. Holds a reference to
// the program of `tiles`.
StreamPlan plan_stream(const analysis::TimeTiles& tiles, const Schedule& schedule, int steps,
                       const Machine& machine = gpu());

// The stage's accesses at points.
std::vector<ir::Access> reads_at_points(const StreamStage& stage);
std::vector<ir::Access> reads_at_points(const StreamPlan& plan);

// Whether one piece of the stage covers every place of every tile: all places are points or images.
bool covers_all_places(const ir::Program& program, const StreamPlan& plan,
                       const StreamStage& stage);

// Whether a kernel of this plan can serve tiles of fewer steps by skipping the first ones. Requires
// that its stages test every point anyway and that every field has a single level.
bool may_leave_out_steps(const ir::Program& program, const StreamPlan& plan);

}  // namespace stencil::schedule
