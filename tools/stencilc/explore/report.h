// What `stencilc explore` found out about a program, as a value: plain data, which the page, the
// JSON and CSV files and the table on the terminal are made from.
//
// Rates are in GCells/s: 1e9 useful points and steps per second (a point that two tiles compute
// counts once). "Per point and step" is per useful one, too. Lists over dimensions, such as extents
// and boxes, have the outermost first. What is optional is unknown where it is left out.
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

// A part of the time that a schedule is expected to take.
struct Term {
  std::string name;      // as limits are called, where it is one of them
  double seconds = 0;    // per point and step, if nothing else took time
  bool overlaps = true;  // done beside the others that overlap; false: comes on top of them
};

struct Count {
  std::string name;  // a class of instructions
  double count = 0;  // per point and step
};

// A kernel in machine code, per iteration of its main loop (of a kernel without one: as a whole).
struct Code {
  std::string kernel;
  std::string unmatched;      // why that loop is not known in the machine code; empty: it is
  std::vector<Count> issued;  // instructions of a thread by class, the first is all of them
  double issued_slots = 0;    // that a warp takes for them; 0: not known
  double counted_slots = 0;   // that the model expects
};

// A schedule that fits. Counts and terms are the model's.
struct Candidate {
  std::string schedule;  // the whole line, as --schedule takes it
  std::string brief;     // the same schedule without settings that are the defaults; may be empty
  std::string family;
  int time_tile = 1;  // T
  bool chosen = false;

  double predicted = 0;            // GCells/s
  std::optional<double> measured;  // GCells/s
  Limit limit = Limit::Memory;
  double headroom = 1;  // the time of the limit over that of the next one: how many times faster
                        // until that one counts
  std::string reason;   // why it is where it is, a phrase
  std::vector<Term> terms;

  std::vector<Count> counts;
  double instructions = 0;  // per point and step, of threads; those in double precision count as
                            // often as the machine's double_cost says
  double memory_bytes = 0;  // per point and step, to and from memory
  double cache_bytes = 0;   // through the cache that all multiprocessors share
  double shared_bytes_moved = 0;  // to and from the memory that a block shares
  double words_loaded = 0;        // of 32 bits, from memory; what a tile needs counts once for it
  double redundancy = 1;          // points computed per useful point

  int registers = 0;                      // per thread, predicted
  bool spills = false;                    // predicted: a thread gets too few
  std::optional<int> compiled_registers;  // as the device's compiler has it
  std::optional<int64_t> spill_bytes;     // per thread, as the device's compiler has it
  std::vector<Code> code;                 // likewise, kernels as a time tile launches them
  int64_t shared_bytes = 0;               // per block
  int threads = 1;                        // per block
  int64_t elements = 1;                   // points that a thread computes side by side
  int64_t blocks = 1;                     // per launch
  int resident_blocks = 1;                // per multiprocessor
  double occupancy = 1;                   // resident threads per possible one, 0 to 1
  double waves = 1;                       // blocks per launch over those that run at once
};

// Schedules that were not ranked, and why.
struct Pruned {
  std::string reason;
  int64_t count = 0;
  std::string example;  // a schedule line; may be empty
};

// What is needed of a field after a step of the time tile, so that the output box comes out right.
struct HaloBox {
  int step = 0;  // 0: loaded from memory; 1 to T: made by that step
  std::string field;
  std::string function;  // that makes it; empty if loaded
  Margin margin;         // beyond the output box
};

// What a tile does, in the order in which it does it.
struct TileStage {
  int step = 0;  // 1 to T
  std::string function;
  int64_t lag = 0;  // streaming families: planes behind the front; else 0
  Margin computed;  // beyond the output box
};

// The best schedule; it is the chosen candidate.
struct Winner {
  std::string target;           // "CUDA", what `source` is written in
  std::string source;           // of its kernels
  bool streams = false;         // plane by plane along the outermost dimension
  std::vector<int64_t> output;  // points that a tile (a chunk) writes, per dimension
  int64_t planes_loaded = 0;    // streaming: planes that a block reads for one chunk
  int prefetch = 0;             // streaming: planes loaded ahead of the front
  std::vector<HaloBox> halo;
  std::vector<TileStage> stages;
};

// The winner with another time tile.
struct Neighbour {
  int time_tile = 1;
  double predicted = 0;  // GCells/s
  Limit limit = Limit::Memory;
};

// The best of the schedules that have something in common, by prediction and by the clock.
struct Best {
  Candidate predicted;             // of all that were ranked
  std::optional<double> measured;  // GCells/s, of those that were timed
  std::string timed;               // the line of that one; empty if none was timed
};

struct ReportMachine {
  std::string name;                    // "sm_90"
  std::string description;             // "NVIDIA H200"
  double bytes_per_second = 0;         // to and from memory
  double instructions_per_second = 0;  // of threads, in single precision
  double double_cost = 1;              // instructions that one in double precision counts as
};

struct Report {
  std::string program;  // its name
  std::string file;     // the path it was read from
  std::string source;   // its text
  std::string command;  // a command that runs the winner, to be copied
  ReportMachine machine;
  std::string device;  // that measured; empty if nothing was measured

  std::vector<std::string> axes;  // names of the dimensions: "z", "y", "x"
  std::vector<int64_t> extents;   // points of the grid
  int64_t steps = 0;
  std::string real;    // "float", "double", "half"
  std::string fp;      // --fp: "strict", "contract", "fast"
  double seconds = 0;  // that the exploration took

  std::string automatic;  // the line that `auto` takes where no times are known
  int64_t ranked = 0;     // schedules, of which `candidates` has the best; 0: it has all
  int64_t looked_at = 0;  // schedules, those that were pruned included
  std::vector<Candidate> candidates;  // ranked: the best first
  std::vector<Pruned> pruned;
  std::optional<Winner> winner;  // nothing where no schedule fits
  std::vector<Neighbour> neighbours;

  // Curves over the time tile. They come from all that was ranked, even where `candidates` has but
  // a part of it; those that are expected to spill are left out.
  std::vector<Best> by_elements;   // of each number of points per thread and T, in this order
  std::vector<Best> by_time_tile;  // of each T
  double flops = 0;  // floating-point operations that the program has per point and step, on
                     // average over the grid: ir::count_flops
};

// How many schedules were ranked.
int64_t ranked_in(const Report& report);
// The product of the extents.
int64_t points_of(const Report& report);
// The candidate that is marked as chosen, else the first; nothing if there is none.
const Candidate* winner_of(const Report& report);
bool anything_measured(const Report& report);
// The brief line of a candidate, or its whole one.
const std::string& line_of(const Candidate& candidate);

// Kendall's tau-b of predicted against measured rates: 1 if both put the measured candidates in the
// same order, -1 if in the opposite one. Nothing where fewer than two were measured, or all are
// equal. (Kendall, "The treatment of ties in ranking problems", Biometrika, 1945.)
std::optional<double> kendall_tau(const Report& report);

// A rate or another positive number with three significant digits, "-" if it is not finite.
std::string three_digits(double value);

}  // namespace stencil::explore
