#include "runtime/cluster/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

namespace stencil::runtime::words {

namespace {

// Length-prefixed, because texts may contain anything: "4 a b\n".
std::string quoted(const std::string& text) {
  return fmt::format("{} {}", text.size(), text);
}
std::string read_text(std::istream& in) {
  size_t size = 0;
  in >> size;
  in.ignore();
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  return text;
}

}  // namespace

std::string numbers(const std::vector<int64_t>& values) {
  return fmt::format("{} {}", values.size(), fmt::join(values, " "));
}

std::string text_of(const reference::State& state) {
  std::vector<int64_t> reals, values;
  for (const double real : state.real_params) reals.push_back(std::bit_cast<int64_t>(real));
  for (const reference::ReductionValue& value : state.reductions) {
    values.insert(values.end(), {std::bit_cast<int64_t>(value.real), value.integer,
                                 value.evaluations, value.first_nan});
  }
  return fmt::format("{} {} {} {} {}", numbers(state.integer_params), numbers(reals),
                     numbers(values), state.step, state.stopped ? 1 : 0);
}

std::vector<int64_t> read_numbers(std::istream& in) {
  size_t count = 0;
  in >> count;
  std::vector<int64_t> out(count);
  for (int64_t& value : out) in >> value;
  return out;
}

reference::State read_state(std::istream& in, const ir::Program& program) {
  reference::State state;
  state.integer_params = read_numbers(in);
  for (const int64_t bits : read_numbers(in)) {
    state.real_params.push_back(std::bit_cast<double>(bits));
  }
  const std::vector<int64_t> values = read_numbers(in);
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    reference::ReductionValue value{.type = ir::value_type(program.reductions[r])};
    value.real = std::bit_cast<double>(values[4 * r]);
    value.integer = values[4 * r + 1];
    value.evaluations = values[4 * r + 2];
    value.first_nan = values[4 * r + 3];
    state.reductions.push_back(value);
  }
  int stopped = 0;
  in >> state.step >> stopped;
  state.stopped = stopped != 0;
  return state;
}

std::string text_of(const std::vector<StoredArray>& arrays) {
  std::vector<int64_t> values;
  for (const StoredArray& a : arrays) {
    values.insert(values.end(),
                  {a.offset, a.field, a.level, a.component, a.components,
                   static_cast<int64_t>(a.type), a.points, static_cast<int64_t>(a.big_endian)});
  }
  return numbers(values);
}
std::vector<StoredArray> read_arrays(std::istream& in) {
  const std::vector<int64_t> values = read_numbers(in);
  std::vector<StoredArray> out;
  for (auto v = values.begin(); v != values.end(); v += 8) {
    out.push_back({v[0], static_cast<ir::FieldId>(v[1]), static_cast<int>(v[2]),
                   static_cast<int>(v[3]), static_cast<int>(v[4]), static_cast<Scalar>(v[5]), v[6],
                   v[7] != 0});
  }
  return out;
}

std::string text_of(const std::vector<SharedFile>& files) {
  std::string out = fmt::format("{}", files.size());
  for (const SharedFile& file : files) {
    out += fmt::format(" {} {} {} {}", quoted(file.path), quoted(file.temporary), file.bytes,
                       text_of(file.arrays));
  }
  return out;
}
std::vector<SharedFile> read_files(std::istream& in) {
  size_t count = 0;
  in >> count;
  std::vector<SharedFile> out(count);
  for (SharedFile& file : out) {
    file.path = read_text(in);
    file.temporary = read_text(in);
    in >> file.bytes;
    file.arrays = read_arrays(in);
  }
  return out;
}

std::string text_of(const std::vector<FieldFile>& files) {
  std::string out = fmt::format("{}", files.size());
  for (const FieldFile& file : files) {
    out += fmt::format(" {} {} {}", quoted(file.file->path()), file.file->size(),
                       text_of(file.arrays));
  }
  return out;
}
Status read_files(std::istream& in, std::vector<FieldFile>& files) {
  size_t count = 0;
  in >> count;
  Status opened = Done{};
  for (size_t n = 0; n < count; ++n) {
    const std::string path = read_text(in);
    int64_t size = 0;
    in >> size;
    std::vector<StoredArray> arrays = read_arrays(in);
    if (!opened.ok()) continue;
    auto file = InputFile::open(path);
    if (!file.ok()) {
      opened = file.failure();
    } else if (file.value().size() != size) {
      opened = Failure{"R010",
                       fmt::format("cannot read '{}': it has {} bytes here, but {} on rank 0", path,
                                   file.value().size(), size),
                       ""};
    } else {
      files.push_back(
          {std::make_shared<const InputFile>(std::move(file).value()), std::move(arrays)});
    }
  }
  return opened;
}

std::string text_of(const std::vector<Selection>& places) {
  std::vector<int64_t> values;
  for (const Selection& place : places) {
    values.insert(values.end(), {place.field, place.level, place.component});
  }
  return numbers(values);
}
std::vector<Selection> read_places(std::istream& in) {
  const std::vector<int64_t> values = read_numbers(in);
  std::vector<Selection> out;
  for (auto v = values.begin(); v != values.end(); v += 3) {
    out.push_back({static_cast<ir::FieldId>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])});
  }
  return out;
}

std::string text_of(const BoxOfField& what) {
  std::vector<int64_t> values = {what.field, what.level, what.component};
  for (const auto& [low, high] : what.box) values.insert(values.end(), {low, high});
  return numbers(values);
}
BoxOfField read_box(std::istream& in) {
  const std::vector<int64_t> values = read_numbers(in);
  BoxOfField out{static_cast<ir::FieldId>(values[0]),
                 static_cast<int>(values[1]),
                 static_cast<int>(values[2]),
                 {}};
  for (size_t v = 3; v < values.size(); v += 2) out.box.push_back({values[v], values[v + 1]});
  return out;
}

Result<std::string> text_of(const Result<std::vector<uint32_t>>& sums) {
  if (!sums.ok()) return sums.failure();
  return numbers({sums.value().begin(), sums.value().end()});
}
std::vector<uint32_t> read_sums(const std::string& text) {
  std::istringstream in(text);
  const std::vector<int64_t> values = read_numbers(in);
  return {values.begin(), values.end()};
}

Result<std::string> text_of(const Result<std::vector<NonFiniteCount>>& counts) {
  if (!counts.ok()) return counts.failure();
  std::vector<int64_t> values;
  for (const NonFiniteCount& count : counts.value()) {
    values.insert(values.end(), {count.nans, count.infinities, count.first});
  }
  return numbers(values);
}
std::vector<NonFiniteCount> read_counts(const std::string& text) {
  std::istringstream in(text);
  const std::vector<int64_t> values = read_numbers(in);
  std::vector<NonFiniteCount> out;
  for (auto v = values.begin(); v != values.end(); v += 3) out.push_back({v[0], v[1], v[2]});
  return out;
}

}  // namespace stencil::runtime::words
