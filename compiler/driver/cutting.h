// Uses the model to choose how a program is cut for several devices: the dimensions to cut, and the
// number of steps between two exchanges. More steps between exchanges mean fewer messages but more
// redundantly computed points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/decompose/decomposition.h"
#include "compiler/schedule/schedule.h"

namespace stencil {

// The connection between two subdomains. `seconds` is the latency of an exchange, including the
// kernels of the exchange.
struct Link {
  std::string name;
  double seconds = 20e-6;
  double bytes_per_second = 300e9;  // bandwidth into a subdomain
};
// Links between the GPUs of one machine, between subdomains on one CPU, and between processes that
// exchange through host memory.
const Link& gpu_link();
const Link& memory_link();
const Link& network_link();

struct CutRequest {
  // "4": number of subdomains, the model chooses the cuts; "2x2": the cuts, x first.
  std::string cuts;
  int64_t steps = 0;  // steps between two exchanges; 0: the model chooses
};

// The model's prediction for a step, in seconds.
struct CutPrediction {
  double alone = 0;           // time for the points that the subdomain owns
  double compute = 0;         // time including the points that neighbours compute too
  double exchange = 0;        // total time of exchanges
  double waited = 0;          // time that tiles wait for exchanges; the rest overlaps with tiles
  double redundancy = 1;      // points computed per owned point
  bool beside_tiles = false;  // exchanges overlap with the interior of a tile
  double seconds() const { return compute + waited; }
  double efficiency() const { return seconds() > 0 ? alone / seconds() : 1; }
};

// When cuts are compared, this factor multiplies the time of a cut whose exchanges do not overlap
// with tiles. At each such exchange, all devices wait for the slowest one
// (docs/design/performance.md).
constexpr double kBetweenTiles = 1.03;

struct Cutting {
  decompose::Decomposition decomposition;
  schedule::Schedule schedule;  // the schedule that the subdomains are expected to use
  CutPrediction prediction;
};

// Chooses the cuts of `program`, whose sizes must be constant. `line`: a schedule line, or "auto".
// Errors: L030, L031, and L032 if `cuts` is not valid.
std::optional<Cutting> cut(const ir::Program& program, const CutRequest& request,
                           const std::string& line, const schedule::Machine& machine,
                           const Link& link, Diagnostics& diagnostics);

// The output of `stencilc explain --gpus`: cuts, halos, the content of an exchange, and predictions
// for other numbers of steps and other cuts. Empty if cut() fails.
std::string explain_subdomains(const ir::Program& program, const CutRequest& request,
                               const std::string& line, const schedule::Machine& machine,
                               const Link& link, Diagnostics& diagnostics);

// Describes a decomposition: "4, cut 2x2 (x first), halos exchanged every 24 steps".
std::string describe(const decompose::Decomposition& decomposition);

// The subdomain with the most neighbours. All subdomains use its schedule.
int typical_subdomain(const decompose::Decomposition& decomposition);
// The program of this subdomain without exchanges. It writes only the points that the subdomain
// owns. Schedules are chosen for this program.
ir::Program subdomain_alone(const ir::Program& program, const Cutting& cutting);

}  // namespace stencil
