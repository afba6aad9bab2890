// Completion scripts for bash and zsh, made from the options that options.cpp declares. The scripts
// need nothing but the shell.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/devices/device_table.h"
#include "tools/stencilc/options_parser.h"

namespace stencil::tool {

namespace {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"
  std::string help;
  bool takes_value = false;
  bool is_repeatable = false;
  bool takes_file = false;
  std::vector<std::string> words;  // the values, if they are words
};

struct CommandInfo {
  std::string name;  // "": compile
  std::string help;
  std::vector<OptionInfo> options;
  bool takes_file = false;
  std::vector<std::string> words;  // the arguments, if they are words
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size() && !text.empty();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The values that add_value() has noted at the option.
std::vector<std::string> words_of(CLI::Option& option) {
  if (option.check_name("--device")) {
    std::vector<std::string> names = {"auto"};
    for (const runtime::Device& device : runtime::device_table()) names.push_back(device.name);
    return names;
  }
  try {
    return split(option.get_validator(0)->get_description(), '|');
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

CommandInfo describe(CLI::App& app) {
  CommandInfo command;
  command.help = app.get_description();
  for (CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.takes_file |= option->check_name("FILE");
      if (!option->check_name("FILE")) command.words = words_of(*option);
      continue;
    }
    OptionInfo info;
    for (const std::string& name : option->get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) info.names.push_back("--" + name);
    info.help = option->get_description();
    info.takes_value = option->get_items_expected_max() > 0 && option->get_type_size_max() > 0;
    info.is_repeatable = info.help.find("repeatable") != std::string::npos;
    info.takes_file = option->get_option_text().find("FILE") != std::string::npos;
    info.words = words_of(*option);
    command.options.push_back(std::move(info));
  }
  return command;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

// --- bash ----------------------------------------------------------------------------------------

std::string bash_values(const CommandInfo& command) {
  std::string cases;
  for (const OptionInfo& option : command.options) {
    if (!option.takes_value) continue;
    const std::string values = option.takes_file ? "-f" : "-W '" + joined(option.words, " ") + "'";
    cases += fmt::format("        {}) _stencilc_reply {}; return ;;\n", joined(option.names, "|"),
                         values);
  }
  return cases.empty() ? "" : "      case $previous in\n" + cases + "      esac\n";
}

std::string bash_command(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const OptionInfo& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("    {})\n{}      options='{}'\n      words='{}'\n      files={}\n      ;;\n",
                     command.name.empty() ? "*" : command.name, bash_values(command),
                     joined(names, " "), joined(command.words, " "), command.takes_file ? 1 : 0);
}

std::string bash_script(const std::vector<CommandInfo>& commands, const std::string& names) {
  std::string script = R"(# Completion of stencilc for bash: source <(stencilc completion bash)
_stencilc_reply() {
  local IFS=$'\n'
  if [[ $1 == -f ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "${2// /$'\n'}" -- "$current"))
  fi
}
_stencilc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local options words files
  # bash splits --fp=fast into three words
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case ${COMP_WORDS[1]} in
)";
  for (const CommandInfo& command : commands) script += bash_command(command);
  script += fmt::format(R"(  esac
  if ((COMP_CWORD == 1)); then words='{}'; fi
  if [[ $current == -* ]]; then
    _stencilc_reply -W "$options"
    return
  fi
  _stencilc_reply -W "$words"
  if ((files)); then
    local found=("${{COMPREPLY[@]}}")
    _stencilc_reply -f
    COMPREPLY+=("${{found[@]}}")
  fi
}}
complete -F _stencilc stencilc
)",
                        names);
  return script;
}

// --- zsh -----------------------------------------------------------------------------------------

// A text in single quotes, as part of an _arguments specification.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_option(const OptionInfo& option) {
  std::string lines;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string exclusion =
        option.is_repeatable ? "*" : "(" + joined(option.names, " ") + ")";
    std::string value;
    if (option.takes_value) {
      value = option.takes_file      ? ":file:_files"
              : option.words.empty() ? ":value: "
                                     : ":value:(" + joined(option.words, " ") + ")";
    }
    lines += fmt::format("        '{}{}{}[{}]{}' \\\n", exclusion, name,
                         !option.takes_value ? ""
                         : is_long           ? "="
                                             : "+",
                         zsh_text(option.help), value);
  }
  return lines;
}

std::string zsh_command(const CommandInfo& command) {
  std::string lines = fmt::format("    {})\n      _arguments -s -S \\\n",
                                  command.name.empty() ? "*" : command.name);
  for (const OptionInfo& option : command.options) lines += zsh_option(option);
  if (command.takes_file) lines += "        '*:file:_files' \\\n";
  if (!command.words.empty()) {
    lines += fmt::format("        '1:argument:({})' \\\n", joined(command.words, " "));
  }
  return lines + "        && return 0\n      ;;\n";
}

std::string zsh_script(const std::vector<CommandInfo>& commands) {
  std::string script = R"(#compdef stencilc
# Completion of stencilc for zsh: source <(stencilc completion zsh), after compinit
_stencilc() {
  local -a commands=(
)";
  for (const CommandInfo& command : commands) {
    if (command.name.empty()) continue;
    script += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.help));
  }
  script += R"(  )
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe command commands
    _files
    return
  fi
  local command=$words[2]
  if ((${commands[(I)$command:*]})); then
    shift words
    ((CURRENT--))
  fi
  case $command in
)";
  for (const CommandInfo& command : commands) script += zsh_command(command);
  return script + R"(  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _stencilc "$@"
else
  compdef _stencilc stencilc
fi
)";
}

}  // namespace

std::string completion_script(const std::string& shell) {
  Parser parser;
  std::vector<CommandInfo> commands;
  std::vector<std::string> names;
  for (const auto& [app, kind] : parser.commands) {
    commands.push_back(describe(*app));
    commands.back().name = app->get_name();
    names.push_back(app->get_name());
  }
  commands.push_back(describe(parser.app));  // the pattern * matches any other first word
  return shell == "bash" ? bash_script(commands, joined(names, " ")) : zsh_script(commands);
}

}  // namespace stencil::tool
