// Descriptions of files: their contents and positions. Texts are part of the description; field
// values remain where the run has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// Writes all files or none: files are renamed only after all are on disk. If a rename still fails,
// files that did not exist before are removed again. Errors: R011 and those of `fields`, which may
// be null if no file has arrays.
Status write_files(const std::vector<NewFile>& files, FieldSource* fields = nullptr);

}  // namespace stencil::runtime
