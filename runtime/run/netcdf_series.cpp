// The header is written once. It depends on the program and the outputs only, so a resumed run
// recognises its file by comparing headers.
#include "runtime/run/netcdf_series.h"

#include <cstring>
#include <filesystem>

#include "compiler/support/try.h"
#include "runtime/io/file_writer.h"
#include "runtime/io/files.h"
#include "runtime/io/input_file.h"

namespace stencil::runtime {
namespace {

int64_t big_endian_number(const std::string& bytes) {
  uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<uint8_t>(c);
  return static_cast<int64_t>(number);
}

Result<std::string> read_at(const InputFile& file, int64_t offset, int64_t count) {
  std::string bytes(static_cast<size_t>(count), '\0');
  TRY(file.read(offset, count, bytes.data()));
  return bytes;
}

Failure of_another_run(const std::string& path) {
  return {"R038", "'" + path + "' is not a file that this run can continue: its contents differ",
          "name another file, or remove this one"};
}

}  // namespace

Result<int64_t> records_kept(const std::string& path, const NetcdfLayout& layout, int64_t step,
                             int64_t every) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return 0;
  const auto file = TRY(InputFile::open(path));
  if (file.size() < layout.first_record) return of_another_run(path);
  int64_t records = 0;
  for (const StoredText& text : layout.texts) {
    auto bytes = TRY(read_at(file, text.offset, static_cast<int64_t>(text.bytes.size())));
    if (text.offset == 0) {
      const auto count = static_cast<size_t>(layout.count_bytes);
      records = big_endian_number(bytes.substr(NetcdfLayout::kCountOffset, count));
      bytes.replace(NetcdfLayout::kCountOffset, count, layout.count(0));
    }
    if (bytes != text.bytes) return of_another_run(path);
  }
  if (records < 0 || records > (file.size() - layout.first_record) / layout.record_bytes) {
    return of_another_run(path);
  }
  int64_t kept = 0;
  for (; kept < records; ++kept) {
    const auto bytes = TRY(read_at(file, layout.record_at(kept), 4));
    const int64_t at = big_endian_number(bytes);
    if (at > step || at % every != 0) break;
  }
  return kept;
}

Result<NetcdfSeries> NetcdfSeries::begin(const ir::Program& program, const Output& output,
                                         const reference::State& state) {
  auto layout = TRY(netcdf_layout(program, state, output.selections));
  NetcdfSeries series(program, output, std::move(layout));
  if (state.step > 0) {
    series.records_ = TRY(records_kept(output.path, series.layout_, state.step, output.every));
    if (series.records_ > 0) {
      const auto file = TRY(InputFile::open(output.path));
      const auto last = TRY(read_at(file, series.layout_.record_at(series.records_ - 1), 4));
      series.last_step_ = big_endian_number(last);
    }
  }
  return series;
}

// Creates the file, or cuts off the records that are not kept.
Status NetcdfSeries::open(FieldSource& fields) {
  if (is_open_) return Done{};
  if (records_ == 0) {
    const NewFile file{output_.path, layout_.first_record, layout_.texts, layout_.fixed};
    TRY(write_files({file}, &fields));
  } else {
    TRY(write_bytes(NetcdfLayout::kCountOffset, layout_.count(records_)));
    TRY(resize());
  }
  is_open_ = true;
  return Done{};
}

Status NetcdfSeries::resize() const {
  std::error_code error;
  std::filesystem::resize_file(end_of_links(output_.path),
                               static_cast<uintmax_t>(layout_.record_at(records_)), error);
  if (!error) return Done{};
  return Failure{"R011", "cannot write '" + output_.path + "': " + error.message(), ""};
}

Status NetcdfSeries::write(FieldSource& fields, std::vector<StoredArray> arrays) const {
  if (arrays.empty()) return Done{};
  return fields.write({{output_.path, end_of_links(output_.path), layout_.record_at(records_ + 1),
                        std::move(arrays)}});
}

Status NetcdfSeries::write_bytes(int64_t offset, const std::string& bytes) const {
  auto writer = TRY(SharedFileWriter::open(output_.path, end_of_links(output_.path),
                                           layout_.record_at(records_ + 1)));
  TRY(writer.write_at(offset, std::as_bytes(std::span(bytes))));
  return writer.close();
}

Status NetcdfSeries::add(FieldSource& fields) {
  const int64_t step = fields.state().step;
  if (last_step_ == step) return Done{};
  TRY(open(fields));
  std::vector<StoredArray> arrays = layout_.record;
  for (StoredArray& array : arrays) array.offset += records_ * layout_.record_bytes;
  TRY(write(fields, std::move(arrays)));
  TRY(write_bytes(layout_.record_at(records_), NetcdfLayout::step_bytes(step)));
  ++records_;
  TRY(resize());  // padding at the end is part of the record
  TRY(write_bytes(NetcdfLayout::kCountOffset, layout_.count(records_)));
  last_step_ = step;
  return Done{};
}

Status NetcdfSeries::finish(FieldSource& fields) {
  TRY(open(fields));
  TRY(add(fields));
  std::vector<StoredArray> complete;
  for (const StoredArray& array : layout_.fixed) {
    if (ir::changes(program_, array.field)) complete.push_back(array);
  }
  return write(fields, std::move(complete));
}

}  // namespace stencil::runtime
