#include "tests/unit/explore/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stencil::explore {

namespace {

// Rates derived from a schedule's numbers by a simple model.
void predict(Candidate& c, const ReportMachine& machine) {
  const double latency = 0.3 / std::max(0.05, c.occupancy) / machine.instructions_per_second * 18;
  const std::vector<std::pair<Limit, double>> beside = {
      {Limit::Memory, c.memory_bytes / machine.bytes_per_second},
      {Limit::Cache, c.cache_bytes / 9e12},
      {Limit::Instructions, c.instructions / machine.instructions_per_second},
      {Limit::Latency, latency}};
  double longest = 0, next = 0, together = 0;
  for (const auto& [limit, seconds] : beside) {
    c.terms.push_back({schedule::name(limit), seconds, true});
    together += std::pow(seconds, 8);
    next = std::max(next, std::min(longest, seconds));
    if (seconds <= longest) continue;
    next = longest;
    longest = seconds;
    c.limit = limit;
  }
  together = std::pow(together, 1. / 8);
  c.headroom = longest / next;
  const double tail = together * (0.02 + 0.06 / std::max(1.0, c.waves));
  const double launch = 2.5e-6 / (512. * 512 * 512 * c.time_tile);
  c.terms.push_back({schedule::name(Limit::Tail), tail, false});
  c.terms.push_back({schedule::name(Limit::Launch), launch, false});
  c.predicted = 1e-9 / (together + tail + launch);
  c.reason = fmt::format("{} would take {:.0f}% of the time alone", schedule::name(c.limit),
                         100 * longest * c.predicted * 1e9);
}

Candidate candidate(const std::string& family, int T, int block, int elements, int variant,
                    const ReportMachine& machine) {
  Candidate c;
  c.family = family;
  c.time_tile = T;
  const bool streams = family == "streaming" || family == "planes";
  c.brief = fmt::format("{} T={} block={}x{}x1 elements={}x{}x1", family, T, block, block / 2,
                        elements, elements);
  c.schedule = fmt::format(
      "{} chunk={} prefetch={} unroll=auto occupancy=auto loads={} form=gather "
      "interior=tested",
      c.brief, variant % 3 == 0 ? "auto" : "32", 1 + variant % 3,
      variant % 2 ? "registers" : "async");
  const double side = block * elements;
  const double halo = 2. * T;
  const double core = std::max(2., side - halo);
  c.redundancy = std::pow(1 + halo / core / 2, streams ? 2 : 3);
  c.memory_bytes = (4 * std::pow(1 + halo / core, 2) + 4) / T + 0.02 * variant;
  c.cache_bytes = c.memory_bytes * (elements == 1 ? 2.6 : 1.3);
  c.shared_bytes_moved = 12 * c.redundancy + 2. * variant / elements;
  c.counts = {{"float", 7 * c.redundancy},
              {"integer", 3 * c.redundancy / elements},
              {"shared loads", 5 * c.redundancy / elements},
              {"barriers", 0.3}};
  for (const Count& count : c.counts) c.instructions += count.count;
  c.words_loaded = std::pow(1 + halo / core, 2) / T;
  c.elements = int64_t{elements} * elements;
  c.registers = 24 + elements * elements * (T + 2) + 3 * variant;
  c.threads = block * block / 2;
  c.shared_bytes = 4LL * block * block * elements * elements / 2 * (T + 2);
  c.blocks = static_cast<int64_t>(512 * 512 / (core * core)) * 3 + 1;
  c.blocks_per_multiprocessor = std::clamp(65536 / (c.registers * c.threads), 1, 32);
  c.occupancy = std::min(1., c.blocks_per_multiprocessor * c.threads / 2048.);
  c.waves = static_cast<double>(c.blocks) / (132. * c.blocks_per_multiprocessor);
  predict(c, machine);
  return c;
}

void rank(Report& report) {
  std::stable_sort(
      report.candidates.begin(), report.candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.predicted > b.predicted; });
}

// The curves over T of the report's candidates. build_report makes them from the whole space.
void draw_curves(Report& report) {
  report.flops = 8;
  std::map<std::pair<int64_t, int>, Best> by_elements;
  std::map<int, Best> by_time_tile;
  const auto note = [](Best& best, const Candidate& c) {
    if (c.predicted > best.predicted.predicted) best.predicted = c;
    if (c.measured.value_or(0) <= best.measured.value_or(0)) return;
    best.measured = c.measured;
    best.timed = c.schedule;
  };
  for (const Candidate& c : report.candidates) {
    note(by_elements[{c.elements, c.time_tile}], c);
    note(by_time_tile[c.time_tile], c);
  }
  report.by_elements.clear();
  report.by_time_tile.clear();
  for (const auto& [key, best] : by_elements) report.by_elements.push_back(best);
  for (const auto& [key, best] : by_time_tile) report.by_time_tile.push_back(best);
}

Winner jacobi_winner() {
  Winner winner;
  winner.target = "CUDA";
  winner.streams = true;
  winner.output = {171, 56, 56};
  winner.planes_loaded = 179;
  winner.prefetch = 2;
  for (int step = 0; step <= 4; ++step) {
    const int64_t reach = 4 - step;
    const Margin box(3, {reach, reach});
    winner.halo.push_back({step, "A", step == 0 ? "" : "jacobi", box});
    if (step > 0) winner.stages.push_back({step, "jacobi", 2 * step - 1, box});
  }
  winner.source =
      "// jacobi3d: streaming T=4 block=16x16x1 elements=4x4x1\n"
      "extern \"C\" __global__ void __launch_bounds__(256)\n"
      "jacobi_tile(const float* __restrict__ A0, float* __restrict__ A1, float alpha) {\n"
      "  __shared__ float ring[28672];\n"
      "  for (int plane = 0; plane < 179; ++plane) {  // the front\n"
      "    if (plane > 3 && threadIdx.x < 14) A1[plane] = alpha * ring[threadIdx.x];\n"
      "  }\n}\n";
  return winner;
}

}  // namespace

Report jacobi_sample() {
  Report report;
  report.program = "jacobi3d";
  report.file = "dsl-examples/jacobi3d.stn";
  report.source =
      "// jacobi3d.stn: 7-point Jacobi on a cube\n"
      "param N     : integer = 512;  // -D N=256 overrides\n"
      "param alpha : real    = 0.25;\n\n"
      "grid G = [0..N-1, 0..N-1, 0..N-1] steps 100;\n"
      "subgrid interior of G = [1..N-2, 1..N-2, 1..N-2];\n"
      "field A : real on G;\n\n"
      "stencil jacobi : A on interior = alpha * A[0,0,0]\n"
      "  + (1 - alpha) / 6 * (A[-1,0,0] + A[1,0,0] + A[0,-1,0] + A[0,1,0] + A[0,0,-1] + "
      "A[0,0,1]);\n";
  report.machine = {"sm_90", "NVIDIA H200", 4.2e12, 32e12, 2};
  report.device = "NVIDIA H200";
  report.axes = {"z", "y", "x"};
  report.extents = {512, 512, 512};
  report.steps = 100;
  report.real = "float";
  report.fp = "contract";
  report.seconds = 4.23;
  report.looked_at = 1312;
  struct Measured {
    int T, block, elements;
    const char* line;
    double gcells;
    int registers;
  };
  const Measured rows[] = {
      {4, 16, 4, "block=16x16x1 elements=4x4x1 chunk=auto prefetch=2 loads=async interior=tested",
       1076.31, 218},
      {3, 32, 2, "block=16x32x1 elements=2x2x1 chunk=32 prefetch=2 loads=async interior=tested",
       779.181, 61},
      {2, 16, 4, "block=16x16x1 elements=4x4x1 chunk=16 prefetch=3 loads=async interior=split",
       659.734, 145},
      {3, 16, 2, "block=16x16x1 elements=2x2x1 chunk=auto prefetch=1 loads=async interior=tested",
       608.989, 80},
      {4, 32, 2, "block=32x8x1 elements=2x2x1 chunk=auto prefetch=1 loads=async interior=tested",
       468.643, 90},
      {2, 32, 4, "block=32x8x1 elements=4x4x1 chunk=16 prefetch=3 loads=registers interior=split",
       360.546, 128},
      {3, 16, 1,
       "block=16x16x1 elements=1x1x1 chunk=auto prefetch=1 loads=registers interior=tested",
       355.962, 40},
      {1, 64, 4, "block=64x4x1 elements=1x1x4", 337.637, 30}};
  for (const Measured& row : rows) {
    const std::string family = row.T == 1 ? "direct" : "streaming";
    Candidate c = candidate(family, row.T, row.block, row.elements, 0, report.machine);
    c.schedule = row.T == 1 ? fmt::format("direct {}", row.line)
                            : fmt::format("streaming T={} {}", row.T, row.line);
    c.brief = c.schedule.substr(0, c.schedule.find(" chunk"));
    c.measured = row.gcells;
    c.compiled_registers = row.registers;
    c.spill_bytes = row.registers == 128 ? 216 : 0;
    report.candidates.push_back(std::move(c));
  }
  Candidate unmeasured = candidate("planes", 4, 32, 2, 1, report.machine);
  report.candidates.push_back(std::move(unmeasured));
  rank(report);
  for (Candidate& c : report.candidates)
    c.chosen = c.schedule.starts_with("streaming T=4 block=16");
  for (Candidate& c : report.candidates) {
    if (c.chosen) c.predicted = 1213;  // for tests to look for
  }
  report.command =
      "stencilc run dsl-examples/jacobi3d.stn --schedule \"streaming T=4 block=16x16x1 "
      "elements=4x4x1 prefetch=2\"";
  report.pruned = {
      {"the planes in flight exceed what a thread can keep", 611, "streaming T=9 block=16x16x1"},
      {"the tile is smaller than its halo", 402, "planes T=9 block=16x16x1 elements=1x1x1"},
      {"shared memory of a block", 224, "overlapped T=6 block=32x16x2 elements=2x2x2"},
      {"form=scatter reorders sums, which --fp=contract does not allow", 66,
       "streaming T=2 block=32x8x1 form=scatter"}};
  report.winner = jacobi_winner();
  const double rate = winner_of(report)->predicted;
  report.neighbours = {{2, rate * 0.62, Limit::Memory},
                       {3, rate * 0.86, Limit::Memory},
                       {5, rate * 0.91, Limit::Instructions},
                       {6, rate * 0.71, Limit::Latency}};
  draw_curves(report);
  return report;
}

Report large_sample(size_t candidates) {
  Report report = jacobi_sample();
  report.candidates.clear();
  const std::array<const char*, 4> families = {"streaming", "planes", "overlapped", "direct"};
  for (int variant = 0; report.candidates.size() < candidates; ++variant) {
    for (const char* family : families) {
      for (int T = 1; T <= (std::string_view(family) == "direct" ? 1 : 8); ++T) {
        for (const int block : {8, 16, 32, 64}) {
          for (const int elements : {1, 2, 4}) {
            report.candidates.push_back(
                candidate(family, T, block, elements, variant, report.machine));
          }
        }
      }
    }
  }
  rank(report);
  report.candidates.resize(candidates);
  for (size_t i = 0; i < std::min<size_t>(40, candidates); ++i) {
    Candidate& c = report.candidates[i * (candidates / 40 + 1) % candidates];
    const double off = 0.82 + 0.3 * std::abs(std::sin(7. * static_cast<double>(i)));
    c.measured = c.predicted * off;
    c.compiled_registers = c.registers + 2;
    c.spill_bytes = 0;
  }
  if (!report.candidates.empty()) report.candidates.front().chosen = true;
  report.neighbours.clear();
  for (const int T : {4, 5, 7, 8}) {
    const auto c = std::find_if(
        report.candidates.begin(), report.candidates.end(),
        [T](const Candidate& c) { return c.time_tile == T && c.family == "streaming"; });
    if (c != report.candidates.end())
      report.neighbours.push_back({T, c->predicted * 0.97, c->limit});
  }
  report.looked_at = static_cast<int64_t>(candidates) + 1303;
  draw_curves(report);
  return report;
}

Report line_sample() {
  Report report = jacobi_sample();
  report.program = "jacobi1d3";
  report.axes = {"x"};
  report.extents = {16777216};
  report.device = "";
  for (Candidate& c : report.candidates) c.measured.reset();
  draw_curves(report);
  Winner& winner = *report.winner;
  winner.streams = false;
  winner.output = {1012};
  winner.halo.clear();
  winner.stages.clear();
  for (int step = 0; step <= 6; ++step) {
    const int64_t reach = 6 - step;
    winner.halo.push_back({step, "A", step == 0 ? "" : "jacobi", {{reach, reach}}});
    if (step > 0) winner.stages.push_back({step, "jacobi", 0, {{reach, reach}}});
  }
  return report;
}

Report plane_sample() {
  Report report = jacobi_sample();
  report.program = "waves";
  report.axes = {"y", "x"};
  report.extents = {4096, 8192};
  Winner& winner = *report.winner;
  winner.streams = false;
  winner.output = {20, 120};
  winner.halo.clear();
  winner.stages.clear();
  for (int step = 0; step <= 3; ++step) {
    const int64_t u = 2 * (3 - step), v = step == 3 ? 0 : u - 1;
    winner.halo.push_back({step, "u", step == 0 ? "" : "pressure", {{u, u}, {u, u}}});
    winner.halo.push_back({step, "v", step == 0 ? "" : "speed", {{v, u}, {v, u}}});
    if (step == 0) continue;
    winner.stages.push_back({step, "speed", 0, {{v, u}, {v, u}}});
    winner.stages.push_back({step, "pressure", 0, {{u, u}, {u, u}}});
  }
  return report;
}

Report empty_sample() {
  Report report = jacobi_sample();
  report.candidates.clear();
  report.neighbours.clear();
  report.by_elements.clear();
  report.by_time_tile.clear();
  report.winner.reset();
  report.device.clear();
  report.command.clear();
  return report;
}

Report single_sample() {
  Report report = jacobi_sample();
  std::erase_if(report.candidates, [](const Candidate& c) { return c.time_tile != 1; });
  report.candidates.front().chosen = true;
  report.neighbours.clear();
  draw_curves(report);
  return report;
}

Report hostile_sample() {
  Report report = jacobi_sample();
  const std::string hostile =
      "</script><img src=x onerror=\"document.title='broken'\"><!-- {{rows}} ' & \xff \xe2\x80\xae";
  report.program = report.file = report.command = report.device = hostile;
  report.source = hostile + "\n</code></pre><script>document.title='broken'</script>\n";
  report.machine.name = report.machine.description = report.real = report.fp = hostile;
  report.axes = {hostile, hostile, hostile};
  for (Candidate& c : report.candidates) {
    c.family = hostile;
    c.brief = hostile;
    c.reason = hostile;
    for (Term& term : c.terms) term.name = hostile;
    for (Count& count : c.counts) count.name = hostile;
  }
  for (auto* curve : {&report.by_elements, &report.by_time_tile}) {
    for (Best& best : *curve) {
      best.predicted.schedule = best.predicted.family = best.timed = hostile;
    }
  }
  for (Pruned& pruned : report.pruned) pruned.reason = pruned.example = hostile;
  Winner& winner = *report.winner;
  winner.target = winner.source = hostile;
  for (HaloBox& box : winner.halo) box.field = box.function = hostile;
  for (TileStage& stage : winner.stages) stage.function = hostile;
  return report;
}

}  // namespace stencil::explore
