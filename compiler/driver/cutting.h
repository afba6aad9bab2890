// How a program is cut for several devices: along which dimensions, and how many steps lie between
// two exchanges, by the model. Fewer messages stand against more points that several parts compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/schedule/schedule.h"

namespace stencil {

// What is between two parts. Latency: of an exchange, with its kernels.
struct Link {
  std::string name;
  double seconds = 20e-6;
  double bytes_per_second = 300e9;  // into a part
};
// GPUs of one machine; parts that share a CPU; processes that go through memory of the host.
const Link& gpu_link();
const Link& memory_link();
const Link& network_link();

struct CutRequest {
  std::string cuts;   // "4": that many parts, cut as the model likes; "2x2", x first
  int64_t steps = 0;  // between two exchanges; 0: by the model
};

// What the model expects of a step, in seconds.
struct CutPrediction {
  double alone = 0;           // for the points that the part owns
  double compute = 0;         // with points that neighbours compute too
  double exchange = 0;        // all of it
  double waited = 0;          // of it, what tiles wait for: the rest is beside them
  double redundancy = 1;      // points computed per point owned
  bool beside_tiles = false;  // exchanges are made while the inside of a tile is computed
  double seconds() const { return compute + waited; }
  double efficiency() const { return seconds() > 0 ? alone / seconds() : 1; }
};

// What time with exchanges between two tiles counts for when cuts are compared: devices wait for
// the slowest of them each time (docs/performance.md).
constexpr double kBetweenTiles = 1.03;

struct Cutting {
  decompose::Decomposition decomposition;
  schedule::Schedule schedule;  // that the parts are expected to have
  CutPrediction prediction;
};

// `program` is at sizes. `line`: of the schedule, or "auto". L030, L031; L032 for `cuts` that are
// none.
std::optional<Cutting> cut(const ir::Program& program, const CutRequest& request,
                           const std::string& line, const schedule::Machine& machine,
                           const Link& link, Diagnostics& diagnostics);

// What `stencilc explain --gpus` prints of it: cuts, halos, what an exchange brings, and what the
// model expects of other numbers of steps and other cuts. Empty where cut() gives nothing.
std::string explain_parts(const ir::Program& program, const CutRequest& request,
                          const std::string& line, const schedule::Machine& machine,
                          const Link& link, Diagnostics& diagnostics);

// "4, cut 2x2 (x first), halos exchanged every 24 steps".
std::string describe(const decompose::Decomposition& decomposition);

// The part with the most neighbours, whose schedule all parts get.
int typical_part(const decompose::Decomposition& decomposition);
// It, without what ties it to the others, and writing no more than it owns: what schedules are
// chosen for.
ir::Program part_alone(const ir::Program& program, const Cutting& cutting);

}  // namespace stencil
