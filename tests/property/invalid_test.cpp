// Invalid random programs: a number in a valid program is replaced by a name that cannot have a
// value there, either of the item being defined or of an invalid item. The front end must report an
// error and return no program. The internal error K002 (something was silently omitted) does not
// count as a report.
#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

#include "compiler/driver/frontend.h"
#include "tests/property/generator.h"
#include "tests/property/random.h"

namespace stencil {
namespace {

using property::Random;

constexpr uint64_t kPrograms = 2000;

struct Poison {
  const char* items;  // invalid items
  const char* use;    // uses their name as a value
};
constexpr Poison kPoisons[] = {
    {"param bad : integer = bad + 1;", "bad"},
    {"param bad : real = 1 + bad;", "bad"},
    {"param bad : real = worse; param worse : real = bad;", "bad"},
    {"param bad : long = 1 / 0;", "bad"},
    {"param bad : integer = 0.5;", "bad"},
    {"table bad : real[2] = {1, bad[0]};", "bad[1]"},
    {"table bad : integer[bad] = {1};", "bad[0]"},
    {"type bad = {a : bad};", "bad"},
    {"type bad = vector 2 of bad;", "bad"},
    {"function bad(x) = bad(x);", "bad(1)"},
    {"function bad(x) = worse(x); function worse(x) = bad(x);", "bad(1)"},
    {"subgrid bad of bad = [0];", "bad"},
    {"reduce bad = sum(bad) on [0];", "bad"},
    {"", "bad"},
};

struct Place {
  size_t begin, end;
};

// The numbers in expressions, except levels as in U@-1 and parts of names.
std::vector<Place> numbers_in(const std::string& text, Place where) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  std::vector<Place> places;
  for (size_t at = where.begin; at < where.end;) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    const auto point_of_range = [&] { return text.compare(end, 2, "..") == 0; };
    while (end < where.end && in_word(text[end]) && !point_of_range()) ++end;
    const bool level = at >= 2 && text.compare(at - 2, 2, "@-") == 0;
    if (std::isdigit(static_cast<unsigned char>(text[at])) && !level) places.push_back({at, end});
    at = std::max(end, at + 1);
    while (at < where.end && text[at] == '.') ++at;
  }
  return places;
}

// The items of a program without surrounding blanks. A body ends with a brace.
std::vector<Place> items_of(const std::string& text) {
  std::vector<Place> items;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[' || text[at] == '(') ++depth;
    if (text[at] == '}' || text[at] == ']' || text[at] == ')') --depth;
    const bool body_ends = text[at] == '}' && text.find_first_of(";,.*+-/)", at) != at + 1;
    if (depth != 0 || (text[at] != ';' && !body_ends)) continue;
    items.push_back({begin, at + 1});
    begin = text.find_first_not_of(" \n", at + 1);
    if (begin == std::string::npos) break;
  }
  return items;
}

// The name that an item declares in the common name space, or "".
std::string declared_by(const std::string& item) {
  std::istringstream words(item);
  std::string keyword, name;
  words >> keyword >> name;
  for (const char* declares :
       {"param", "grid", "subgrid", "type", "field", "table", "function", "reduce"}) {
    if (keyword == declares) return name.substr(0, name.find_first_of("(:,;"));
  }
  return "";
}

struct Invalid {
  std::string text;
  ProgramOptions options;
};

Invalid made_invalid(const std::string& valid, Random& random) {
  Invalid out{valid, {}};
  const std::vector<Place> items = items_of(valid);
  const Place item = items[random.below(static_cast<int>(items.size()))];
  const std::vector<Place> numbers = numbers_in(valid, item);
  const std::string own = declared_by(valid.substr(item.begin, item.end - item.begin));
  const auto replace = [&](const std::string& name) {
    const Place at = random.pick(numbers);
    out.text.replace(at.begin, at.end - at.begin, name);
  };
  if (!own.empty() && !numbers.empty() && random.chance(50)) {
    replace(own);
    return out;
  }
  const Poison& poison = kPoisons[random.below(static_cast<int>(std::size(kPoisons)))];
  const bool unused = *poison.items != '\0' && random.chance(30);
  if (!unused && numbers.empty()) return {};
  if (!unused) replace(poison.use);
  const std::string items_in_error = poison.items;
  out.text = random.chance(50) ? items_in_error + "\n" + out.text
                               : out.text + "\n" + items_in_error + "\n";
  const bool itself = items_in_error.find("= bad + 1") != std::string::npos;
  if (itself && random.chance(30)) out.options.definitions["bad"] = "3";
  if (itself && random.chance(30)) out.options.open.insert("bad");
  return out;
}

TEST(Invalid, IsRefusedWithAMessage) {
  int tried = 0;
  for (uint64_t seed = 1; seed <= kPrograms && !testing::Test::HasFailure(); ++seed) {
    const std::string valid = property::random_program(seed).text;
    Random random(seed);
    for (int mutation = 0; mutation < 4; ++mutation) {
      const Invalid invalid = made_invalid(valid, random);
      if (invalid.text.empty()) continue;
      ++tried;
      const Source source("invalid.stn", invalid.text);
      Diagnostics diagnostics;
      const auto program = load_program(source, invalid.options, diagnostics);
      const std::string said = render(source, diagnostics);
      SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + invalid.text + "\n" + said);
      EXPECT_FALSE(program.has_value());
      EXPECT_TRUE(diagnostics.has_errors());
      EXPECT_EQ(said.find("error K0"), std::string::npos);
      EXPECT_EQ(said.find("error P0"), std::string::npos) << "the text does not parse";
      if (testing::Test::HasFailure()) break;
    }
  }
  EXPECT_GT(tried, static_cast<int>(2 * kPrograms));
}

}  // namespace
}  // namespace stencil
