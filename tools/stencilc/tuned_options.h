// The options of `stencilc tuned`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace stencil::tool {

struct TunedArguments {
  std::string export_to;    // "": nowhere
  std::string import_from;  // "": from nowhere
  bool clear = false;
};

// At most one of them is given.
void add_tuned_options(CLI::App& app, TunedArguments& arguments);

}  // namespace stencil::tool
