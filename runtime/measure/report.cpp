#include "runtime/measure/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/support/layout.h"

namespace stencil::measure {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string figures(const Report& report) {
  const bool clock = report.hertz > 0;
  Rows rows = {{"figure", "measured"}};
  if (clock) rows[0].push_back("cycles");
  for (const char* column : {"table", "ratio", "member"}) rows[0].push_back(column);
  for (const Figure& figure : report.figures) {
    const auto or_none = [](bool there, const std::string& text) { return there ? text : "-"; };
    const double table = figure.machine.value_or(0);
    auto& row = rows.emplace_back();
    row = {figure.text, readable(figure.value, figure.unit)};
    const double cycles = figure.cycles.value_or(0);
    if (clock) row.push_back(or_none(figure.cycles.has_value(), fmt::format("{:.1f}", cycles)));
    row.push_back(or_none(figure.machine.has_value(), readable(table, figure.unit)));
    row.push_back(or_none(table > 0, fmt::format("{:.2f}", table > 0 ? figure.value / table : 0)));
    row.push_back(figure.member);
  }
  return table(rows, {.texts = 1, .text_last = true});
}

// Splits "working set (B)" into label and unit; cells show the unit.
std::pair<std::string, std::string> split_unit(const std::string& axis) {
  const size_t open = axis.rfind(" (");
  if (open == std::string::npos) return {axis, ""};
  return {axis.substr(0, open), axis.substr(open + 2, axis.size() - open - 3)};
}

std::string curve_table(const Curve& curve) {
  const auto [x, x_unit] = split_unit(curve.x);
  const auto [y, y_unit] = split_unit(curve.y);
  Rows rows = {{x, y}};
  for (const auto& [at, value] : curve.points) {
    rows.push_back({readable(at, x_unit), readable(value, y_unit)});
  }
  return "\n" + wrapped(curve.text) + table(rows, {.indent = "  ", .texts = 0});
}

Json json_of(const Report& report) {
  Json out;
  out["device"] = report.device;
  out["description"] = report.description;
  if (report.hertz > 0) out["hertz"] = report.hertz;
  const schedule::Machine& machine = report.machine;
  out["machine"] = {{"name", machine.name},
                    {"description", machine.description},
                    {"multiprocessors", machine.multiprocessors},
                    {"bytes_per_second", machine.bytes_per_second},
                    {"instructions_per_second", machine.instructions_per_second},
                    {"double_cost", machine.double_cost},
                    {"launch_seconds", machine.launch_seconds},
                    {"cache_bytes", machine.cache_bytes}};
  out["figures"] = Json::object();
  for (const Figure& figure : report.figures) {
    Json& entry = out["figures"][figure.name];
    entry = {{"text", figure.text}, {"unit", figure.unit}, {"value", figure.value}};
    if (figure.cycles) entry["cycles"] = *figure.cycles;
    if (figure.machine) entry["machine"] = *figure.machine;
    if (figure.machine) entry["member"] = figure.member;
  }
  out["curves"] = Json::object();
  for (const Curve& curve : report.curves) {
    Json points = Json::array();
    for (const auto& [x, y] : curve.points) points.push_back({x, y});
    out["curves"][curve.name] = {
        {"text", curve.text}, {"x", curve.x}, {"y", curve.y}, {"points", points}};
  }
  out["left_out"] = Json::object();
  for (const auto& [what, why] : report.left_out) out["left_out"][what] = why;
  return out;
}

}  // namespace

std::string readable(double value, const std::string& unit) {
  if (unit.empty()) return fmt::format("{:.4g}", value);
  struct Prefix {
    double factor;
    const char* name;
  };
  static constexpr Prefix kBinary[] = {{1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}, {1, ""}};
  static constexpr Prefix kDecimal[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                                        {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  const auto print = [&](const auto& prefixes) {
    const Prefix* chosen = &prefixes[0];
    for (const Prefix& prefix : prefixes) {
      chosen = &prefix;
      if (value >= prefix.factor) break;
    }
    if (value == 0) return fmt::format("0 {}", unit);
    return fmt::format("{:.4g} {}{}", value / chosen->factor, chosen->name, unit);
  };
  return unit == "B" ? print(kBinary) : print(kDecimal);
}

std::string print(const Report& report) {
  std::string out =
      wrapped(report.description, report.device + ": ", "  ") + "\n" + figures(report);
  for (const Curve& curve : report.curves) out += curve_table(curve);
  if (!report.left_out.empty()) out += "\nLeft out\n";
  for (const auto& [what, why] : report.left_out) out += wrapped(why, "  " + what + ": ", "    ");
  return out;
}

std::string to_json(const std::vector<Report>& reports) {
  Json devices = Json::array();
  for (const Report& report : reports) devices.push_back(json_of(report));
  // Infinities become null. Device names need not be valid UTF-8.
  return Json{{"devices", devices}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stencil::measure
