// Sizes and numbers of steps that the text of the file fixes may be too many to run. The same file
// with smaller numbers is the same program if it is lifted to the same text.
#include <fmt/format.h>

#include <cctype>
#include <map>
#include <regex>
#include <set>

#include "runtime/api/lift_verify.h"
#include "runtime/io/files.h"
#include "runtime/lifting/params.h"

namespace stencil::api {

namespace {

constexpr int64_t kLongestText = int64_t{64} << 20;
constexpr int64_t kFewSteps = 7;
constexpr int64_t kFewest = 12;  // smaller numbers stay as they are

LiftProof with(const std::string& told, LiftProof proof) {
  proof.text = fmt::format("with {}, {}", told, proof.text);
  proof.runs = fmt::format("with {}, {}", told, proof.runs);
  return proof;
}

// The file with small values of its macros, if it takes them.
std::optional<Result<LiftProof>> with_small_macros(const lifter::Lifted& lifted,
                                                   const runtime::LiftRequest& request,
                                                   uint64_t seed, double search) {
  std::map<std::string, int64_t> macros;
  for (const lifter::CNode& node : lifted.tree.nodes) {
    if (node.kind == lifter::CKind::Int && !node.text.empty() && node.integer >= kFewest) {
      macros[node.text] = node.integer;
    }
  }
  if (macros.empty() || macros.size() > 8) return std::nullopt;
  runtime::LiftRequest smaller = request;
  runtime::NamedValues values;
  std::string told;
  int64_t size = 14;  // different ones, so that dimensions cannot be mixed up
  for (const auto& [name, value] : macros) {
    values[name] = size;
    told += fmt::format("{}{}={} instead of {}", told.empty() ? "" : ", ", name, size, value);
    size += 3;
  }
  auto file = runtime::at_values(request.file, values);
  if (!file.ok()) return std::nullopt;
  smaller.file = std::move(file).value();
  const auto again = runtime::lift_as_it_stands(smaller);
  if (!again.ok() || again.value().program.text == lifted.program.text) return std::nullopt;
  auto small = prove(again.value(), smaller, seed, search);
  if (!small.ok()) return small;
  if (!small.value().ran) return std::nullopt;
  return with(told, std::move(small).value());
}

// The place of the number at a line and a column; nothing if another text stands there.
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

// The file with few steps in place of a large literal: `for (t = 0; t < 5000; t++)`.
std::optional<Result<LiftProof>> with_few_steps(const lifter::Lifted& lifted,
                                                const runtime::LiftRequest& request, uint64_t seed,
                                                double search) {
  lifter::X steps = lifted.program.steps;
  if (steps == nullptr || steps->kind != lifter::XKind::Int || steps->integer < kFewest)
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
                              std::to_string(node.integer - steps->integer + kFewSteps));
    const auto again = runtime::lift_as_it_stands(shorter);
    if (!again.ok()) continue;
    lifter::X few = again.value().program.steps;
    if (few == nullptr || few->kind != lifter::XKind::Int || few->integer != kFewSteps) continue;
    if (without_steps(again.value().program.text) != without_steps(lifted.program.text)) continue;
    auto proof = prove(again.value(), shorter, seed, search);
    if (!proof.ok()) return proof;
    if (!proof.value().ran) continue;
    return with(fmt::format("{} steps instead of {}", kFewSteps, steps->integer),
                std::move(proof).value());
  }
  return std::nullopt;
}

}  // namespace

Result<LiftProof> prove_or_shrink(const lifter::Lifted& lifted, const runtime::LiftRequest& request,
                                  uint64_t seed, double search) {
  auto proof = prove(lifted, request, seed, search);
  if (!proof.ok() || proof.value().ran) return proof;
  if (auto small = with_small_macros(lifted, request, seed, search)) return *small;
  if (auto few = with_few_steps(lifted, request, seed, search)) return *few;
  return proof;
}

}  // namespace stencil::api
