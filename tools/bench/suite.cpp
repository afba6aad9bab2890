// Converts JSON to jobs. Each entry is merged with the defaults and its lists are multiplied out.
// Schedules vary fastest, so jobs with the same data follow each other.
//
// The JSON library reports errors by exceptions; here the type is checked before every access, so
// that messages can name the entry and the expected type.
#include "tools/bench/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "compiler/support/diagnostic.h"
#include "compiler/support/try.h"

namespace stencil::bench {

namespace {

// A key with a plural form, whose value is a list.
struct Plural {
  const char* one;
  const char* many;
};
constexpr Plural kPlurals[] = {
    {"program", "programs"}, {"real", "reals"}, {"fp", "fps"}, {"define", "sizes"}};

const std::vector<std::string> kKeys = {"program",     "programs",     "real",      "reals",
                                        "fp",          "fps",          "define",    "sizes",
                                        "check",       "schedules",    "streaming", "steps",
                                        "check_steps", "verify_steps", "repeat",    "run_steps"};

Failure wrong(const std::string& where, const std::string& what, const std::string& hint = "") {
  return {"U030", fmt::format("the suite is wrong: {}: {}", where, what), hint};
}

// An entry, and its first error.
class Entry {
 public:
  Entry(Json values, std::string where) : values_(std::move(values)), where_(std::move(where)) {}

  // Values of a key, all of one type: a single value (key.one) or a list (key.many); `otherwise`
  // if the entry has neither.
  std::vector<Json> several(const Plural& key, bool (Json::*is)() const noexcept, const char* kind,
                            const std::optional<Json>& otherwise) {
    std::vector<Json> out;
    if (values_.contains(key.many)) {
      if (!values_[key.many].is_array()) return complain(key.many, "a list"), out;
      out.assign(values_[key.many].begin(), values_[key.many].end());
    } else if (values_.contains(key.one)) {
      out.push_back(values_[key.one]);
    } else if (otherwise) {
      out.push_back(*otherwise);
    } else {
      fail(fmt::format("there is no \"{}\"", key.one));
    }
    for (const Json& value : out) {
      if (!(value.*is)()) complain(key.one, kind);
    }
    return out;
  }

  std::optional<int64_t> number(const char* key, int64_t least, int64_t most = INT64_MAX) {
    if (!values_.contains(key)) return std::nullopt;
    const Json& value = values_[key];
    const bool whole =
        value.is_number_unsigned() ? value.get<uint64_t>() <= INT64_MAX : value.is_number_integer();
    if (whole && value.get<int64_t>() >= least && value.get<int64_t>() <= most) {
      return value.get<int64_t>();
    }
    complain(key, fmt::format("a whole number from {} to {}", least, most));
    return std::nullopt;
  }

  std::optional<Json> object(const char* key) {
    if (!values_.contains(key)) return std::nullopt;
    if (!values_[key].is_object()) complain(key, "an object");
    return values_[key];
  }

  // The schedule lines of "schedules" and "streaming", without duplicates, and whether each is
  // marked naive.
  std::vector<std::pair<std::string, bool>> schedules();

  void fail(const std::string& what, const std::string& hint = "") {
    if (!failure_) failure_ = wrong(where_, what, hint);
  }
  void complain(const std::string& key, const std::string& kind) {
    fail(fmt::format("\"{}\" is not {}", key, kind));
  }
  // Fails if the object has any other key.
  void check_keys(const Json& object, const std::vector<std::string>& keys);
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  Json values_;
  std::string where_;
  std::optional<Failure> failure_;
};

void Entry::check_keys(const Json& object, const std::vector<std::string>& keys) {
  for (const auto& item : object.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
    const std::string near = nearest_name(item.key(), keys);
    fail(fmt::format("unknown key \"{}\"", item.key()),
         near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
  }
}

std::vector<std::pair<std::string, bool>> Entry::schedules() {
  std::vector<std::pair<std::string, bool>> out;
  const auto add = [&](const std::string& text, bool naive) {
    const auto lines = expand(text);
    if (!lines.ok()) return fail(lines.failure().message);
    for (const std::string& line : lines.value()) {
      const auto known = std::find_if(out.begin(), out.end(),
                                      [&](const auto& each) { return each.first == line; });
      if (known == out.end()) {
        out.emplace_back(line, naive);
      } else {
        known->second |= naive;
      }
    }
  };
  for (const char* key : {"schedules", "streaming"}) {
    if (!values_.contains(key)) continue;
    if (!values_[key].is_array()) complain(key, "a list");
    for (const Json& item : values_[key]) {
      const Json line = item.is_object() ? item.value("schedule", Json()) : item;
      const Json naive = item.is_object() ? item.value("naive", Json(false)) : Json(false);
      if (item.is_object()) check_keys(item, {"schedule", "naive"});
      if (!line.is_string() || !naive.is_boolean()) {
        complain(key, "a list of lines or {\"schedule\": LINE, \"naive\": BOOL}");
        return out;
      }
      add(line.get<std::string>(), naive.get<bool>());
    }
  }
  if (out.empty()) fail("there are no \"schedules\"");
  return out;
}

// Merges an entry with the defaults. A singular key replaces a plural one, because Entry::several
// looks for plurals first.
Json merged(const Json& defaults, const Json& entry) {
  Json out = defaults;
  for (const auto& [one, many] : kPlurals) {
    if (entry.contains(one)) out.erase(many);
  }
  out.update(entry);
  return out;
}

std::optional<FpMode> mode_called(const std::string& text) {
  for (const FpMode mode : {FpMode::Strict, FpMode::Contract, FpMode::Fast}) {
    if (name(mode) == text) return mode;
  }
  return std::nullopt;
}

void add_jobs(Entry& entry, std::vector<BenchJob>& jobs) {
  BenchJob common;
  common.check = entry.object("check");
  const auto steps = entry.number("steps", 0);
  if (!steps) entry.fail("there is no \"steps\"");
  common.steps = steps.value_or(0);
  common.verify_steps = entry.number("verify_steps", 0);
  common.check_steps = entry.number("check_steps", 0).value_or(common.check_steps);
  common.run_steps = entry.number("run_steps", 0).value_or(common.run_steps);
  common.repeat = static_cast<int>(entry.number("repeat", 1, 1000).value_or(common.repeat));
  const auto programs = entry.several(kPlurals[0], &Json::is_string, "a string", std::nullopt);
  const auto reals = entry.several(kPlurals[1], &Json::is_string, "a string", Json("float"));
  const auto fps = entry.several(kPlurals[2], &Json::is_string, "a string", Json("contract"));
  const auto sizes = entry.several(kPlurals[3], &Json::is_object, "an object", Json::object());
  const auto schedules = entry.schedules();
  if (entry.failure()) return;
  for (const Json& program : programs) {
    for (const Json& real : reals) {
      for (const Json& fp : fps) {
        for (const Json& define : sizes) {
          for (const auto& [line, naive] : schedules) {
            BenchJob job = common;
            job.source = program.get<std::string>();
            job.program = std::filesystem::path(job.source).stem().string();
            if (real != "float" && real != "double") entry.complain("real", "float or double");
            job.real = real == "double" ? Scalar::F64 : Scalar::F32;
            const auto mode = mode_called(fp.get<std::string>());
            if (!mode) entry.complain("fp", "strict, contract or fast");
            job.fp = mode.value_or(FpMode::Contract);
            job.define = define;
            job.schedule = line;
            job.naive = naive;
            job.name = fmt::format("{}_{:04}", job.program, jobs.size());
            jobs.push_back(std::move(job));
          }
        }
      }
    }
  }
}

}  // namespace

Result<std::vector<std::string>> expand(const std::string& text) {
  const size_t start = text.find('{');
  if (start == std::string::npos) {
    if (text.find('}') == std::string::npos) return std::vector<std::string>{text};
    return Failure{"U030", fmt::format("'}}' without '{{' in schedule '{}'", text), ""};
  }
  constexpr int kDeepest = 32;
  constexpr size_t kMost = 100'000;
  std::vector<size_t> cuts = {start};  // positions of braces and commas
  int depth = 0, deepest = 0;
  for (size_t at = start; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    deepest = std::max(deepest, depth);
    if (depth == 0 || (text[at] == ',' && depth == 1)) cuts.push_back(at);
    if (depth == 0) break;
  }
  if (depth != 0) {
    return Failure{"U030", fmt::format("'{{' without '}}' in schedule '{}'", text), ""};
  }
  if (deepest > kDeepest) {
    return Failure{"U030", fmt::format("braces in a schedule nest {} deep", deepest),
                   fmt::format("the limit is {}", kDeepest)};
  }
  const auto tails = TRY(expand(text.substr(cuts.back() + 1)));
  std::vector<std::string> out;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const auto middles = TRY(expand(text.substr(cuts[i] + 1, cuts[i + 1] - cuts[i] - 1)));
    for (const std::string& middle : middles) {
      for (const std::string& tail : tails) {
        out.push_back(text.substr(0, start) + middle + tail);
        if (out.size() <= kMost) continue;
        return Failure{"U030", "a schedule expands to too many schedules",
                       fmt::format("the limit is {}", kMost)};
      }
    }
  }
  return out;
}

Result<std::vector<BenchJob>> read_suite(const std::string& text) {
  Json suite = Json::parse(text, nullptr, false);
  if (suite.is_discarded()) return Failure{"U030", "the suite is not JSON", ""};
  if (suite.is_array()) suite = Json{{"entries", suite}};
  if (!suite.is_object() || !suite.contains("entries") || !suite["entries"].is_array()) {
    return Failure{"U030", "the suite has no list of entries", ""};
  }
  const Json defaults = suite.value("defaults", Json::object());
  if (!defaults.is_object()) return wrong("defaults", "not an object");
  Entry whole(suite, "the suite");
  whole.check_keys(suite, {"defaults", "entries"});
  if (whole.failure()) return *whole.failure();
  std::vector<BenchJob> jobs;
  for (size_t e = 0; e < suite["entries"].size(); ++e) {
    const std::string where = fmt::format("entry {}", e + 1);
    const Json& values = suite["entries"][e];
    if (!values.is_object()) return wrong(where, "not an object");
    Entry entry(merged(defaults, values), where);
    entry.check_keys(values, kKeys);
    entry.check_keys(defaults, kKeys);
    add_jobs(entry, jobs);
    if (entry.failure()) return *entry.failure();
  }
  return jobs;
}

}  // namespace stencil::bench
