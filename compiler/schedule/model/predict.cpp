// The constants were fitted to measurements on one GPU, an H200 (docs/model.md, "Calibration").
#include "compiler/schedule/model/predict.h"

#include <algorithm>
#include <cmath>

namespace stencil::schedule {

namespace {

// Issue slots of a warp, by class.
constexpr double kReal = 0.76;  // per instruction that double precision counts as
constexpr double kInteger = 1.92, kCall = 42.5, kRealCall = 44, kMultiplied = 2.6,
                 kRealMultiplied = 0.95, kSelect = 2.67, kWordLoaded = 2.75, kWordStored = 1.8,
                 kWordCopied = 6, kBulk = 91, kWordShared = 1.43, kWordShuffled = 2.9,
                 kAccess = 3.74, kPoint = 7.15, kIteration = 25;
constexpr double kPerSlot = 1.4;  // of these, per slot: some of what is counted is never issued

// Cycles.
constexpr double kDependent = 1.45;  // of a warp by itself, per instruction
constexpr double kBarrier = 22;      // times the root of the warps that wait
constexpr double kNextLoad = 330;    // from a load to its value, where others are under way
constexpr double kLate = 160;        // further cycles that some of the next ones take
constexpr double kFirstLoad = 1152;  // of a block that has nothing else to do

constexpr double kOverlap = 1.75;  // exponent of the sum of what runs side by side; 1: nothing does
constexpr double kSpill = 5.1;     // instructions per register that a thread lacks
constexpr double kRow = 250;       // operations, of a CPU: what a loop over a row costs besides
constexpr double kCpuCall = 12;    // of a vector of divisions or roots
constexpr double kOfCopies = 1.1;  // of the rate of copies, where reads outnumber writes
constexpr double kInCache = 0.8;   // of the cache is free for arrays

double residency(const Work& work, double registers, const Machine& machine) {
  constexpr double kUnit = 8;  // registers are given out so
  const double warps = std::ceil(static_cast<double>(work.threads) / machine.warp);
  const double per_warp = std::ceil(registers / kUnit) * kUnit * machine.warp;
  const double by_registers =
      std::floor(machine.registers / machine.schedulers / per_warp) * machine.schedulers;
  const double shared = static_cast<double>(work.shared_bytes + machine.reserved_bytes);
  const double by_shared =
      std::floor(static_cast<double>(machine.shared_bytes + machine.reserved_bytes) / shared);
  const double by_threads = std::floor(machine.resident_threads / (warps * machine.warp));
  return std::max(1.0, std::min({std::floor(by_registers / warps), by_shared, by_threads,
                                 static_cast<double>(machine.resident_blocks)}));
}

// Registers that a thread may have.
double most_registers(const Work& work, const Machine& machine) {
  constexpr double kUnit = 8;
  const double warps = std::ceil(static_cast<double>(work.threads) / machine.warp);
  const double of_warps =
      std::ceil(std::max(work.promised, 1) * warps / machine.schedulers) * machine.warp;
  const double share = machine.registers / static_cast<double>(machine.schedulers) / of_warps;
  return std::min<double>(std::floor(share / kUnit) * kUnit, machine.registers_per_thread);
}

// Seconds of one wave in which every multiprocessor has so many blocks, and what it consists of.
class Wave {
 public:
  Wave(const Work& work, const Machine& machine, double edge, double spilled)
      : work_(work), machine_(machine) {
    slots_ = (instructions(work.iteration, machine) + kIteration + kSpill * spilled +
              kSelect * edge * work.edge_selects) /
             kPerSlot;
    warps_ = std::ceil(static_cast<double>(work.threads) / machine.warp);
    const double clock = machine.clock;
    const double barrier = kBarrier * work.barriers * std::sqrt(warps_);
    // Loads that are ahead of their use hide behind what is done meanwhile; others are waited for.
    const double rest = barrier + kDependent * kPerSlot * slots_ + (work.ahead == 1 ? kLate : 0);
    const double loads = work.ahead > 0 ? kNextLoad / std::pow(work.ahead, 0.8) : kFirstLoad;
    const bool waits = work.ahead == 0 && work.iterations > 1;
    latency_ = work.iterations * (waits ? rest + loads : std::max(rest, loads)) / clock;
  }

  double issue(double blocks) const {
    const double busy = std::max(blocks * warps_ / machine_.schedulers, 1.0);
    return work_.iterations * busy * slots_ / machine_.clock;
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
  double bytes(double blocks) const {
    return work_.bytes * work_.iterations * blocks * machine_.multiprocessors;
  }

  const Work& work_;
  const Machine& machine_;
  double slots_ = 0, warps_ = 1, latency_ = 0;
};

struct KernelTime {
  std::array<double, kLimits> alone = {};
  double seconds = 0;
};

KernelTime time_of(const Work& work, const Machine& machine, Prediction& out) {
  const double most = most_registers(work, machine);
  const double registers = std::min(work.registers, most);
  constexpr double kComfortable = 0.95, kHopeless = 1.2;
  const double spilled = work.iterations > 1
                             ? std::max(work.registers / most - kComfortable, 0.0) * work.registers
                             : 0;
  const double resident = residency(work, registers, machine);
  const Wave wave(work, machine, work.edge, spilled);
  const Wave last(work, machine, work.edge > 0 ? 1 : 0, spilled);
  const double at_once = resident * machine.multiprocessors;
  const double full = std::floor(work.blocks / at_once);
  const double rest = work.blocks - full * at_once;
  const double tail = rest > 0 ? std::max(1.0, std::ceil(rest / machine.multiprocessors)) : 0;
  // One wave after the other, or where there are many, blocks that start as others end.
  const double in_waves = full * wave.seconds(resident) + (tail > 0 ? last.seconds(tail) : 0);
  const double flowing = work.blocks / at_once * wave.seconds(resident);
  const double flows = full > 0 ? 1 - 1 / full : 0;
  const double blocks_seconds = in_waves * (1 - flows) + flowing * flows;

  KernelTime out_time;
  const auto put = [&](Limit limit, double seconds) {
    out_time.alone[static_cast<size_t>(limit)] = seconds * work.launches;
  };
  const double waves = work.blocks / at_once;
  const double rounds = full > 0 ? waves : 1;
  const double each = full > 0 ? resident : work.blocks / machine.multiprocessors;
  put(Limit::Memory, rounds * wave.memory(each));
  put(Limit::Cache, rounds * wave.cache(each));
  put(Limit::Instructions, waves * wave.issue(resident));
  put(Limit::Latency, rounds * wave.latency());
  put(Limit::Tail, std::max(blocks_seconds - flowing, 0.0) * (full > 0 ? 1 : 0));
  put(Limit::Launch, machine.launch_seconds);
  out_time.seconds = (blocks_seconds + machine.launch_seconds) * work.launches;

  out.registers = registers;
  out.wanted = work.registers;
  out.spills = work.iterations > 1 && work.registers > kHopeless * most;
  out.resident = static_cast<int>(resident);
  out.occupancy = resident * work.threads / machine.resident_threads;
  out.waves = waves;
  out.blocks = work.blocks;
  return out_time;
}

// A CPU does a block after the other on each core, its threads as loops of vectors. What is
// computed in cache and what passes between cache and memory add up: few cores keep many loads
// under way.
KernelTime time_on_cpu(const Work& work, const Machine& machine, Prediction& out) {
  constexpr double kAccessed = 0.5;  // of an operation, per word: loads and stores of vectors
  const Operations& o = work.iteration;
  const double operations = o.single + o.integer + machine.double_cost * o.real +
                            kAccessed * (o.loads + o.shared) +
                            kCpuCall * (o.calls + machine.double_cost * o.real_calls) +
                            o.multiplied + machine.double_cost * o.real_multiplied;
  const double threads = work.threads * work.iterations * work.blocks;
  const double rows = threads / std::min(work.row, work.threads) * work.stages * kRow;
  const double held = kInCache * static_cast<double>(machine.cache_bytes);
  const double beyond = 1 / (1 + std::pow(held / std::max(work.footprint, 1.0), 4));
  const double bytes = work.bytes * work.iterations * work.blocks;
  const double rounds = std::ceil(work.blocks / machine.multiprocessors);
  const double idle = rounds * machine.multiprocessors / work.blocks;
  const double computing = (operations * threads + rows) / machine.instructions_per_second;
  const double memory = bytes * beyond / machine.bytes_per_second;
  const double cache = bytes / machine.cache_bytes_per_second;
  const double busy = computing + memory + cache;

  KernelTime time;
  const auto put = [&](Limit limit, double seconds) {
    time.alone[static_cast<size_t>(limit)] = seconds * work.launches;
  };
  put(Limit::Memory, memory);
  put(Limit::Cache, cache);
  put(Limit::Instructions, computing);
  put(Limit::Tail, busy * (idle - 1));
  put(Limit::Launch, machine.launch_seconds);
  time.seconds = (busy * idle + machine.launch_seconds) * work.launches;
  out.resident = 1;
  out.occupancy = 1 / idle;
  out.waves = work.blocks / machine.multiprocessors;
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
         kWordShuffled * o.shuffles + kAccess * o.accesses + kPoint * o.points;
}

Prediction predict(const TileWork& work, const Machine& machine) {
  Prediction out;
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
    for (size_t i = 0; i < kLimits; ++i) out.alone[i] += time.alone[i] / work.steps;
  }
  out.spills = spills;
  out.seconds = seconds / work.steps;
  out.points_per_second = out.seconds > 0 ? work.points / out.seconds : 0;
  auto order = out.alone;
  const auto largest = std::max_element(out.alone.begin(), out.alone.end());
  out.limit = static_cast<Limit>(largest - out.alone.begin());
  std::sort(order.rbegin(), order.rend());
  out.headroom = order[1] > 0 ? order[0] / order[1] : 1;
  return out;
}

}  // namespace stencil::schedule
