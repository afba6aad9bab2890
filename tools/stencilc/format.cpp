// `stencilc fmt`: formats programs in place, like gofmt -w. Files that are formatted already are
// not written, so their modification times stay. Each file is replaced as a whole; the writer keeps
// its permissions and follows symbolic links.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "compiler/syntax/format.h"
#include "runtime/io/files.h"
#include "tools/stencilc/commands.h"
#include "tools/stencilc/console.h"

namespace stencil::tool {

namespace {

constexpr const char* kStandardInput = "-";

Result<std::string> read_standard_input() {
  std::string text;
  char part[1 << 16];
  for (size_t size; (size = std::fread(part, 1, sizeof part, stdin)) > 0;) text.append(part, size);
  if (std::ferror(stdin)) return Failure{"R010", "cannot read standard input", ""};
  return text;
}

ExitStatus format_file(const std::string& path, bool only_check) {
  const bool is_stream = path == kStandardInput;
  auto text = is_stream ? read_standard_input() : runtime::read_file(path);
  if (!text.ok()) return report(text.failure());
  const Source source(is_stream ? "<stdin>" : path, std::move(text).value());
  Diagnostics diagnostics;
  const auto formatted = format(source, diagnostics);
  if (!formatted) return report(source, diagnostics);
  if (only_check) {
    if (*formatted == source.text()) return kSuccess;
    const ExitStatus printed = print_out(source.name() + "\n");
    return printed == kSuccess ? kProgramAtFault : printed;
  }
  if (is_stream) return print_out(*formatted);
  if (*formatted == source.text()) return kSuccess;
  // The writer replaces files and needs only a writable directory.
  if (::access(path.c_str(), W_OK) != 0) {
    return report(Failure{"R011", fmt::format("cannot write '{}': {}", path, std::strerror(errno)),
                          "allow writing (chmod u+w), or format a copy"});
  }
  const Status written = write_files({{path, *formatted}});
  return written.ok() ? kSuccess : report(written.failure());
}

}  // namespace

int format_command(const Arguments& arguments) {
  int status = kSuccess;
  for (const std::string& path : arguments.files) {
    const ExitStatus of_file = format_file(path, arguments.only_check);
    if (status == kSuccess) status = of_file;
  }
  return status;
}

}  // namespace stencil::tool
