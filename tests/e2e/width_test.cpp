// The output of all commands fits 100 columns, and printed schedules can be passed back.
#include <fmt/format.h>

#include <regex>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

class Width : public Tool {
 protected:
  void expect_narrow(const std::string& command) const {
    const Outcome outcome = stencilc(command);
    EXPECT_EQ(outcome.status, 0) << command << "\n" << outcome.err;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100u) << command << ":\n" << line;
    }
  }
  // The text after `label` in the output of a command.
  std::string behind(const std::string& label, const std::string& command) const {
    const std::string out = stencilc(command).out;
    std::smatch match;
    const bool found = std::regex_search(out, match, std::regex("(^|\n)" + label + " +(.*)"));
    EXPECT_TRUE(found) << command << "\n" << out;
    return found ? match[2].str() : "";
  }
  // The schedule printed by `explain`, joined from its lines.
  std::string explained(const std::string& arguments) const {
    const std::string out = stencilc("explain " + arguments).out;
    const size_t begin = out.find("\n  schedule"), end = out.find("\n  chosen");
    EXPECT_TRUE(begin < end && end != out.npos) << arguments << "\n" << out;
    std::istringstream words(out.substr(begin, end - begin));
    std::string line, word;
    words >> word;
    while (words >> word) line += (line.empty() ? "" : " ") + word;
    return line;
  }
  bool has_host() const {
    return stencilc("devices").out.find("host        yes") != std::string::npos;
  }
};

const std::string kExamples = STENCIL_SOURCE_DIR "/dsl-examples/";

// Fields with long names and many neighbours, reductions, and a function with a long line.
const char* const kLongNames = R"(
param number_of_rows : integer = 24;
grid G = [0..number_of_rows-1, 0..number_of_rows-1, 0..15] spacing [1.0 / number_of_rows, 0.25, 0.125] steps 4;
field temperature_of_the_fluid : real on G history 2 boundary clamp;
field thermal_conductivity, density_of_the_material : real on G constant;
stencil conduct_heat : temperature_of_the_fluid on G = 0.125 * thermal_conductivity[0,0,0] * (temperature_of_the_fluid[-1,0,0] + temperature_of_the_fluid[1,0,0] + density_of_the_material[0,0,0] * temperature_of_the_fluid@-1[0,-2,0]);
init thermal_conductivity[i,j,k] = 1;
init density_of_the_material[i,j,k] = 0.5;
init temperature_of_the_fluid[i,j,k] = -1e-30 * i;
reduce total_heat_of_the_whole_block = sum(temperature_of_the_fluid[0,0,0]) on G every 2;
stop when total_heat_of_the_whole_block > 1e30;
)";

TEST_F(Width, HelpAndDevices) {
  for (const char* command :
       {"", "check", "fmt", "completion", "explain", "run", "verify", "devices", "cache"}) {
    expect_narrow(std::string(command) + " --help");
  }
  expect_narrow("devices");
  write("no_library", "");
  ::setenv("STENCIL_HOST_LIBRARY", file("no_library").c_str(), 1);
  expect_narrow("devices");
  ::unsetenv("STENCIL_HOST_LIBRARY");
}

TEST_F(Width, Explain) {
  write("long.stn", kLongNames);
  std::vector<std::string> programs = {"long.stn", "heat.stn"};
  write("heat.stn", kHeat);
  for (const auto& example : std::filesystem::directory_iterator(kExamples)) {
    if (example.path().extension() == ".stn") programs.push_back(example.path().string());
  }
  EXPECT_GT(programs.size(), 10u);
  for (const std::string& program : programs) {
    for (const char* options : {"--target cuda", "--target cpp --full", "--target cuda --full",
                                "--target cpp", "--schedule direct", "--fp fast"}) {
      expect_narrow(fmt::format("explain '{}' {}", program, options));
    }
  }
}

TEST_F(Width, Run) {
  write("long.stn", kLongNames);
  for (const std::string& program :
       {std::string("long.stn"), kExamples + "lbm_d2q9.stn", kExamples + "maxwell3d.stn -D N=20"}) {
    expect_narrow(fmt::format("run {} --steps 2 --stats --device reference", program));
  }
  if (!has_host()) GTEST_SKIP() << "no host device";
  const std::string schedule = " --schedule 'streaming T=2 block=16x4 prefetch=1'";
  expect_narrow("run long.stn --device host --stats" + schedule);
  expect_narrow("run long.stn --device host --full" + schedule);
}

TEST_F(Width, Verify) {
  if (!has_host()) GTEST_SKIP() << "no host device";
  write("long.stn", kLongNames);
  write("heat.stn", kHeat);
  expect_narrow("verify heat.stn --quick --device host --budget 600");
  expect_narrow(
      "verify long.stn --quick --device host --full --schedule 'streaming T=2 block=16x4'");
}

TEST_F(Width, PrintedSchedulesCanBePassedBack) {
  write("heat.stn", kHeat);
  write("wave.stn", kWave3d);
  for (const char* program : {"heat.stn", "wave.stn"}) {
    for (const char* target : {"cuda", "cpp"}) {
      for (const char* given : {"auto", "streaming T=2 chunk=9", "planes T=2", "direct",
                                "overlapped T=2 regions=hull rows=dense"}) {
        const std::string explain = fmt::format("{} --target {} --schedule '", program, target);
        const std::string brief = explained(explain + given + "'");
        EXPECT_EQ(brief.find("=auto"), brief.npos) << brief;
        EXPECT_EQ(explained(explain + brief + "'"), brief);
        EXPECT_EQ(explained(explain + brief + "' --full"), explained(explain + given + "' --full"));
      }
    }
    if (!has_host()) continue;
    const std::string run = fmt::format("run {} --device host --schedule '", program);
    const std::string brief = behind("schedule", run + "auto'");
    EXPECT_EQ(behind("schedule", run + brief + "' --full"),
              behind("schedule", run + "auto' --full"));
    // A fixed line, because the line of `auto` depends on the number of threads and may contain no
    // setting to omit.
    const std::string omits = run + "overlapped T=2'";
    EXPECT_LT(behind("schedule", omits).size(), behind("schedule", omits + " --full").size());
  }
}

}  // namespace
}  // namespace stencil
