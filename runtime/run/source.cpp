// Translates the user's program text and options to the compiler's.
#include "runtime/run/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "runtime/io/files.h"

namespace stencil::runtime {

namespace {

constexpr int64_t kLargestProgram = int64_t{64} << 20;  // bytes; positions are 32-bit offsets

// A valid C identifier made from a file name: "3d-heat.stn" -> "_3d_heat".
std::string program_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  if (name.empty()) return "program";
  return std::isdigit(static_cast<unsigned char>(name[0])) ? "_" + name : name;
}

// A hint for names with leading or trailing blanks, which are hard to see.
std::string hint_for(const std::string& path) {
  const size_t first = path.find_first_not_of(" \t\r\n"), last = path.find_last_not_of(" \t\r\n");
  if (first == path.npos) return path.empty() ? "" : "the name is blank";
  const std::string bare = path.substr(first, last - first + 1);
  if (bare == path) return "";
  std::error_code ignored;
  const bool exists = std::filesystem::exists(bare, ignored);
  return fmt::format("the name {}s with a blank{}", first > 0 ? "begin" : "end",
                     exists ? fmt::format(": did you mean '{}'?", bare) : "");
}

}  // namespace

Result<Source> read_source(const std::string& path) {
  auto text = read_file(path, kLargestProgram);
  if (!text.ok()) {
    Failure failure = text.failure();
    failure.hint = hint_for(path);
    return failure;
  }
  return Source(path, std::move(text).value());
}

bool is_c_file(const std::string& path) {
  static const std::vector<std::string> kExtensions = {".c", ".cc", ".cpp", ".cxx",
                                                       ".C", ".h",  ".hpp"};
  const std::string extension = std::filesystem::path(path).extension().string();
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

Result<Source> make_source(std::string name, std::string text) {
  if (static_cast<int64_t>(text.size()) > kLargestProgram) {
    return Failure{"R010", "'" + name + "' is too large for a program", ""};
  }
  return Source(std::move(name), std::move(text));
}

ProgramOptions program_options(const Options& options, const std::string& file) {
  ProgramOptions out;
  out.name = program_name(options.name.empty() ? file : options.name);
  for (const auto& [name, value] : options.definitions) out.definitions[name] = value.text();
  out.open = {options.open.begin(), options.open.end()};
  out.fixed = {options.fixed.begin(), options.fixed.end()};
  out.real = options.real == ElementType::Double ? Scalar::F64 : Scalar::F32;
  out.fp = static_cast<FpMode>(options.fp);
  out.steps = options.steps;
  return out;
}
static_assert(static_cast<FpMode>(FloatingPoint::Strict) == FpMode::Strict);
static_assert(static_cast<FpMode>(FloatingPoint::Contract) == FpMode::Contract);
static_assert(static_cast<FpMode>(FloatingPoint::Fast) == FpMode::Fast);

}  // namespace stencil::runtime
