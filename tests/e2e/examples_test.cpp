// Every example of dsl-examples: it runs and its values stay finite. A representative subset is
// compared with the reference interpreter on every device of this machine.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

const fs::path kExamples = fs::path(STENCIL_SOURCE_DIR) / "dsl-examples";

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() == ".stn") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// -D options for the sizes N, M, K of an example: small for its rank,
// all different, no round numbers.
std::string small_sizes(const std::string& name) {
  const std::string text = read(kExamples / (name + ".stn"));
  std::smatch grid;
  EXPECT_TRUE(std::regex_search(text, grid, std::regex("\ngrid [^\\]]*\\]"))) << name;
  const std::string box = grid.str();
  const auto commas = std::count(box.begin(), box.end(), ',');
  int size = commas == 0 ? 500 : commas == 1 ? 35 : commas == 2 ? 13 : 7;
  std::string out;
  const std::regex param("param +([NMK]) *: *integer");
  for (std::sregex_iterator it(text.begin(), text.end(), param), end; it != end; ++it) {
    out += " -D " + (*it)[1].str() + "=" + std::to_string(size);
    size += 2;
  }
  return out;
}

class Example : public Tool, public testing::WithParamInterface<std::string> {
 protected:
  Outcome on_example(const std::string& command, const std::string& options) const {
    const std::string path = (kExamples / (GetParam() + ".stn")).string();
    return stencilc(command + " '" + path + "'" + small_sizes(GetParam()) + " " + options);
  }
};

using EveryExample = Example;

TEST_P(EveryExample, RunsOnTheReference) {
  const Outcome run = on_example("run", "--steps 6 --device reference --stats");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  // The table of --stats: a header that ends in "nan", then one row per component.
  const size_t header = run.out.find("\nfield ");
  ASSERT_NE(header, std::string::npos) << run.out;
  std::istringstream table(run.out.substr(header + 1));
  std::string row;
  std::getline(table, row);
  ASSERT_TRUE(row.ends_with(" nan")) << row;
  int rows = 0;
  while (std::getline(table, row) && !row.empty()) {
    ++rows;
    EXPECT_TRUE(row.ends_with(" 0")) << row;
    EXPECT_EQ(row.find("inf"), std::string::npos) << row;
  }
  EXPECT_GE(rows, 1) << run.out;
}

TEST_P(EveryExample, IsExplained) {
  const Outcome explained = on_example("explain", "");
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_NE(explained.out.find("Stencil functions, in order"), std::string::npos);
  EXPECT_NE(explained.out.find("Refusals"), std::string::npos);
}

using RepresentativeExample = Example;

// `verify` picks the sizes, open and fixed, and by default the schedules. On a CPU, OpenCL runs the
// loops of `host` through another compiler, so one schedule suffices to check that compiler.
// STENCIL_LONG=1 runs all.
TEST_P(RepresentativeExample, AgreesWithTheReferenceOnEveryDevice) {
  const std::string path = (kExamples / (GetParam() + ".stn")).string();
  const std::string devices = stencilc("devices").out;
  const bool lines = std::regex_search(read(path), std::regex("\ngrid [^,\\]]*\\]"));
  const char* longer = std::getenv("STENCIL_LONG");
  const bool all_there = longer && *longer == '1';
  const std::string one = all_there ? ""
                          : lines   ? " --schedule 'overlapped T=3'"
                                    : " --schedule planes";
  const std::pair<const char*, std::string> all[] = {{"host", ""}, {"cuda", ""}, {"opencl", one}};
  for (const auto& [device, schedules] : all) {
    if (!std::regex_search(devices, std::regex("\n" + std::string(device) + " +yes"))) continue;
    const Outcome verified =
        stencilc("verify '" + path + "' --quick --full --device " + device + schedules);
    ASSERT_EQ(verified.status, 0) << verified.out << verified.err;
    EXPECT_NE(verified.out.find(" 0 wrong"), std::string::npos) << verified.out;
    EXPECT_NE(verified.out.find("same bits"), std::string::npos) << verified.out;
  }
}

const auto kName = [](const auto& info) { return info.param; };

INSTANTIATE_TEST_SUITE_P(Examples, EveryExample, testing::ValuesIn(examples()), kName);

INSTANTIATE_TEST_SUITE_P(Examples, RepresentativeExample,
                         testing::Values("jacobi1d3", "jacobi2d", "jacobi3d", "fdtd2d",
                                         "paper_multi", "paper_smooth", "life", "grayscott",
                                         "lbm_d2q9", "acoustic3d", "heat3d", "converge2d",
                                         "phi4flow", "graetz2d", "q2r", "tide", "elastic2d",
                                         "cavity2d", "chip2d"),
                         kName);

}  // namespace
}  // namespace stencil
