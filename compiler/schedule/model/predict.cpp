// Constants were fitted to measurements on an H200 and on 16 cores of a server CPU
// (docs/design/model.md, "Calibration"). The time of a GPU kernel combines issue slots, memory and
// cache traffic and latency per wave of blocks; wave quantization and launch overhead are added. On
// CPUs, compute time and traffic add up.
#include "compiler/schedule/model/predict.h"

#include <algorithm>
#include <cmath>

namespace stencil::schedule {

namespace {

// Issue slots of a warp, by class of counted operation.
constexpr double kReal = 0.908;  // double precision: per single-precision equivalent
constexpr double kInteger = 1.92, kCall = 29.4, kRealCall = 17.1, kMultiplied = 4.79,
                 kRealMultiplied = 1.02, kSelect = 2.3, kWordLoaded = 2.16, kWordStored = 1.41,
                 kWordCopied = 4.85, kBulk = 81.3, kWordShared = 0.657, kConflict = 0.657,
                 kWordShuffled = 2.79, kAccess = 4.12, kPoint = 10.3, kIteration = 25.1;
constexpr double kPerIssueSlot = 1.31;  // counted slots per issued slot: part of the counted work
                                        // is optimized away

// Issue slots of a warp, by class of machine instruction.
constexpr double kCodeOther = 0.64, kCodeBranch = 5, kCodeAccess = 4.5, kCodeShuffle = 2.4;
// Weights of counted operations were fitted to times, so they include stalls that no instruction
// shows. The model uses the geometric mean of both slot counts, with this weight for machine code.
constexpr double kCodeShare = 0.7;

// Latencies in cycles.
constexpr double kDependent = 1.28;        // per instruction of a single warp
constexpr double kAlone = 0.091;           // more, divided by the number of independent points
constexpr double kBarrier = 28.4;          // times the square root of the number of waiting warps
constexpr double kStage = 3.22;            // from one stage to the next
constexpr double kCallLatency = 27.6;      // per call, in addition to its instructions
constexpr double kRealCallLatency = 69.9;  // in double precision
constexpr double kNextLoad = 387;          // load latency with other loads in flight
constexpr double kLate = 162;              // additional stall at a prefetch distance of one
constexpr double kAwaited = 250;           // stall on a load moved before its value has arrived
constexpr double kFirstLoad = 724;         // load latency without other work in the block

constexpr double kOverlap = 1.75;   // exponent of the norm over concurrent limiters; 1: no overlap
constexpr double kEager = 0.045;    // fraction of time saved per prefetched plane beyond two
constexpr double kSpill = 12.4;     // instructions per missing register
constexpr double kUneven = 2.11;    // standard deviations from mean to fullest multiprocessor
constexpr double kOfCopies = 1.15;  // bandwidth relative to copies, if reads outnumber writes
constexpr double kWordBytes = 4;
constexpr double kInCache = 0.945;  // fraction of the cache available to arrays, on GPUs

double blocks_per_multiprocessor(const Work& work, double registers, const Machine& machine) {
  constexpr double kUnit = 8;  // allocation granularity
  const double warps = std::ceil(static_cast<double>(work.threads) / machine.warp);
  const double per_warp = std::ceil(registers / kUnit) * kUnit * machine.warp;
  const double by_registers =
      std::floor(machine.registers / machine.schedulers / per_warp) * machine.schedulers;
  const double shared = static_cast<double>(work.shared_bytes + machine.reserved_bytes);
  const double by_shared =
      std::floor(static_cast<double>(machine.shared_bytes + machine.reserved_bytes) / shared);
  const double by_threads = std::floor(machine.threads_per_multiprocessor / (warps * machine.warp));
  return std::max(1.0, std::min({std::floor(by_registers / warps), by_shared, by_threads,
                                 static_cast<double>(machine.blocks_per_multiprocessor)}));
}

// The register limit of a thread.
double most_registers(const Work& work, const Machine& machine) {
  constexpr double kUnit = 8;
  const double warps = std::ceil(static_cast<double>(work.threads) / machine.warp);
  const double of_warps =
      std::ceil(std::max(work.promised, 1) * warps / machine.schedulers) * machine.warp;
  const double share = machine.registers / static_cast<double>(machine.schedulers) / of_warps;
  return std::min<double>(std::floor(share / kUnit) * kUnit, machine.registers_per_thread);
}

// Register demand of a thread versus its limit. Under a tighter launch bound ptxas still saves a
// few registers. At the hardware limit it already has.
struct Pressure {
  double most = 0;        // register limit of a thread
  double lacking = 0;     // missing registers, with a smooth onset
  bool hopeless = false;  // very likely to spill
};

Pressure pressure(const Work& work, const Machine& machine) {
  constexpr double kSoft = 0.041;  // width of the onset, as a fraction of the demand
  constexpr double kRationed = 1.159, kAtLimit = 1.025, kHopeless = 0.05;
  Pressure out;
  out.most = most_registers(work, machine);
  if (work.iterations <= 1) return out;
  const double asked = work.registers / out.most;
  const bool at_limit = out.most >= machine.registers_per_thread - 7;
  const double comfortable = at_limit ? kAtLimit : kRationed;
  const double beyond = (asked - comfortable) / kSoft;
  out.lacking =
      kSoft * (std::max(beyond, 0.0) + std::log1p(std::exp(-std::abs(beyond)))) * work.registers;
  out.hopeless = asked > comfortable + kHopeless;
  return out;
}

// Blocks at the grid's boundary do more work. These are their fractions among a multiprocessor's
// blocks.
struct BoundaryShare {
  double mean = 0;  // average over many waves
  double most = 0;  // on the multiprocessor with the most, for the given number of blocks
  double any = 0;   // 1 if there are boundary blocks, else 0
};

BoundaryShare boundary_share(const Work& work, double blocks) {
  const double part = std::min(work.edge, 1.0);
  const double deviation = std::sqrt(part * (1 - part) / std::max(blocks, 1.0));
  return {part, std::min(part + kUneven * deviation, 1.0), part > 0 ? 1.0 : 0.0};
}

// Seconds of one wave and its components, for a given number of blocks per multiprocessor.
class Wave {
 public:
  // `busy`: fraction of the blocks at the edge; `slowest`: the same for the critical warp (0 to 1).
  Wave(const Work& work, const Machine& machine, double busy, double slowest, double lacking)
      : work_(work), machine_(machine) {
    const double inside = issue_slots(work, machine, false, lacking);
    const double at_edge = issue_slots(work, machine, true, lacking);
    issue_slots_ = inside + busy * (at_edge - inside);
    warps_ = std::ceil(static_cast<double>(work.threads) / machine.warp);
    const double clock = machine.clock;
    const double barrier = kBarrier * work.barriers * std::sqrt(warps_);
    const double chain = kDependent + kAlone / work.points;
    const double calls = kCallLatency * work.iteration.calls +
                         kRealCallLatency * work.iteration.real_calls +
                         (work.iterations > 1 ? kStage * work.stages : 0);
    // Prefetched loads overlap with the computation; others stall.
    const double rest = barrier + chain * kPerIssueSlot * (inside + slowest * (at_edge - inside)) +
                        calls + kAwaited * work.awaited + (work.ahead == 1 ? kLate : 0);
    const double loads = work.ahead > 0 ? kNextLoad / std::pow(work.ahead, 0.83) : kFirstLoad;
    const bool waits = work.ahead == 0 && work.iterations > 1;
    latency_ = work.iterations * (waits ? rest + loads : std::max(rest, loads)) / clock;
  }

  double issue(double blocks) const {
    const double busy = std::max(blocks * warps_ / machine_.schedulers, 1.0);
    return work_.iterations * busy * issue_slots_ / machine_.clock;
  }
  double memory(double blocks) const {
    const double held = kInCache * static_cast<double>(machine_.cache_bytes);
    const double beyond = 1 / (1 + std::pow(held / std::max(work_.footprint, 1.0), 4));
    return bytes(blocks) * work_.compulsory * beyond / (kOfCopies * machine_.bytes_per_second);
  }
  double cache(double blocks) const { return bytes(blocks) / machine_.cache_bytes_per_second; }
  double latency() const { return latency_; }

  double seconds(double blocks) const {
    const auto power = [](double value) { return std::pow(value, kOverlap); };
    return std::pow(
        power(issue(blocks)) + power(memory(blocks)) + power(cache(blocks)) + power(latency_),
        1 / kOverlap);
  }

 private:
  // Machine code already contains its spill instructions.
  static double issue_slots(const Work& work, const Machine& machine, bool at_edge,
                            double spilled) {
    const double counted = counted_slots(work, machine, at_edge);
    const auto& issued = at_edge && work.edge_issued ? work.edge_issued : work.issued;
    if (!issued) return counted + kSpill * spilled / kPerIssueSlot;
    return counted * std::pow(issued_slots(*issued, machine) / counted, kCodeShare);
  }
  double bytes(double blocks) const {
    return work_.bytes * work_.iterations * blocks * machine_.multiprocessors;
  }

  const Work& work_;
  const Machine& machine_;
  double issue_slots_ = 0, warps_ = 1, latency_ = 0;
};

// Warps without barriers stall less if planes are prefetched earlier.
double eagerness(const Work& work) {
  const bool alone = work.barriers == 0 && work.iterations > 1;
  const bool streams = alone && work.ahead > 0 && work.awaited == 0;
  return streams ? 1 - kEager * (work.ahead - 2) : 1;
}

struct KernelTime {
  std::array<double, kLimits> alone = {};
  double seconds = 0;
};

KernelTime time_of(const Work& work, const Machine& machine, Prediction& out) {
  const Pressure asked = pressure(work, machine);
  const double registers = std::min(work.registers, asked.most);
  const double per_multiprocessor = blocks_per_multiprocessor(work, registers, machine);
  const double at_once = per_multiprocessor * machine.multiprocessors;
  const double full = std::floor(work.blocks / at_once);
  const double rest = work.blocks - full * at_once;
  const double tail = rest > 0 ? std::max(1.0, std::ceil(rest / machine.multiprocessors)) : 0;
  const BoundaryShare boundary = boundary_share(work, per_multiprocessor);
  const BoundaryShare of_tail = boundary_share(work, tail);
  const Wave usual(work, machine, boundary.mean, boundary.mean, asked.lacking);
  const Wave slowest(work, machine, boundary.most, boundary.any, asked.lacking);
  const Wave last(work, machine, of_tail.most, of_tail.any, asked.lacking);
  // `in_waves`: waves run one after another. `flowing`: with many waves, a block starts as soon as
  // another ends.
  const double in_waves =
      full * slowest.seconds(per_multiprocessor) + (tail > 0 ? last.seconds(tail) : 0);
  const double flowing = work.blocks / at_once * usual.seconds(per_multiprocessor);
  const double flows = full > 0 ? 1 - 1 / full : 0;
  const double blocks_seconds = in_waves * (1 - flows) + flowing * flows;

  KernelTime out_time;
  const auto put = [&](Limit limit, double seconds) {
    out_time.alone[static_cast<size_t>(limit)] = seconds * work.launches;
  };
  const double waves = work.blocks / at_once;
  const double rounds = full > 0 ? waves : 1;
  const double each = full > 0 ? per_multiprocessor : work.blocks / machine.multiprocessors;
  put(Limit::Memory, rounds * usual.memory(each));
  put(Limit::Cache, rounds * usual.cache(each));
  put(Limit::Instructions, waves * usual.issue(per_multiprocessor));
  put(Limit::Latency, rounds * usual.latency());
  put(Limit::Tail, std::max(blocks_seconds - flowing, 0.0) * (full > 0 ? 1 : 0));
  put(Limit::Launch, machine.launch_seconds);
  out_time.seconds = (blocks_seconds * eagerness(work) + machine.launch_seconds) * work.launches;

  out.registers = registers;
  out.wanted = work.registers;
  out.spills = asked.hopeless;
  out.blocks_per_multiprocessor = static_cast<int>(per_multiprocessor);
  out.occupancy = per_multiprocessor * work.threads / machine.threads_per_multiprocessor;
  out.waves = waves;
  out.blocks = work.blocks;
  return out_time;
}

// CPU constants, in vector operations of a core. Double precision counts double_cost times.
constexpr double kCpuReal = 0.66, kCpuInteger = 1, kCpuCall = 5.4, kCpuRealCall = 8.1,
                 kCpuSelect = 0.44, kCpuPoint = 0.09;
constexpr double kCpuWord = 0.54;     // per word read or written, from the first-level cache
constexpr double kCpuRow = 330;       // loop overhead per row
constexpr double kCpuBlock = 1500;    // cycles to start a block
constexpr double kNearest = 27e3;     // bytes of the first-level cache available to planes
constexpr double kSecond = 1.25;      // second-level cache, relative to Machine::shared_bytes
constexpr double kFromSecond = 0.24;  // operations per word from the second-level cache
constexpr double kFromBeyond = 0.43;  // additional operations if that cache is also too small
constexpr double kInCpuCache = 0.94;  // fraction of the last-level cache available to arrays

// Rises from 0 to 1 as the working set outgrows a cache.
double beyond(double held, double cache, int sharpness) {
  return 1 / (1 + std::pow(cache / std::max(held, 1.0), sharpness));
}

// A CPU core executes one block after another and runs the block's threads as vectorized loops.
// Compute time and transfer time add up, because a core keeps few loads in flight.
KernelTime time_on_cpu(const Work& work, const Machine& machine, Prediction& out) {
  const Operations& o = work.iteration;
  const double cores = machine.multiprocessors;
  const double of_core = machine.instructions_per_second / cores;
  const double operations = kCpuReal * (o.single + machine.double_cost * o.real) +
                            kCpuInteger * o.integer + kCpuWord * (o.loads + o.shared + o.stores) +
                            kCpuCall * o.calls + kCpuRealCall * machine.double_cost * o.real_calls +
                            o.multiplied + machine.double_cost * o.real_multiplied +
                            kCpuSelect * o.selects + kCpuPoint * o.points;
  const auto shared = static_cast<double>(machine.shared_bytes);
  const double farther = kFromSecond * beyond(work.held_bytes, kNearest, 2) +
                         kFromBeyond * beyond(work.held_bytes, kSecond * shared, 2);
  // Per block, in seconds.
  const double threads = work.threads * work.iterations * work.inside;
  const double rows = threads / std::min(work.row, work.threads) * work.stages * kCpuRow;
  const double computing = (operations * threads + rows) / of_core + kCpuBlock / machine.clock;
  const double bytes = work.bytes * work.iterations;
  const double cache = farther * work.planes_read / kWordBytes * threads / of_core +
                       bytes / (machine.cache_bytes_per_second / cores);
  const double held = kInCpuCache * static_cast<double>(machine.cache_bytes);
  const double memory =
      bytes * work.blocks * beyond(work.footprint, held, 4) / machine.bytes_per_second;
  const double rounds = std::ceil(work.blocks / cores), even = work.blocks / cores;
  const double busy = (computing + cache) * rounds;

  KernelTime time;
  const auto put = [&](Limit limit, double seconds) {
    time.alone[static_cast<size_t>(limit)] = seconds * work.launches;
  };
  put(Limit::Memory, memory);
  put(Limit::Cache, cache * even);
  put(Limit::Instructions, computing * even);
  put(Limit::Tail, (computing + cache) * (rounds - even));
  put(Limit::Launch, machine.launch_seconds);
  time.seconds = (busy + memory + machine.launch_seconds) * work.launches;
  out.blocks_per_multiprocessor = 1;
  out.occupancy = even / rounds;
  out.waves = even;
  out.blocks = work.blocks;
  return time;
}

}  // namespace

const char* name(Limit limit) {
  constexpr const char* kNames[kLimits] = {"memory",  "cache", "instructions",
                                           "latency", "tail",  "launch"};
  return kNames[static_cast<size_t>(limit)];
}

double instructions(const Operations& operations, const Machine& machine) {
  const Operations& o = operations;
  return o.single + kReal * machine.double_cost * o.real + kInteger * o.integer + kCall * o.calls +
         kRealCall * std::max(machine.double_cost / 2, 1.0) * o.real_calls +
         kMultiplied * o.multiplied + kRealMultiplied * machine.double_cost * o.real_multiplied +
         kSelect * o.selects + kWordLoaded * o.loads + kWordStored * o.stores +
         kWordCopied * o.copies + kBulk * o.bulk + kWordShared * o.shared +
         kConflict * o.conflicts + kWordShuffled * o.shuffles + kAccess * o.accesses +
         kPoint * o.points;
}

double counted_slots(const Work& work, const Machine& machine, bool at_edge) {
  const double selects = at_edge ? kSelect * work.edge_selects : 0;
  return (instructions(work.iteration, machine) + kIteration + selects) / kPerIssueSlot;
}

double issued_slots(const Issued& issued, const Machine& machine) {
  const double accesses = issued.global + issued.shared + issued.local;
  const double others = issued.all - accesses - issued.shuffles - issued.branches;
  // With half as many double-precision as single-precision units, double-precision instructions
  // issue at full rate. With fewer units, they issue more slowly.
  const double slower = std::max(machine.double_cost / 2, 1.0) - 1;
  return kCodeOther * (others + slower * issued.doubles) + kCodeAccess * accesses +
         kCodeShuffle * issued.shuffles + kCodeBranch * issued.branches;
}

Prediction predict(const TileWork& work, const Machine& machine) {
  Prediction out;
  const double steps = work.steps * work.done;
  double longest = -1, seconds = 0;
  bool spills = false;
  for (const Work& kernel : work.kernels) {
    Prediction of_kernel;
    const KernelTime time = machine.threads_are_loops ? time_on_cpu(kernel, machine, of_kernel)
                                                      : time_of(kernel, machine, of_kernel);
    spills |= of_kernel.spills;
    if (time.seconds > longest) {
      longest = time.seconds;
      const auto sums = out.alone;
      out = of_kernel;
      out.alone = sums;
    }
    seconds += time.seconds;
    for (size_t i = 0; i < kLimits; ++i) out.alone[i] += time.alone[i] / steps;
  }
  out.spills = spills;
  out.seconds = seconds / steps;
  out.points_per_second = out.seconds > 0 ? work.points / out.seconds : 0;
  auto order = out.alone;
  const auto largest = std::max_element(out.alone.begin(), out.alone.end());
  out.limit = static_cast<Limit>(largest - out.alone.begin());
  std::sort(order.rbegin(), order.rend());
  out.headroom = order[1] > 0 ? order[0] / order[1] : 1;
  return out;
}

}  // namespace stencil::schedule
