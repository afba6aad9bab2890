// `stencilc cache`, and saving the code of a run to files.
#include "tests/e2e/tool.h"

namespace stencil {
namespace {

// Uses a cache inside the test's directory.
class CacheCommand : public Tool {
 protected:
  CacheCommand() {
    const char* before = ::getenv("STENCIL_CACHE");
    before_ = before ? before : "";
    ::setenv("STENCIL_CACHE", file("cache").c_str(), 1);
  }
  ~CacheCommand() override {
    before_.empty() ? ::unsetenv("STENCIL_CACHE") : ::setenv("STENCIL_CACHE", before_.c_str(), 1);
  }
  // Writes a file with the name and size of a cache entry.
  void entry(const std::string& device, char digit, size_t bytes) const {
    write("cache/" + device + "-" + std::string(32, digit) + ".kernel", std::string(bytes, 'x'));
  }
  std::string before_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(CacheCommand, ShowsEntriesByDeviceAndRemovesThem) {
  Outcome shown = stencilc("cache");
  EXPECT_EQ(shown.status, 0);
  EXPECT_TRUE(contains(shown.out, "directory   " + file("cache").string() + "\n"));
  EXPECT_TRUE(contains(shown.out, "limit       1073741824 bytes\n"));
  EXPECT_TRUE(contains(shown.out, "all               0             0\n")) << shown.out;

  std::filesystem::create_directory(file("cache"));
  entry("cuda", 'a', 1000);
  entry("cuda", 'b', 500);
  entry("host", 'c', 10);
  write("cache/note", "mine");
  shown = stencilc("cache");
  EXPECT_TRUE(contains(shown.out, "cuda              2          1500\n")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "host              1            10\n")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "all               3          1510\n")) << shown.out;

  std::filesystem::last_write_time(
      file("cache/cuda-" + std::string(32, 'b') + ".kernel"),
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  shown = stencilc("cache --size 1K");
  EXPECT_EQ(shown.status, 0);
  EXPECT_TRUE(contains(shown.out, "all               2          1010\n")) << shown.out;
  shown = stencilc("cache --clear");
  EXPECT_EQ(shown.status, 0);
  EXPECT_TRUE(contains(shown.out, "all               0             0\n")) << shown.out;
  EXPECT_EQ(read(file("cache/note")), "mine");
}

TEST_F(CacheCommand, ReportsADisabledCache) {
  ::setenv("STENCIL_CACHE", "off", 1);
  const Outcome off = stencilc("cache --clear");
  EXPECT_EQ(off.status, 0);
  EXPECT_TRUE(contains(off.out, "directory   none\n"));
  EXPECT_TRUE(contains(off.out, "note        switched off by STENCIL_CACHE\n"));
  write("file", "");
  ::setenv("STENCIL_CACHE", file("file").c_str(), 1);
  EXPECT_TRUE(contains(stencilc("cache").out, "note        it cannot be written"));
}

// An unusable cache directory causes one warning with the reason, and no error.
TEST_F(CacheCommand, UnusableDirectoriesCauseOneWarning) {
  if (!contains(stencilc("devices").out, "host        yes")) GTEST_SKIP() << "no host device";
  write("heat.stn", kHeat);
  write("file", "");
  for (const std::string command : {"run heat.stn --device host --out A=a.npy",
                                    "verify heat.stn --device host --quick --full"}) {
    for (const char* cache : {"file", "file/below"}) {
      ::setenv("STENCIL_CACHE", file(cache).c_str(), 1);
      const Outcome outcome = stencilc(command);
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_TRUE(contains(outcome.err, "warning R079: compiled kernels cannot be stored in '" +
                                            file(cache).string() + "': "));
      EXPECT_TRUE(contains(outcome.err, " is not a directory\n")) << outcome.err;
      EXPECT_EQ(outcome.err.find("R079"), outcome.err.rfind("R079")) << outcome.err;
    }
    ::setenv("STENCIL_CACHE", file("new/cache").c_str(), 1);
    EXPECT_EQ(stencilc(command).err, "");
  }
}

TEST_F(CacheCommand, RefusesInvalidSizes) {
  const Outcome outcome = stencilc("cache --size 1x");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "error U004")) << outcome.err;
  EXPECT_EQ(stencilc("cache --size 1 --clear").status, 2);
}

TEST_F(CacheCommand, SaveCodeWritesTheKernelsOfTheDevice) {
  write("heat.stn", kHeat);
  const Outcome saved = stencilc("run heat.stn --device host --save-code a.cpp --save-code b.cpp");
  ASSERT_EQ(saved.status, 0) << saved.err;
  EXPECT_TRUE(contains(read(file("a.cpp")), "heat"));
  EXPECT_EQ(read(file("a.cpp")), read(file("b.cpp")));
  const Outcome lacks = stencilc("run heat.stn --device reference --save-code c.ptx --out A=a.npy");
  EXPECT_EQ(lacks.status, 3);
  EXPECT_TRUE(contains(lacks.err, "error R045: cannot write 'c.ptx': this device has no PTX"))
      << lacks.err;
  const Outcome unknown = stencilc("run heat.stn --save-code c.txt");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "error U021")) << unknown.err;
  EXPECT_EQ(files(), "a.cpp b.cpp cache heat.stn");
}

}  // namespace
}  // namespace stencil
