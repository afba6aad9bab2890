// Option values for the tools, with uniform messages about the expected and the given value.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/numbers.h"
#include "compiler/support/synonyms.h"

namespace stencil::tool {

// A usage error: code, message, hint.
struct Misuse {
  std::string code;
  std::string message;
  std::string hint;
};

// The values that an option accepts, and a function that reads one: false for invalid texts.
struct Reader {
  std::string takes;
  std::function<bool(const std::string&)> read;
  std::vector<std::string> words = {};  // the values, if they are words
  // The hint for an invalid text, if the words give none; may be empty.
  std::function<std::string(const std::string&)> hint = {};
};

// CLI11 passes a single text from a check to the message. This byte separates message and hint.
inline constexpr char kBeforeHint = '\x01';

inline Reader whole_number(int64_t least, const std::string& what, std::optional<int64_t>& to) {
  return {fmt::format("{} from {} to {}", what, least, INT64_MAX),
          [&to, least](const auto& text) {
            to = parse_integer(text, least);
            return to.has_value();
          },
          {},
          [least](const auto& text) -> std::string {
            const auto value = parse_real(text);
            const bool whole = value && *value >= static_cast<double>(least) && *value < 0x1p53 &&
                               std::trunc(*value) == *value;
            return whole ? fmt::format("write {:.0f}", *value) : "";
          }};
}
inline Reader seconds_of(double& to) {
  return {"a number of seconds from 0 to 1e6", [&to](const auto& text) {
            const auto value = parse_real(text);
            if (!value || !(*value >= 0) || *value > 1e6) return false;
            to = *value;
            return true;
          }};
}
inline Reader one_of(const std::vector<std::string>& words, std::string& to) {
  return {fmt::format("one of {}", fmt::join(words, ", ")),
          [words, &to](const auto& text) {
            to = text;
            return std::count(words.begin(), words.end(), text) > 0;
          },
          words};
}
inline Reader some_text(const std::string& what, std::string& to) {
  return {what, [&to](const auto& text) {
            to = text;
            return !text.empty();
          }};
}

// Adds an option with one value. The words that it may be, separated by '|', become the description
// of its check, from which completion scripts are made.
inline CLI::Option* add_value(CLI::App& to, const std::string& name, const Reader& reader,
                              const std::string& help) {
  const auto nothing = [](const std::string&) {};
  return to.add_option_function<std::string>(name, nothing, help)
      ->check(
          [reader](const std::string& text) {
            if (reader.read(text)) return std::string();
            std::string hint = suggest_option(text, reader.words);
            if (hint.empty() && reader.hint) hint = reader.hint(text);
            return fmt::format("takes {}, found '{}'{}{}", reader.takes, text, kBeforeHint, hint);
          },
          fmt::format("{}", fmt::join(reader.words, "|")));
}

inline Misuse given_twice(const std::string& option, const std::string& name = "") {
  const std::string what = option + (name.empty() ? "" : " " + name);
  return {"U007", fmt::format("{} is given twice", what), "give it once"};
}

// Explains an invalid value of an existing option. CLI11's messages begin with the option's name
// and a colon.
inline Misuse explain_value(const CLI::ParseError& error, const CLI::App& app) {
  std::string message = error.what();
  const size_t colon = message.find(':');
  const std::string option = message.substr(0, colon);
  for (const CLI::Option* each : app.get_options()) {
    const bool single = each->get_items_expected_max() == 1;
    if (single && each->count() > 1) return given_twice(each->get_name());
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) && colon != std::string::npos) {
    const size_t end = std::min(message.rfind(kBeforeHint), message.size());
    return {"U004", option + message.substr(colon + 1, end - colon - 1),
            message.substr(std::min(end + 1, message.size()))};
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const bool flag = message.find("flag override") != std::string::npos;
    std::string name = option.substr(0, option.find(' '));
    if (!name.starts_with('-')) name.insert(0, "--");
    return {"U004", name + (flag ? " takes no value" : " needs a value"), ""};
  }
  if (!message.empty()) message[0] = static_cast<char>(std::tolower(message[0]));
  return {"U004", message, ""};
}

}  // namespace stencil::tool
