// Derives figures from times. Each group of figures has one or a few modules; if a group fails, the
// others continue.
#include "runtime/measure/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/support/try.h"
#include "compiler/support/workers.h"
#include "runtime/measure/knees.h"
#include "runtime/measure/working_sets.h"

namespace stencil::measure {

namespace {

// With 1024 threads and several operations in flight per thread, a multiprocessor can hide
// latencies; and all blocks run at once, whatever registers they use.
constexpr int kThreadsAtOnce = 1024;

// Minimum bytes read per launch, so that launch overhead is negligible.
int64_t bytes_of_launch(const schedule::Machine& machine, const Effort& effort) {
  const int64_t bytes =
      machine.threads_are_loops ? int64_t{machine.multiprocessors} << 25 : int64_t{8} << 30;
  return std::min(bytes, 8 * effort.most_bytes);
}

class Measurement {
 public:
  Measurement(const runtime::ChosenDevice& device, const Effort& effort,
              const std::function<void(const std::string&)>& progress)
      : device_(device), machine_(device.device.machine), effort_(effort), progress_(progress) {}

  Result<Report> run();

 private:
  struct Measured {  // a benchmark and its module on the device
    Benchmark benchmark;
    std::unique_ptr<Subject> subject;
  };
  static Measured made(Benchmark benchmark) {
    auto subject = std::make_unique<Subject>(benchmark.module);
    return {std::move(benchmark), std::move(subject)};
  }

  void prepare();
  void warm_up() const;
  Status arithmetic(Scalar type);
  Status ratio();
  Status launches();
  Status reads(Scalar type);
  Status around_cache();
  Status copies();
  Status overlap(Scalar type);
  Status latencies();
  Status block();
  Status shuffles();

  // Blocks that run at once on the device.
  int64_t blocks_at_once(int threads) const {
    const int each = machine_.threads_are_loops ? 4 : std::max(1, kThreadsAtOnce / threads);
    return int64_t{machine_.multiprocessors} * each;
  }
  void add(Figure figure);
  void add_time(const std::string& name, const std::string& text, double seconds);
  // Whether the table of machines has measured rates for this device.
  bool has_rates() const { return !machine_.threads_are_loops; }

  const runtime::ChosenDevice& device_;
  const schedule::Machine& machine_;
  const Effort effort_;
  const std::function<void(const std::string&)>& progress_;
  const int64_t read_at_least_ = bytes_of_launch(machine_, effort_);
  const WorkingSets sets_ = working_sets(machine_, effort_.most_bytes);

  std::map<Scalar, Measured> arithmetic_, reads_, overlap_;
  Measured copies_, chase_, shuffles_;
  SharedBenchmark shared_;
  std::unique_ptr<Subject> shared_subject_;
  std::map<Scalar, double> multiply_adds_;  // per second
  double pass_seconds_ = 0;                 // of arithmetic, single precision
  Report report_;
};

const char* name_of(Scalar type) {
  return type == Scalar::F64 || type == Scalar::I64 ? "double" : "float";
}

void Measurement::add(Figure figure) {
  report_.figures.push_back(std::move(figure));
}
void Measurement::add_time(const std::string& name, const std::string& text, double seconds) {
  Figure figure{name, text, "s", seconds};
  if (report_.hertz > 0) figure.cycles = seconds * report_.hertz;
  add(std::move(figure));
}

// --- Modules

// Compiles everything in advance, in several threads, so that nothing compiles during measurements.
void Measurement::prepare() {
  for (const Scalar type : {Scalar::F32, Scalar::F64}) {
    arithmetic_.emplace(type, made(measure::arithmetic(type, machine_)));
    overlap_.emplace(type, made(measure::overlap(type, machine_)));
  }
  for (const Scalar type : {Scalar::I32, Scalar::I64}) {
    reads_.emplace(type, made(measure::reads(type, machine_)));
  }
  copies_ = made(measure::copies(machine_));
  chase_ = made(chase(machine_));
  if (!machine_.threads_are_loops) {
    shared_ = shared(machine_);
    shared_subject_ = std::make_unique<Subject>(shared_.module);
    if (machine_.shuffles) shuffles_ = made(measure::shuffles());
  }
  std::vector<Subject*> all = {copies_.subject.get(), chase_.subject.get(), shared_subject_.get(),
                               shuffles_.subject.get()};
  for (auto* group : {&arithmetic_, &reads_, &overlap_}) {
    for (auto& [type, measured] : *group) all.push_back(measured.subject.get());
  }
  Workers workers;
  for (Subject* subject : all) {
    if (subject) workers.start([subject, this] { subject->compile(device_); });
  }
  workers.wait();
}

// Runs arithmetic until clocks have ramped up. Ignores failures: a later measurement reports them.
void Measurement::warm_up() const {
  const auto& [benchmark, subject] = arithmetic_.at(Scalar::F32);
  if (!subject->load(device_).ok()) return;
  Work work;
  work.blocks = blocks_at_once(benchmark.threads);
  work.passes = 1000;
  (void)subject->seconds(work, {20 * effort_.seconds, 1, effort_.most_bytes});
}

// --- Arithmetic

Status Measurement::arithmetic(Scalar type) {
  const auto& [benchmark, subject] = arithmetic_.at(type);
  TRY(subject->load(device_));
  Work work;
  work.blocks = blocks_at_once(benchmark.threads);
  work.passes = machine_.threads_are_loops ? 10000 : 2000;
  const auto seconds = TRY(subject->seconds(work, effort_));
  const double pass = seconds / work.passes;
  const double rate = static_cast<double>(work.blocks) * benchmark.per_pass / pass;
  const std::string name = name_of(type);
  multiply_adds_[type] = rate;
  Figure figure{"multiply_adds_" + name, "multiply-adds, " + name, "FMA/s", rate};
  if (has_rates()) {
    const bool is_double = type == Scalar::F64;
    figure.machine = machine_.instructions_per_second / (is_double ? machine_.double_cost : 1);
    figure.member = is_double ? "instructions_per_second / double_cost" : "instructions_per_second";
  }
  add(figure);
  constexpr int kOperands = 4;  // three reads and one write
  add({"register_bandwidth_" + name, "registers, " + name, "B/s",
       kOperands * size_in_bytes(type) * rate});

  Work chain;
  chain.kernel = 1;
  chain.passes = 10000;
  const auto chained = TRY(subject->seconds(chain, effort_));
  add_time("multiply_add_latency_" + name, "latency of a multiply-add, " + name,
           chained / chain.passes / kChainLength);
  if (type == Scalar::F32) pass_seconds_ = pass;
  return Done{};
}

Status Measurement::ratio() {
  const auto one = multiply_adds_.find(Scalar::F32), two = multiply_adds_.find(Scalar::F64);
  if (one == multiply_adds_.end() || two == multiply_adds_.end()) {
    return Failure{"", "the rate of float or of double multiply-adds is missing", ""};
  }
  Figure figure{"double_cost", "multiply-adds, ratio of float to double", "",
                one->second / two->second};
  if (has_rates()) figure.machine = machine_.double_cost;
  if (has_rates()) figure.member = "double_cost";
  add(figure);
  return Done{};
}

// Uses launches long enough for the host to queue the following ones.
Status Measurement::launches() {
  constexpr double kLaunch = 20e-6;
  constexpr int kLaunches = 64;
  if (pass_seconds_ <= 0) return Failure{"", "the rate of float multiply-adds is missing", ""};
  const auto& [benchmark, subject] = arithmetic_.at(Scalar::F32);
  Work work;
  work.blocks = blocks_at_once(benchmark.threads);
  work.passes = static_cast<int32_t>(std::clamp(std::ceil(kLaunch / pass_seconds_), 1.0, 1e6));
  const auto between = TRY(subject->seconds_between(work, kLaunches, effort_));
  Figure figure{"launch_seconds", "gap between two queued launches", "s", between};
  if (has_rates()) figure.machine = machine_.launch_seconds;
  if (has_rates()) figure.member = "launch_seconds";
  add(figure);
  return Done{};
}

// --- Memory

int64_t passes_for(int64_t bytes, int64_t blocks) {
  const int64_t per_pass = blocks * kChunkBytes;
  return std::max<int64_t>(1, (bytes + per_pass - 1) / per_pass);
}

Work read_work(int64_t blocks, int64_t set, int64_t least) {
  Work work;
  work.chunks = std::max<int64_t>(1, set / kChunkBytes);
  work.blocks = blocks;
  const int64_t passes = passes_for(std::max(least, set), blocks);
  work.passes = static_cast<int32_t>(std::min<int64_t>(passes, INT32_MAX));
  return work;
}

Result<double> read_rate_of(const Subject& subject, const Work& work, const Effort& effort) {
  const auto seconds = TRY(subject.seconds(work, effort));
  const double bytes = static_cast<double>(work.blocks) * work.passes * kChunkBytes;
  return bytes / seconds;
}

Status Measurement::reads(Scalar type) {
  const auto& [benchmark, subject] = reads_.at(type);
  TRY(subject->load(device_));
  for (const auto& [level, bytes] : sets_.levels) {
    const Work work = read_work(blocks_at_once(benchmark.threads), bytes, read_at_least_);
    const auto rate = TRY(read_rate_of(*subject, work, effort_));
    std::string name = level;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return std::tolower(c); });
    add({fmt::format("{}_read_bandwidth_{}", name, name_of(type)),
         fmt::format("reads of {}, {} bytes each, {}", level, size_in_bytes(type),
                     readable(static_cast<double>(bytes), "B")),
         "B/s", rate});
  }
  return Done{};
}

Status Measurement::around_cache() {
  const auto& [benchmark, subject] = reads_.at(Scalar::I32);
  TRY(subject->load(device_));
  Curve curve{"reads_by_working_set",
              "Bandwidth of 4-byte reads against the working set",
              "working set (B)",
              "read (B/s)",
              {}};
  for (const int64_t set : sets_.around_cache) {
    const Work work = read_work(blocks_at_once(benchmark.threads), set, read_at_least_);
    const auto rate = TRY(read_rate_of(*subject, work, effort_));
    curve.points.push_back({static_cast<double>(set), rate});
  }
  const auto bytes = half_way(curve.points);
  report_.curves.push_back(std::move(curve));
  if (!bytes)
    return Failure{"", "reads of memory are as fast as reads of the last-level cache", ""};
  add({"cache_bytes", "working set of which half fits into the last-level cache", "B", *bytes,
       static_cast<double>(machine_.cache_bytes), "cache_bytes"});
  return Done{};
}

Status Measurement::copies() {
  const auto& [benchmark, subject] = copies_;
  TRY(subject->load(device_));
  Work work;
  work.blocks = work.chunks = sets_.levels.back().bytes / kChunkBytes;
  const auto seconds = TRY(subject->seconds(work, effort_));
  Figure figure{"memory_copy_bandwidth", "memory copy, reads plus writes", "B/s",
                static_cast<double>(work.blocks) * benchmark.per_pass / seconds};
  if (has_rates()) figure.machine = machine_.bytes_per_second;
  if (has_rates()) figure.member = "bytes_per_second";
  add(figure);
  return Done{};
}

Status Measurement::overlap(Scalar type) {
  const auto& [benchmark, subject] = overlap_.at(type);
  const Status loaded = subject->load(device_);
  if (!loaded.ok()) return loaded;
  const std::string name = name_of(type);
  Curve curve{"time_over_flops_" + name,
              "Time per value that is loaded and stored, against the FLOPs in between, " + name,
              "FLOPs",
              "time (s)",
              {}};
  Work work;
  work.blocks = work.chunks = sets_.levels.back().bytes / kChunkBytes;
  for (const int passes : {0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    work.passes = passes;
    const auto seconds = TRY(subject->seconds(work, effort_));
    const double values = static_cast<double>(work.blocks) * benchmark.per_pass;
    curve.points.push_back({2.0 * kOverlapped * passes, seconds / values});
  }
  const auto knee = hidden(curve.points), meets = balance(curve.points);
  report_.curves.push_back(std::move(curve));
  if (!knee || !meets) {
    return Failure{"", "even the largest number of FLOPs tried does not increase the time", ""};
  }
  add({"hidden_flops_" + name, "FLOPs hidden by a load and a store, " + name, "FLOP", *knee});
  Figure figure{"balance_flops_" + name, "FLOPs that take as long as a load and a store, " + name,
                "FLOP", *meets};
  if (has_rates()) {
    const double cost = type == Scalar::F64 ? machine_.double_cost : 1;
    const double bytes_per_value = machine_.bytes_per_second / (2 * size_in_bytes(type));
    figure.machine = 2 * machine_.instructions_per_second / cost / bytes_per_value;
    figure.member = "derived from the rates";
  }
  add(figure);
  return Done{};
}

// --- Latencies

Status Measurement::latencies() {
  const auto& [benchmark, subject] = chase_;
  TRY(subject->load(device_));
  constexpr int64_t kBytes = int64_t{kChaseNodes} * kChaseBytes;  // per chunk
  for (const auto& [level, bytes] : sets_.levels) {
    Work work;
    work.chunks = std::max<int64_t>(1, bytes / kBytes);
    work.passes = 1024;
    const auto seconds = TRY(subject->seconds(work, effort_));
    std::string name = level;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return std::tolower(c); });
    add_time(name + "_latency", fmt::format("latency of a load from {}", level),
             seconds / work.passes / kChaseLength);
  }
  return Done{};
}

Status Measurement::block() {
  if (machine_.threads_are_loops) {
    return Failure{"", "a block has one thread, so there is nothing to share or wait for", ""};
  }
  const Subject& subject = *shared_subject_;
  TRY(shared_subject_->load(device_));
  Work work;
  for (const auto& [kernel, bytes, size] :
       {std::tuple{kSharedReads, shared_.bytes, 4}, {kSharedReadsLong, shared_.bytes_long, 8}}) {
    work.kernel = kernel;
    work.blocks = blocks_at_once(shared_.threads);
    work.passes = 2000;
    const auto seconds = TRY(subject.seconds(work, effort_));
    add({fmt::format("shared_read_bandwidth_{}", size == 4 ? "float" : "double"),
         fmt::format("reads of shared memory, {} bytes each", size), "B/s",
         static_cast<double>(work.blocks) * work.passes * bytes / seconds});
  }
  work.blocks = machine_.multiprocessors;  // one block per multiprocessor
  const auto each = [&](int kernel, int passes, int of_pass) -> Result<double> {
    work.kernel = kernel;
    work.passes = passes;
    const auto seconds = TRY(subject.seconds(work, effort_));
    return seconds / passes / of_pass;
  };
  const auto load = each(kSharedChase, 2000, kChaseLength);
  if (!load.ok()) return load.failure();
  add_time("shared_latency", "latency of a load from shared memory", load.value());
  const auto exchange = TRY(each(kExchange, 10000, 1));
  add_time("shared_exchange",
           fmt::format("store, barrier, load, barrier; {} threads", shared_.threads), exchange);
  const bool clock = report_.hertz > 0;
  Curve curve{"barrier_by_warps",
              "Time of a barrier against the warps per block",
              "warps",
              clock ? "cycles" : "time (s)",
              {}};
  for (size_t b = 0; b < shared_.barrier_threads.size(); ++b) {
    const auto barrier = each(kFirstBarrier + static_cast<int>(b), 2000, kBarriers);
    if (!barrier.ok()) return barrier.failure();
    const int threads = shared_.barrier_threads[b];
    curve.points.push_back({static_cast<double>(threads / machine_.warp),
                            barrier.value() * (clock ? report_.hertz : 1)});
    if (threads == shared_.threads) {
      add_time("barrier", fmt::format("barrier of {} threads", threads), barrier.value());
    }
  }
  report_.curves.push_back(std::move(curve));
  return Done{};
}

Status Measurement::shuffles() {
  if (!shuffles_.subject) {
    return Failure{"", "the device has no warp shuffles", ""};
  }
  TRY(shuffles_.subject->load(device_));
  Work work;
  work.blocks = machine_.multiprocessors;
  work.passes = 2000;
  const auto seconds = TRY(shuffles_.subject->seconds(work, effort_));
  add_time("shuffle_latency", "latency of a shuffle", seconds / work.passes / kShuffles);
  return Done{};
}

Result<Report> Measurement::run() {
  const auto tell = [&](const std::string& what) {
    if (progress_) progress_(what);
  };
  report_.device = device_.device.name;
  report_.description = device_.info.description;
  report_.machine = machine_;
  if (has_rates()) report_.hertz = device_.info.hertz;  // a CPU's clock varies
  tell("compiling");
  prepare();
  warm_up();
  struct Group {
    std::string name;
    std::function<Status()> measure;
  };
  const Group groups[] = {
      {"arithmetic, float", [this] { return arithmetic(Scalar::F32); }},
      {"arithmetic, double", [this] { return arithmetic(Scalar::F64); }},
      {"ratio of float to double", [this] { return ratio(); }},
      {"launches", [this] { return launches(); }},
      {"shared memory and barriers", [this] { return block(); }},
      {"shuffles", [this] { return shuffles(); }},
      {"reads of 4 bytes", [this] { return reads(Scalar::I32); }},
      {"reads of 8 bytes", [this] { return reads(Scalar::I64); }},
      {"memory copy", [this] { return copies(); }},
      {"last-level cache", [this] { return around_cache(); }},
      {"latencies", [this] { return latencies(); }},
      {"hidden FLOPs, float", [this] { return overlap(Scalar::F32); }},
      {"hidden FLOPs, double", [this] { return overlap(Scalar::F64); }},
  };
  std::optional<Failure> first;
  for (const Group& group : groups) {
    tell(group.name);
    const Status measured = group.measure();
    if (measured.ok()) continue;
    if (!first && !measured.failure().code.empty()) first = measured.failure();
    report_.left_out.emplace_back(group.name, measured.failure().message);
  }
  if (report_.figures.empty() && first) return *first;
  return std::move(report_);
}

}  // namespace

Result<Report> measure(const runtime::ChosenDevice& device, const Effort& effort,
                       const std::function<void(const std::string&)>& progress) {
  return Measurement(device, effort, progress).run();
}

}  // namespace stencil::measure
