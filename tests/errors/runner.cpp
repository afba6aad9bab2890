// Runs the front end on every cases/*.stn and compares the rendered messages, carets included, with
// cases/*.expected. The first line of a case holds its options:
//
//   // options: -D N=4 --open M --steps 3 --real double
//
// If STENCIL_REBASE is set in the environment, the expected files are rewritten instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/driver/frontend.h"
#include "compiler/support/numbers.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(STENCIL_SOURCE_DIR) / "tests/errors/cases";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ProgramOptions options_of(const std::string& text) {
  ProgramOptions options;
  const std::string prefix = "// options:";
  if (text.rfind(prefix, 0) != 0) return options;
  std::istringstream words(text.substr(prefix.size(), text.find('\n') - prefix.size()));
  for (std::string word, value; words >> word >> value;) {
    if (word == "-D") {
      const size_t equals = value.find('=');
      options.definitions[value.substr(0, equals)] = value.substr(equals + 1);
    } else if (word == "--open") {
      options.open.insert(value);
    } else if (word == "--fix") {
      options.fixed.insert(value);
    } else if (word == "--steps") {
      options.steps = parse_integer(value);
    } else if (word == "--real") {
      options.real = value == "double" ? Scalar::F64 : Scalar::F32;
    } else {
      ADD_FAILURE() << "unknown option " << word;
    }
  }
  return options;
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (entry.path().extension() == ".stn") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ErrorText : public testing::TestWithParam<std::string> {};

TEST_P(ErrorText, IsAsExpected) {
  const std::string text = read(kCases / (GetParam() + ".stn"));
  const Source source(GetParam() + ".stn", text);
  Diagnostics diagnostics;
  const auto program = load_program(source, options_of(text), diagnostics);
  std::string rendered;  // all errors, however many
  for (const Diagnostic& diagnostic : diagnostics.items()) rendered += render(source, diagnostic);

  EXPECT_EQ(program.has_value(), !diagnostics.has_errors());
  const std::string code = GetParam().substr(0, 4);  // S031_low_end.stn is about S031
  EXPECT_NE(rendered.find(" " + code + ": "), std::string::npos) << rendered;
  const fs::path expected = kCases / (GetParam() + ".expected");
  if (std::getenv("STENCIL_REBASE")) {
    std::ofstream(expected, std::ios::binary) << rendered;
  } else {
    EXPECT_EQ(rendered, read(expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ErrorText, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stencil
