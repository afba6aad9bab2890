#include "runtime/io/files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "runtime/io/file_writer.h"
#include "runtime/io/new_files.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

TEST(Files, WrittenFilesReadBack) {
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

TEST(Files, UnfinishedFilesAreRemoved) {
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
  EXPECT_NE(status.failure().message.find("(16 bytes needed)"), std::string::npos);
  EXPECT_EQ(read_file(directory.file("a")).value(), "old");
  EXPECT_EQ(directory.entries(), 1u);
}

// A source of fields without values that runs a callback while files are being written.
class Meanwhile : public FieldSource {
 public:
  explicit Meanwhile(std::function<Status()> act) : act_(std::move(act)) {}
  const reference::State& state() const override { return state_; }
  Status gather(const std::vector<int>&) override { return Done{}; }
  Status write(const std::vector<SharedFile>&) override { return act_(); }
  Result<std::vector<uint32_t>> checksums(const std::vector<StoredArray>&) override {
    return std::vector<uint32_t>();
  }
  Result<std::vector<NonFiniteCount>> count_non_finite(const std::vector<Selection>&) override {
    return std::vector<NonFiniteCount>();
  }

 private:
  std::function<Status()> act_;
  reference::State state_;
};

NewFile with_array(const std::string& path) {
  NewFile file = text_file(path, "x");
  file.append(StoredArray{});
  return file;
}

TEST(Files, WritesAllFilesOrNone) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(write_file_atomically(directory.file("a"), "old").ok());
  const std::string a = directory.file("a"), b = directory.file("b");
  EXPECT_FALSE(
      write_files({text_file(a, "new"), text_file(b, "b"), text_file("/no/such/c", "c")}).ok());
  EXPECT_FALSE(write_files({text_file(b, "b"), text_file("/dev/full", "c")}).ok());
  Meanwhile failing([] { return Failure{"R011", "no", ""}; });
  EXPECT_FALSE(write_files({text_file(a, "new"), with_array(b)}, &failing).ok());
  EXPECT_EQ(read_file(a).value(), "old");
  EXPECT_EQ(directory.entries(), 1u);
  ASSERT_TRUE(write_files({text_file(a, "new"), text_file(b, "b")}).ok());
  EXPECT_EQ(read_file(a).value(), "new");
  EXPECT_EQ(directory.entries(), 2u);
}

// A killed process with the same id may have left a temporary file.
TEST(Files, TemporaryFilesOfOtherProcessesAreKept) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  uint64_t number = 0;
  {
    const auto probe = FileWriter::create(path);
    const std::string name = std::filesystem::directory_iterator(directory.file(""))->path();
    number = std::stoull(name.substr(name.rfind('-') + 1));
  }
  const std::string stale = path + ".tmp-" + std::to_string(::getpid()) + "-";
  std::ofstream(stale + std::to_string(number + 1)) << "x";
  EXPECT_TRUE(write_file_atomically(path, "new").ok());
  EXPECT_EQ(read_file(path).value(), "new");
  EXPECT_EQ(read_file(stale + std::to_string(number + 1)).value(), "x");
}

// A signal handler removes the files before it ends the process, while their writers still exist.
TEST(Files, TemporaryFilesCanBeRemovedFromOutside) {
  const TemporaryDirectory directory;
  {
    auto first = FileWriter::create(directory.file("a"));
    auto second = FileWriter::create(directory.file("b"));
    ASSERT_TRUE(first.ok() && second.ok());
    ASSERT_TRUE(first.value().write("x").ok());
    EXPECT_EQ(directory.entries(), 2u);
    remove_temporary_files();
    EXPECT_EQ(directory.entries(), 0u);
    EXPECT_FALSE(first.value().commit().ok());
  }
  EXPECT_TRUE(write_file_atomically(directory.file("a"), "x").ok());
  remove_temporary_files();
  EXPECT_EQ(directory.entries(), 1u);
}

// If a writer is killed at any time, either the old file or the new one exists.
TEST(Files, AKilledWriterLeavesAWholeFile) {
  const TemporaryDirectory directory;
  constexpr size_t kSize = size_t{4} << 20;
  const std::string path = directory.file("a");
  ASSERT_TRUE(write_file_atomically(path, std::string(kSize, 'a')).ok());
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (char letter = 'b';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
        auto writer = FileWriter::create(path, kSize);
        const std::string part(kSize / 64, letter);
        for (int i = 0; i < 64 && writer.ok(); ++i) (void)writer.value().write(part).ok();
        if (!writer.ok() || !writer.value().commit().ok()) ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1 + 7 * round % 40));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    const std::string bytes = read_file(path).value();
    ASSERT_EQ(bytes.size(), kSize);
    EXPECT_EQ(bytes.find_first_not_of(bytes[0]), std::string::npos);
  }
}

TEST(Files, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Status full = write_file_atomically("/dev/full", "x");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.failure().message,
            "cannot write '/dev/full': No space left on device (1 bytes needed)");
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

TEST(Files, WritesThroughDanglingLinks) {
  const TemporaryDirectory directory;
  namespace fs = std::filesystem;
  fs::create_symlink("second", directory.file("first"));
  fs::create_symlink("target", directory.file("second"));
  EXPECT_TRUE(same_file(directory.file("first"), directory.file("target")));
  ASSERT_TRUE(write_file_atomically(directory.file("first"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(directory.file("first")));
  EXPECT_TRUE(fs::is_symlink(directory.file("second")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(directory.file("target"))));
  EXPECT_EQ(read_file(directory.file("target")).value(), "new");

  fs::create_symlink("missing/target", directory.file("astray"));
  const Status astray = write_file_atomically(directory.file("astray"), "x");
  ASSERT_FALSE(astray.ok());
  EXPECT_NE(astray.failure().message.find("/astray': No such file or directory (it is a link to '" +
                                          directory.file("missing/target") + "')"),
            std::string::npos)
      << astray.failure().message;
  fs::create_symlink("circle", directory.file("circle"));
  EXPECT_FALSE(write_file_atomically(directory.file("circle"), "x").ok());
  EXPECT_TRUE(fs::is_symlink(directory.file("circle")));

  // If one file fails, none remains: the file at the target of the link is removed, not the link.
  fs::create_symlink("fresh", directory.file("link"));
  fs::create_directory(directory.file("taken"));
  Meanwhile taking([&]() -> Status {
    fs::create_directory(directory.file("late"));
    return Done{};
  });
  EXPECT_FALSE(
      write_files({text_file(directory.file("link"), "x"), with_array(directory.file("late"))},
                  &taking)
          .ok());
  EXPECT_TRUE(fs::is_symlink(directory.file("link")));
  EXPECT_FALSE(fs::exists(directory.file("fresh")));
}

// A rename may fail although the file could be written: the files before it are restored.
TEST(Files, AreRestoredIfARenameFails) {
  const TemporaryDirectory directory;
  const std::string old = directory.file("old"), fresh = directory.file("fresh"),
                    link = directory.file("link"), late = directory.file("late");
  ASSERT_TRUE(write_file_atomically(old, "old").ok());
  ASSERT_TRUE(write_file_atomically(directory.file("target"), "target").ok());
  fs::create_symlink("target", link);
  fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write);
  FileGroup group;
  ASSERT_TRUE(group.add({text_file(old, "x"), text_file(fresh, "x")}).ok());
  auto writer = FileWriter::create(link);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer.value().write("x").ok());
  ASSERT_TRUE(group.add(std::move(writer).value()).ok());
  ASSERT_TRUE(group.add({text_file(late, "x")}).ok());
  fs::create_directory(late);
  EXPECT_FALSE(group.commit().ok());
  EXPECT_EQ(read_file(old).value(), "old");
  EXPECT_EQ(fs::status(old).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(read_file(link).value(), "target");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(fs::exists(fresh));
  fs::remove(late);
  {
    FileGroup again;
    ASSERT_TRUE(again.add({text_file(old, "new"), text_file(fresh, "new")}).ok());
    ASSERT_TRUE(again.commit().ok());
  }
  EXPECT_EQ(read_file(old).value(), "new");
  EXPECT_EQ(read_file(fresh).value(), "new");
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
  const auto why = [](const std::string& path) {
    const auto read = read_file(path);
    return read.ok() ? "" : read.failure().message.substr(read.failure().message.rfind("': ") + 3);
  };
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(why("/dev/zero"), "it is a device, not a regular file");  // no size, no end
  EXPECT_EQ(why(pipe), "it is a pipe, not a regular file");
  EXPECT_EQ(why("/dev"), "it is a directory");
  EXPECT_EQ(read_file("/dev/null").value(), "");
}

TEST(Files, PipesWithoutAReaderAreRefused) {
  const TemporaryDirectory directory;
  const std::string pipe = directory.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status alone = write_file_atomically(pipe, "12345");
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.failure().message, "cannot write '" + pipe + "': it is a pipe without a reader");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_file_atomically(pipe, "12345").ok());
  char bytes[9];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 5);
  ::close(reader);
}

}  // namespace
}  // namespace stencil::runtime
