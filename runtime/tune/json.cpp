// {"format": "stencilc tuned", "version": 1, "entries": [...]}. The reader rejects unknown keys and
// versions, because a later version may have another meaning.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/support/diagnostic.h"
#include "compiler/support/try.h"
#include "runtime/tune/database.h"

namespace stencil::tune {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "stencilc tuned";
constexpr int64_t kFormatVersion = 1;

Failure wrong_json(const std::string& where, const std::string& what) {
  return {"R091", fmt::format("these are not tuned schedules: {}: {}", where, what), ""};
}

// Visits the members of an entry with their keys.
template <class Subject, class Visit>
void for_each_member(Subject& entry, const Visit& visit) {
  visit("device", entry.key.device);
  visit("machine", entry.key.machine);
  visit("program", entry.key.program);
  visit("name", entry.name);
  visit("real", entry.key.real);
  visit("fp", entry.key.fp);
  visit("sizes", entry.sizes);
  visit("schedule", entry.schedule);
  visit("seconds", entry.seconds);
  visit("spread", entry.spread);
  visit("runs", entry.runs);
  visit("when", entry.when);
  visit("version", entry.version);
}

bool is_whole(const Json& value) {
  return value.is_number_unsigned() ? value.get<uint64_t>() <= INT64_MAX
                                    : value.is_number_integer();
}

// Parses a value; returns what is wrong with it, or "".
std::string take(const Json& value, std::string& to) {
  if (!value.is_string()) return "is not a string";
  to = value.get<std::string>();
  return "";
}
std::string take(const Json& value, double& to) {
  if (!value.is_number()) return "is not a number";
  to = value.get<double>();
  return "";
}
std::string take(const Json& value, int64_t& to) {
  if (!is_whole(value)) return "is not a whole number";
  to = value.get<int64_t>();
  return "";
}
std::string take(const Json& value, Sizes& to) {
  if (!value.is_array() || !std::all_of(value.begin(), value.end(), is_whole)) {
    return "is not a list of whole numbers";
  }
  to = value.get<Sizes>();
  return "";
}

Result<Entry> entry_of(const Json& value, const std::string& where) {
  if (!value.is_object()) return wrong_json(where, "it is not an object");
  Entry entry;
  std::vector<std::string> known;
  std::string fault;
  for_each_member(entry, [&](const char* key, auto& member) {
    known.emplace_back(key);
    if (!fault.empty()) return;
    if (!value.contains(key)) {
      fault = fmt::format("there is no \"{}\"", key);
      return;
    }
    const std::string what = take(value[key], member);
    if (!what.empty()) fault = fmt::format("\"{}\" {}", key, what);
  });
  if (!fault.empty()) return wrong_json(where, fault);
  for (const auto& item : value.items()) {
    if (std::count(known.begin(), known.end(), item.key()) > 0) continue;
    Failure unknown = wrong_json(where, fmt::format("unknown key \"{}\"", item.key()));
    const std::string near = nearest_name(item.key(), known);
    if (!near.empty()) unknown.hint = fmt::format("did you mean \"{}\"?", near);
    return unknown;
  }
  const std::string flaw = flaw_of(entry);
  if (!flaw.empty()) return wrong_json(where, flaw);
  return entry;
}

}  // namespace

std::string to_json(const std::vector<Entry>& entries) {
  std::string out =
      fmt::format("{{\"format\": \"{}\", \"version\": {}, \"entries\": [", kFormat, kFormatVersion);
  const char* before = "\n";
  for (const Entry& entry : entries) {
    Json members;
    for_each_member(entry, [&](const char* key, const auto& member) { members[key] = member; });
    out += before + members.dump(-1, ' ', false, Json::error_handler_t::replace);
    before = ",\n";
  }
  return out + "\n]}\n";
}

Result<std::vector<Entry>> from_json(const std::string& text) {
  Json file;
  try {
    file = Json::parse(text);
  } catch (const Json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string message = error.what();
    const size_t at = message.find("at line"), colon = message.find(": ", at);
    if (at == message.npos || colon == message.npos) return wrong_json("JSON", message);
    return wrong_json(message.substr(at + 3, colon - at - 3), message.substr(colon + 2));
  }
  if (!file.is_object() || file.value("format", Json()) != kFormat) {
    return wrong_json("the file", fmt::format("there is no \"format\": \"{}\"", kFormat));
  }
  if (file.value("version", Json()) != kFormatVersion) {
    return wrong_json("the file",
                      fmt::format("\"version\" is {}, but this stencilc knows {}",
                                  file.value("version", Json()).dump(), kFormatVersion));
  }
  const Json list = file.value("entries", Json());
  if (!list.is_array()) return wrong_json("the file", "there is no list \"entries\"");
  std::vector<Entry> out;
  for (size_t e = 0; e < list.size(); ++e) {
    auto entry = TRY(entry_of(list[e], fmt::format("entries[{}]", e)));
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace stencil::tune
