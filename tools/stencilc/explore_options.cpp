#include "tools/stencilc/explore_options.h"

#include "tools/option_values.h"

namespace stencil::tool {

void add_explore_options(CLI::App& app, ExploreArguments& arguments) {
  const std::string report = "Report", search = "Search";
  CLI::Option* measure = app.add_flag("--measure", arguments.measure,
                                      "time the best schedules on the device and store the times")
                             ->disable_flag_override()
                             ->group(search);
  add_value(app, "--budget", seconds_of(arguments.budget), "seconds that --measure may take (10)")
      ->option_text("SECONDS")
      ->needs(measure)
      ->group(search);
  app.add_flag("--compile", arguments.compile,
               "compile the best schedules for the machine, which may be absent")
      ->disable_flag_override()
      ->group(search);
  add_value(app, "--rows", whole_number(1, "a number of rows", arguments.rows),
            "how many schedules to print (10)")
      ->option_text("N")
      ->group(report);
  add_value(app, "--html", some_text("the name of a file", arguments.html),
            "write a page with drawings")
      ->option_text("FILE")
      ->group(report);
  add_value(app, "--json", some_text("the name of a file", arguments.json),
            "write the whole report")
      ->option_text("FILE")
      ->group(report);
  add_value(app, "--csv", some_text("the name of a file", arguments.csv), "write the schedules")
      ->option_text("FILE")
      ->group(report);
}

}  // namespace stencil::tool
