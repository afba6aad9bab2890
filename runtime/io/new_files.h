// Descriptions of files: their contents and positions. Texts are part of the description; field
// values remain where the run has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/file_writer.h"
#include "runtime/io/rows.h"

namespace stencil::runtime {

struct StoredText {
  int64_t offset = 0;  // in bytes
  std::string bytes;
};

// A file to be written. Texts and arrays ascend and do not overlap; gaps are filled with zeros.
struct NewFile {
  std::string path;
  int64_t bytes = 0;
  std::vector<StoredText> texts = {};
  std::vector<StoredArray> arrays = {};

  // Appends at the end.
  void append(std::string text);
  void append(StoredArray array);
};

NewFile text_file(const std::string& path, std::string text);

// Files that appear together or not at all: commit() renames them when all are on disk. If a rename
// still fails, the files before it are restored. A file that is written directly (a pipe) is
// complete after add(). Errors: R011 and those of `fields`.
class FileGroup {
 public:
  // Writes the files under temporary names. `fields` may be null if no file has arrays.
  Status add(const std::vector<NewFile>& files, FieldSource* fields = nullptr);
  // Adds a file to which all data are written.
  Status add(FileWriter file);
  Status commit();

 private:
  std::vector<FileWriter> writers_;
};

// Writes the files as one group.
Status write_files(const std::vector<NewFile>& files, FieldSource* fields = nullptr);

}  // namespace stencil::runtime
