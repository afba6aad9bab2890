// Benchmark suites: JSON files that list programs, sizes and schedules to measure.
// docs/contributing.md describes the format.
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

// One program at one size with one schedule.
struct BenchJob {
  std::string name;     // a C identifier, unique in the suite; part of kernel names
  std::string program;  // file name without directory and extension
  std::string source;   // path, as written in the suite
  Scalar real = Scalar::F32;
  FpMode fp = FpMode::Contract;
  std::string schedule;                 // a schedule line, as written in the suite
  bool naive = false;                   // baseline of the table's ratios
  Json define = Json::object();         // params of timed runs: name -> number
  std::optional<Json> check;            // params at the small size; absent: derived from `define`
  int64_t steps = 0;                    // per timed run
  int64_t check_steps = 7;              // per run at the small size
  std::optional<int64_t> verify_steps;  // checked steps of a timed run; absent: automatic
  int repeat = 5;                       // number of timed runs; their median is reported
  int64_t run_steps = INT64_MAX;        // length of the run that `auto` assumes
};

// Expands braces: "T={2,4} b={1,2}" gives four texts, in the order of a shell. Braces may nest.
// U030 if they do not match.
Result<std::vector<std::string>> expand(const std::string& text);

// All jobs of a suite in order. U030 with the place of the error.
Result<std::vector<BenchJob>> read_suite(const std::string& text);

}  // namespace stencil::bench
