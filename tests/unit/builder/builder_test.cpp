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
  for (const auto& entry : fs::directory_iterator(fs::path(STENCIL_SOURCE_DIR) / "dsl-examples")) {
    if (entry.path().extension() != ".stn") continue;
    const std::string name = entry.path().stem();
    SCOPED_TRACE(name);
    const std::string text = read(entry.path());
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
    } catch (const test::NotInBuilder&) {
      continue;
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
