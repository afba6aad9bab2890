// How programs are read, for Program and for subcommands of stencilc that need compiler internals.
#pragma once

#include <string>

#include "compiler/sema/analyze.h"
#include "compiler/support/source.h"
#include "stencil/program.h"

namespace stencil::runtime {

// The text of a program and its name for messages. R010 if it is unreadable or too large.
Result<Source> read_source(const std::string& path);
Result<Source> make_source(std::string name, std::string text);

// Whether the extension of a file name belongs to C or C++.
bool is_c_file(const std::string& path);

// Options in the compiler's form. A program without a name is named after `file`.
ProgramOptions program_options(const Options& options, const std::string& file);

}  // namespace stencil::runtime
