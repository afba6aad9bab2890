// Also accepts files of earlier runs: missing members become dashes, and the former names
// spill_bytes and shared are recognised.
#include "tools/bench/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "compiler/schedule/family.h"
#include "compiler/support/layout.h"

namespace stencil::bench {

namespace {

std::string text_in(const Json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::optional<double> number_in(const Json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

// "N=512"; "N=M=16384" if all are equal.
std::string size_of(const Json& record) {
  const Json define = record.value("define", Json::object());
  std::string names, each;
  bool equal = true;
  for (const auto& item : define.items()) {
    equal = equal && item.value() == define.front();
    names += item.key() + "=";
    each += fmt::format("{}{}={}", each.empty() ? "" : " ", item.key(), item.value().dump());
  }
  if (define.empty()) return "-";
  return equal ? names + define.front().dump() : each;
}

// --- Groups: runs that differ only in their schedule

using Group = std::vector<const Json*>;  // fastest first

std::string first_word(const std::string& line) {
  return line.substr(0, line.find(' '));
}

bool has_word(const std::string& line, const std::string& wanted) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

double rate_of(const Json& record) {
  return number_in(record, "gcells").value_or(0);
}

std::optional<double> over_bound(const Json& record) {
  const auto bound = number_in(record, "copy_gcells");
  if (!bound || *bound <= 0) return std::nullopt;
  return rate_of(record) / *bound;
}

bool one_point_per_thread(const std::string& line) {
  return has_word(line, "elements=1") || has_word(line, "elements=1x1") ||
         has_word(line, "elements=1x1x1");
}

// The marked baseline; else the fastest direct schedule with one point per thread; else the fastest
// direct one.
const Json* naive_of(const Group& group) {
  const Json* plain = nullptr;
  const Json* direct = nullptr;
  for (const Json* record : group) {
    if (record->value("naive", false)) return record;
    const std::string line = text_in(*record, "schedule");
    if (first_word(line) != schedule::family_table().back().name) continue;
    if (!direct) direct = record;
    if (!plain && one_point_per_thread(line)) plain = record;
  }
  return plain ? plain : direct;
}

const Json* single_step_of(const Group& group) {
  for (const Json* record : group) {
    if (has_word(text_in(*record, "schedule"), "T=1")) return record;
  }
  return nullptr;
}

std::vector<Group> groups_of(const std::vector<const Json*>& records) {
  std::vector<std::string> order;
  std::map<std::string, Group> groups;
  for (const Json* record : records) {
    const bool timed = text_in(*record, "kind") == "time" && number_in(*record, "gcells");
    if (!timed || !failure_of(*record).empty()) continue;
    const std::string key =
        fmt::format("{} {} {} {}", text_in(*record, "program"), text_in(*record, "real"),
                    text_in(*record, "fp"), size_of(*record));
    if (!groups.count(key)) order.push_back(key);
    groups[key].push_back(record);
  }
  std::vector<Group> out;
  for (const std::string& key : order) {
    Group& group = groups[key];
    std::stable_sort(group.begin(), group.end(),
                     [](const Json* a, const Json* b) { return rate_of(*a) > rate_of(*b); });
    out.push_back(std::move(group));
  }
  return out;
}

// --- Rows

using Row = std::vector<std::string>;

Row row_of(const Json& record, bool best) {
  const auto either = [&](const char* key, const char* former) {
    const auto value = number_in(record, key);
    return value ? value : number_in(record, former);
  };
  return {best ? "*" : "",
          number(number_in(record, "steps"), 0),
          number(rate_of(record), 1),
          number(over_bound(record), 2),
          number(number_in(record, "registers"), 0),
          number(either("local_bytes", "spill_bytes"), 0),
          number(either("shared_bytes", "shared"), 0),
          number(number_in(record, "jit_s"), 2),
          text_in(record, "schedule")};
}

// The common properties of a group's runs.
std::string name_of(const Json& record) {
  return fmt::format("{} {} {} {}", text_in(record, "program"), size_of(record),
                     text_in(record, "real"), text_in(record, "fp"));
}

Row gain_of(const Group& group) {
  const Json& best = *group.front();
  Row row = {name_of(best), number(rate_of(best), 1)};
  for (const Json* other : {single_step_of(group), naive_of(group)}) {
    const bool known = other && rate_of(*other) > 0;
    row.push_back(known ? number(rate_of(*other), 1) : "-");
    row.push_back(known ? number(rate_of(best) / rate_of(*other), 2) : "-");
  }
  row.push_back(number(over_bound(best), 2));
  return row;
}

std::string tables(const std::vector<Group>& groups) {
  std::string out;
  std::vector<Row> gains = {
      {"program", "best", "T=1", "best/T=1", "naive", "best/naive", "x copy"}};
  for (const Group& group : groups) {
    std::vector<Row> rows = {
        {"", "steps", "GCells/s", "x copy", "registers", "local", "shared", "jit s", "schedule"}};
    for (const Json* record : group) rows.push_back(row_of(*record, record == group.front()));
    out += wrapped(name_of(*group.front()), "", "  ") +
           table(rows, {.indent = "  ", .texts = 1, .text_last = true}) + "\n";
    gains.push_back(gain_of(group));
  }
  return out + table(gains, {.texts = 1});
}

// The first line that describes the error.
std::string first_line(const std::string& text) {
  std::istringstream lines(text);
  std::string first, line;
  std::getline(lines, first);
  return first.substr(0, 200);
}

// The machine information of a file.
std::string head_of(const Json& file) {
  std::string out;
  for (const auto& item : file.items()) {
    if (item.key() == "results") continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", item.key(),
                       text_in(file, item.key().c_str()));
  }
  return out.empty() ? "" : wrapped(out, "", "  ");
}

}  // namespace

std::string failure_of(const Json& record) {
  if (record.contains("error")) return first_line(text_in(record, "error"));
  const bool ended_early = record.contains("left_out") || record.contains("refused");
  if (ended_early || number_in(record, "check_steps") == 0.0) return "";
  for (const char* tool : {"check", "memcheck", "racecheck"}) {
    const std::string verdict = text_in(record, tool);
    if (!verdict.empty() && verdict != "passed" && verdict != "clean") {
      return fmt::format("{}: {}", tool, first_line(verdict));
    }
  }
  return "";
}

std::string title_of(const Json& record) {
  return fmt::format("{} '{}'", name_of(record), text_in(record, "schedule"));
}

Result<std::string> table_of(const std::vector<Json>& files) {
  std::string out;
  std::vector<const Json*> records;
  for (const Json& file : files) {
    const Json* results = file.is_array() ? &file : nullptr;
    if (file.is_object() && file.contains("results")) results = &file["results"];
    if (!results || !results->is_array() ||
        !std::all_of(results->begin(), results->end(),
                     [](const Json& r) { return r.is_object(); })) {
      return Failure{"U031", "not a file of results", "stencil_bench SUITE --out makes one"};
    }
    if (file.is_object()) {
      const std::string head = head_of(file);
      if (out.find(head) == std::string::npos) out += head;
    }
    for (const Json& record : *results) records.push_back(&record);
  }
  const std::vector<Group> groups = groups_of(records);
  if (!groups.empty()) out += tables(groups);
  int passed = 0, failed = 0, refused = 0, left_out = 0;
  for (const Json* record : records) {
    const std::string failure = failure_of(*record);
    const bool is_refused = record->contains("refused"), is_left_out = record->contains("left_out");
    failed += !failure.empty();
    refused += is_refused;
    left_out += is_left_out;
    passed += failure.empty() && !is_refused && !is_left_out;
    const auto add = [&](const char* what, const std::string& why) {
      out += wrapped(fmt::format("{} {}: {}", what, title_of(*record), why), "", "  ");
    };
    if (!failure.empty()) add("FAILED", failure);
    if (is_refused) add("refused", first_line(text_in(*record, "refused")));
    if (is_left_out) add("left out", text_in(*record, "left_out"));
  }
  out += fmt::format("{} passed, {} failed, {} refused, {} left out\n", passed, failed, refused,
                     left_out);
  return out;
}

}  // namespace stencil::bench
