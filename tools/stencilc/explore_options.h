// The options specific to `stencilc explore`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace stencil::tool {

struct ExploreArguments {
  bool measure = false;         // --measure: time candidates on the device
  bool compile = false;         // --compile: compile candidates with the device's compiler
  double budget = 10;           // --budget: seconds of --measure
  std::optional<int64_t> rows;  // --rows: of the terminal table
  std::string json, csv, html;  // files; "": none
};

void add_explore_options(CLI::App& app, ExploreArguments& arguments);

}  // namespace stencil::tool
