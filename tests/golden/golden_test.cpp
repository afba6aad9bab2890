// Each case shows one stage of the compiler on a small program, in the manner of LLVM's lit and
// FileCheck. A case is a cases/*.stn whose comments hold command lines and the required output:
//
//   // RUN: %s --emit ir --fp strict    arguments of stencilc; %s is this file
//   // CHECK: text                      a later line of the output contains the text
//   // CHECK-NEXT: text                 the next line contains it
//   // CHECK-NOT: text                  no line between the adjacent matches contains it
//
// The output is that of all RUN lines in order, including standard error. Each is preceded by a
// line "RUN: ARGUMENTS" and followed by "STATUS: N"; CHECK lines may match these too. Runs of
// blanks count as one blank on both sides. An emitted file quotes its program, so quoted lines with
// RUN or CHECK are dropped: otherwise a check could match itself.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace stencil {
namespace {

namespace fs = std::filesystem;

const fs::path kCases = fs::path(STENCIL_SOURCE_DIR) / "tests/golden/cases";

enum class Kind { Later, Next, Not };

struct Check {
  Kind kind;
  std::string text;
  int line;  // line number in the case
};

struct Case {
  std::vector<std::string> runs;
  std::vector<Check> checks;
};

std::string single_blanks(const std::string& text) {
  std::istringstream words(text);
  std::string out;
  for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Gets the text after `directive` in a line that contains it.
bool read_directive(const std::string& line, const std::string& directive, std::string& text) {
  const std::string mark = "// " + directive + ": ";
  const size_t at = line.find(mark);
  if (at == std::string::npos) return false;
  text = line.substr(at + mark.size());
  return true;
}

Case read_case(const fs::path& path) {
  Case out;
  std::ifstream file(path);
  int number = 0;
  std::string text;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (read_directive(line, "RUN", text)) out.runs.push_back(text);
    for (const auto& [name, kind] :
         {std::pair{"CHECK", Kind::Later}, {"CHECK-NEXT", Kind::Next}, {"CHECK-NOT", Kind::Not}}) {
      if (!read_directive(line, name, text)) continue;
      out.checks.push_back({kind, single_blanks(text), number});
    }
  }
  return out;
}

// Appends the output of `stencilc ARGUMENTS`, run in the directory of the case.
void run(const std::string& name, std::string arguments, std::vector<std::string>& output) {
  output.push_back("RUN: " + arguments);
  const size_t at = arguments.find("%s");
  if (at != std::string::npos) arguments.replace(at, 2, name);
  const std::string command =
      "cd '" + kCases.string() + "' && '" STENCIL_BINARY "' " + arguments + " 2>&1 </dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  char buffer[4096];
  while (const size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  const int status = pclose(pipe);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool quotation =
        line.find("// CHECK") != std::string::npos || line.find("// RUN:") != std::string::npos;
    if (!quotation) output.push_back(single_blanks(line));
  }
  output.push_back("STATUS: " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1));
}

// Matches the checks greedily in order. Returns "" or a description of the failure.
std::string compare(const std::vector<Check>& checks, const std::vector<std::string>& output) {
  const auto message = [](const Check& check, const std::string& what) {
    return "line " + std::to_string(check.line) + ": " + what + ": " + check.text;
  };
  std::vector<const Check*> forbidden;
  size_t next = 0;  // first unmatched line
  const auto violation = [&](size_t end) -> std::string {
    for (const Check* check : forbidden) {
      for (size_t i = next; i < end; ++i) {
        if (output[i].find(check->text) != std::string::npos) {
          return message(*check, "forbidden text found in '" + output[i] + "'");
        }
      }
    }
    forbidden.clear();
    return "";
  };
  for (const Check& check : checks) {
    if (check.kind == Kind::Not) {
      forbidden.push_back(&check);
      continue;
    }
    size_t at = next;
    while (at < output.size() && output[at].find(check.text) == std::string::npos) ++at;
    if (at == output.size()) return message(check, "not found");
    if (check.kind == Kind::Next && at != next) return message(check, "not on the next line");
    if (const std::string wrong = violation(at); !wrong.empty()) return wrong;
    next = at + 1;
  }
  return violation(output.size());
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, Matches) {
  const std::string name = GetParam() + ".stn";
  const Case golden = read_case(kCases / name);
  ASSERT_FALSE(golden.runs.empty()) << "no RUN line";
  ASSERT_FALSE(golden.checks.empty()) << "no CHECK line";
  std::vector<std::string> output;
  for (const std::string& arguments : golden.runs) run(name, arguments, output);
  const std::string wrong = compare(golden.checks, output);
  if (wrong.empty()) return;
  std::string text;
  for (const std::string& line : output) text += line + "\n";
  ADD_FAILURE() << name << " " << wrong << "\nin\n" << text;
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kCases)) {
    if (entry.path().extension() == ".stn") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

TEST(Compare, ReportsWhatDiffers) {
  const std::vector<std::string> output = {"one", "two", "three"};
  const auto check = [&](std::vector<Check> checks) { return compare(checks, output); };
  EXPECT_EQ(check({{Kind::Later, "one", 1}, {Kind::Next, "two", 2}, {Kind::Not, "four", 3}}), "");
  EXPECT_EQ(check({{Kind::Later, "two", 1}, {Kind::Later, "one", 2}}), "line 2: not found: one");
  EXPECT_EQ(check({{Kind::Later, "one", 1}, {Kind::Next, "three", 2}}),
            "line 2: not on the next line: three");
  EXPECT_EQ(check({{Kind::Not, "two", 1}, {Kind::Later, "three", 2}}),
            "line 1: forbidden text found in 'two': two");
  EXPECT_EQ(check({{Kind::Later, "one", 1}, {Kind::Not, "three", 2}}),
            "line 2: forbidden text found in 'three': three");
  EXPECT_EQ(check({{Kind::Not, "three", 1}, {Kind::Later, "two", 2}}), "");
}

}  // namespace
}  // namespace stencil
