#include "runtime/tune/stored_timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/schedule/settings.h"
#include "compiler/support/numbers.h"
#include "runtime/tune/entry.h"
#include "runtime/tune/tuned.h"

namespace stencil::tune {

std::string text_of(const Choice& choice) {
  return fmt::format("{}\n{}\n{}", choice.line, choice.timed, choice.seconds);
}

std::optional<Choice> choice_of(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos || end == 0) return std::nullopt;
  const size_t second = text.find('\n', end + 1);
  if (second == std::string::npos) return std::nullopt;
  const auto timed = parse_integer(text.substr(end + 1, second - end - 1), 1);
  const auto seconds = parse_real(text.substr(second + 1), Scalar::F64);
  if (!timed || !seconds) return std::nullopt;
  return Choice{text.substr(0, end), *timed, *seconds};
}

bool is_choice(const std::string& text) {
  return choice_of(text).has_value();
}

runtime::CacheKey key_of_choice(const ir::Program& program, const KnownRun& run) {
  const Key key = key_of(program, run.device);
  const int64_t longest = std::min<int64_t>(run.steps, schedule::kMaxTimeTile);
  return {key.device,
          {"timed choice", code_version(), key.machine, run.device.info.description, key.program,
           key.real, key.fp, print(run.sizes), run.device.device.machine.in_place ? "in place" : "",
           std::to_string(longest)}};
}

void keep(const runtime::CacheKey& key, const Choice& choice) {
  const std::string text = text_of(choice);
  // The cache never fails by itself, and the text is always the result.
  (void)runtime::cached(
      key, [&]() -> Result<std::string> { return text; },
      [&](const std::string& bytes) { return bytes == text; });
}

}  // namespace stencil::tune
