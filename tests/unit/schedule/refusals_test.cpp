// `refusals` lists exactly what `lower` refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/schedule/settings.h"
#include "tests/unit/load.h"

namespace stencil::schedule {
namespace {

const char* const kPrograms[] = {
    "grid G = [0..255] steps 4; field A : real on G; stencil s : A[1..254] = A[-1] + A[1];",
    "grid G = [0..255, 0..255] steps 4; field A : real on G boundary periodic;"
    "stencil s : A on G = A[-1,0] + A[0,1];",
    "grid G = [0..254, 0..254] steps 4; field A : real on G boundary clamp;"
    "stencil s : A on G = max(A[-1,0], A[0,1]);",
    "param N : integer; grid G = [0..N-1, 0..N-1, 0..N-1] steps 4; field A : half on G boundary "
    "clamp;"
    "stencil s : A on G = A[-4,0,0] + A[0,0,4];",
    "grid G = [0..63, 0..63] steps 4; subgrid S of G = [1..62, 1..62];"
    "field A : real on S boundary clamp; stencil s : A on S = A[-1,0];",
    "grid G = [0..63, 0..63] steps 4; subgrid S of G = [9..20, 0..63];"
    "field A : real on S boundary clamp; field B : real on G;"
    "stencil s : A on S = A[-1,0]; stencil t : B on G = A[0,0];",
    "grid G = [0..5, 0..5, 0..5, 0..5] steps 4; field A : real on G; stencil s : A on G = "
    "A[0,0,0,0];",
    "grid G = [0..63, 0..63] steps 4; field C : real on G constant boundary clamp;"
    "field A, B : real on G boundary periodic;"
    "stencil s : A on G = C[8000,0] * B[3000,0]; stencil t : B on G = A[3000,0];",
    "grid G = [0..63, 0..63, 0..63] steps 4; field A : double on G boundary clamp;"
    "stencil s : A on G = A[-1048576,1,-1048576] + A[0,1048576,1048576];",
    "grid G = [0..63, 0..63] steps 4; field A : real on G history 2;"
    "stencil s : A on G = A@-1[0,0]; reduce r = sum(A[0,0]) on G; stencil t : A on G = A[0,0] / r;",
};

std::string code(const Diagnostics& diagnostics) {
  return diagnostics.items().empty() ? "" : diagnostics.items().front().code;
}

// The code with which `line` is refused; "" if it is accepted.
std::string refused(const ir::Program& program, const std::string& line) {
  Diagnostics diagnostics;
  const auto schedule = parse(line, program, diagnostics);
  if (schedule) lower(program, *schedule, diagnostics);
  return code(diagnostics);
}

TEST(Refusals, EqualThoseOfLower) {
  std::set<std::string> seen;
  for (const char* text : kPrograms) {
    SCOPED_TRACE(text);
    const ir::Program program = test::load(text);
    std::map<std::string, std::string> listed;
    for (const Refusal& refusal : refusals(program)) {
      listed[refusal.line] = code(refusal.reasons);
      EXPECT_EQ(refused(program, refusal.line), code(refusal.reasons)) << refusal.line;
      seen.insert(code(refusal.reasons));
    }
    for (const Family& family : family_table()) {
      EXPECT_EQ(refused(program, family.name), listed[family.name]) << family.name;
      if (!listed[family.name].empty()) continue;
      for (const Setting& setting : family.settings) {
        if (!setting.is_word() || setting.unsaid) continue;
        const Schedule usual = family.blank();
        for (const Choice& choice : choices(usual, setting, program.grid().rank())) {
          const std::string line = family.name + " " + choice.setting;
          EXPECT_EQ(refused(program, line), listed[line]) << line;
        }
      }
    }
  }
  for (const char* each : {"L010", "L014", "L016", "L018", "L021", "L025", "L026", "L027"}) {
    EXPECT_TRUE(seen.count(each)) << each;
  }
}

TEST(Refusals, NameTheFirstTimeTileThatIsTooLong) {
  const ir::Program program = test::load(
      "grid G = [0..255, 0..255] steps 4; field A : real on G boundary clamp;"
      "stencil s : A on G = A[-3,0] + A[3,0] + A[0,-3] + A[0,3];");
  std::set<std::string> families;
  for (const Refusal& refusal : refusals(program)) {
    const size_t at = refusal.line.find(" T=");
    if (at == std::string::npos) continue;
    const int T = std::stoi(refusal.line.substr(at + 3));
    const std::string family = refusal.line.substr(0, at);
    families.insert(family);
    EXPECT_EQ(refused(program, family + " T=" + std::to_string(T - 1)), "") << refusal.line;
  }
  EXPECT_EQ(families, (std::set<std::string>{"overlapped", "planes", "streaming"}));
}

}  // namespace
}  // namespace stencil::schedule
