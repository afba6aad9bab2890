// --out FIELD=FILE[,OPTION...]: one output of `stencilc run`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "tools/option_values.h"

namespace stencil::tool {

// Options of one --out, and those that the command line gives for all of them.
struct PictureOptions {
  std::map<std::string, int64_t> slice = {};            // axis -> coordinate
  std::optional<std::pair<double, double>> range = {};  // values of the first and last colour
  std::optional<double> fps = {};                       // frames per second of an animation
  bool plain = false;                                   // without a frame
  bool flip = false;                                    // the first row at the bottom
  bool cube = false;                                    // three faces instead of a plane
};

struct OutputArgument {
  std::string name;  // "": all fields
  std::string path;
  std::optional<int64_t> every = {};  // absent: --every
  PictureOptions picture = {};
};

// Parses "FIELD=FILE,every=50,flip". Options begin after the first extension of a known format that
// a comma follows, so other commas belong to the file's name. U006, U007, U010 for an option that
// the format does not have.
std::variant<OutputArgument, Misuse> parse_output(const std::string& text);

// "LOW:HIGH" with LOW < HIGH; "AXIS=N"; a rate of frames. `option` is its name in messages.
std::variant<std::pair<double, double>, Misuse> parse_range(const std::string& option,
                                                            const std::string& text);
std::optional<Misuse> parse_slice(const std::string& option, const std::string& text,
                                  std::map<std::string, int64_t>& slice);
std::variant<double, Misuse> parse_fps(const std::string& option, const std::string& text);

}  // namespace stencil::tool
