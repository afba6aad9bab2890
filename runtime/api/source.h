// How programs are read: by Program, and by those subcommands of stencilc that show what lies
// behind it.
#pragma once

#include <string>

#include "compiler/sema/analyze.h"
#include "compiler/support/source.h"
#include "stencil/program.h"

namespace stencil::api {

// The text of a program, named as in messages. R010 if it cannot be read, or is too large.
Result<Source> read_source(const std::string& path);
Result<Source> make_source(std::string name, std::string text);

// Options as the compiler takes them. A program without a name is called after its file.
ProgramOptions program_options(const Options& options, const std::string& file);

}  // namespace stencil::api
