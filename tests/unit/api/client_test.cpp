// `stencilc run` uses the public headers only, as any client does.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>

namespace stencil::api {
namespace {

// The sources of the command in tools/stencilc, and their includes.
TEST(Client, TheRunCommandIncludesPublicHeadersOnly) {
  for (const std::string name :
       {"run.cpp", "transfer.cpp", "transfer.h", "save_code.cpp", "save_code.h", "summary.cpp",
        "summary.h", "progress.cpp", "progress.h", "commands.h", "console.h", "options.h"}) {
    std::ifstream file(STENCIL_SOURCE_DIR "/tools/stencilc/" + name);
    ASSERT_TRUE(file) << name;
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, std::regex("^#include \"([a-z]+/)"))) continue;
      EXPECT_TRUE(match[1] == "stencil/" || match[1] == "tools/") << name << ": " << line;
    }
  }
}

}  // namespace
}  // namespace stencil::api
