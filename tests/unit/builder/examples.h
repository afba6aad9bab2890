// The programs of dsl-examples/ and some of examples/multigrid/, written with stencil/builder.h.
#pragma once

#include <string>
#include <vector>

#include "stencil/builder.h"

namespace stencil::test {

struct Example {
  std::string name;  // of the file, without .stn
  BuildResult (*build)();
};

const std::vector<Example>& flat_examples();        // ranks 1 and 2
const std::vector<Example>& spatial_examples();     // ranks 3 and 4
const std::vector<Example>& simulation_examples();  // physics checked in tests/e2e
const std::vector<Example>& multigrid_examples();   // of examples/multigrid

}  // namespace stencil::test
