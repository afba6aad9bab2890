// stencil_bench run as a process.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runtime/devices/device_table.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"
#include "tools/bench/suite.h"

namespace stencil::bench {
namespace {

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Program : public testing::Test {
 protected:
  // Returns the exit status. `arguments` are shell words.
  int run(const std::string& arguments) {
    const std::string command = "cd " + directory_.file("") + " && '" STENCIL_BENCH "' " +
                                arguments + " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.file(name)) << text;
  }
  std::string out() { return read(directory_.file("out")); }
  std::string err() { return read(directory_.file("err")); }

  runtime::TemporaryDirectory directory_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Program, WritesResultsAndPrintsThemAgain) {
  const auto device = runtime::choose_device("opencl");
  if (!device.ok()) GTEST_SKIP() << device.failure().message;
  write("decay.stn", runtime::kDecay);
  write("suite.json", R"([{"program": "decay.stn", "steps": 3, "repeat": 1,
    "schedules": ["direct", "streaming T=1"]}])");
  EXPECT_EQ(run("suite.json --out results.json --device opencl"), 0) << out() << err();
  EXPECT_TRUE(contains(out(), "[1/2] decay - float contract 'direct': 0.0 GCells/s, passed\n"))
      << out();
  const Json file = Json::parse(read(directory_.file("results.json")), nullptr, false);
  ASSERT_TRUE(file.is_object());
  EXPECT_EQ(file["device"], "opencl");
  EXPECT_EQ(file["machine"], device.value().info.description);
  EXPECT_EQ(file["results"].size(), 2u);
  const std::string table = out().substr(out().find("device opencl"));
  EXPECT_EQ(run("--table results.json"), 0);
  EXPECT_EQ(out(), table);
}

// Results measured earlier are kept.
TEST_F(Program, ResumesWhereItsBudgetEnded) {
  const auto device = runtime::choose_device("opencl");
  if (!device.ok()) GTEST_SKIP() << device.failure().message;
  write("decay.stn", runtime::kDecay);
  write("suite.json", R"([{"program": "decay.stn", "steps": 3, "repeat": 1,
    "schedules": ["direct", "overlapped", "overlapped T=2"]}])");
  EXPECT_EQ(run("suite.json --out r.json --device opencl --budget 1e-9"), 0) << err();
  Json file = Json::parse(read(directory_.file("r.json")), nullptr, false);
  ASSERT_EQ(file["results"].size(), 3u);
  EXPECT_TRUE(file["results"][0].contains("left_out"));
  Json& measured = file["results"][1];
  measured.erase("left_out");
  measured["gcells"] = 77.5;
  measured["check"] = "passed";
  write("r.json", file.dump());
  EXPECT_EQ(run("suite.json --out r.json --device opencl --continue"), 0) << out() << err();
  file = Json::parse(read(directory_.file("r.json")), nullptr, false);
  ASSERT_EQ(file["results"].size(), 3u);
  EXPECT_EQ(file["results"][1]["gcells"], 77.5);
  for (const int r : {0, 2}) {
    EXPECT_TRUE(file["results"][r].contains("gcells")) << file["results"][r].dump(1);
    EXPECT_NE(file["results"][r]["gcells"], 77.5);
  }
  EXPECT_TRUE(contains(out(), "3 passed, 0 failed")) << out();
  file["machine"] = "another";
  write("r.json", file.dump());
  EXPECT_EQ(run("suite.json --out r.json --device opencl --continue"), 2);
  EXPECT_TRUE(contains(err(), "error U031: 'r.json' has results of another device")) << err();
}

TEST_F(Program, ExitStatusTellsTheKindOfFailure) {
  write("suite.json", R"([{"program": "decay.stn", "steps": 3, "schedules": ["direct"]}])");
  write("wrong.json", R"([{"program": "decay.stn", "steps": 3}])");
  EXPECT_EQ(run("suite.json --device opencl:none"), 3);
  EXPECT_TRUE(contains(err(), "error R041")) << err();
  EXPECT_EQ(run("suite.json --device reference"), 3);
  EXPECT_TRUE(contains(err(), "error R045")) << err();
  EXPECT_EQ(run("wrong.json"), 2);
  EXPECT_TRUE(contains(err(), "error U030: the suite is wrong: entry 1")) << err();
  EXPECT_EQ(run("absent.json"), 2);
  EXPECT_TRUE(contains(err(), "error R010")) << err();
  EXPECT_EQ(run("--table wrong.json"), 0) << "a list of records without figures";
  EXPECT_EQ(run("--table decay.stn"), 2);
  EXPECT_EQ(run("suite.json --continue"), 2) << "nothing to continue";
  EXPECT_EQ(run("suite.json --no-such-option"), 2);
  EXPECT_EQ(run("--help"), 0);
  EXPECT_EQ(run(""), 2);
  EXPECT_TRUE(contains(err(), "error U032: no suite given")) << err();
  if (!runtime::choose_device("opencl").ok()) return;
  EXPECT_EQ(run("suite.json --device opencl"), 1) << "the program does not exist";
  EXPECT_TRUE(contains(out(), "FAILED decay - float contract 'direct': R010")) << out();
}

}  // namespace
}  // namespace stencil::bench
