// Files as data: what is in them, and where. Texts are at hand when they are described; the values
// of fields are wherever the run has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/io/rows.h"

namespace stencil::runtime {

struct StoredText {
  int64_t offset = 0;  // in the file, in bytes
  std::string bytes;
};

// A file that somebody wants to have. Texts and arrays ascend and do not overlap; zeros are between
// them.
struct NewFile {
  std::string path;
  int64_t bytes = 0;
  std::vector<StoredText> texts = {};
  std::vector<StoredArray> arrays = {};

  // Behind what is there.
  void append(std::string text);
  void append(StoredArray array);
};

NewFile text_file(const std::string& path, std::string text);

// Writes every file, or none: no file has its name before all are on disk. Should a name be refused
// even then, files that did not exist before are gone again. R011, and what `fields` has to say.
// `fields`: may be null if no file has arrays.
Status write_files(const std::vector<NewFile>& files, FieldSource* fields = nullptr);

}  // namespace stencil::runtime
