// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE
// TSE 28, 2002), first on lines, then on tokens. The front end quickly refuses invalid programs, so
// this file does not need to know the language.
#include <cctype>
#include <functional>
#include <vector>

#include "tests/property/case.h"

namespace stencil::property {

namespace {

using Parts = std::vector<std::string>;

std::string joined(const Parts& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

Parts lines_of(const std::string& text) {
  Parts parts(1);
  for (const char c : text) {
    parts.back() += c;
    if (c == '\n' || c == '\r') parts.emplace_back();
  }
  return parts;
}

// Names, numbers and single other characters, each with the blanks after it.
Parts tokens_of(const std::string& text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  Parts parts;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool blank = std::isspace(static_cast<unsigned char>(text[i]));
    const bool goes_on = i > 0 && (blank || (in_word(text[i - 1]) && in_word(text[i])));
    if (!goes_on) parts.emplace_back();
    parts.back() += text[i];
  }
  return parts;
}

// Removes runs of parts, long ones first, while the rest still fails.
std::string minimised(Parts parts, size_t longest,
                      const std::function<bool(const std::string&)>& fails) {
  for (size_t size = std::min(longest, parts.size()); size >= 1;) {
    bool smaller = false;
    for (size_t at = 0; at + size <= parts.size();) {
      Parts rest = parts;
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(at),
                 rest.begin() + static_cast<ptrdiff_t>(at + size));
      if (fails(joined(rest))) {
        parts = rest;
        smaller = true;
      } else {
        ++at;
      }
    }
    if (size > 1 || !smaller) --size;
  }
  return joined(parts);
}

// Whether the case fails on the device and is still a valid program.
bool fails(const Recipe& recipe, RunBatch run) {
  Diagnostics diagnostics;
  const auto program = load(recipe, diagnostics);
  if (!program) return false;
  const auto schedule = schedule::parse(recipe.schedule, *program, diagnostics);
  if (!schedule) return false;
  std::string problem, refusal;
  std::optional<Case> made;
  if (recipe.cuts.empty()) {
    auto module = schedule::lower(*program, *schedule, diagnostics);
    if (!module) return false;
    made = prepare(recipe, *program, std::move(*module), problem);
  } else {
    auto by = *schedule;
    made = recipe.boxes ? prepare_boxed(recipe, *program, by, refusal, problem)
                        : prepare_cut(recipe, *program, by, refusal, problem);
  }
  if (!made) return false;
  expect(*made);
  std::vector<Item> items = {made->item};
  if (!run(items, {}).empty()) return true;
  if (items[0].refused) return false;
  made->item = std::move(items[0]);
  return !judge(*made).empty();
}

}  // namespace

std::string shrink(const Recipe& recipe, RunBatch run) {
  constexpr int kRuns = 400;  // at most a second each
  constexpr size_t kLines = 8, kTokens = 24;
  int runs = 0;
  const auto still_fails = [&](const std::string& text) {
    Recipe smaller = recipe;
    smaller.program.text = text;
    Diagnostics diagnostics;
    if (!load(smaller, diagnostics) || ++runs > kRuns) return false;
    return fails(smaller, run);
  };
  const std::string fewer_lines = minimised(lines_of(recipe.program.text), kLines, still_fails);
  return minimised(tokens_of(fewer_lines), kTokens, still_fails);
}

}  // namespace stencil::property
