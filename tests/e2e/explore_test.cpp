// `stencilc explore`: its output, its files, and its refusals.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/tune/tuned.h"
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

constexpr size_t kMostInFiles = 2000;  // the best ranked schedules

class Explore : public Tool {
 protected:
  Explore() { write("heat.stn", kHeat); }

  // The ranks in the printed table.
  static int ranks(const std::string& out) {
    std::istringstream lines(out);
    std::string line;
    bool inside = false;
    int count = 0;
    while (std::getline(lines, line)) {
      if (line.starts_with("  rank ")) {
        inside = true;
      } else if (inside && line.empty()) {
        return count;
      } else if (inside && line.size() > 2 && line[2] != ' ') {
        ++count;
      }
    }
    return count;
  }
};

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST_F(Explore, PrintsARanking) {
  const Outcome outcome = stencilc("explore heat.stn --machine sm_90");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part :
       {"program   heat\n", "machine   sm_90 (NVIDIA H200)\n",
        "size      40 x 40 points, 6 steps, float, --fp=contract\n", " schedules considered, ",
        "Ranking, in GCells/s (nothing was measured)\n", "\n  1 *   ", "\n  2     ",
        "\nThe winner with other time tiles\n", "\nNot ranked\n",
        "\nTo run the winner\n  stencilc heat.stn --emit cuda --machine sm_90 --schedule \""}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << outcome.out;
  }
  EXPECT_EQ(ranks(outcome.out), 10);
  EXPECT_EQ(files(), "heat.stn");
  EXPECT_EQ(ranks(stencilc("explore heat.stn --rows 3").out), 3);
  EXPECT_EQ(ranks(stencilc("explore heat.stn --rows 1").out), 1);
}

// The command at the end of the report compiles the explored program with that schedule.
TEST_F(Explore, WinnerCompiles) {
  const struct {
    const char *options, *says;
  } cases[] = {
      {"--machine sm_90", "__global__"},
      {"-D N=300 --real double --fp fast --steps 9 --target cuda", "double* __restrict__"},
      {"--fp strict --fix a --target hip --machine gfx942", "hip"},
      {"--target opencl --open N", "__kernel"},
      {"--target cpp", "omp"},
  };
  for (const auto& each : cases) {
    const std::string options = each.options;
    const std::string out = stencilc("explore heat.stn --rows 1 " + options).out;
    const size_t from = out.rfind("  stencilc ");
    ASSERT_NE(from, std::string::npos) << out;
    const std::string arguments = out.substr(from + 11, out.find('\n', from) - from - 11);
    const Outcome compiled = stencilc(arguments);
    EXPECT_EQ(compiled.status, 0) << arguments << compiled.err;
    EXPECT_TRUE(holds(compiled.out, each.says)) << arguments << compiled.out.substr(0, 2000);
  }
}

// The reports contain the compiler's data for the best candidates, which also corrects the ranking.
TEST_F(Explore, CompilesTheBest) {
  const Outcome outcome = stencilc(
      "explore heat.stn --compile --rows 40 --json a.json --html a.html -D N=2048 --steps 2");
  if (holds(outcome.err, "R041")) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "\nMachine code, per iteration of a kernel's main loop\n"))
      << outcome.out;
  const auto json = nlohmann::json::parse(read(file("a.json")));
  size_t compiled = 0, corrected = 0;
  for (const auto& candidate : json.at("candidates")) {
    const auto& code = candidate.at("code");
    EXPECT_EQ(code.empty(), candidate.at("compiled_registers").is_null());
    if (code.empty()) continue;
    ++compiled;
    ASSERT_EQ(code.size(), 1u);
    EXPECT_GT(code[0].at("counted_slots"), 0);
    if (!code[0].at("unmatched").is_null()) continue;
    ++corrected;
    EXPECT_EQ(code[0].at("issued")[0].at("name"), "in all");
    const double factor =
        code[0].at("issued_slots").get<double>() / code[0].at("counted_slots").get<double>();
    EXPECT_GT(factor, 0.4) << candidate.at("schedule");
    EXPECT_LT(factor, 2.5) << candidate.at("schedule");
  }
  EXPECT_EQ(compiled, 32u);
  EXPECT_GE(corrected, 20u);
  EXPECT_TRUE(holds(read(file("a.html")), "heat_stream"));
}

TEST_F(Explore, WritesReports) {
  const Outcome outcome =
      stencilc("explore heat.stn --json a.json --csv a.csv --html a.html -D N=300");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(files(), "a.csv a.html a.json heat.stn");
  const auto json = nlohmann::json::parse(read(file("a.json")));
  const auto& candidates = json.at("candidates");
  ASSERT_GT(candidates.size(), 10u);
  // The curves over T: each T and each number of points per thread once, and the winner on both.
  const std::string winner = candidates[0].at("schedule");
  for (const char* curve : {"by_elements", "by_time_tile"}) {
    std::set<std::pair<int, int>> keys;
    bool has_winner = false;
    for (const auto& point : json.at(curve)) {
      const bool by_elements = std::string(curve) == "by_elements";
      keys.emplace(by_elements ? point.at("elements").get<int>() : 0, point.at("time_tile"));
      has_winner |= point.at("schedule") == winner;
      EXPECT_NEAR(point.at("predicted_gflops").get<double>(),
                  point.at("predicted").get<double>() * json.at("flops").get<double>(), 1e-6);
      EXPECT_TRUE(point.at("measured").is_null());
    }
    EXPECT_GT(keys.size(), 3u) << curve;
    EXPECT_EQ(keys.size(), json.at(curve).size()) << curve;
    EXPECT_TRUE(has_winner) << curve;
  }
  const std::string csv = read(file("a.csv"));
  EXPECT_EQ(lines_of(csv), candidates.size() + 1);
  const std::string header = csv.substr(0, csv.find('\n'));
  for (const char* column : {"rank", "schedule", "predicted"}) {
    EXPECT_TRUE(holds(header, column)) << header;
  }
  const std::string page = read(file("a.html"));
  EXPECT_TRUE(holds(page, "<!doctype html>") || holds(page, "<!DOCTYPE html>"));
  EXPECT_TRUE(holds(page, "</html>"));
  // For a large space the files hold only the best.
  const auto ranked = json.at("ranked").get<size_t>();
  EXPECT_GE(ranked, candidates.size());
  EXPECT_TRUE(ranked == candidates.size() || candidates.size() == kMostInFiles);
  EXPECT_TRUE(holds(outcome.out, ", " + std::to_string(ranked) + " ranked"));
  double last = 1e300;
  for (const auto& candidate : candidates) {
    if (candidate.value("spills", false)) break;
    const double predicted = candidate.at("predicted").get<double>();
    EXPECT_LE(predicted, last);
    last = predicted;
  }
}

TEST_F(Explore, SupportsEveryMachine) {
  const struct {
    const char *options, *machine, *never;
  } cases[] = {
      {"--machine sm_80", "machine   sm_80 (NVIDIA A100)", "planes T"},
      {"--target hip", "machine   gfx90a (AMD Instinct MI210)", "planes T"},
      {"--target opencl --machine sm_90", "machine   sm_90", "\n  1 *   planes"},
      {"--machine cpu", "machine   cpu (a CPU)", "\n  1 *   streaming"},
      {"--target cpp --machine this", "(this CPU)", "\n  1 *   streaming"},
      {"--target hip --machine gfx1100 --real double --fp fast", "double, --fp=fast", "planes T"},
  };
  for (const auto& each : cases) {
    const Outcome outcome = stencilc("explore heat.stn --rows 2 " + std::string(each.options));
    EXPECT_EQ(outcome.status, 0) << each.options << outcome.err;
    EXPECT_TRUE(holds(outcome.out, each.machine)) << each.options << outcome.out;
    EXPECT_EQ(ranks(outcome.out), 2) << each.options;
    EXPECT_FALSE(holds(outcome.out, std::string("\n  1 *   ") + each.never)) << each.options;
  }
}

TEST_F(Explore, SupportsOpenSizes) {
  write("open.stn",
        "param N : integer; grid G = [0..N-1, 0..N-1] steps 4; field A : real on G;\n"
        "stencil s : A[1..N-2, 1..N-2] = A[-1,0] + A[0,1];\n");
  const Outcome outcome = stencilc("explore open.stn --json a.json --html a.html");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "4096 x 4096 points")) << outcome.out;
  EXPECT_TRUE(nlohmann::json::accept(read(file("a.json"))));
  // Programs with open sizes cannot be timed.
  const Outcome measured = stencilc("explore open.stn --measure --device host");
  EXPECT_EQ(measured.status, 2);
  EXPECT_TRUE(holds(measured.err, "error R")) << measured.err;
  EXPECT_EQ(measured.out, "");
}

TEST_F(Explore, RefusesInvalidRequests) {
  write("broken.stn", kBroken);
  const struct {
    const char* options;
    const char* says;
    int status;
  } cases[] = {
      {"heat.stn --budget 3", "--measure", 2},
      {"heat.stn --measure --budget -1", "--budget", 2},
      {"heat.stn --measure --budget nan", "--budget", 2},
      {"heat.stn --measure --budget inf", "--budget", 2},
      {"heat.stn --measure --budget", "--budget", 2},
      {"heat.stn --measure --device host --machine sm_80", "U010", 2},
      {"heat.stn --measure --device none", "R040", 3},
      {"heat.stn --rows 0", "--rows", 2},
      {"heat.stn --rows -3", "--rows", 2},
      {"heat.stn --rows x", "--rows", 2},
      {"heat.stn --html ''", "--html", 2},
      {"heat.stn --machine sm_10", "sm_10", 2},
      {"heat.stn --target hip --machine sm_90", "sm_90", 2},
      {"heat.stn --schedule direct", "--schedule", 2},
      {"heat.stn broken.stn", "", 2},
      {"none.stn", "none.stn", 2},
      {"", "", 2},
      {"broken.stn --json a.json", "error S", 1},
  };
  for (const auto& each : cases) {
    const Outcome outcome = stencilc("explore " + std::string(each.options));
    EXPECT_EQ(outcome.status, each.status) << each.options << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "error")) << each.options << outcome.err;
    EXPECT_TRUE(holds(outcome.err, each.says)) << each.options << outcome.err;
    EXPECT_EQ(outcome.out, "") << each.options;
    EXPECT_EQ(files(), "broken.stn heat.stn") << each.options;
  }
}

TEST_F(Explore, WritesAllReportsOrNone) {
  for (const char* options :
       {"--json a.json --csv none/a.csv --html a.html", "--json none/a.json --csv a.csv",
        "--json a.json --csv a.csv --html none/a.html", "--json a.json --csv heat.stn/a.csv"}) {
    const Outcome outcome = stencilc("explore heat.stn " + std::string(options));
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_TRUE(holds(outcome.err, "error ")) << outcome.err;
    EXPECT_EQ(outcome.out, "") << options;
    EXPECT_EQ(files(), "heat.stn") << options;
  }
  // An existing file is unchanged.
  write("a.json", "mine");
  EXPECT_EQ(stencilc("explore heat.stn --json a.json --html none/a.html").status, 2);
  EXPECT_EQ(read(file("a.json")), "mine");
  EXPECT_EQ(stencilc("explore heat.stn --json a.json").status, 0);
  EXPECT_NE(read(file("a.json")), "mine");
  // Two reports cannot share a file, and the program's file is not overwritten.
  for (const char* options : {"--json b --csv b", "--csv b --html ./b", "--html heat.stn"}) {
    const Outcome same = stencilc("explore heat.stn " + std::string(options));
    EXPECT_EQ(same.status, 2) << options;
    EXPECT_TRUE(holds(same.err, "error U013")) << same.err;
    EXPECT_EQ(files(), "a.json heat.stn");
  }
  EXPECT_EQ(read(file("heat.stn")), kHeat);
}

class ExploreMeasures : public Explore {
 protected:
  ExploreMeasures() { ::setenv("STENCIL_TUNED", file("tuned.db").c_str(), 1); }
  ~ExploreMeasures() override { ::setenv("STENCIL_TUNED", "off", 1); }
};

// Measurements are shown, written and stored; later runs use them.
TEST_F(ExploreMeasures, StoresMeasurements) {
  const Outcome outcome =
      stencilc("explore heat.stn --measure --device host --budget 0.5 --json a.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "measured")) << outcome.out;
  EXPECT_FALSE(holds(outcome.out, "nothing was measured")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "\ndevice    ")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "\n  stencilc run heat.stn --device host --schedule \""));
  const auto json = nlohmann::json::parse(read(file("a.json")));
  const auto& candidates = json.at("candidates");
  ASSERT_FALSE(candidates.empty());
  ASSERT_TRUE(candidates[0].at("measured").is_number());
  const std::string winner = candidates[0].at("schedule");
  const auto& curve = json.at("by_time_tile");
  EXPECT_TRUE(std::any_of(curve.begin(), curve.end(), [](const auto& point) {
    return point.at("measured").is_number() && point.at("timed").is_string();
  }));
  double last = 1e300;
  for (const auto& candidate : candidates) {
    if (!candidate.contains("measured") || candidate["measured"].is_null()) break;
    EXPECT_LE(candidate["measured"].get<double>(), last);
    last = candidate["measured"];
  }
  if (!tune::has_database()) GTEST_SKIP() << tune::database_settings().note;
  EXPECT_FALSE(holds(stencilc("tuned").out, "entries   0\n"));
  const Outcome run = stencilc("run heat.stn --device host --full --out A=a.npy");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(holds(run.out, "(tuned: measured at 40x40 on")) << run.out;
}

// `explore` marks the schedule that a run takes, even if an older measurement decides.
TEST_F(ExploreMeasures, MarksWhatARunTakes) {
  if (!tune::has_database()) GTEST_SKIP() << tune::database_settings().note;
  const std::string explore = "explore heat.stn --measure --device host --budget 0.5 --json a.json";
  const auto chosen = [&] {
    EXPECT_EQ(stencilc(explore).status, 0);
    const auto report = nlohmann::json::parse(read(file("a.json")));
    std::vector<std::string> lines;
    for (const auto& candidate : report.at("candidates")) {
      if (candidate.at("chosen").get<bool>()) lines.push_back(candidate.at("schedule"));
    }
    EXPECT_EQ(lines.size(), 1u);
    return lines.empty() ? std::string() : lines.front();
  };
  const auto run_takes = [&](const std::string& line) {
    const std::string out = stencilc("run heat.stn --device host --full").out;
    EXPECT_TRUE(holds(unwrapped(out), "schedule  " + line + " (tuned: ")) << line << out;
  };
  run_takes(chosen());
  // A slow schedule of a foreign file is said to be much faster, with more runs.
  ASSERT_EQ(stencilc("tuned --export all.json").status, 0);
  auto all = nlohmann::json::parse(read(file("all.json")));
  auto& entry = all.at("entries").back();
  entry["schedule"] = "direct block=8x2 elements=1 rows=dense";
  entry["seconds"] = 1e-12;
  entry["runs"] = 1000000;
  write("all.json", all.dump());
  ASSERT_EQ(stencilc("tuned --import all.json").status, 0);
  const std::string line = chosen();
  EXPECT_TRUE(line.starts_with("direct block=8x2")) << line;
  run_takes(line);
}

// A zero budget times nothing, which is not an error.
TEST_F(ExploreMeasures, TimesNothingWithAZeroBudget) {
  const Outcome outcome = stencilc("explore heat.stn --measure --device host --budget 0");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "\n  1 *   ")) << outcome.out;
}

}  // namespace
}  // namespace stencil
