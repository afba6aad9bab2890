// Checks the parsed options and converts them to Arguments.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "compiler/support/diagnostic.h"
#include "compiler/support/numbers.h"
#include "compiler/support/synonyms.h"
#include "runtime/run/outputs.h"
#include "stencil/ranks.h"
#include "tools/stencilc/options_parser.h"
#include "tools/stencilc/save_code.h"

namespace stencil::tool {

namespace {

// Returns false for invalid names, such as ones that are too long.
bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

// Splits "NAME=VALUE"; nullopt without '=' or with an empty name.
std::optional<Assignment> split_assignment(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  return Assignment{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

const CLI::App& Parser::active() const {
  for (const auto& [command, kind] : commands) {
    if (command->parsed()) return *command;
  }
  return app;
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

// The hint for an option that the command does not have: a similar one, or the commands that have
// it.
std::string Parser::hint_for_option(const std::string& name) const {
  std::string hint = suggest_option(name, option_names(active()));
  if (!hint.empty()) return hint;
  std::vector<std::string> owners;
  const auto has = [&](const CLI::App& command) {
    const std::vector<std::string> names = option_names(command);
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(app)) owners.emplace_back("'stencilc FILE.stn -o FILE.cu'");
  for (const auto& [command, kind] : commands) {
    if (has(*command)) owners.push_back("'stencilc " + command->get_name() + "'");
  }
  if (owners.empty()) return "";
  return fmt::format("it is an option of {}", fmt::join(owners, ", "));
}

Misuse Parser::explain(const CLI::ParseError& error) const {
  std::vector<std::string> extras = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extras.empty()) {
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& s) {
      return s.size() > 1 && s[0] == '-';
    });
    if (option != extras.end()) {
      const std::string name = option->substr(0, option->find('='));
      return {"U001", "unknown option '" + name + "'", hint_for_option(name)};
    }
    if (active().get_parent() || is_there(arguments.file)) {
      return {"U002", "unexpected argument '" + extras.front() + "'", ""};
    }
    return {"U003", "unknown command '" + arguments.file + "'", ""};  // finish() adds a hint
  }
  return explain_value(error, active());
}

// CLI11 assigns options and a program before the command to the compile command; they would be
// ignored.
std::optional<Misuse> Parser::check_order() const {
  if (!active().get_parent()) return std::nullopt;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    const bool file = option->get_positional();
    return Misuse{
        "U002",
        fmt::format("'{}' before the command '{}'",
                    file ? option->results().front() : option->get_name(), active().get_name()),
        "the command is the first word"};
  }
  return std::nullopt;
}

namespace {

std::string hint_for_command(const std::string& word, const std::vector<std::string>& names) {
  if (word == "compile" || word == "build" || word == "emit" || word == "translate") {
    return "compiling needs no command: 'stencilc FILE.stn -o FILE.cu'";
  }
  if (word == "help" || word == "version") return "write 'stencilc --" + word + "'";
  const std::string hint = suggest_option(word, names);
  return hint.empty() ? fmt::format("the commands are {}", fmt::join(names, ", ")) : hint;
}

}  // namespace

std::optional<Misuse> Parser::check_files() {
  for (const std::string& path : arguments.code) {
    if (code_kind(path)) continue;
    return Misuse{"U021", fmt::format("the extension of '{}' names no kind of code", path),
                  "use .cu, .cl or .cpp for source, .ptx for PTX, .cubin or .bin for machine code"};
  }
  if (arguments.command == Command::Devices || arguments.command == Command::Cache ||
      arguments.command == Command::Tuned) {
    return std::nullopt;
  }
  if (arguments.command == Command::Completion) {
    if (!arguments.shell.empty()) return std::nullopt;
    return Misuse{"U005", "no shell given", "name bash or zsh"};
  }
  if (arguments.command == Command::Format) {
    if (!arguments.files.empty()) return std::nullopt;
    return Misuse{"U005", "no program given", "name .stn files, or - for standard input"};
  }
  // The optional name of --header may have consumed the program's name.
  const std::filesystem::path header = texts.header;
  if (arguments.file.empty() && header.extension() == ".stn") {
    arguments.file = std::exchange(*arguments.header, "");
  }
  if (arguments.file.empty()) return Misuse{"U005", "no program given", "name a .stn file"};
  if (arguments.command != Command::Compile) return std::nullopt;

  std::vector<std::string> names;
  for (const auto& [command, kind] : commands) names.push_back(command->get_name());
  const std::filesystem::path file = arguments.file;
  const bool command_like = !file.has_extension() && !file.has_parent_path();
  if (command_like && !is_there(file)) {
    return Misuse{"U003", "unknown command '" + arguments.file + "'",
                  hint_for_command(arguments.file, names)};
  }
  return std::nullopt;
}

std::optional<Misuse> Parser::read_assignments() {
  for (const std::string& text : texts.definitions) {
    const auto assignment = split_assignment(text);
    if (!assignment || assignment->value.empty()) {
      return Misuse{"U006", "-D takes NAME=VALUE, found '" + text + "'", ""};
    }
    if (!arguments.program.definitions.emplace(assignment->name, assignment->value).second) {
      return given_twice("-D", assignment->name);
    }
  }
  for (const std::string& text : texts.inputs) {
    const auto assignment = split_assignment(text);
    if (!assignment || assignment->value.empty()) {
      return Misuse{"U006", fmt::format("--in takes FIELD=FILE, found '{}'", text), ""};
    }
    const auto& earlier = arguments.inputs;
    const bool repeated = std::any_of(earlier.begin(), earlier.end(), [&](const Assignment& other) {
      return other.name == assignment->name;
    });
    if (repeated) return given_twice("--in", assignment->name);
    arguments.inputs.push_back(*assignment);
  }
  for (const std::string& text : texts.outputs) {
    const auto output = parse_output(text);
    if (const auto* misuse = std::get_if<Misuse>(&output)) return *misuse;
    arguments.outputs.push_back(std::get<0>(output));
  }
  return std::nullopt;
}

// Handles --slice, --range, --fps, --plain and --flip, which apply to all pictures.
std::optional<Misuse> Parser::read_pictures() {
  PictureOptions& picture = arguments.picture;
  for (const std::string& text : texts.slices) {
    if (const auto misuse = parse_slice("--slice", text, picture.slice)) return misuse;
  }
  if (texts.range) {
    const auto range = parse_range("--range", *texts.range);
    if (const auto* misuse = std::get_if<Misuse>(&range)) return *misuse;
    picture.range = std::get<0>(range);
  }
  if (texts.fps) {
    const auto fps = parse_fps("--fps", *texts.fps);
    if (const auto* misuse = std::get_if<Misuse>(&fps)) return *misuse;
    picture.fps = std::get<0>(fps);
  }
  const auto some = [&](bool (*kind)(runtime::Format)) {
    return std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                       [&](const OutputArgument& output) {
                         const auto format = runtime::format_of(output.path);
                         return format && kind(*format);
                       });
  };
  const bool pictures = some(runtime::is_picture);
  const auto alone = [](const std::string& option, const std::string& files,
                        const std::string& what) {
    return Misuse{"U010", fmt::format("{} without {} among --out", option, files),
                  fmt::format("{} {}", option, what)};
  };
  const std::string files = "a .png, .gif or .apng file";
  if (picture.range && !pictures) return alone("--range", files, "sets the colours of a picture");
  if (picture.plain && !pictures) return alone("--plain", files, "removes the frame of a picture");
  if (picture.flip && !pictures) {
    return alone("--flip", files, "draws a picture from the bottom; other files are not changed");
  }
  if (picture.fps && !some(runtime::is_animation)) {
    return alone("--fps", "a .gif or .apng file", "sets the frames per second of an animation");
  }
  return std::nullopt;
}

// Handles --every, --exchange, --checkpoint-every and --restart.
std::optional<Misuse> Parser::read_long_run() {
  arguments.every = texts.every.value_or(0);
  arguments.exchange = texts.exchange.value_or(0);
  const bool cut = !arguments.gpus.empty() || !arguments.ranks.empty() || started_by_mpi();
  if (texts.exchange && !cut) {
    return Misuse{"U010", "--exchange needs a grid that is split", "also give --gpus or --ranks"};
  }
  arguments.boxes = texts.boxes.value_or(0);
  if (texts.checkpoint_every) {
    const std::string& interval = *texts.checkpoint_every;
    const bool in_seconds = interval.ends_with('s');
    const auto seconds = parse_real(interval.substr(0, interval.size() - in_seconds));
    if (in_seconds) arguments.checkpoint_seconds = seconds.value_or(0);
    if (!in_seconds) arguments.checkpoint_steps = parse_integer(interval).value_or(0);
    if (arguments.checkpoint_seconds <= 0 && arguments.checkpoint_steps <= 0) {
      return Misuse{
          "U006",
          fmt::format("--checkpoint-every takes steps or seconds, like 1000 or 60s, found '{}'",
                      interval),
          ""};
    }
  }
  if (!arguments.restart.empty() && !arguments.inputs.empty()) {
    return Misuse{"U010", "--restart and --in contradict each other",
                  "a checkpoint has all fields: leave --in out"};
  }
  return std::nullopt;
}

// A param is either open or has a compiled-in value. With `run`, an open param gets its value at
// run time, so `run` accepts both options.
std::optional<Misuse> Parser::check_open_params() const {
  for (const auto& [option, names] : {std::pair{"--open", &arguments.program.open},
                                      std::pair{"--fix", &arguments.program.fixed}}) {
    for (const std::string& name : *names) {
      if (std::count(names->begin(), names->end(), name) > 1) return given_twice(option, name);
    }
  }
  for (const std::string& name : arguments.program.open) {
    if (std::count(arguments.program.fixed.begin(), arguments.program.fixed.end(), name)) {
      return Misuse{"U010", fmt::format("--open {0} and --fix {0} contradict each other", name),
                    "leave one of them out"};
    }
    if (arguments.command != Command::Run && arguments.program.definitions.count(name)) {
      return Misuse{"U010", fmt::format("--open {0} and -D {0}=... contradict each other", name),
                    "an open param gets its value at run time: leave one of them out"};
    }
  }
  return std::nullopt;
}

// Converts texts to arguments after CLI11 has accepted the command line.
std::optional<Misuse> Parser::finish() {
  for (const auto& [command, kind] : commands) {
    if (command->parsed()) arguments.command = kind;
  }
  if (app.get_option("--header")->count() > 0) {
    if (texts.header.empty()) {
      return Misuse{"U004", "--header takes the name of a file, found ''", ""};
    }
    arguments.header = texts.header == kBesideTheOutput ? "" : texts.header;
  }
  if (const auto misuse = check_order()) return misuse;
  if (const auto misuse = check_files()) return misuse;
  if (const auto misuse = read_assignments()) return misuse;
  if (const auto misuse = read_pictures()) return misuse;
  if (const auto misuse = read_long_run()) return misuse;
  if (const auto misuse = check_open_params()) return misuse;
  arguments.program.real = texts.real == "double" ? ElementType::Double : ElementType::Float;
  arguments.program.fp = texts.fp == "strict" ? FloatingPoint::Strict
                         : texts.fp == "fast" ? FloatingPoint::Fast
                                              : FloatingPoint::Contract;
  if (texts.clear_cache) arguments.cache_limit = 0;
  return std::nullopt;
}

}  // namespace stencil::tool
