// Connects the C front end of libstencil_host.so with the lifter, and shows each refusal with its
// line of C.
#include "runtime/lifting/lifting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/support/diagnostic.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"
#include "runtime/lifting/params.h"

namespace stencil::runtime {

namespace {

constexpr int64_t kLargestFile = int64_t{64} << 20;

// The span from a position to the end of its word.
Span span_at(const std::string& text, int line, int column) {
  size_t at = 0;
  for (int l = 1; l < line && at != std::string::npos; ++l) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (line < 1 || at == std::string::npos || at >= text.size()) return {};
  const size_t end_of_line = std::min(text.find('\n', at), text.size());
  at += static_cast<size_t>(std::max(column - 1, 0));
  if (at >= end_of_line) return {};
  size_t end = at;
  const auto word = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  while (end < end_of_line && word(text[end])) ++end;
  end = std::max(end, at + 1);
  return {static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
}

Failure shown(const std::string& path, const std::string& code, int line, int column,
              const std::string& message, const std::string& hint) {
  Failure out{code, message, hint};
  const auto text = read_file(path, kLargestFile);
  const Source source(path, text.ok() ? text.value() : "");
  Diagnostics diagnostics;
  diagnostics.error(code, span_at(source.text(), line, column), message).hint = hint;
  out.diagnostics = render(source, diagnostics);
  return out;
}

}  // namespace

std::string find_database(const std::string& path) {
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::absolute(path, ignored).parent_path();
  for (int up = 0; up < 20 && !at.empty(); ++up) {
    for (const auto& directory : {at, at / "build"}) {
      if (std::filesystem::is_regular_file(directory / "compile_commands.json", ignored))
        return directory.string();
    }
    if (at == at.root_path()) break;
    at = at.parent_path();
  }
  return "";
}

Failure shown_in_c(const std::string& path, const std::vector<std::string>& files,
                   const lifter::Refusal& refusal) {
  const auto file = static_cast<size_t>(refusal.place.file);
  const bool main = file == 0 || file >= files.size();
  return shown(main ? path : files[file], refusal.code, refusal.place.line, refusal.place.column,
               refusal.message, refusal.hint);
}

Result<lifter::Lifted> lift_file(const LiftRequest& request) {
  auto lifted = lift_as_it_stands(request);
  if (!lifted.ok() || request.options.params.empty()) return lifted;
  TRY(check_params(request, lifted.value()));
  return lifted;
}

Result<lifter::Lifted> lift_as_it_stands(const LiftRequest& request) {
  const std::string& path = request.file.path;
  TRY(read_file(path, kLargestFile));
  const std::string commands = request.file.database + "/compile_commands.json";
  std::error_code ignored;
  if (!request.file.database.empty() && std::filesystem::exists(commands, ignored)) {
    // Clang would wait forever if the file were a pipe.
    const auto regular = open_to_read(commands);
    if (!regular.ok()) return regular.failure();
  }
  const auto& library = HostLibrary::open();
  if (!library.ok()) return library.failure();
  const auto read = library.value().read_c(request.file);
  if (const auto* failure = std::get_if<CFailure>(&read)) {
    const std::string& file = failure->file.empty() ? path : failure->file;
    return shown(file, failure->code, failure->line, failure->column, failure->message,
                 failure->hint);
  }
  auto tree = lifter::read_tree(std::get<std::string>(read));
  if (!tree)
    return Failure{"R075", "internal error: the tree of the C file is damaged",
                   "please report it with the file"};
  const std::vector<std::string> files = tree->files;
  auto lifted = lifter::lift(std::move(*tree), path, request.options);
  if (const auto* refusal = std::get_if<lifter::Refusal>(&lifted)) {
    return shown_in_c(path, files, *refusal);
  }
  return std::get<lifter::Lifted>(std::move(lifted));
}

}  // namespace stencil::runtime
