// Rows that are contiguous in both memories are merged, so a subdomain that is only cut along the
// outermost dimension writes few large pieces. A component whose type in the file equals that in
// memory is written without a copy.
#include "runtime/io/rows.h"

#include <algorithm>
#include <span>

#include "compiler/support/try.h"
#include "runtime/io/checksum.h"
#include "runtime/io/field_values.h"
#include "runtime/io/file_writer.h"

namespace stencil::runtime {

namespace {

template <class Places>
void look_at(const Places& places, std::vector<int>& levels) {
  for (const auto& place : places) {
    int& wanted = levels[place.field];
    wanted = std::max(wanted, place.level + 1);
  }
}

}  // namespace

std::vector<int> levels_of(const std::vector<StoredArray>& arrays, size_t fields) {
  std::vector<int> levels(fields, 0);
  look_at(arrays, levels);
  return levels;
}

std::vector<int> levels_of(const std::vector<SharedFile>& files, size_t fields) {
  std::vector<int> levels(fields, 0);
  for (const SharedFile& file : files) look_at(file.arrays, levels);
  return levels;
}

std::vector<int> levels_of(const std::vector<Selection>& places, size_t fields) {
  std::vector<int> levels(fields, 0);
  look_at(places, levels);
  return levels;
}

StateSource::StateSource(const reference::State& state, RowsOf rows)
    : state_(state), rows_(std::move(rows)) {}

void StateSource::for_each_row(ir::FieldId field,
                               const std::function<void(const Row&)>& visit) const {
  Row last;
  const auto add = [&](const Row& row) {
    if (row.here == last.here + last.count && row.there == last.there + last.count) {
      last.count += row.count;
      return;
    }
    if (last.count > 0) visit(last);
    last = row;
  };
  if (rows_) {
    rows_(field, add);
  } else {
    add({0, 0, state_.fields[field].points});
  }
  if (last.count > 0) visit(last);
}

// Calls visit(point of the whole field, bytes in the file's format).
template <class Visit>
Status StateSource::for_each_piece(const StoredArray& array, const Visit& visit) const {
  const reference::FieldData& field = state_.fields[array.field];
  const auto first = static_cast<size_t>(array.component);
  const bool as_stored =
      array.components == 1 && field.types[first] == array.type && !array.big_endian;
  const int64_t point = array.bytes_of_point();
  std::vector<std::byte> converted;
  Status done = Done{};
  for_each_row(array.field, [&](const Row& row) {
    const int64_t at_once = as_stored ? row.count : kPointsAtOnce;
    for (int64_t at = 0; at < row.count && done.ok(); at += at_once) {
      const int64_t count = std::min(at_once, row.count - at);
      const auto bytes = static_cast<size_t>(count * point);
      const std::byte* from = nullptr;
      if (as_stored) {
        from = field.data(array.level, array.component) + (row.here + at) * point;
      } else {
        converted.resize(std::max(converted.size(), bytes));
        load_values({field, array.level, array.component, array.components}, row.here + at, count,
                    array.type, converted.data());
        if (array.big_endian) {
          reverse_bytes(converted.data(), count * array.components, array.type);
        }
        from = converted.data();
      }
      done = visit(row.there + at, std::span(from, bytes));
    }
  });
  return done;
}

Status StateSource::write(const std::vector<SharedFile>& files) {
  for (const SharedFile& file : files) {
    auto opened = TRY(SharedFileWriter::open(file.path, file.temporary, file.bytes));
    SharedFileWriter& writer = opened;
    for (const StoredArray& array : file.arrays) {
      TRY(for_each_piece(array, [&](int64_t at, auto bytes) {
        return writer.write_at(array.offset + at * array.bytes_of_point(), bytes);
      }));
    }
    TRY(writer.close());
  }
  return Done{};
}

Result<std::vector<uint32_t>> StateSource::checksums(const std::vector<StoredArray>& arrays) {
  std::vector<uint32_t> out;
  for (const StoredArray& array : arrays) {
    SparseChecksum sum;
    TRY(for_each_piece(array, [&](int64_t at, auto bytes) -> Status {
      sum.add(at * array.bytes_of_point(), bytes);
      return Done{};
    }));
    out.push_back(sum.share_of(array.bytes()));
  }
  return out;
}

Result<std::vector<NonFiniteCount>> StateSource::count_non_finite(
    const std::vector<Selection>& places) {
  std::vector<NonFiniteCount> out;
  for (const Selection& place : places) {
    const reference::FieldData& field = state_.fields[place.field];
    const Scalar type = field.types[place.component];
    NonFiniteCount& all = out.emplace_back();
    for_each_row(place.field, [&](const Row& row) {
      const std::byte* data = field.data(place.level, place.component);
      NonFiniteCount here = count_values(type, data + row.here * size_in_bytes(type), row.count);
      if (here.first >= 0) here.first += row.there;
      all.add(here);
    });
  }
  return out;
}

Status reaches(const SharedFile& file) {
  const auto opened = SharedFileWriter::open(file.path, file.temporary, file.bytes);
  return opened.ok() ? Status(Done{}) : Status(opened.failure());
}

}  // namespace stencil::runtime
