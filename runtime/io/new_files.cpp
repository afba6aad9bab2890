// The arrays of all files are written at once by all owners of rows. A file that is not regular (a
// pipe) has no offsets, so its fields are gathered first and written sequentially.
#include "runtime/io/new_files.h"

#include "compiler/support/try.h"
#include "runtime/io/field_values.h"

namespace stencil::runtime {

void NewFile::append(std::string text) {
  const auto size = static_cast<int64_t>(text.size());
  texts.push_back({bytes, std::move(text)});
  bytes += size;
}

void NewFile::append(StoredArray array) {
  array.offset = bytes;
  bytes += array.bytes();
  arrays.push_back(array);
}

NewFile text_file(const std::string& path, std::string text) {
  NewFile file{path};
  file.append(std::move(text));
  return file;
}

namespace {

Status write_texts(const NewFile& file, FileWriter& writer) {
  Status written = writer.resize(file.bytes);
  for (const StoredText& text : file.texts) {
    if (written.ok()) written = writer.move_to(text.offset);
    if (written.ok()) written = writer.write(text.bytes);
  }
  return written;
}

// Writes texts and arrays sequentially.
Status write_in_order(const NewFile& file, const reference::State* state, FileWriter& writer) {
  int64_t at = 0;
  const auto fill_up = [&](int64_t to) {
    const Status filled = writer.write(std::string(static_cast<size_t>(to - at), '\0'));
    at = to;
    return filled;
  };
  Status written = Done{};
  const auto write_arrays_before = [&](auto from, int64_t end) {
    for (; from != file.arrays.end() && from->offset < end && written.ok(); ++from) {
      const auto& field = state->fields[from->field];
      written = fill_up(from->offset);
      if (!written.ok()) return from;
      written = write_values(writer, {field, from->level, from->component, from->components},
                             from->type, from->big_endian);
      at += from->bytes();
    }
    return from;
  };
  auto array = file.arrays.begin();
  for (const StoredText& text : file.texts) {
    array = write_arrays_before(array, text.offset);
    if (written.ok()) written = fill_up(text.offset);
    if (written.ok()) written = writer.write(text.bytes);
    at += static_cast<int64_t>(text.bytes.size());
  }
  write_arrays_before(array, file.bytes);
  return written.ok() ? fill_up(file.bytes) : written;
}

}  // namespace

Status FileGroup::add(const std::vector<NewFile>& files, FieldSource* fields) {
  const size_t first = writers_.size();
  std::vector<SharedFile> shared;
  for (const NewFile& file : files) {
    auto writer = TRY(FileWriter::create(file.path, file.bytes));
    writers_.push_back(std::move(writer));
    const std::string& temporary = writers_.back().temporary();
    Status written = Done{};
    if (!temporary.empty()) {
      written = write_texts(file, writers_.back());
      if (!file.arrays.empty()) shared.push_back({file.path, temporary, file.bytes, file.arrays});
    } else {
      if (!file.arrays.empty()) {
        written = fields->gather(levels_of(file.arrays, fields->state().fields.size()));
      }
      const reference::State* state = fields ? &fields->state() : nullptr;
      if (written.ok()) written = write_in_order(file, state, writers_.back());
    }
    if (!written.ok()) return written;
  }
  Status written = shared.empty() ? Done{} : fields->write(shared);
  for (size_t i = first; i < writers_.size(); ++i) {
    if (written.ok()) written = writers_[i].close();
  }
  return written;
}

Status FileGroup::add(FileWriter file) {
  TRY(file.close());
  writers_.push_back(std::move(file));
  return Done{};
}

Status FileGroup::commit() {
  for (size_t i = 0; i < writers_.size(); ++i) {
    if (i + 1 < writers_.size()) writers_[i].keep_replaced();  // a later file may fail
    const Status committed = writers_[i].commit();
    if (committed.ok()) continue;
    while (i > 0) writers_[--i].undo();
    return committed;
  }
  return Done{};
}

Status write_files(const std::vector<NewFile>& files, FieldSource* fields) {
  FileGroup group;
  TRY(group.add(files, fields));
  return group.commit();
}

}  // namespace stencil::runtime
