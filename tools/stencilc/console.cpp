// Everything the tool says passes through here: diagnostics to stderr, results to stdout. The
// libraries return values; this is where they become text and exit statuses.
#include "tools/stencilc/console.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "runtime/file_writer.h"
#include "runtime/files.h"

namespace stencil::tool {

namespace {

constexpr int64_t kLargestProgram = int64_t{64} << 20;  // bytes; positions are 32-bit offsets

// A valid C identifier from a file name: "3d-heat.stn" -> "_3d_heat".
std::string program_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  if (name.empty()) return "program";
  return std::isdigit(static_cast<unsigned char>(name[0])) ? "_" + name : name;
}

}  // namespace

ExitStatus status_of(const std::string& code) {
  if (code.starts_with("U") || code == "L001" || code == "L002") return kUsage;
  if (code.starts_with("R04")) return kDeviceAtFault;
  return code.starts_with("R0") ? kUsage : kProgramAtFault;
}

ExitStatus report(const Source& source, const Diagnostics& diagnostics) {
  std::fputs(render(source, diagnostics).c_str(), stderr);
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity == Severity::Error) return status_of(diagnostic.code);
  }
  return kSuccess;
}

ExitStatus report(const runtime::Failure& failure) {
  return usage(failure.code, failure.message, failure.hint);
}

ExitStatus usage(const std::string& code, const std::string& message, const std::string& hint) {
  Diagnostics diagnostics;
  diagnostics.error(code, {}, message).hint = hint;
  return report(Source("stencilc", ""), diagnostics);
}

runtime::Result<Source> read_source(const Arguments& arguments) {
  auto text = runtime::read_file(arguments.file, kLargestProgram);
  if (!text.ok()) return text.failure();
  return Source(arguments.file, std::move(text).value());
}

ProgramOptions program_options(const Arguments& arguments) {
  ProgramOptions options;
  options.name = program_name(arguments.file);
  options.definitions = arguments.definitions;
  options.open = {arguments.open.begin(), arguments.open.end()};
  options.fixed = {arguments.fixed.begin(), arguments.fixed.end()};
  options.real = arguments.real;
  options.fp = arguments.fp;
  options.steps = arguments.steps;
  return options;
}

runtime::Status write_files(const std::vector<OutputFile>& files) {
  std::vector<runtime::NewFile> all;
  for (const OutputFile& file : files) {
    all.push_back({file.path, static_cast<int64_t>(file.bytes.size()),
                   [&file](runtime::FileWriter& writer) { return writer.write(file.bytes); }});
  }
  return runtime::write_files(all);
}

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::equivalent(a, b, error) && !error) return true;
  const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
  if (error) return false;
  const fs::path second = fs::weakly_canonical(fs::absolute(b, error), error);
  return !error && first == second;
}

ExitStatus print_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kSuccess;
  return report(runtime::Failure{
      "R011", std::string("cannot write to standard output: ") + std::strerror(errno), ""});
}

}  // namespace stencil::tool
