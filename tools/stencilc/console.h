// Shared by the subcommands: error reporting, exit statuses, atomic writing of several files.
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
  kPipeClosed = 141  // standard output was closed by its reader
};

// The status of a run that ended cleanly after a signal, as a shell reports the signal.
inline int interrupted_by(int signal) {
  return 128 + signal;
}

// The exit status for an error code. U0xx, L001 and L002 (--schedule), and file and value errors at
// run time (R01x to R03x, R05x) are usage errors; R04x are device errors; R080 and R083 are NaN;
// everything else is the program's fault.
ExitStatus status_of(const std::string& code);

// Prints all diagnostics to stderr; the status of the first error, or success.
ExitStatus report(const Source& source, const Diagnostics& diagnostics);
ExitStatus report(const Failure& failure);
// Prints a warning in the format of errors.
void warn(const Failure& warning);
// Warns, once, if compiled kernels could not be kept.
void warn_of_cache();
// Warns, once, if the tuning database could not be read.
void warn_of_database();
// The program of the command line. A C file is lifted.
Result<Source> read_program(const Arguments& arguments);
// The same for a C file. Prints assumptions and the result of the comparison to stderr.
Result<Source> read_c_program(const Arguments& arguments);
// The text of that program.
Result<std::string> text_of_program(const Arguments& arguments);
ExitStatus usage(const std::string& code, const std::string& message, const std::string& hint = "");

struct OutputFile {
  std::string path;
  std::string bytes;
};
// Writes all files or none.
Status write_files(const std::vector<OutputFile>& files);

// Whether both names lead to the same file, existing or not.
bool same_file(const std::string& a, const std::string& b);

// wrapped(): `text` in lines that fit the terminal, each ending in a newline. The first begins with
// `first`; the others are indented to its width. table(): rows in aligned columns. The first
// `texts` columns are left-aligned and wrapped if necessary; the others are numbers.
std::string wrapped(const std::string& text, const std::string& first);
std::string table(const std::vector<std::vector<std::string>>& rows, size_t texts);
bool fits(const std::string& lines);

// Writes to standard output. Failures (such as a full disk behind a redirection) are errors.
ExitStatus print_out(const std::string& text);

}  // namespace stencil::tool
