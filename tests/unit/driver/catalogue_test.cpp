// Compares the error codes in the sources with docs/reference/errors.md, and the refusals of each
// family with the table of docs/reference/schedules.md ("What schedules refuse").
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "compiler/schedule/family.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;
using Codes = std::set<std::string>;

const fs::path kTop = STENCIL_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Codes matches(const std::string& text, const std::string& pattern) {
  Codes found;
  const std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

// Codes are reported as string literals. Without std::regex, which takes seconds for all sources.
Codes reported_in(const fs::path& path) {
  const std::string text = read(path);
  Codes found;
  for (size_t at = text.find('"'); at != text.npos; at = text.find('"', at + 1)) {
    const std::string code = text.substr(at + 1, 4);
    if (code.size() < 4 || text[std::min(at + 5, text.size() - 1)] != '"') continue;
    const bool digits = code.find_first_not_of("0123456789", 1) == code.npos;
    if (digits && std::string("PSLKRUC").find(code[0]) != std::string::npos) found.insert(code);
  }
  return found;
}

Codes reported_below(const std::string& directory) {
  Codes found;
  for (const auto& entry : fs::recursive_directory_iterator(kTop / directory)) {
    if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h") {
      found.merge(reported_in(entry.path()));
    }
  }
  return found;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The cells of a row "| a | b |"; empty if the line is no table row.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  if (line.empty() || line[0] != '|') return cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
  return cells;
}

TEST(Catalogue, DocumentedAndReportedCodesAreTheSame) {
  Codes documented, reported;
  for (const std::string& line : lines_of(read(kTop / "docs/reference/errors.md"))) {
    const auto cells = cells_of(line);
    if (!cells.empty()) documented.merge(matches(cells[0], "([PSLKRUC][0-9]{3})"));
  }
  for (const char* directory : {"compiler", "runtime", "tools"}) {
    reported.merge(reported_below(directory));
  }
  EXPECT_GT(documented.size(), 80u);
  EXPECT_EQ(documented, reported);
}

TEST(Catalogue, TheTableOfRefusalsIsThatOfTheCode) {
  const std::string text = read(kTop / "docs/reference/schedules.md");
  std::vector<std::string> families;
  std::map<std::string, Codes> tabled;
  for (const std::string& line : lines_of(text.substr(text.find("\n## What schedules refuse")))) {
    const auto cells = cells_of(line);
    if (cells.size() < 4) continue;
    if (cells[0] == " feature ") {
      for (size_t c = 1; c < cells.size(); ++c)
        families.push_back(*matches(cells[c], "`([a-z]+)`").begin());
    }
    for (size_t c = 1; c < cells.size() && c <= families.size(); ++c) {
      tabled[families[c - 1]].merge(matches(cells[c], "(L[0-9]{3})"));
    }
  }
  // Refusals shared by families, by the name of the function that reports them.
  std::map<std::string, Codes> shared;
  const std::string limits = read(kTop / "compiler/schedule/common/limits.cpp");
  for (size_t at = limits.find("\nvoid refuse_"); at != limits.npos;) {
    const size_t next = limits.find("\nvoid refuse_", at + 1);
    const std::string body = limits.substr(at, next == limits.npos ? next : next - at);
    shared[*matches(body, "(refuse_[a-z_]+)\\(").begin()] = matches(body, "\"(L[0-9]{3})\"");
    at = next;
  }
  ASSERT_EQ(families.size(), schedule::family_table().size());
  Codes of_families;
  for (const std::string& family : families) {
    const auto place = kTop / "compiler/schedule" / family / "family.cpp";
    Codes refusals = reported_in(place);
    const Codes called = matches(read(place), "(refuse_[a-z_]+)\\(");
    for (const auto& [name, codes] : shared) {
      if (called.count(name)) refusals.insert(codes.begin(), codes.end());
    }
    EXPECT_EQ(tabled[family], refusals) << family;
    of_families.merge(refusals);
  }
  // No other file refuses a schedule. Decomposition has its own codes.
  Codes all = matches(fmt::format("{}", fmt::join(reported_below("compiler"), " ")), "(L[0-9]{3})");
  all.erase("L001");
  all.erase("L002");
  Codes cuts = reported_in(kTop / "compiler/driver/cutting.cpp");
  cuts.merge(matches(fmt::format("{}", fmt::join(reported_below("compiler/decompose"), " ")),
                     "(L[0-9]{3})"));
  EXPECT_EQ(cuts, (Codes{"L030", "L031", "L032", "L033", "L034"}));
  for (const std::string& code : cuts) all.erase(code);
  EXPECT_EQ(of_families, all);
}

}  // namespace
}  // namespace stencil
