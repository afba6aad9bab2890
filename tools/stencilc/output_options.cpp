// The same functions read --range and range=, so both accept the same texts.
#include "tools/stencilc/output_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/support/diagnostic.h"
#include "compiler/support/numbers.h"
#include "runtime/run/animation.h"
#include "runtime/run/outputs.h"

namespace stencil::tool {

namespace {

using runtime::Format;

struct Split {
  std::string file;
  std::vector<std::string> options;
};

Split split(const std::string& text) {
  size_t comma = text.find(',');
  while (comma != std::string::npos && !runtime::format_of(text.substr(0, comma))) {
    comma = text.find(',', comma + 1);
  }
  Split out{text.substr(0, comma), {}};
  while (comma != std::string::npos) {
    const size_t next = text.find(',', comma + 1);
    out.options.push_back(text.substr(comma + 1, next - comma - 1));
    comma = next;
  }
  return out;
}

bool any(Format) {
  return true;
}

struct Option {
  const char* name;
  const char* takes;  // null: no value
  bool (*applies)(Format);
  const char* to;  // what it applies to
  std::optional<Misuse> (*read)(const std::string& option, const std::string& value,
                                OutputArgument& to);
};

// Stores the value of a parsed option, or returns its misuse.
template <class Value, class To>
std::optional<Misuse> stored(const std::variant<Value, Misuse>& parsed, To& to) {
  if (const auto* misuse = std::get_if<Misuse>(&parsed)) return *misuse;
  to = std::get<0>(parsed);
  return std::nullopt;
}

constexpr const char* kPictures = "a .png, .gif or .apng file";
const Option kOptions[] = {
    {"every", "K", any, "",
     [](const std::string& option, const std::string& value,
        OutputArgument& to) -> std::optional<Misuse> {
       to.every = parse_integer(value, 0);
       if (to.every) return std::nullopt;
       return Misuse{"U006", fmt::format("{} takes a number of steps, found '{}'", option, value),
                     "0: only at the end"};
     }},
    {"range", "LOW:HIGH", runtime::is_picture, kPictures,
     [](const std::string& option, const std::string& value, OutputArgument& to) {
       return stored(parse_range(option, value), to.picture.range);
     }},
    {"slice", "AXIS=N", runtime::is_picture, kPictures,
     [](const std::string& option, const std::string& value, OutputArgument& to) {
       return parse_slice(option, value, to.picture.slice);
     }},
    {"fps", "N", runtime::is_animation, "a .gif or .apng file",
     [](const std::string& option, const std::string& value, OutputArgument& to) {
       return stored(parse_fps(option, value), to.picture.fps);
     }},
    {"plain", nullptr, runtime::is_picture, kPictures,
     [](const std::string&, const std::string&, OutputArgument& to) -> std::optional<Misuse> {
       to.picture.plain = true;
       return std::nullopt;
     }},
    {"view", "cube", runtime::is_picture, kPictures,
     [](const std::string& option, const std::string& value,
        OutputArgument& to) -> std::optional<Misuse> {
       to.picture.cube = value == "cube";
       if (to.picture.cube) return std::nullopt;
       return Misuse{"U006", fmt::format("{} takes cube, found '{}'", option, value),
                     "cube: three faces of a field of three dimensions; default: a plane"};
     }},
    {"flip", nullptr, runtime::is_picture, kPictures,
     [](const std::string&, const std::string&, OutputArgument& to) -> std::optional<Misuse> {
       to.picture.flip = true;
       return std::nullopt;
     }},
};

// Options after a file whose extension names no format belong to its name. The misuse if that is
// hardly intended: "U=u,every=5".
std::optional<Misuse> options_of_no_file(const std::string& text) {
  for (size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', comma + 1)) {
    const std::string word =
        text.substr(comma + 1, text.find_first_of(",=", comma + 1) - comma - 1);
    const bool known = std::any_of(std::begin(kOptions), std::end(kOptions),
                                   [&](const Option& option) { return word == option.name; });
    if (!known) continue;
    const size_t equals = text.find('=');
    const std::string file =
        equals < comma ? text.substr(equals + 1, comma - equals - 1) : text.substr(0, comma);
    return Misuse{"U021", fmt::format("the extension of '{}' names no file format", file),
                  "options follow a name with .npy, .nc, .vti, .png, .gif or .apng: u.npy" +
                      text.substr(comma)};
  }
  return std::nullopt;
}

Misuse unknown_option(const std::string& word, const std::string& file) {
  std::vector<std::string> names;
  for (const Option& option : kOptions) names.emplace_back(option.name);
  const std::string near = nearest_name(word.substr(0, word.find('=')), names);
  return {"U006", fmt::format("--out {}: unknown option '{}'", file, word),
          near.empty() ? fmt::format("the options are {}", fmt::join(names, ", "))
                       : fmt::format("did you mean '{}'?", near)};
}

std::optional<Misuse> read_option(const std::string& word, const std::string& file,
                                  std::vector<std::string>& given, OutputArgument& to) {
  const size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const auto* const option = std::find_if(std::begin(kOptions), std::end(kOptions),
                                          [&](const Option& other) { return name == other.name; });
  if (option == std::end(kOptions)) return unknown_option(word, file);
  const bool has_value = equals != std::string::npos;
  if (has_value != (option->takes != nullptr)) {
    return Misuse{"U006",
                  option->takes ? fmt::format("--out {}: {} needs a value: {}={}", file, name, name,
                                              option->takes)
                                : fmt::format("--out {}: {} takes no value", file, name),
                  ""};
  }
  const auto format = *runtime::format_of(file);
  if (!option->applies(format)) {
    return Misuse{"U010", fmt::format("--out {}: {} is an option of {}", file, name, option->to),
                  ""};
  }
  const bool repeats = name == "slice";  // once per axis, which its reader checks
  if (!repeats && std::count(given.begin(), given.end(), name) > 0) {
    return given_twice(fmt::format("--out {}: {}", file, name));
  }
  given.push_back(name);
  const std::string value = has_value ? word.substr(equals + 1) : "";
  return option->read(fmt::format("--out {}: {}", file, name), value, to);
}

}  // namespace

std::variant<std::pair<double, double>, Misuse> parse_range(const std::string& option,
                                                            const std::string& text) {
  const std::string found = fmt::format("{} takes LOW:HIGH, found '{}'", option, text);
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return Misuse{"U006", found, "two numbers, the first below the second: 0:1"};
  }
  const std::string texts[] = {text.substr(0, colon), text.substr(colon + 1)};
  std::optional<double> ends[2];
  for (int i = 0; i < 2; ++i) {
    ends[i] = parse_real(texts[i]);
    if (!ends[i])
      return Misuse{"U006", found, fmt::format("'{}' is not a finite number", texts[i])};
  }
  if (*ends[0] < *ends[1]) return std::pair{*ends[0], *ends[1]};
  const bool equal = *ends[0] == *ends[1];
  return Misuse{
      "U006", found,
      "the first below the second" + (equal ? "" : fmt::format(": {}:{}", texts[1], texts[0]))};
}

std::optional<Misuse> parse_slice(const std::string& option, const std::string& text,
                                  std::map<std::string, int64_t>& slice) {
  const size_t equals = text.find('=');
  const auto value = equals == std::string::npos || equals == 0
                         ? std::nullopt
                         : parse_integer(text.substr(equals + 1));
  if (!value) return Misuse{"U006", option + " takes AXIS=N, found '" + text + "'", ""};
  const std::string axis = text.substr(0, equals);
  if (!slice.emplace(axis, *value).second) return given_twice(option, axis);
  return std::nullopt;
}

std::variant<double, Misuse> parse_fps(const std::string& option, const std::string& text) {
  const auto rate = parse_real(text);
  if (rate && *rate >= runtime::kSlowestFps && *rate <= runtime::kFastestFps) return *rate;
  return Misuse{"U006",
                fmt::format("{} takes a number from {} to {}, found '{}'", option,
                            runtime::kSlowestFps, runtime::kFastestFps, text),
                ""};
}

std::variant<OutputArgument, Misuse> parse_output(const std::string& text) {
  const Split parts = split(text);
  OutputArgument out;
  const size_t equals = parts.file.find('=');
  const auto format = runtime::format_of(parts.file);
  if (!format) {
    if (const auto misuse = options_of_no_file(text)) return *misuse;
  }
  if (equals == std::string::npos && format) {
    out.path = parts.file;  // find_files() requires a field if the format holds only one
  } else if (equals == std::string::npos || equals == 0 || equals + 1 == parts.file.size()) {
    return Misuse{"U006", fmt::format("--out takes FIELD=FILE, found '{}'", text),
                  "only a .vti or .nc file takes all fields"};
  } else {
    out.name = parts.file.substr(0, equals);
    out.path = parts.file.substr(equals + 1);
  }
  std::vector<std::string> given;
  for (const std::string& option : parts.options) {
    if (const auto misuse = read_option(option, out.path, given, out)) return *misuse;
  }
  return out;
}

}  // namespace stencil::tool
