// The options of `stencilc tuned`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace stencil::tool {

struct TunedArguments {
  std::string export_to;    // "": not given
  std::string import_from;  // "": not given
  bool clear = false;
};

// At most one of export, import and clear may be given.
void add_tuned_options(CLI::App& app, TunedArguments& arguments);

}  // namespace stencil::tool
