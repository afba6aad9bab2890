// What has been measured of a device, as values, as text and as JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/machine.h"

namespace stencil::measure {

struct Figure {
  std::string name;  // "memory_copy_bandwidth", the key in JSON
  std::string text;  // what it is, for people
  std::string unit;  // "B/s", "FMA/s", "FLOP", "s", "B"; "": a ratio
  double value = 0;
  std::optional<double> machine = {};  // what the device's schedule::Machine has for it
  std::string member = {};             // and where: a member of it, or a formula of such
  std::optional<double> cycles = {};   // of a time, by the clock that the device reports
};

struct Curve {
  std::string name, text;
  std::string x, y;  // what the axes are: "working set (B)"
  std::vector<std::array<double, 2>> points;
};

struct Report {
  std::string device, description;
  schedule::Machine machine;
  double hertz = 0;  // that the device reports; 0: none
  std::vector<Figure> figures;
  std::vector<Curve> curves;
  std::vector<std::pair<std::string, std::string>> left_out;  // what, and why
};

// A number with its unit and a decimal prefix: "3.91 TB/s", "2.4 us", "48 MiB" for bytes.
std::string readable(double value, const std::string& unit);

// Tables of one report, for a terminal.
std::string print(const Report& report);

// Reports as a JSON document, in units without prefixes: docs/measure.md describes it.
std::string to_json(const std::vector<Report>& reports);

}  // namespace stencil::measure
