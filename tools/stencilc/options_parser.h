// The parser of the command line. options.cpp declares the options; options_check.cpp converts them
// to Arguments and reports misuse.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/option_values.h"
#include "tools/stencilc/options.h"

namespace stencil::tool {

// Value of --header without a name; no real argument can equal it.
inline const std::string kBesideTheOutput(1, '\0');

// Texts from CLI11 that are not yet part of Arguments.
struct Texts {
  std::vector<std::string> definitions, inputs, outputs, slices;
  std::string real = "float", fp = "contract";
  bool clear_cache = false;
  std::optional<int64_t> every, exchange, boxes;
  std::optional<std::string> range, fps, checkpoint_every;
  std::string header;
  bool version = false;
};

struct Parser {
  CLI::App app{
      "stencilc compiles stencil programs (.stn) into CUDA, HIP, OpenCL and C++ kernels\n"
      "with time tiling, runs them, and checks every device against a reference interpreter.",
      "stencilc"};
  Arguments arguments;
  Texts texts;
  std::vector<std::pair<CLI::App*, Command>> commands;

  Parser();
  void add_program_options(CLI::App& app, bool with_schedule);
  void add_compile_options();
  void add_run_options(CLI::App& app);
  void add_verify_options(CLI::App& app);
  void add_lift_options(CLI::App& app);
  void add_format_options(CLI::App& app);
  void add_completion_options(CLI::App& app);
  void add_devices_options(CLI::App& app);
  void add_cache_options(CLI::App& app);
  void add_device_option(CLI::App& app, const std::string& text);
  void add_subdomain_options(CLI::App& to, const std::string& ranks);
  void add_machine_option(CLI::App& app, const std::string& group);
  void add_target_option(CLI::App& app);
  void add_full_option(CLI::App& app, const std::string& group);
  CLI::App& add_command(Command command, const std::string& name, const std::string& text,
                        const std::string& examples);
  const CLI::App& active() const;
  Misuse explain(const CLI::ParseError& error) const;
  std::string hint_for_option(const std::string& name) const;
  std::optional<Misuse> check_order() const;
  std::optional<Misuse> finish();
  std::optional<Misuse> read_assignments();
  std::optional<Misuse> read_pictures();
  std::optional<Misuse> read_long_run();
  std::optional<Misuse> check_open_params() const;
  std::optional<Misuse> check_files();
};

}  // namespace stencil::tool
