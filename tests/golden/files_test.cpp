// Whole emitted files, so that a change of generated code shows in a review. STENCIL_REBASE=1
// writes the present output to files/.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace stencil {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = STENCIL_SOURCE_DIR;

struct EmittedFile {
  const char* name;     // in files/
  const char* program;  // in dsl-examples/
  const char* arguments;
};

// Two dimensions and three, every family, and every kind of driver.
const EmittedFile kFiles[] = {
    {"streaming2d.cu", "jacobi2d", "--target cuda --machine sm_90 --schedule 'streaming T=4'"},
    {"streaming3d.cu", "jacobi3d", "--target cuda --machine sm_90 --schedule 'streaming T=3'"},
    {"overlapped.cu", "life", "--target cuda --machine sm_90 --schedule 'overlapped T=2'"},
    {"direct.cu", "heat3d", "--target cuda --machine sm_90 --schedule direct"},
    {"streaming2d.hip.cpp", "graetz2d", "--target hip --machine gfx90a --schedule 'streaming T=2'"},
    {"planes.cpp", "heat3d", "--target cpp --machine cpu --schedule 'planes T=2'"},
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "line 12:\n- old\n+ new" for the first line that differs.
std::string first_difference(const std::string& old_text, const std::string& new_text) {
  std::istringstream old_lines(old_text), new_lines(new_text);
  std::string old_line, new_line;
  for (int number = 1;; ++number) {
    const bool old_ends = !std::getline(old_lines, old_line);
    const bool new_ends = !std::getline(new_lines, new_line);
    if (old_ends && new_ends) return "";
    if (old_ends != new_ends || old_line != new_line) {
      return "line " + std::to_string(number) + ":\n- " + (old_ends ? "(end)" : old_line) + "\n+ " +
             (new_ends ? "(end)" : new_line);
    }
  }
}

class GoldenFiles : public testing::TestWithParam<EmittedFile> {};

TEST_P(GoldenFiles, AreEmitted) {
  const EmittedFile& file = GetParam();
  const fs::path golden = kSource / "tests/golden/files" / file.name;
  std::string directory = (fs::temp_directory_path() / "stencil-golden-XXXXXX").string();
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const fs::path out = fs::path(directory) / "out";
  const std::string command = "cd '" + (kSource / "dsl-examples").string() +
                              "' && '" STENCIL_BINARY "' " + file.program + ".stn " +
                              file.arguments + " -o - >'" + out.string() + "' </dev/null";
  const int status = std::system(command.c_str());
  const std::string text = read(out);
  fs::remove_all(directory);
  ASSERT_EQ(status, 0) << command;
  if (const char* rebase = std::getenv("STENCIL_REBASE"); rebase && *rebase == '1') {
    std::ofstream(golden, std::ios::binary) << text;
    return;
  }
  EXPECT_EQ(first_difference(read(golden), text), "")
      << "If the change is intended, run this test with STENCIL_REBASE=1 and read the diff.";
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenFiles, testing::ValuesIn(kFiles), [](const auto& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

}  // namespace
}  // namespace stencil
