// Files that appear whole or not at all, written piece by piece.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "stencil/result.h"

namespace stencil::runtime {

// The path that means standard output, as most Unix tools have it; a file of that name is "./-".
inline constexpr std::string_view kStandardOutput = "-";

// Opens what is no regular file (/dev/stdout, /dev/null, a pipe) for writing, and never waits. R011
// for a pipe without a reader and for a disk. The descriptor is the caller's.
Result<int> open_stream(const std::string& path);

// A file in the making. What is written goes into a temporary file beside `path`; commit() renames
// it, so that a reader sees the old file or the new one and never a part, whenever the process
// ends. Dropped without commit(), it leaves the old file as it was and nothing else. A symbolic
// link keeps pointing where it did, and the file appears there, new or not. A path that is no
// regular file (/dev/stdout, a pipe) is written to directly.
//
// All errors are R011; they name the path, and where space is lacking the bytes needed.
class FileWriter {
 public:
  // `bytes`: how many are going to be written; 0: not known. Room for them is asked for at once, so
  // that a full disk is known before the first byte.
  static Result<FileWriter> create(const std::string& path, int64_t bytes = 0);

  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(std::string_view bytes);
  // The file that others may write into; empty: the path is written directly, piece by piece.
  const std::string& temporary() const { return temporary_; }
  // The file has so many bytes, zeros where nothing has been written.
  Status resize(int64_t bytes);
  // Where write() goes on.
  Status move_to(int64_t offset);
  // Brings everything to disk (fsync). Nothing can be written afterwards.
  Status close();
  // close(), and the file has its name.
  Status commit();

 private:
  FileWriter(std::string path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}
  Status open_directly();
  Status open_beside(const std::string& target);
  Failure failure(int error) const;

  std::string path_;    // as the user wrote it, for messages
  std::string target_;  // what is renamed to; empty: written directly
  std::string temporary_;
  int registered_ = -1;  // its place in the table of temporary files
  int descriptor_ = -1;
  int64_t bytes_;
};

// Unlinks the temporary files of all writers of the process, which must end then. May be called in
// a signal handler.
void remove_temporary_files() noexcept;

// One of several that write into a file that a FileWriter of any process has in the making: where
// they want, and not where another does. R011, as a FileWriter's.
class SharedFileWriter {
 public:
  // `temporary`: FileWriter::temporary(); `bytes` of the whole, for messages.
  static Result<SharedFileWriter> open(const std::string& path, const std::string& temporary,
                                       int64_t bytes);

  SharedFileWriter(SharedFileWriter&& other) noexcept;
  SharedFileWriter& operator=(SharedFileWriter&&) = delete;
  ~SharedFileWriter();

  Status write_at(int64_t offset, std::span<const std::byte> bytes);
  // Brings to disk what was written.
  Status close();

 private:
  SharedFileWriter(std::string path, int64_t bytes, int descriptor)
      : path_(std::move(path)), bytes_(bytes), descriptor_(descriptor) {}

  std::string path_;
  int64_t bytes_;
  int descriptor_;
};

}  // namespace stencil::runtime
