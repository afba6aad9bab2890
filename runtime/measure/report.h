// The measurements of a device as values, text and JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/schedule/machine.h"

namespace stencil::measure {

struct Figure {
  std::string name;  // key in JSON
  std::string text;  // description for people
  std::string unit;  // "B/s", "FMA/s", "FLOP", "s", "B"; "": a ratio
  double value = 0;
  std::optional<double> machine = {};  // the value in the device's schedule::Machine
  std::string member = {};             // its member of Machine, or a formula of members
  std::optional<double> cycles = {};   // a time in clock cycles, at the device's reported rate
};

struct Curve {
  std::string name, text;
  std::string x, y;  // axis labels: "working set (B)"
  std::vector<std::array<double, 2>> points;
};

struct Report {
  std::string device, description;
  schedule::Machine machine;
  double hertz = 0;  // reported by the device; 0: none
  std::vector<Figure> figures;
  std::vector<Curve> curves;
  std::vector<std::pair<std::string, std::string>> left_out;  // name and reason
};

// A number with its unit and a decimal prefix: "3.91 TB/s", "2.4 us", "48 MiB" for bytes.
std::string readable(double value, const std::string& unit);

// Tables of one report, for a terminal.
std::string print(const Report& report);

// Reports as a JSON document, in base units: docs/design/measure.md describes it.
std::string to_json(const std::vector<Report>& reports);

}  // namespace stencil::measure
