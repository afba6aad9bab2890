#include "tools/stencilc/tuned_options.h"

#include "tools/option_values.h"

namespace stencil::tool {

void add_tuned_options(CLI::App& app, TunedArguments& arguments) {
  CLI::Option* to = add_value(app, "--export", some_text("the name of a file", arguments.export_to),
                              "write all entries as JSON")
                        ->option_text("FILE");
  CLI::Option* from =
      add_value(app, "--import", some_text("the name of a file", arguments.import_from),
                "add the entries of an exported file")
          ->option_text("FILE")
          ->excludes(to);
  app.add_flag("--clear", arguments.clear, "remove every entry")
      ->disable_flag_override()
      ->excludes(to)
      ->excludes(from);
}

}  // namespace stencil::tool
