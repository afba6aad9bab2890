// Shared by the tests of lifting. Each sample is a small C or C++ file. It is lifted and compared
// with the original, or refused with an error code at a line.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/devices/host_library.h"
#include "stencil/lift.h"

namespace stencil::api {

struct LiftSample {
  const char* name;
  const char* source;
  std::vector<const char*> expected;  // parts of the program's text or of the proof
  const char* extension = ".c";
  const char* function = "";
};
inline void PrintTo(const LiftSample& sample, std::ostream* out) {
  *out << sample.name;
}

struct LiftRefused {
  const char* name;
  const char* code;
  int line;  // 0 or less: not checked
  const char* source;
  const char* extension = ".c";
  const char* message = "";  // part of the error message
  const char* function = "";
};
inline void PrintTo(const LiftRefused& refused, std::ostream* out) {
  *out << refused.name;
}

inline Result<LiftedSource> lift_text(const std::string& name, const std::string& source,
                                      const std::string& extension, const std::string& function,
                                      std::vector<std::string> flags = {}) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("stencil_lift_" + std::to_string(getpid()) + "_" + name + extension);
  std::ofstream(path) << source;
  LiftOptions options;
  options.function = function;
  options.flags = std::move(flags);
  const auto out = lift_source(path.string(), options);
  std::filesystem::remove(path);
  return out;
}

inline bool can_lift() {
  return runtime::HostLibrary::open().ok();
}

inline void expect_lifted(const LiftSample& sample) {
  const auto out = lift_text(sample.name, sample.source, sample.extension, sample.function);
  ASSERT_TRUE(out.ok()) << out.failure().text();
  EXPECT_TRUE(out.value().verified) << out.value().proof << "\n" << out.value().text;
  for (const char* text : sample.expected) {
    const bool there = out.value().text.find(text) != std::string::npos ||
                       out.value().proof.find(text) != std::string::npos;
    EXPECT_TRUE(there) << text << "\n" << out.value().text << out.value().proof;
  }
}

inline void expect_refused_in(const LiftRefused& refused, const std::string& function) {
  const auto out = lift_text(refused.name, refused.source, refused.extension, function);
  ASSERT_FALSE(out.ok()) << out.value().text;
  EXPECT_EQ(out.failure().code, refused.code) << out.failure().text();
  const std::string place =
      std::string(refused.name) + refused.extension + ":" + std::to_string(refused.line) + ":";
  if (refused.line > 0) {
    EXPECT_NE(out.failure().diagnostics.find(place), std::string::npos) << out.failure().text();
  }
  EXPECT_NE(out.failure().message.find(refused.message), std::string::npos) << out.failure().text();
  EXPECT_FALSE(out.failure().message.empty());
}

inline void expect_refused(const LiftRefused& refused) {
  expect_refused_in(refused, refused.function);
}

// Defines a test suite that calls EXPECT(sample) for each element of SAMPLES, an array of TYPE.
#define STENCIL_LIFT_SUITE(SUITE, TYPE, SAMPLES, EXPECT)            \
  class SUITE : public testing::TestWithParam<TYPE> {};             \
  TEST_P(SUITE, AsExpected) {                                       \
    if (!can_lift()) GTEST_SKIP() << "no libstencil_host.so";       \
    EXPECT(GetParam());                                             \
  }                                                                 \
  INSTANTIATE_TEST_SUITE_P(Lift, SUITE, testing::ValuesIn(SAMPLES), \
                           [](const auto& info) { return std::string(info.param.name); })

}  // namespace stencil::api
