// libstencil_host.so (runtime/host), opened at run time: C++ kernels to machine code in process,
// and threads to run them.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/support/scalar.h"
#include "runtime/host/interface.h"
#include "stencil/result.h"

namespace stencil::runtime {

// A C or C++ file for the lifter.
struct CFile {
  std::string path, function;      // "": what pragmas mark, or the only loop over a grid
  std::vector<std::string> flags;  // of the compiler
  std::string database;            // the directory of compile_commands.json; "": none
  std::string text = {};           // what the file is to contain; "": what it does
};

// Why a C file was not read, with the place.
struct CFailure {
  std::string code;
  int line = 0, column = 0;
  std::string message, hint;
  std::string file;  // another file than the one to lift; "": that
};

// Kernels in memory; their code goes when the last copy of the pointer does.
using HostKernels = std::shared_ptr<StencilHostProgram>;

class HostLibrary {
 public:
  // The library, opened at the first call and kept. It is looked for where $STENCIL_HOST_LIBRARY
  // says; if that is not set, beside the executable (../lib, the same directory), beside the
  // library that this code is part of, and where the dynamic linker looks. R041 if there is none,
  // or one of another version.
  static const Result<HostLibrary>& open();

  // How hard the compiler tries: 0 to 3, as in -O3.
  static constexpr int kFull = 3;

  // Machine code of emitted C++ (emit::Options::kernels_only) as the bytes of an object file. They
  // may be kept and loaded by other processes where target() is the same. R042 with the compiler's
  // messages and the numbered source.
  Result<std::string> compile(const std::string& source, FpMode fp, int optimisation = kFull) const;
  // The optimised LLVM IR instead, as text.
  Result<std::string> intermediate(const std::string& source, FpMode fp) const;

  // R042 if the object is damaged.
  Result<HostKernels> load(const std::string& object) const;

  // The tree of a C file, as text (compiler/lift/c_tree.h).
  std::variant<std::string, CFailure> read_c(const CFile& file) const;
  // Machine code of a C file with text behind its last line. R042 with the compiler's messages.
  Result<std::string> compile_c(const CFile& file, const std::string& added) const;
  Result<HostKernels> load_c(const std::string& object) const;

  // Names compiler, CPU and its features: part of the key under which objects are kept.
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
