// Files that appear whole or not at all, written piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "stencil/result.h"

namespace stencil::runtime {

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

// A file that somebody wants to have.
struct NewFile {
  std::string path;
  int64_t bytes = 0;  // that `write` will write
  std::function<Status(FileWriter&)> write;
};

// Writes every file, or none: no file has its name before all are on disk. Should a name be refused
// even then, files that did not exist before are gone again. R011, and whatever `write` returns.
Status write_files(const std::vector<NewFile>& files);

}  // namespace stencil::runtime
