// Programs made by the builder have the same IR as the same programs as text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "compiler/builder/access.h"
#include "compiler/sema/analyze.h"
#include "compiler/syntax/parse.h"
#include "tests/unit/builder/dump.h"
#include "tests/unit/builder/examples.h"
#include "tests/unit/builder/replay.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The IR of a text as dump() prints it. Fails the test if the text has errors.
std::string ir_of(const std::string& text, const ProgramOptions& options) {
  const Source source("text.stn", text);
  Diagnostics diagnostics;
  const auto syntax = parse(source, diagnostics);
  const auto program = syntax ? analyze(*syntax, source, options, diagnostics) : std::nullopt;
  EXPECT_TRUE(program.has_value()) << render(source, diagnostics);
  return program ? test::dump(*program) : "";
}

// The IR of a program from the builder.
std::string ir_of(const BuildResult& built, const ProgramOptions& options) {
  EXPECT_TRUE(built.ok()) << built.report();
  if (!built) return "";
  Diagnostics diagnostics;
  const auto program =
      analyze(syntax_of(*built.program), source_of(*built.program), options, diagnostics);
  EXPECT_TRUE(program.has_value()) << render(*built.program, diagnostics);
  return program ? test::dump(*program) : "";
}

std::set<std::string> integer_params(const std::string& text) {
  const std::regex declaration("param +([A-Za-z]+) *: *integer");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

// Writes `field u, f : real on G;` as declarations of one field each, as builders do. The levels of
// a field follow it, so the declarations differ in the order of the fields.
std::string one_field_each(const std::string& text) {
  static const std::regex kSeveral("field +([a-z]+), *([a-z, ]+) : ([^;]*);");
  std::string out = text;
  for (std::string before; before != out;) {
    before = out;
    out = std::regex_replace(out, kSeveral, "field $1 : $3;\nfield $2 : $3;");
  }
  return out;
}

// The first line in which two texts differ, from both; "" if they are equal.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream in_a(a), in_b(b);
  for (int number = 1; in_a && in_b; ++number) {
    std::string line_a, line_b;
    std::getline(in_a, line_a);
    std::getline(in_b, line_b);
    if (line_a != line_b) return fmt::format("line {}:\n{}\n{}\n", number, line_a, line_b);
  }
  return "";
}

std::vector<test::Example> all_examples() {
  std::vector<test::Example> all = test::flat_examples();
  all.insert(all.end(), test::spatial_examples().begin(), test::spatial_examples().end());
  all.insert(all.end(), test::simulation_examples().begin(), test::simulation_examples().end());
  all.insert(all.end(), test::multigrid_examples().begin(), test::multigrid_examples().end());
  return all;
}

void expect_ir_of_text(const BuildResult& result, const std::string& name,
                       const std::string& text) {
  EXPECT_EQ(result.report(), "");
  ProgramOptions options;
  options.name = name;
  EXPECT_EQ(difference(ir_of(result, options), ir_of(text, options)), "");
  options.fp = FpMode::Strict;
  options.open = integer_params(text);
  // Blocks are expanded at compile time, so only the size is open.
  if (text.find(" levels ") != std::string::npos) options.open = {"N"};
  EXPECT_EQ(difference(ir_of(result, options), ir_of(text, options)), "");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.program->name(), name);
  EXPECT_EQ(difference(ir_of(result.program->text(), options), ir_of(result, options)), "");
}

// Compares the examples built by hand in *_examples.cpp. All others are
// replayed from their syntax trees.
TEST(Builder, EveryExampleHasTheIrOfItsText) {
  std::map<std::string, const test::Example*> by_hand;
  const std::vector<test::Example> all = all_examples();
  for (const test::Example& example : all) by_hand[example.name] = &example;
  size_t found = 0;
  std::vector<fs::path> files;
  for (const char* folder : {"dsl-examples", "examples/multigrid"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(STENCIL_SOURCE_DIR) / folder)) {
      if (entry.path().extension() == ".stn") files.push_back(entry.path());
    }
  }
  for (const fs::path& file : files) {
    const std::string name = file.stem();
    SCOPED_TRACE(name);
    const std::string text = one_field_each(read(file));
    if (by_hand.count(name)) {
      ++found;
      expect_ir_of_text(by_hand[name]->build(), name, text);
      continue;
    }
    Diagnostics diagnostics;
    const auto syntax = parse(Source(name + ".stn", text), diagnostics);
    ASSERT_TRUE(syntax.has_value());
    expect_ir_of_text(test::replay(*syntax, name), name, text);
  }
  EXPECT_EQ(found, by_hand.size());
}

// A correction from a grid of vertices and from one of cells.
TEST(Builder, DerivedGridsHaveTheIrOfTheirText) {
  const std::string text = R"(
param N : integer = 13;
grid F = [0..N-1, 0..N-1] steps 3 spacing 0.5;
grid C of F by 2;
grid D of C by [7, 1] cells;
subgrid inner of C = [first+1..last-1, first+1..last-1];
field u : real on F boundary constant 0;
field e : real on C boundary mirror;
field g : real on D constant boundary clamp;
stencil restrict : e on inner = sum(a in -1..1, b in -1..1 : 0.0625 * (2-abs(a)) * (2-abs(b)) * u[a,b]);
stencil correct : u[i in first+1..last-1, j in first+1..last-1] =
  u[0,0] + 0.25 * (e[0,0] + e[1,0] + e[0,1] + e[1,1]) + g[0,0] * position(i) * spacing(j);
reduce norm = max(abs(e[0,0])) on C;
init u[i,j] = random(i, j, 7);
init g[i,j] = position(j);
)";
  using namespace dsl;  // NOLINT: as users write
  Builder b("derived");
  const auto N = b.param("N", 13);
  const auto F = b.grid("F", {extent(N), extent(N)}, {.steps = 3, .spacing = 0.5});
  const auto C = b.grid("C", F, {.by = 2});
  const auto D = b.grid("D", C, {.by = {7, 1}, .cells = true});
  const Range inside(first() + 1, last() - 1);
  const auto inner = b.subgrid("inner", C, {inside, inside});
  const auto u = b.field("u", real, F, {.boundary = constant(0)});
  const auto e = b.field("e", real, C, {.boundary = mirror});
  const auto g = b.field("g", real, D, {.constant = true, .boundary = clamp});
  const Index x("a"), y("b"), i("i"), j("j");
  b.stencil("restrict", e, inner,
            sum({x.in(-1, 1), y.in(-1, 1)}, 0.0625 * (2 - abs(x)) * (2 - abs(y)) * u(x, y)));
  b.stencil("correct", u, {i.in(first() + 1, last() - 1), j.in(first() + 1, last() - 1)},
            u(0, 0) + 0.25 * (e(0, 0) + e(1, 0) + e(0, 1) + e(1, 1)) +
                g(0, 0) * position(i) * spacing(j));
  b.reduce("norm", Reducer::max, abs(e(0, 0)), C);
  b.init(u, {i, j}, random({i, j}, 7));
  b.init(g, {i, j}, position(j));
  expect_ir_of_text(b.finish(), "derived", text);
}

// Errors of semantic analysis, without the blanks in quoted program text.
std::vector<std::string> errors_of(const ast::Program& syntax, const Source& source) {
  Diagnostics diagnostics;
  analyze(syntax, source, {}, diagnostics);
  std::vector<std::string> errors;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    std::string text = diagnostic.code + " " + diagnostic.message + " | " + diagnostic.expected +
                       " | " + diagnostic.found + " | " + diagnostic.hint;
    std::erase(text, ' ');
    errors.push_back(text);
  }
  return errors;
}

TEST(Builder, InvalidProgramsHaveTheErrorsOfTheirText) {
  int programs = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(STENCIL_SOURCE_DIR) / "tests/errors/cases")) {
    if (entry.path().extension() != ".stn") continue;
    SCOPED_TRACE(entry.path());
    const Source source("case.stn", read(entry.path()));
    Diagnostics diagnostics;
    const auto syntax = parse(source, diagnostics);
    if (!syntax) continue;
    BuildResult built;
    try {
      built = test::replay(*syntax, "case", {.analyse = false});
    } catch (const std::out_of_range&) {
      continue;  // undeclared names have no handle in C++
    }
    ASSERT_TRUE(built.ok()) << built.report();
    EXPECT_EQ(errors_of(syntax_of(*built.program), source_of(*built.program)),
              errors_of(*syntax, source));
    ++programs;
  }
  EXPECT_GT(programs, 30);
}

}  // namespace
}  // namespace stencil
