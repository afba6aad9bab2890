// JSON is written by nlohmann's library, CSV by hand.
#include "tools/stencilc/explore/report_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "compiler/support/escape.h"

namespace stencil::explore {

namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json json(const Margin& box) {
  Json out = Json::array();
  for (const analysis::Reach& side : box) out.push_back({{"low", side.low}, {"high", side.high}});
  return out;
}

Json json(const std::vector<Count>& counts) {
  Json out = Json::array();
  for (const Count& count : counts) out.push_back({{"name", count.name}, {"count", count.count}});
  return out;
}

Json json(const Code& code) {
  const bool known = code.unmatched.empty();
  return {{"kernel", code.kernel},
          {"unmatched", known ? Json(nullptr) : Json(code.unmatched)},
          {"issued", json(code.issued)},
          {"issued_slots", known ? Json(code.issued_slots) : Json(nullptr)},
          {"counted_slots", code.counted_slots}};
}

Json json(const Candidate& c, size_t rank) {
  Json out = {{"rank", rank},
              {"schedule", c.schedule},
              {"brief", c.brief},
              {"family", c.family},
              {"time_tile", c.time_tile},
              {"chosen", c.chosen},
              {"predicted", c.predicted},
              {"measured", optional(c.measured)},
              {"limit", schedule::name(c.limit)},
              {"headroom", c.headroom},
              {"reason", c.reason}};
  out["terms"] = Json::array();
  for (const Term& term : c.terms) {
    out["terms"].push_back(
        {{"name", term.name}, {"seconds", term.seconds}, {"overlaps", term.overlaps}});
  }
  out["counts"] = json(c.counts);
  out["instructions"] = c.instructions;
  out["memory_bytes"] = c.memory_bytes;
  out["cache_bytes"] = c.cache_bytes;
  out["shared_bytes_moved"] = c.shared_bytes_moved;
  out["words_loaded"] = c.words_loaded;
  out["redundancy"] = c.redundancy;
  out["registers"] = c.registers;
  out["spills"] = c.spills;
  out["compiled_registers"] = optional(c.compiled_registers);
  out["spill_bytes"] = optional(c.spill_bytes);
  out["code"] = Json::array();
  for (const Code& code : c.code) out["code"].push_back(json(code));
  out["shared_bytes"] = c.shared_bytes;
  out["threads"] = c.threads;
  out["elements"] = c.elements;
  out["blocks"] = c.blocks;
  out["resident_blocks"] = c.blocks_per_multiprocessor;
  out["occupancy"] = c.occupancy;
  out["waves"] = c.waves;
  return out;
}

// A point of the curves over T, with the values shown for its candidate.
Json json(const Best& best, double flops) {
  const Candidate& c = best.predicted;
  return {{"time_tile", c.time_tile},
          {"elements", c.elements},
          {"schedule", c.schedule},
          {"family", c.family},
          {"limit", schedule::name(c.limit)},
          {"predicted", c.predicted},
          {"predicted_gflops", flops * c.predicted},
          {"measured", optional(best.measured)},
          {"measured_gflops", best.measured ? Json(flops * *best.measured) : Json(nullptr)},
          {"timed", best.measured ? Json(best.timed) : Json(nullptr)},
          {"words_loaded", c.words_loaded},
          {"words_shared", c.shared_bytes_moved / 4},
          {"instructions", c.instructions},
          {"redundancy", c.redundancy}};
}

Json json(const std::vector<Best>& curve, double flops) {
  Json out = Json::array();
  for (const Best& best : curve) out.push_back(json(best, flops));
  return out;
}

Json json(const Winner& winner) {
  Json out = {{"target", winner.target},
              {"source", winner.source},
              {"streams", winner.streams},
              {"output", winner.output},
              {"planes_loaded", winner.planes_loaded},
              {"prefetch", winner.prefetch}};
  out["halo"] = Json::array();
  for (const HaloBox& box : winner.halo) {
    out["halo"].push_back({{"step", box.step},
                           {"field", box.field},
                           {"function", box.function},
                           {"margin", json(box.margin)}});
  }
  out["stages"] = Json::array();
  for (const TileStage& stage : winner.stages) {
    out["stages"].push_back({{"step", stage.step},
                             {"function", stage.function},
                             {"lag", stage.lag},
                             {"computed", json(stage.computed)}});
  }
  return out;
}

// Everything but the candidates.
Json head_of(const Report& report) {
  const ReportMachine& machine = report.machine;
  Json out = {{"program", report.program},
              {"file", report.file},
              {"source", report.source},
              {"command", report.command},
              {"machine",
               {{"name", machine.name},
                {"description", machine.description},
                {"bytes_per_second", machine.bytes_per_second},
                {"instructions_per_second", machine.instructions_per_second},
                {"double_cost", machine.double_cost}}},
              {"note", report.note},
              {"device", report.device},
              {"axes", report.axes},
              {"extents", report.extents},
              {"points", points_of(report)},
              {"steps", report.steps},
              {"real", report.real},
              {"fp", report.fp},
              {"seconds", report.seconds},
              {"looked_at", report.looked_at},
              {"ranked", ranked_in(report)},
              {"kendall_tau", optional(kendall_tau(report))}};
  out["pruned"] = Json::array();
  for (const Pruned& pruned : report.pruned) {
    out["pruned"].push_back(
        {{"reason", pruned.reason}, {"count", pruned.count}, {"example", pruned.example}});
  }
  out["winner"] = report.winner ? json(*report.winner) : Json(nullptr);
  out["neighbours"] = Json::array();
  for (const Neighbour& neighbour : report.neighbours) {
    out["neighbours"].push_back({{"time_tile", neighbour.time_tile},
                                 {"predicted", neighbour.predicted},
                                 {"limit", schedule::name(neighbour.limit)}});
  }
  out["flops"] = report.flops;
  out["by_elements"] = json(report.by_elements, report.flops);
  out["by_time_tile"] = json(report.by_time_tile, report.flops);
  return out;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// `head`, with the candidates as its last member, one per line; `form` transforms each value.
std::string with_candidates(const Json& head, const Report& report, Json (*form)(Json)) {
  std::string out = dump(form(head));
  out.pop_back();  // closing brace
  out += ",\"candidates\":[";
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    out += (i > 0 ? ",\n" : "\n") + dump(form(json(report.candidates[i], i + 1)));
  }
  return out + "]}\n";
}

// For the page, which shows three digits and visible characters.
Json for_page(Json value) {
  if (value.is_structured()) {
    for (Json& part : value) part = for_page(std::move(part));
  } else if (value.is_string()) {
    value = visible(value.get_ref<const std::string&>());
  } else if (value.is_number_float() && std::isfinite(value.get<double>())) {
    const std::string digits = fmt::format("{:.6g}", value.get<double>());
    double rounded = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
    value = rounded;
  }
  return value;
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

template <typename Value>
std::string number(const std::optional<Value>& value) {
  return value ? number(static_cast<double>(*value)) : "";
}

// The names of all terms, or of all instruction classes, in order of occurrence.
template <typename Part>
std::vector<std::string> names_of(const Report& report, std::vector<Part> Candidate::*parts) {
  std::vector<std::string> names;
  for (const Candidate& candidate : report.candidates) {
    for (const Part& part : candidate.*parts) {
      if (std::find(names.begin(), names.end(), part.name) == names.end()) {
        names.push_back(part.name);
      }
    }
  }
  return names;
}

template <typename Part>
std::string value_of(const std::vector<Part>& parts, const std::string& name, double Part::*value) {
  for (const Part& part : parts) {
    if (part.name == name) return number(part.*value);
  }
  return "";
}

}  // namespace

std::string json_of(const Report& report) {
  return with_candidates(head_of(report), report, [](Json value) { return value; });
}

std::string page_data(const Report& report) {
  Json head = head_of(report);
  head.erase("source");
  if (report.winner) head["winner"].erase("source");
  std::string out;
  for (const char c : with_candidates(head, report, for_page)) {
    if (c == '<' || c == '>' || c == '&') {  // these occur only in strings
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string csv_of(const Report& report) {
  const std::vector<std::string> terms = names_of(report, &Candidate::terms);
  const std::vector<std::string> counts = names_of(report, &Candidate::counts);
  std::vector<std::string> header = {"rank",
                                     "schedule",
                                     "family",
                                     "time_tile",
                                     "chosen",
                                     "predicted",
                                     "measured",
                                     "limit",
                                     "headroom",
                                     "reason",
                                     "instructions",
                                     "memory_bytes",
                                     "cache_bytes",
                                     "shared_bytes_moved",
                                     "words_loaded",
                                     "redundancy",
                                     "registers",
                                     "spills",
                                     "compiled_registers",
                                     "spill_bytes",
                                     "shared_bytes",
                                     "threads",
                                     "elements",
                                     "blocks",
                                     "resident_blocks",
                                     "occupancy",
                                     "waves"};
  for (const std::string& name : terms) header.push_back(quoted(name + " seconds"));
  for (const std::string& name : counts) header.push_back(quoted(name + " count"));
  std::string out = fmt::format("{}\r\n", fmt::join(header, ","));
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const Candidate& c = report.candidates[i];
    std::vector<std::string> row = {std::to_string(i + 1),
                                    quoted(c.schedule),
                                    quoted(c.family),
                                    std::to_string(c.time_tile),
                                    c.chosen ? "1" : "0",
                                    number(c.predicted),
                                    number(c.measured),
                                    std::string(schedule::name(c.limit)),
                                    number(c.headroom),
                                    quoted(c.reason),
                                    number(c.instructions),
                                    number(c.memory_bytes),
                                    number(c.cache_bytes),
                                    number(c.shared_bytes_moved),
                                    number(c.words_loaded),
                                    number(c.redundancy),
                                    std::to_string(c.registers),
                                    c.spills ? "1" : "0",
                                    number(c.compiled_registers),
                                    number(c.spill_bytes),
                                    std::to_string(c.shared_bytes),
                                    std::to_string(c.threads),
                                    std::to_string(c.elements),
                                    std::to_string(c.blocks),
                                    std::to_string(c.blocks_per_multiprocessor),
                                    number(c.occupancy),
                                    number(c.waves)};
    for (const std::string& name : terms) row.push_back(value_of(c.terms, name, &Term::seconds));
    for (const std::string& name : counts) row.push_back(value_of(c.counts, name, &Count::count));
    out += fmt::format("{}\r\n", fmt::join(row, ","));
  }
  return out;
}

}  // namespace stencil::explore
