#include "runtime/io/field_files.h"

#include <algorithm>

#include "compiler/support/try.h"
#include "runtime/io/field_values.h"

namespace stencil::runtime {

namespace {

Status read_row(const InputFile& file, const StoredArray& array, const Row& row,
                std::vector<std::byte>& part, reference::FieldData& field) {
  const int64_t point = array.bytes_of_point();
  const int64_t start = array.offset + row.there * point;
  const Scalar stored = field.types[array.component];
  // A bool in a file may be any nonzero byte, so it needs conversion.
  if (array.components == 1 && stored == array.type && stored != Scalar::Bool) {
    std::byte* to = field.data(array.level, array.component) + row.here * point;
    return file.read(start, row.count * point, to);
  }
  for (int64_t at = 0; at < row.count; at += kPointsAtOnce) {
    const int64_t count = std::min(kPointsAtOnce, row.count - at);
    part.resize(std::max(part.size(), static_cast<size_t>(count * point)));
    TRY(file.read(start + at * point, count * point, part.data()));
    if (array.type == Scalar::Bool) {
      for (int64_t i = 0; i < count * point; ++i) {
        std::byte& value = part[i];
        value = std::byte{value != std::byte{0}};
      }
    }
    store_values(part.data(), array.type, row.here + at, count, field, array.level, array.component,
                 array.components);
  }
  return Done{};
}

}  // namespace

Status read_rows(const FieldFile& file, const RowsOf& rows, reference::State& state) {
  Status done = Done{};
  std::vector<std::byte> part;
  for (const StoredArray& array : file.arrays) {
    reference::FieldData& field = state.fields[array.field];
    rows(array.field, [&](const Row& row) {
      if (done.ok()) done = read_row(*file.file, array, row, part, field);
    });
    if (!done.ok()) return done;
  }
  return Done{};
}

Status read_all_rows(const FieldFile& file, reference::State& state) {
  const RowsOf all = [&](ir::FieldId field, const std::function<void(const Row&)>& visit) {
    visit({0, 0, state.fields[field].points});
  };
  return read_rows(file, all, state);
}

std::vector<FieldFile> take_field(std::vector<FieldFile>& files, ir::FieldId field) {
  std::vector<FieldFile> taken, left;
  for (FieldFile& file : files) {
    FieldFile here{file.file, {}}, others{file.file, {}};
    for (size_t a = 0; a < file.arrays.size(); ++a) {
      FieldFile& to = file.arrays[a].field == field ? here : others;
      to.arrays.push_back(file.arrays[a]);
      if (!file.checksums.empty()) to.checksums.push_back(file.checksums[a]);
    }
    if (!here.arrays.empty()) taken.push_back(std::move(here));
    if (!others.arrays.empty()) left.push_back(std::move(others));
  }
  files = std::move(left);
  return taken;
}

}  // namespace stencil::runtime
