// What the subcommands share: reporting, exit statuses, and files that appear all together or not
// at all.
#pragma once

#include <string>
#include <vector>

#include "stencil/result.h"

namespace stencil {
class Source;
class Diagnostics;
}  // namespace stencil

namespace stencil::tool {

struct Arguments;

enum ExitStatus {
  kSuccess = 0,
  kProgramAtFault = 1,
  kUsage = 2,
  kDeviceAtFault = 3,
  kBecameNan = 4,    // a run that ended because a reduction was NaN
  kPipeClosed = 141  // nobody reads standard output any more
};

// The status of a run that a signal has ended in good order, as a shell would report the signal.
inline int interrupted_by(int signal) {
  return 128 + signal;
}

// The status that an error of this code ends with: U0xx, L001 and L002 (--schedule), files and
// values at run time (R01x to R03x, R05x) are usage, R04x devices, R080 a run with NaN, everything
// else is the program's.
ExitStatus status_of(const std::string& code);

// Prints all diagnostics to stderr; the status of the first error, or success.
ExitStatus report(const Source& source, const Diagnostics& diagnostics);
ExitStatus report(const Failure& failure);
// A warning, which looks like an error and is none.
void warn(const Failure& warning);
// Warns, once, if compiled kernels could not be kept.
void warn_of_cache();
// Warns, once, if the tuning database could not be read.
void warn_of_database();
// The program of the command line, lifted if it is a C file; what was assumed and compared is
// printed to stderr then.
Result<Source> read_program(const Arguments& arguments);
// Its text alone.
Result<std::string> text_of_program(const Arguments& arguments);
ExitStatus usage(const std::string& code, const std::string& message, const std::string& hint = "");

struct OutputFile {
  std::string path;
  std::string bytes;
};
// Writes every file, or none.
Status write_files(const std::vector<OutputFile>& files);

// True if both names lead to the same file, whether it exists or would be written.
bool same_file(const std::string& a, const std::string& b);

// `text` in lines that fit a terminal, each with its newline: the first begins with `first`, the
// others are indented as far. And rows in aligned columns, of which the first `texts` are set left
// and wrapped where the lines would not fit; the others are numbers.
std::string wrapped(const std::string& text, const std::string& first);
std::string table(const std::vector<std::vector<std::string>>& rows, size_t texts);
bool fits(const std::string& lines);

// Writes to standard output. A failure there (a full disk behind a redirection) is an error.
ExitStatus print_out(const std::string& text);

}  // namespace stencil::tool
