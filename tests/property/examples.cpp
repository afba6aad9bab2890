#include "tests/property/examples.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "compiler/driver/frontend.h"

namespace stencil::property {

namespace {

constexpr int64_t kLeast = 4;

struct Number {
  std::string name;
  int64_t value;
  size_t at, length;  // of the value in the text
};

// Integer params whose default is a number that may be a size.
std::vector<Number> sizes_in(const std::string& text) {
  static const std::regex kParam(R"(param\s+(\w+)\s*:\s*integer\s*=\s*(\d+)\s*;)");
  std::vector<Number> out;
  for (std::sregex_iterator it(text.begin(), text.end(), kParam), end; it != end; ++it) {
    const int64_t value = std::stoll((*it)[2]);
    if (value <= kLeast) continue;
    out.push_back({(*it)[1], value, static_cast<size_t>(it->position(2)),
                   static_cast<size_t>(it->length(2))});
  }
  return out;
}

// The number of grid points; nullopt if the front end refuses the program.
std::optional<double> points_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto program = load_program(Source("example.stn", text), {}, diagnostics);
  if (!program) return std::nullopt;
  double points = 1;
  for (const ir::Range& range : program->grid().ranges) {
    points *= static_cast<double>(range.high.constant - range.low.constant + 1);
  }
  return points;
}

Example scaled(const std::string& name, const std::string& text, int64_t divisor) {
  Example out{name, text, {}};
  const std::vector<Number> numbers = sizes_in(text);
  for (size_t n = numbers.size(); n-- > 0;) {  // from the end, so that positions stay valid
    const int64_t value = std::max(numbers[n].value / divisor, kLeast);
    out.text.replace(numbers[n].at, numbers[n].length, std::to_string(value));
    out.sizes.insert(out.sizes.begin(), {numbers[n].name, value});
  }
  return out;
}

}  // namespace

std::vector<Example> small_examples(int64_t most_points) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(STENCIL_SOURCE_DIR "/dsl-examples")) {
    if (entry.path().extension() == ".stn") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Example> out;
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    // Takes the largest version that is small enough, otherwise the smallest valid one.
    Example chosen = scaled(file.stem(), text.str(), 1);
    for (int64_t divisor = 1; divisor <= 1024; divisor += (divisor + 3) / 4) {
      Example example = scaled(file.stem(), text.str(), divisor);
      const auto points = points_of(example.text);
      if (!points) continue;
      chosen = std::move(example);
      if (*points <= static_cast<double>(most_points)) break;
    }
    out.push_back(std::move(chosen));
  }
  return out;
}

}  // namespace stencil::property
