#include "runtime/files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

TEST(Files, WritesAndReadsBack) {
  const TemporaryDirectory directory;
  std::string bytes("binary\0\xff", 8);
  for (const size_t size : {size_t{0}, size_t{8}, size_t{3} << 20}) {
    bytes.resize(size, 'x');
    ASSERT_TRUE(write_file_atomically(directory.file("a"), bytes).ok());
    const Result<std::string> back = read_file(directory.file("a"));
    ASSERT_TRUE(back.ok());
    EXPECT_TRUE(back.value() == bytes) << size;
  }
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(Files, FailedWritesLeaveTheOldFileAndNothingElse) {
  const TemporaryDirectory directory;
  const Status missing = write_file_atomically(directory.file("no/such/directory/a"), "x");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.failure().code, "R011");
  EXPECT_NE(missing.failure().message.find("No such file or directory"), std::string::npos);
  std::filesystem::create_directory(directory.file("d"));
  EXPECT_FALSE(write_file_atomically(directory.file("d"), "x").ok());
  EXPECT_FALSE(write_file_atomically("", "x").ok());
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(Files, AFileThatCannotBeFinishedIsRemoved) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory.file("a"), "old").ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = write_file_atomically(directory.file("a"), "longer than that");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.failure().message.find("File too large"), std::string::npos);
  EXPECT_EQ(read_file(directory.file("a")).value(), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

TEST(Files, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Status full = write_file_atomically("/dev/full", "x");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.failure().message, "cannot write '/dev/full': No space left on device");
  EXPECT_TRUE(write_file_atomically("/dev/null", "x").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Files, WritesThroughLinksAndHonoursTheUmask) {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file_atomically(directory.file("target"), "old").ok());
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("target").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  std::filesystem::create_symlink("target", directory.file("link"));
  ASSERT_TRUE(write_file_atomically(directory.file("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(directory.file("link")));
  EXPECT_EQ(read_file(directory.file("target")).value(), "new");
}

TEST(Files, UnreadableFilesAreErrors) {
  const TemporaryDirectory directory;
  const Result<std::string> missing = read_file(directory.file("a"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.failure().code, "R010");
  EXPECT_FALSE(read_file(directory.file("")).ok());  // the directory itself
  ASSERT_TRUE(write_file_atomically(directory.file("a"), "12345").ok());
  EXPECT_TRUE(read_file(directory.file("a"), 5).ok());
  EXPECT_FALSE(read_file(directory.file("a"), 4).ok());
  EXPECT_FALSE(read_file("/dev/zero", 1 << 22).ok());  // no size, no end
}

}  // namespace
}  // namespace stencil::runtime
