// Writes the kernels of a run to files, for reading, profiling or disassembling the code that runs.
#include "tools/stencilc/save_code.h"

#include <filesystem>

#include "tools/stencilc/console.h"

namespace stencil::tool {

std::optional<CodeKind> code_kind(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".ptx") return CodeKind::Ptx;
  if (extension == ".cubin" || extension == ".bin") return CodeKind::MachineCode;
  if (extension == ".cu" || extension == ".cl" || extension == ".cpp") {
    return CodeKind::Source;
  }
  return std::nullopt;
}

Status save_code(const Arguments& arguments, const Kernel& kernel) {
  std::vector<OutputFile> files;
  for (const std::string& path : arguments.code) {
    auto code = kernel.code(*code_kind(path));
    if (!code.ok()) {
      const Failure& why = code.failure();
      return Failure{why.code, "cannot write '" + path + "': " + why.message, why.hint};
    }
    files.push_back({path, std::move(code).value()});
  }
  return write_files(files);
}

}  // namespace stencil::tool
