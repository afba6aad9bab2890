// Sizes and step counts that are fixed in the file may be too large to run. If the file with
// smaller numbers lifts to the same text, its proof holds for the original file too.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>

#include "compiler/support/numbers.h"
#include "compiler/support/try.h"
#include "runtime/api/lift_verify.h"
#include "runtime/io/files.h"
#include "runtime/lifting/params.h"

namespace stencil::api {

namespace {

constexpr int64_t kLongestText = int64_t{64} << 20;
constexpr int64_t kFewSteps = 7;
constexpr int64_t kFewest = 12;  // smaller numbers remain unchanged

// Converts the proof of the file with other numbers to a proof of the file itself, whose outcomes
// are `outcomes`. Some outcomes are possible only with the file's own numbers; the runs with
// smaller numbers have not taken them, so they count as missing.
LiftProof with(const std::string& told, LiftProof proof, const Outcomes& outcomes) {
  if (const auto removed = outcomes.removed_in(proof.outcomes); !removed.empty()) {
    proof.compared = false;
    proof.missing.insert(proof.missing.end(), removed.begin(), removed.end());
    proof.text = fmt::format("{}; {}", text_of(removed), proof.text);
  }
  proof.outcomes = outcomes;
  proof.text = fmt::format("with {}, {}", told, proof.text);
  proof.runs = fmt::format("with {}, {}", told, proof.runs);
  return proof;
}

// A word of a program text; `number` is set for numbers.
struct Word {
  std::string text;
  std::optional<double> number = {};
  bool whole = false;
};

// Splits a text into words, without comments and line breaks.
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> out;
  const auto letter = [&](size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  const auto digit = [&](size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  for (size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
      continue;
    }
    if (text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    size_t end = at + 1;
    Word word;
    if (digit(at)) {
      const auto real = [&](size_t k) {
        if (k >= text.size()) return false;
        const bool exponent = (text[k] == '+' || text[k] == '-') && text[k - 1] == 'e';
        return exponent || (text[k] == '.' && digit(k + 1)) || text[k] == 'e' || digit(k);
      };
      while (real(end)) ++end;
      word.text = text.substr(at, end - at);
      word.number = parse_real(word.text).value_or(0);
      word.whole = word.text.find_first_not_of("0123456789") == std::string::npos;
    } else {
      while (letter(at) && letter(end)) ++end;
      word.text = text.substr(at, end - at);
    }
    out.push_back(std::move(word));
    at = end;
  }
  return out;
}

// Whether the number at `x` lies on the linear function c * x + d through the numbers at `low` and
// `low + 2`. Real numbers may also follow 1 / (c * x + d).
bool follows(const Word& at_x, const Word& at_low, const Word& next, int64_t x, int64_t low) {
  const auto linear = [&](long double far, long double near, long double other, long double slack) {
    const long double expected = near + (other - near) * static_cast<long double>(x - low) / 2;
    return std::abs(far - expected) <= slack * std::abs(far);
  };
  const long double far = *at_x.number, near = *at_low.number, other = *next.number;
  if (at_x.whole && at_low.whole && next.whole) return linear(far, near, other, 0);
  constexpr long double kRounding = 1e-12L;
  return linear(far, near, other, kRounding) ||
         (far != 0 && near != 0 && other != 0 && linear(1 / far, 1 / near, 1 / other, kRounding));
}

// Compares the program at a macro's value with the programs at small values. Returns the first
// difference, as "'a' instead of 'b'", apart from numbers that follow from the value; "" if there
// is none.
std::string differs(const std::string& large, const std::string& small, const std::string& next,
                    int64_t value, int64_t low) {
  const std::vector<Word> a = words_of(large), b = words_of(small), c = words_of(next);
  for (size_t k = 0; k < std::max({a.size(), b.size(), c.size()}); ++k) {
    const auto text = [&](const std::vector<Word>& words) {
      return k < words.size() ? words[k].text : std::string();
    };
    if (text(a) == text(b) && text(b) == text(c)) continue;
    const bool numbers =
        k < std::min({a.size(), b.size(), c.size()}) && a[k].number && b[k].number && c[k].number;
    if (numbers && follows(a[k], b[k], c[k], value, low)) continue;
    return fmt::format("'{}' instead of '{}'", text(text(a) == text(b) ? c : b), text(a));
  }
  return "";
}

LiftProof none(const std::string& why) {
  LiftProof out;
  out.text = why;
  return out;
}

// Proves the file with small values of its macros, if it accepts them. The result holds for the
// original file only if the two programs differ just in numbers that follow from the macros. To
// check that, macros are reduced one at a time, and each number in the text must be a linear
// function of the macro.
std::optional<Result<LiftProof>> with_small_macros(const lifter::Lifted& lifted,
                                                   const runtime::LiftRequest& request,
                                                   uint64_t seed, double search,
                                                   const Outcomes& outcomes) {
  const auto lift_at = [&](const runtime::NamedValues& values,
                           runtime::LiftRequest& changed) -> Result<lifter::Lifted> {
    changed = request;
    auto file = TRY(runtime::at_values(request.file, values));
    changed.file = std::move(file);
    return runtime::lift_as_it_stands(changed);
  };
  std::map<std::string, int64_t> macros;
  for (const lifter::CNode& node : lifted.tree.nodes) {
    if (node.kind == lifter::CKind::Int && !node.text.empty() && node.integer >= kFewest) {
      macros[node.text] = node.integer;
    }
  }
  if (macros.empty() || macros.size() > 8) return std::nullopt;
  runtime::NamedValues small;
  std::string told;
  int64_t size = 14;  // distinct values, so that swapped dimensions are detected
  for (const auto& [name, value] : macros) {
    small[name] = size + (value - size) % 2;  // same parity, so that quotients by 2 change linearly
    told +=
        fmt::format("{}{}={} instead of {}", told.empty() ? "" : ", ", name, small[name], value);
    size += 3;
  }
  runtime::LiftRequest smaller;
  const auto again = lift_at(small, smaller);
  if (!again.ok() || again.value().program.text == lifted.program.text) return std::nullopt;
  for (const lifter::CNode& node : again.value().tree.nodes) {
    const auto value = small.find(node.text);
    if (node.kind == lifter::CKind::Int && value != small.end() && node.integer != value->second)
      return std::nullopt;  // a header defines it: -D had no effect
  }
  runtime::NamedValues values;
  std::string large = lifted.program.text;
  for (const auto& [name, value] : macros) {
    runtime::LiftRequest unused;
    std::string texts[2];
    for (const int64_t more : {2, 0}) {
      values[name] = small[name] + more;
      const auto one = lift_at(values, unused);
      const std::string with = fmt::format("with {}={} instead of {}", name, values[name], value);
      if (!one.ok()) return none(fmt::format("{}, {}", with, one.failure().message));
      texts[more / 2] = one.value().program.text;
    }
    const std::string difference = differs(large, texts[0], texts[1], value, small[name]);
    if (!difference.empty())
      return none(
          fmt::format("with {}={} instead of {}, the lifted program differs ({}), and the original "
                      "value is too large to run",
                      name, small[name], value, difference));
    large = texts[0];
  }
  auto proof = TRY(prove(again.value(), smaller, seed, search));
  if (!proof.ran) return std::nullopt;
  return with(told, std::move(proof), outcomes);
}

// The offset of a number literal given by its line and column; nullopt if other text is there.
std::optional<size_t> number_at(const std::string& text, const lifter::CNode& node) {
  size_t at = 0;
  for (int line = 1; line < node.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return std::nullopt;
    ++at;
  }
  at += static_cast<size_t>(std::max(node.column - 1, 0));
  const std::string digits = std::to_string(node.integer);
  const size_t end = at + digits.size();
  if (text.compare(std::min(at, text.size()), digits.size(), digits) != 0) return std::nullopt;
  if (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0))
    return std::nullopt;
  return at;
}

// Proves the file with `count` steps in place of a large literal: `for (t = 0; t < 5000; t++)`.
std::optional<Result<LiftProof>> with_few_steps(const lifter::Lifted& lifted,
                                                const runtime::LiftRequest& request, uint64_t seed,
                                                double search, const Outcomes& outcomes,
                                                int64_t count) {
  lifter::X steps = lifted.program.steps;
  if (steps == nullptr || steps->kind != lifter::XKind::Int ||
      steps->integer < std::max(kFewest, count))
    return std::nullopt;
  std::string text = request.file.text;
  if (text.empty()) {
    const auto read = runtime::read_file(request.file.path, kLongestText);
    if (!read.ok()) return std::nullopt;
    text = read.value();
  }
  const auto without_steps = [](const std::string& program) {
    return std::regex_replace(program, std::regex(" steps [0-9]+;"), " steps ;");
  };
  std::set<size_t> tried;
  for (const lifter::CNode& node : lifted.tree.nodes) {
    const bool near = node.integer >= steps->integer - 2 && node.integer <= steps->integer + 2;
    if (node.kind != lifter::CKind::Int || !node.text.empty() || node.file != 0 || !near) continue;
    const auto at = number_at(text, node);
    if (!at || !tried.insert(*at).second || tried.size() > 8) continue;
    runtime::LiftRequest shorter = request;
    shorter.file.text = text;
    shorter.file.text.replace(*at, std::to_string(node.integer).size(),
                              std::to_string(node.integer - steps->integer + count));
    const auto again = runtime::lift_as_it_stands(shorter);
    if (!again.ok()) continue;
    lifter::X few = again.value().program.steps;
    if (few == nullptr || few->kind != lifter::XKind::Int || few->integer != count) continue;
    if (without_steps(again.value().program.text) != without_steps(lifted.program.text)) continue;
    auto proof = TRY(prove(again.value(), shorter, seed, search));
    if (!proof.ran) continue;
    return with(fmt::format("{} steps instead of {}", count, steps->integer), std::move(proof),
                outcomes);
  }
  return std::nullopt;
}

// A number of steps that reaches the constants of the file: `t % 100 == 99`.
int64_t more_steps(const lifter::Lifted& lifted) {
  constexpr int64_t kMost = 1000;
  int64_t out = kFewSteps;
  for (const lifter::CNode& node : lifted.tree.nodes) {
    if (node.kind == lifter::CKind::Int && node.integer >= kFewSteps && node.integer <= kMost)
      out = std::max(out, node.integer + 2);
  }
  return out;
}

}  // namespace

Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed, double search) {
  auto proof = prove(lifted, request, seed, search);
  if (!proof.ok() || proof.value().ran) return proof;
  const Outcomes& outcomes = proof.value().outcomes;
  auto small = with_small_macros(lifted, request, seed, search, outcomes);
  if (small && (!small->ok() || small->value().ran)) return *small;
  if (auto few = with_few_steps(lifted, request, seed, search, outcomes, kFewSteps)) {
    const int64_t count = more_steps(lifted);
    if (!few->ok() || few->value().missing.empty() || count == kFewSteps) return *few;
    const auto more = with_few_steps(lifted, request, seed, search, outcomes, count);
    return more && (!more->ok() || more->value().compared) ? *more : *few;
  }
  return small ? *small : proof;
}

}  // namespace stencil::api
