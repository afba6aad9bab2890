// Loads programs from text, for tests of everything after the front end.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/driver/frontend.h"
#include "compiler/ir/passes.h"

namespace stencil::test {

// Returns the program; fails the test if it has errors or its IR does not verify.
inline ir::Program load(const std::string& text, ProgramOptions options = {}) {
  const Source source("test.stn", text);
  Diagnostics diagnostics;
  auto program = load_program(source, options, diagnostics);
  EXPECT_TRUE(program.has_value()) << render(source, diagnostics);
  if (!program) return {};
  EXPECT_EQ(ir::verify(*program), std::vector<std::string>{});
  return std::move(*program);
}

}  // namespace stencil::test
