// All output of the tool passes through here: diagnostics to stderr, results to stdout. Libraries
// only return values, which become texts and exit statuses here.
#include "tools/stencilc/console.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "compiler/support/diagnostic.h"
#include "compiler/support/layout.h"
#include "compiler/support/try.h"
#include "runtime/devices/kernel_cache.h"
#include "runtime/io/files.h"
#include "runtime/io/new_files.h"
#include "runtime/run/source.h"
#include "runtime/tune/tuned.h"

namespace stencil::tool {

ExitStatus status_of(const std::string& code) {
  if (code.starts_with("U") || code == "L001" || code == "L002") return kUsage;
  if (code.starts_with("R04")) return kDeviceAtFault;
  if (code == "R080" || code == "R083") return kBecameNan;
  return code.starts_with("R0") ? kUsage : kProgramAtFault;
}

Result<Source> read_program(const Arguments& arguments) {
  return runtime::is_c_file(arguments.file) ? read_c_program(arguments)
                                            : runtime::read_source(arguments.file);
}

Result<std::string> text_of_program(const Arguments& arguments) {
  const auto source = TRY(read_program(arguments));
  return std::string(source.text());
}

ExitStatus report(const Source& source, const Diagnostics& diagnostics) {
  std::fputs(render(source, diagnostics).c_str(), stderr);
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity == Severity::Error) return status_of(diagnostic.code);
  }
  return kSuccess;
}

ExitStatus report(const Failure& failure) {
  if (!failure.diagnostics.empty()) {
    std::fputs(failure.diagnostics.c_str(), stderr);
    return status_of(failure.code);
  }
  return usage(failure.code, failure.message, failure.hint);
}

ExitStatus usage(const std::string& code, const std::string& message, const std::string& hint) {
  Diagnostics diagnostics;
  diagnostics.error(code, {}, message).hint = hint;
  return report(Source("stencilc", ""), diagnostics);
}

void warn(const Failure& warning) {
  Diagnostics diagnostics;
  diagnostics.warning(warning.code, {}, warning.message).hint = warning.hint;
  report(Source("stencilc", ""), diagnostics);
}

void warn_of_cache() {
  static bool warned = false;
  const auto failure = runtime::cache_failure();
  if (failure && !std::exchange(warned, true)) warn(*failure);
}

void warn_of_database() {
  static bool warned = false;
  const auto failure = tune::database_failure();
  if (failure && !std::exchange(warned, true)) warn(*failure);
}

Status write_files(const std::vector<OutputFile>& files) {
  std::vector<runtime::NewFile> all;
  for (const OutputFile& file : files) {
    all.push_back(runtime::text_file(file.path, file.bytes));
  }
  return runtime::write_files(all);
}

bool same_file(const std::string& a, const std::string& b) {
  return runtime::same_file(a, b);
}

std::string wrapped(const std::string& text, const std::string& first) {
  return stencil::wrapped(text, first, std::string(first.size(), ' '));
}

std::string table(const std::vector<std::vector<std::string>>& rows, size_t texts) {
  return stencil::table(rows, {.texts = texts});
}

bool fits(const std::string& lines) {
  size_t begin = 0;
  for (size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n', begin)) {
    if (end - begin > kLineWidth) return false;
    begin = end + 1;
  }
  return lines.size() - begin <= kLineWidth;
}

ExitStatus print_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kSuccess;
  // The reader, such as `head`, has ended: same status as after SIGPIPE.
  if (errno == EPIPE) return kPipeClosed;
  return report(
      Failure{"R011", std::string("cannot write to standard output: ") + std::strerror(errno), ""});
}

}  // namespace stencil::tool
