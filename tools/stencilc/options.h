// The command line as a value, read by all subcommands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stencil/program.h"
#include "tools/stencilc/explore_options.h"
#include "tools/stencilc/output_options.h"
#include "tools/stencilc/tuned_options.h"

namespace stencil::tool {

enum class Command {
  Compile,
  Check,
  Format,
  Explain,
  Explore,
  Run,
  Verify,
  Lift,
  Devices,
  Cache,
  Tuned,
  Completion
};

// NAME=VALUE as the user wrote it.
struct Assignment {
  std::string name;
  std::string value;
};

struct Arguments {
  Command command = Command::Compile;
  std::string command_line;  // as the user wrote it, quoted for a shell
  std::string output_name;   // file name of --output, quoted; "": none

  // The program and how to read it.
  std::string file;
  Options program;
  std::string schedule = "auto";

  // Format.
  std::vector<std::string> files;  // "-": standard input
  bool only_check = false;         // --check

  // Completion.
  std::string shell;

  // Compile.
  std::string output;    // -o; "": standard output
  std::string target;    // --target; "": from the extension of the output
  std::string emit;      // --emit; "": the target
  std::string machine;   // --machine, also of explain; "": from the target
  bool compile = false;  // --compile; explore has its own in ExploreArguments
  bool measure = false;  // --measure, also of devices; explore has its own
  bool main = false;
  bool time_passes = false;              // --time-passes
  std::vector<std::string> print_after;  // --print-after: names of passes, or "all"
  std::optional<std::string> header;     // --header; "": beside the output
  int64_t boxes = 0;                     // --boxes; 0: none

  // Run and verify.
  std::string device = "auto";
  std::string gpus;      // --gpus; "": no split
  std::string ranks;     // --ranks; "": chosen by the model
  int64_t exchange = 0;  // --exchange; 0: chosen by the model
  std::vector<Assignment> inputs;
  std::vector<OutputArgument> outputs;
  PictureOptions picture;         // --slice, --range, --fps, --plain, --flip: of all pictures
  int64_t every = 0;              // --every; 0: no series
  std::string checkpoint;         // --checkpoint; "": none
  int64_t checkpoint_steps = 0;   // --checkpoint-every in steps; 0: disabled
  double checkpoint_seconds = 0;  // the same in seconds; 0: disabled
  std::string restart;            // --restart; "": start from the initial values
  std::string on_nan = "stop";    // --on-nan: or "continue", "ignore"
  std::string history;            // --history; "": none
  bool stats = false;
  bool quick = false;
  bool counts = false;  // --counts of explain
  bool full = false;    // --full: schedules with all settings; of verify: also all cases
  uint64_t seed = 1;
  double budget = 30;             // --budget of verify: seconds
  std::vector<std::string> code;  // --save-code

  // Lift, and all commands that accept C files.
  std::string function;            // --function; "": the region of pragmas, or the only loop
  std::vector<std::string> flags;  // of the C compiler, after --
  bool verify = true;
  bool replace = false;  // --replace: emit a function with the original's name
  bool device_pointers = false;
  int unroll = 32;
  std::vector<std::string> params;  // --param: macros and constants that become params

  // Devices; `device` "auto" means all available ones.
  std::string json;  // --json; "": none

  // Cache.
  std::optional<int64_t> cache_limit;  // --size: bytes to keep

  ExploreArguments explore;
  TunedArguments tuned;
};

// A text to print instead of executing a command, with the exit status.
struct Answer {
  std::string text;
  bool to_stderr = false;
  int status = 0;
};

// A script that completes command lines of stencilc in the shell `bash` or `zsh`. It is made from
// the declarations of the options.
std::string completion_script(const std::string& shell);

// A word quoted for a shell.
std::string quoted(const std::string& word);

// The arguments; or the help text, the version, or a usage error (U0xx, status 2).
std::variant<Arguments, Answer> parse_command_line(int argc, const char* const* argv);

}  // namespace stencil::tool
