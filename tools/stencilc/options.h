// The command line as a value: what every subcommand reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "stencil/program.h"
#include "tools/stencilc/explore_options.h"
#include "tools/stencilc/tuned_options.h"

namespace stencil::tool {

enum class Command { Compile, Check, Explain, Explore, Run, Verify, Lift, Devices, Cache, Tuned };

// NAME=VALUE as written.
struct Assignment {
  std::string name;
  std::string value;
};

struct Arguments {
  Command command = Command::Compile;
  std::string command_line;  // as the user wrote it, quoted where a shell needs it
  std::string output_name;   // the file name of --output, likewise; "": none

  // The program and how to read it.
  std::string file;
  Options program;
  std::string schedule = "auto";

  // Compile.
  std::string output;    // -o; "": standard output
  std::string target;    // --target; "": from the extension of the output
  std::string emit;      // --emit; "": the target
  std::string machine;   // --machine, explain too; "": from the target
  bool compile = false;  // --compile; that of explore is in ExploreArguments
  bool measure = false;  // --measure, devices too; likewise
  bool main = false;
  std::optional<std::string> header;  // --header; "": beside the output
  int64_t boxes = 0;                  // --boxes; 0: without

  // Run and verify.
  std::string device = "auto";
  std::string gpus;      // --gpus; "": one device has all
  std::string ranks;     // --ranks; "": as the model likes
  int64_t exchange = 0;  // --exchange; 0: by the model
  std::vector<Assignment> inputs;
  std::vector<Assignment> outputs;                 // name "": all fields
  std::map<std::string, int64_t> slice;            // axis -> coordinate
  std::optional<std::pair<double, double>> range;  // colours of pictures
  bool plain = false;                              // --plain: pictures without a frame
  int64_t every = 0;                               // --every; 0: no series
  std::string checkpoint;                          // --checkpoint; "": none
  int64_t checkpoint_steps = 0;                    // --checkpoint-every; 0: not by steps
  double checkpoint_seconds = 0;                   // 0: not by time
  std::string restart;                             // --restart; "": from the initial values
  std::string on_nan = "stop";                     // --on-nan: or "continue", "ignore"
  std::string history;                             // --history; "": none
  bool stats = false;
  bool quick = false;
  bool counts = false;  // --counts of explain
  bool full = false;    // --full: schedules with all settings; explain too
  uint64_t seed = 1;
  std::vector<std::string> code;  // --save-code

  // Lift, and every command that takes a C file.
  std::string function;            // --function; "": what pragmas mark, or the only loop
  std::vector<std::string> flags;  // of the C compiler: --
  bool verify = true;
  bool replace = false;  // --replace: a function with the name of the original
  bool device_pointers = false;
  int unroll = 32;
  std::vector<std::string> params;  // --param: macros and constants

  // Devices; `device` is "auto" for every one present.
  std::string json;  // --json; "": none

  // Cache.
  std::optional<int64_t> cache_limit;  // bytes to reduce it to

  ExploreArguments explore;
  TunedArguments tuned;
};

// Printed instead of doing anything, with the exit status.
struct Answer {
  std::string text;
  bool to_stderr = false;
  int status = 0;
};

// A word as a shell reads it.
std::string quoted(const std::string& word);

// The arguments, or the help text, the version, or a usage error (U0xx, status 2).
std::variant<Arguments, Answer> parse_command_line(int argc, const char* const* argv);

}  // namespace stencil::tool
