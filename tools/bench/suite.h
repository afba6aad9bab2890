// Suites of benchmarks: a JSON file that says which programs are measured, at which sizes and by
// which schedules. docs/contributing.md describes the format.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/support/scalar.h"
#include "stencil/result.h"

namespace stencil::bench {

using Json = nlohmann::ordered_json;

// One program, at one size, by one schedule.
struct BenchJob {
  std::string name;     // a C identifier, unique in the suite: kernels carry it
  std::string program;  // file name without directory and extension
  std::string source;   // the file, as the suite writes it
  Scalar real = Scalar::F32;
  FpMode fp = FpMode::Contract;
  std::string schedule;          // a schedule line, as the suite writes it
  bool naive = false;            // the table's ratios are taken against it
  Json define = Json::object();  // params of the timed runs: name -> number
  std::optional<Json> check;     // of the runs at a small size; nothing: derived from `define`
  int64_t steps = 0;             // of a timed run
  int64_t check_steps = 7;       // of a run at the small size
  std::optional<int64_t> verify_steps;  // of a timed run that are checked; nothing: as many as suit
  int repeat = 5;                       // timed runs, whose median counts
  int64_t run_steps = INT64_MAX;        // of the run that `auto` chooses for
};

// The alternatives of a text: "T={2,4} b={1,2}" has four, in the order a shell gives them. Braces
// may nest. U030 if they do not match.
Result<std::vector<std::string>> expand(const std::string& text);

// All jobs of a suite in the order written. U030 with the place of what is wrong.
Result<std::vector<BenchJob>> read_suite(const std::string& text);

}  // namespace stencil::bench
