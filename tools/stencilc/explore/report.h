// The result of `stencilc explore` for a program: plain data from which the page, the JSON and CSV
// files and the terminal table are made.
//
// Rates are in GCells/s: 1e9 useful points and steps per second (a point that two tiles compute
// counts once). "Per point and step" also refers to useful ones. Lists over dimensions, such as
// extents and boxes, have the outermost first. An absent optional is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/analysis/reads.h"
#include "compiler/schedule/model/predict.h"

namespace stencil::explore {

using analysis::Margin;  // per dimension, outermost first
using schedule::Limit;

// A component of a schedule's expected time.
struct Term {
  std::string name;      // name of the corresponding Limit, if any
  double seconds = 0;    // per point and step, if it were the only component
  bool overlaps = true;  // overlaps with the others; false: adds to them
};

struct Count {
  std::string name;  // a class of instructions
  double count = 0;  // per point and step
};

// Machine code of a kernel, per iteration of its main loop (without a loop: of the whole kernel).
struct Code {
  std::string kernel;
  std::string unmatched;      // why the loop was not found; "" if it was
  std::vector<Count> issued;  // instructions per thread by class, first the total
  double issued_slots = 0;    // issue slots per warp; 0: unknown
  double counted_slots = 0;   // expected by the model
};

// A supported schedule. Counts and terms come from the model.
struct Candidate {
  std::string schedule;  // the full line, valid for --schedule
  std::string brief;     // the line without default settings; may be empty
  std::string family;
  int time_tile = 1;  // T
  bool chosen = false;

  double predicted = 0;            // GCells/s
  std::optional<double> measured;  // GCells/s
  Limit limit = Limit::Memory;
  double headroom = 1;  // possible speed-up: time of this limit over that of the next one
  std::string reason;   // explanation of the rank, a phrase
  std::vector<Term> terms;

  std::vector<Count> counts;
  double instructions = 0;  // of threads, per point and step; doubles count `double_cost` times
  double memory_bytes = 0;  // per point and step, from and to memory
  double cache_bytes = 0;   // through the cache shared by all multiprocessors
  double shared_bytes_moved = 0;  // from and to shared memory
  double words_loaded = 0;        // 32-bit words from memory; a tile's inputs count once
  double redundancy = 1;          // points computed per useful point

  int registers = 0;                      // per thread, predicted
  bool spills = false;                    // predicted: too few registers per thread
  std::optional<int> compiled_registers;  // from the device's compiler
  std::optional<int64_t> spill_bytes;     // per thread, from the device's compiler
  std::vector<Code> code;                 // from the compiler; kernels in launch order
  int64_t shared_bytes = 0;               // per block
  int threads = 1;                        // per block
  int64_t elements = 1;                   // points per thread
  int64_t blocks = 1;                     // per launch
  int blocks_per_multiprocessor = 1;
  double occupancy = 1;  // threads per multiprocessor over the maximum, 0 to 1
  double waves = 1;      // blocks per launch over concurrent blocks
};

// Schedules that were not ranked, and the reason.
struct Pruned {
  std::string reason;
  int64_t count = 0;
  std::string example;  // a schedule line; may be empty
};

// The box of a field that is needed after a step of the time tile to compute the output box.
struct HaloBox {
  int step = 0;  // 0: loaded from memory; 1 to T: computed by that step
  std::string field;
  std::string function;  // that computes it; empty if loaded
  Margin margin;         // beyond the output box
};

// The stages of a tile, in execution order.
struct TileStage {
  int step = 0;  // 1 to T
  std::string function;
  int64_t lag = 0;  // streaming: planes behind the front; else 0
  Margin computed;  // beyond the output box
};

// The best schedule, which is the chosen candidate.
struct Winner {
  std::string target;           // language of `source`: "CUDA"
  std::string source;           // text of its kernels
  bool streams = false;         // streams plane by plane along the outermost dimension
  std::vector<int64_t> output;  // points written by a tile or chunk, per dimension
  int64_t planes_loaded = 0;    // streaming: planes read per block and chunk
  int prefetch = 0;             // streaming: prefetch distance in planes
  std::vector<HaloBox> halo;
  std::vector<TileStage> stages;
};

// The winner's family with another time tile.
struct Neighbour {
  int time_tile = 1;
  double predicted = 0;  // GCells/s
  Limit limit = Limit::Memory;
};

// The best predicted and the best measured schedule of a group.
struct Best {
  Candidate predicted;             // of all ranked schedules
  std::optional<double> measured;  // GCells/s, of the timed schedules
  std::string timed;               // schedule line of `measured`; empty if none was timed
};

struct ReportMachine {
  std::string name;                    // "sm_90"
  std::string description;             // "NVIDIA H200"
  double bytes_per_second = 0;         // from and to memory
  double instructions_per_second = 0;  // per thread, single precision
  double double_cost = 1;              // single-precision instructions per double-precision one
};

struct Report {
  std::string program;  // its name
  std::string file;     // path
  std::string source;   // program text
  std::string command;  // command that runs the winner, for copying
  ReportMachine machine;
  std::string device;  // device of the measurement; empty if none
  std::string note;    // of AssumedMachine: what is assumed if no device runs the target; "": none

  std::vector<std::string> axes;  // names of the dimensions: "z", "y", "x"
  std::vector<int64_t> extents;   // points of the grid
  int64_t steps = 0;
  std::string real;    // "float", "double", "half"
  std::string fp;      // --fp: "strict", "contract", "fast"
  double seconds = 0;  // duration of the exploration

  std::string automatic;         // the line that `auto` takes
  std::string automatic_origin;  // the stored measurement that decides; "": the model
  int64_t ranked = 0;     // number of ranked schedules, of which `candidates` has the best (0: all)
  int64_t looked_at = 0;  // number of schedules considered, including pruned ones
  std::vector<Candidate> candidates;  // ranked, best first
  std::vector<Pruned> pruned;
  std::optional<Winner> winner;  // nullopt if no schedule is supported
  std::vector<Neighbour> neighbours;

  // Curves over the time tile. They include all ranked schedules, even if `candidates` has only
  // some, but not those predicted to spill.
  std::vector<Best> by_elements;   // by number of points per thread, then T
  std::vector<Best> by_time_tile;  // by T
  double flops = 0;  // floating-point operations of the program per point and step, averaged over
                     // the grid: ir::count_flops
};

// Number of ranked schedules.
int64_t ranked_in(const Report& report);
// The product of the extents.
int64_t points_of(const Report& report);
// The chosen candidate, else the first; null if there is none.
const Candidate* winner_of(const Report& report);
bool anything_measured(const Report& report);
// The brief line of a candidate, or else the full one.
const std::string& line_of(const Candidate& candidate);

// Kendall's tau-b of predicted against measured rates: 1 if both order the measured candidates
// equally, -1 if oppositely. nullopt if fewer than two were measured, or all are equal. (Kendall,
// "The treatment of ties in ranking problems", Biometrika, 1945.)
std::optional<double> kendall_tau(const Report& report);

// A rate or other positive number with three significant digits; "-" if not finite.
std::string three_digits(double value);

}  // namespace stencil::explore
