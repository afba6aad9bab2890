// Runs Clang on a C file. The compile flags come from a compilation database or from the caller.
#pragma once

#include <clang/Frontend/FrontendAction.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/host/c/c_flags.h"
#include "runtime/host/c/c_known.h"
#include "runtime/host/c/regular_files.h"
#include "runtime/host/interface.h"

namespace stencil::host {

using Files = llvm::IntrusiveRefCntPtr<RegularFiles>;

// The file system that Clang sees. It contains only regular files, so Clang never waits for a pipe.
Files regular_files();

// The flags of a file. If a database contains the command, `directory` becomes the working
// directory of the command.
CFlags flags_of(const StencilHostCFile& file, const Files& files, std::string& directory);

// Runs `action` on the file, or on `text` instead of the file. `code`: use the flags for code that
// runs on this machine. `log` receives Clang's messages. `unfamiliar` receives the attributes that
// Clang does not know. Returns whether there were no errors.
bool run_clang(const StencilHostCFile& file, const CFlags& flags, const std::string& directory,
               bool code, const std::string* text, std::unique_ptr<clang::FrontendAction> action,
               std::unique_ptr<llvm::raw_pwrite_stream> output, const Files& regular,
               std::string& log, std::vector<Unfamiliar>& unfamiliar);

}  // namespace stencil::host
