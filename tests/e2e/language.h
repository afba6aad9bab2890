// Runs a program from the command line and reads a field of doubles.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/e2e/tool.h"

namespace stencil::test {

class Language : public Tool {
 protected:
  using Values = std::vector<double>;

  // The values of the field `name` of doubles after a run of `text`.
  Values run(const std::string& text, const std::string& arguments, const std::string& name) {
    write("p.stn", text);
    const Outcome outcome = stencilc("run p.stn --out " + name + "=out.npy " + arguments);
    EXPECT_EQ(outcome.status, 0) << text << outcome.err;
    if (outcome.status != 0) return {};
    const std::string bytes = read(file("out.npy"));
    const size_t begin = bytes.find('\n') + 1;
    Values out((bytes.size() - begin) / sizeof(double));
    std::memcpy(out.data(), bytes.data() + begin, out.size() * sizeof(double));
    return out;
  }

  void gives(const std::string& text, const std::string& name, const Values& expected) {
    for (const char* how : {"--device reference", "--device host --schedule direct",
                            "--device host --schedule 'overlapped T=2'"}) {
      EXPECT_EQ(run(text, how, name), expected) << text << how;
    }
  }
};

}  // namespace stencil::test
