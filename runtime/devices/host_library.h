// libstencil_host.so (runtime/host), opened at run time: compiles C++ kernels in process and runs
// them on threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/host/interface.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A C or C++ file for the lifter.
struct CFile {
  std::string path, function;      // "": the region marked by pragmas, or the only grid loop
  std::vector<std::string> flags;  // of the compiler
  std::string database;            // directory of compile_commands.json; "": none
  std::string text = {};           // replaces the contents of the file; "": the file itself
  int seconds = 60;                // time limit for Clang
};

// Why a C file could not be read, with the place.
struct CFailure {
  std::string code;
  int line = 0, column = 0;
  std::string message, hint;
  std::string file;  // if the place is in another file; else ""
};

// Loaded kernels; unloaded with the last copy of the pointer.
using HostKernels = std::shared_ptr<StencilHostProgram>;

class HostLibrary {
 public:
  // Opens the library on the first call and keeps it. The file is $STENCIL_HOST_LIBRARY; if that is
  // unset, the search continues beside the executable (../lib, the same directory), beside the
  // library that contains this code, and on the path of the dynamic linker. R041 if it is missing
  // or of another version.
  static const Result<HostLibrary>& open();

  // Optimisation levels, 0 to 3, as in -O3. parse_optimisation() reads a level from the value of
  // STENCIL_HOST_OPTIMISATION; wanted_optimisation() is that level, or kFull.
  static constexpr int kFull = 3;
  static std::optional<int> parse_optimisation(std::string_view text);
  static int wanted_optimisation();

  // Compiles emitted C++ (emit::Options::kernels_only) to an object file in memory. It may be
  // stored and loaded by other processes with the same target(). R042 with the compiler's messages
  // and the numbered source.
  Result<std::string> compile(const std::string& source, FpMode fp, int optimisation = kFull) const;
  // The optimised LLVM IR as text.
  Result<std::string> intermediate(const std::string& source, FpMode fp) const;

  // R042 if the object is damaged.
  Result<HostKernels> load(const std::string& object) const;

  // Parses a C file and returns its tree as text (compiler/lift/c_tree.h).
  std::variant<std::string, CFailure> read_c(const CFile& file) const;
  // Compiles a C file with `added` text after its last line. R042 with the compiler's messages.
  Result<std::string> compile_c(const CFile& file, const std::string& added) const;
  Result<HostKernels> load_c(const std::string& object) const;

  // Compiler, CPU and CPU features: part of the cache key of objects.
  std::string target() const { return interface_->target(); }
  std::string description() const { return interface_->description(); }
  int threads() const { return interface_->threads(); }
  const StencilHostInterface& interface() const { return *interface_; }

 private:
  explicit HostLibrary(const StencilHostInterface* interface) : interface_(interface) {}
  static Result<HostLibrary> find();
  Result<std::string> compile(const std::string& source, const StencilHostOptions& options) const;

  const StencilHostInterface* interface_;
};

}  // namespace stencil::runtime
