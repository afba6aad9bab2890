// Files that appear complete or not at all, written in pieces.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stencil/result.h"

namespace stencil::runtime {

// The path that means standard output. A file of that name is "./-".
inline constexpr std::string_view kStandardOutput = "-";

// Opens a non-regular file (/dev/stdout, /dev/null, a pipe) for writing without blocking. R011 for
// a pipe without a reader, and for a block device. The caller owns the descriptor.
Result<int> open_stream(const std::string& path);

// The name of a temporary file. The destructor removes the file, and so does
// remove_temporary_files().
class TemporaryFile {
 public:
  TemporaryFile() = default;  // no file
  explicit TemporaryFile(std::string name);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  const std::string& name() const { return name_; }  // "": no file
  // The file was renamed, or belongs to another process: it is no longer removed.
  void release();

 private:
  std::string name_;
  int registered_ = -1;  // index in the table of temporary files
};

// A file being written. Data go to a temporary file beside `path`, which commit() renames; so
// readers see the old or the new file but never a part, even if the process ends. Without commit(),
// the destructor removes the temporary file and leaves the old file unchanged. If `path` is a
// symbolic link, the file is written at its target, whether or not that exists. A file that is
// replaced keeps its permissions. If `path` is not a regular file (/dev/stdout, a pipe), it is
// written directly.
//
// All errors are R011. They name the path, and the bytes needed if space is insufficient.
class FileWriter {
 public:
  // `bytes`: final size; 0: unknown. The space is reserved at once, so that a full disk is detected
  // before the first write.
  static Result<FileWriter> create(const std::string& path, int64_t bytes = 0);

  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(std::string_view bytes);
  // The temporary file, which others may also write; "" if the path is written directly.
  const std::string& temporary() const { return temporary_.name(); }
  // Sets the size; unwritten bytes are zero.
  Status resize(int64_t bytes);
  // Sets the position of the next write().
  Status move_to(int64_t offset);
  // Flushes everything to disk (fsync) and ends writing.
  Status close();
  // close(), then renames the file to its final name.
  Status commit();
  // Keeps the file that commit() will replace, for undo(), until this object ends. Has no effect
  // on file systems without hard links.
  void keep_replaced();
  // After commit(): restores the kept file, or removes the new one if there was none before.
  void undo();

 private:
  FileWriter(std::string path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}
  Status open_directly();
  Status open_beside(const std::string& target);
  Failure failure(int error) const;

  std::string path_;    // as given by the user, for messages
  std::string target_;  // target of the rename; "": written directly
  TemporaryFile temporary_;
  TemporaryFile replaced_;  // a second name of the file that commit() replaces
  bool is_new_ = false;     // commit() has replaced no file
  int descriptor_ = -1;
  int64_t bytes_;
};

// Removes the temporary files of all writers. The process must end afterwards. Async-signal-safe.
void remove_temporary_files() noexcept;

// One of several writers of a file that a FileWriter of any process has open. The writers must
// write disjoint ranges. R011, as for FileWriter.
class SharedFileWriter {
 public:
  // `temporary`: FileWriter::temporary(); `bytes`: final size, for messages.
  static Result<SharedFileWriter> open(const std::string& path, const std::string& temporary,
                                       int64_t bytes);

  SharedFileWriter(SharedFileWriter&& other) noexcept;
  SharedFileWriter& operator=(SharedFileWriter&&) = delete;
  ~SharedFileWriter();

  Status write_at(int64_t offset, std::span<const std::byte> bytes);
  // Flushes to disk what was written.
  Status close();

 private:
  SharedFileWriter(std::string path, int64_t bytes, int descriptor)
      : path_(std::move(path)), bytes_(bytes), descriptor_(descriptor) {}

  std::string path_;
  int64_t bytes_;
  int descriptor_;
};

}  // namespace stencil::runtime
