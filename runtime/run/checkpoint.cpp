// A checkpoint consists of a preamble of 32 bytes, a header, and the arrays of the state as they
// are in memory (docs/reference/files.md). The header describes the arrays, with position and
// checksum, and the program. If the file belongs to another program, the error can thus report the
// differences.
//
//   write   shapes -> Header (checksums: one pass over the arrays) -> bytes, arrays (new_files.h)
//   read    bytes, in pieces -> Header -> compared with program and state -> checksums -> copied
//
// The reader trusts nothing: lengths are checked against the available bytes, and the state is
// changed last. Checksums are CRC-32 as in zlib, so that any language can verify them.
#include "runtime/run/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "compiler/ir/passes.h"
#include "compiler/support/try.h"
#include "runtime/io/checksum.h"
#include "runtime/io/input_file.h"
#include "runtime/io/new_files.h"
#include "runtime/run/program_hash.h"

namespace stencil::runtime {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

constexpr std::string_view kCheckpointMagic = "STNCKPT\n";
constexpr uint32_t kVersion = 2;
constexpr int64_t kAlignment = 64;  // of arrays in the file
constexpr int64_t kBytesAtOnce = int64_t{1} << 20;

struct Preamble {
  char magic[8];
  uint32_t version;
  uint32_t header_checksum;
  int64_t header_bytes;
  int64_t file_bytes;
};
static_assert(sizeof(Preamble) == 32);

struct ArrayEntry {
  int64_t offset = 0, bytes = 0;
  int64_t checksum = 0;
};
struct ComponentEntry {
  std::string path, type;
};
struct FieldEntry {
  std::string name;
  reference::ConcreteBox box;
  std::vector<ComponentEntry> components;
  std::vector<std::vector<ArrayEntry>> levels;  // [level][component]
};
struct ParamEntry {
  std::string name, type;
  uint64_t value = 0;  // bits of an int64_t or a double
};
struct ReductionEntry {
  std::string name, type;
  uint64_t value = 0;
  int64_t evaluations = 0;
};
struct Header {
  std::string real, fp;  // "float", "contract"
  uint64_t program = 0;  // hash of the stencil IR
  int64_t step = 0;
  bool stopped = false;
  std::vector<ParamEntry> params;
  std::vector<ReductionEntry> reductions;
  std::vector<FieldEntry> fields;
};

// --- Contents of a program's checkpoint ------------------------------------------------------

// The header without positions and checksums of arrays.
Header describe(const ir::Program& program, const reference::State& state) {
  Header header{std::string(name(program.real)),
                std::string(name(program.fp)),
                hash_of(program),
                state.step,
                state.stopped,
                {},
                {},
                {}};
  for (size_t p = 0; p < program.params.size(); ++p) {
    const ir::Param& param = program.params[p];
    const uint64_t value = is_float(param.type) ? std::bit_cast<uint64_t>(state.real_params[p])
                                                : static_cast<uint64_t>(state.integer_params[p]);
    header.params.push_back({param.name, std::string(name(param.type)), value});
  }
  for (size_t r = 0; r < program.reductions.size(); ++r) {
    const reference::ReductionValue& value = state.reductions[r];
    const uint64_t bits = is_float(value.type) ? std::bit_cast<uint64_t>(value.real)
                                               : static_cast<uint64_t>(value.integer);
    header.reductions.push_back(
        {program.reductions[r].name, std::string(name(value.type)), bits, value.evaluations});
  }
  for (size_t f = 0; f < program.fields.size(); ++f) {
    const ir::Field& field = program.fields[f];
    const reference::FieldData& data = state.fields[f];
    FieldEntry entry{field.name, data.box, {}, {}};
    for (const ir::Component& component : field.components) {
      entry.components.push_back({component.path, std::string(name(component.type))});
    }
    entry.levels.assign(static_cast<size_t>(field.history),
                        std::vector<ArrayEntry>(entry.components.size()));
    header.fields.push_back(std::move(entry));
  }
  return header;
}

// Calls `visit(entry, field, level, component)` for each array, in file order.
template <class HeaderType, class Visit>
void for_each_array(HeaderType& header, const Visit& visit) {
  for (size_t f = 0; f < header.fields.size(); ++f) {
    auto& levels = header.fields[f].levels;
    for (size_t level = 0; level < levels.size(); ++level) {
      for (size_t c = 0; c < levels[level].size(); ++c) {
        visit(levels[level][c], f, static_cast<int>(level), static_cast<int>(c));
      }
    }
  }
}

int64_t checksum_of(const void* bytes, int64_t size) {
  const auto* at = static_cast<const Bytef*>(bytes);
  return static_cast<int64_t>(crc32_z(crc32_z(0, nullptr, 0), at, static_cast<z_size_t>(size)));
}

int64_t aligned(int64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

// --- Header and bytes ------------------------------------------------------------------------

// Defines the layout of the header for both directions: `archive` either appends the values or
// fills them in.
template <class Archive, class HeaderType>
void transfer(Archive& archive, HeaderType& header) {
  archive.text(header.real);
  archive.text(header.fp);
  archive.number(header.program);
  archive.number(header.step);
  archive.number(header.stopped);
  archive.list(header.params, [&](auto& param) {
    archive.text(param.name);
    archive.text(param.type);
    archive.number(param.value);
  });
  archive.list(header.reductions, [&](auto& reduction) {
    archive.text(reduction.name);
    archive.text(reduction.type);
    archive.number(reduction.value);
    archive.number(reduction.evaluations);
  });
  archive.list(header.fields, [&](auto& field) {
    archive.text(field.name);
    archive.list(field.box, [&](auto& range) {
      archive.number(range[0]);
      archive.number(range[1]);
    });
    archive.list(field.components, [&](auto& component) {
      archive.text(component.path);
      archive.text(component.type);
    });
    archive.list(field.levels, [&](auto& level) {
      archive.list(level, [&](auto& array) {
        archive.number(array.offset);
        archive.number(array.bytes);
        archive.number(array.checksum);
      });
    });
  });
}

class Appender {
 public:
  template <class T>
  void number(T value) {
    const auto word = static_cast<uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, const Each& each) {
    number(values.size());
    for (const T& value : values) each(value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Extractor {
 public:
  explicit Extractor(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void number(T& value) {
    uint64_t word = 0;
    if (bytes_.size() < sizeof word) return fail();
    std::memcpy(&word, bytes_.data(), sizeof word);
    bytes_.remove_prefix(sizeof word);
    value = static_cast<T>(word);
  }
  void text(std::string& value) {
    uint64_t size = 0;
    number(size);
    if (size > bytes_.size()) return fail();
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T, class Each>
  void list(std::vector<T>& values, const Each& each) {
    uint64_t size = 0;
    number(size);
    if (size > bytes_.size()) return fail();  // each element has at least one byte
    for (uint64_t i = 0; i < size && sound_; ++i) each(values.emplace_back());
  }
  bool complete() const { return sound_ && bytes_.empty(); }

 private:
  void fail() {
    sound_ = false;
    bytes_ = {};
  }
  std::string_view bytes_;
  bool sound_ = true;
};

std::string bytes_of(const Header& header) {
  Appender appender;
  transfer(appender, header);
  return appender.bytes();
}

// --- Comparison ------------------------------------------------------------------------------

Failure damaged_checkpoint(const std::string& path, const std::string& why) {
  return {"R060", fmt::format("'{}' is not an intact checkpoint: {}", path, why), ""};
}

std::string name_of_array(const std::string& field, const std::string& component, int level) {
  return field + component + (level > 0 ? fmt::format("@-{}", level) : "");
}

Failure another(const std::string& path, const std::string& what) {
  return {"R062", fmt::format("'{}' was written by another program: {}", path, what),
          "the program, --real, --fp, --open and --fix must be those of the run that wrote it"};
}

std::string print_param(const ParamEntry& param, bool real) {
  return real ? fmt::format("{}", std::bit_cast<double>(param.value))
              : fmt::format("{}", static_cast<int64_t>(param.value));
}

Failure other_value(const std::string& path, const ir::Param& param, const ParamEntry& saved,
                    const ParamEntry& own) {
  const bool real = is_float(param.type);
  const std::string value = print_param(saved, real);
  std::string hint = fmt::format("run with -D {}={}", own.name, value);
  if (!real) {
    hint += ": an integer param determines the code and the shapes of fields";
  } else if (param.folded()) {
    hint += ": --fix compiles it into the code";
  } else {
    hint +=
        fmt::format(", or give -D {}={} explicitly to change it", own.name, print_param(own, real));
  }
  return {"R063",
          fmt::format("'{}' was written with {} = {}, but this run has {}", path, own.name, value,
                      print_param(own, real)),
          hint};
}

// Whether a param may differ from the checkpoint's value: a float that is a kernel argument and
// that the user gave for this run. Floats derived from it may then differ, too.
bool may_change(const ir::Param& param, const std::vector<bool>& given, size_t number) {
  return is_float(param.type) && !param.folded() && number < given.size() && given[number];
}

// `changed` receives the permitted differences.
Status compare_params(const std::string& path, const ir::Program& program, const Header& there,
                      const Header& here, const std::vector<bool>& given,
                      std::vector<ChangedParam>& changed) {
  const size_t count = std::min(there.params.size(), here.params.size());
  bool any_given = false;
  for (size_t p = 0; p < count; ++p) {
    const bool differs = there.params[p].value != here.params[p].value;
    any_given = any_given || (differs && may_change(program.params[p], given, p));
  }
  for (size_t p = 0; p < count; ++p) {
    const ParamEntry &saved = there.params[p], &own = here.params[p];
    const ir::Param& param = program.params[p];
    if (saved.name != own.name || saved.type != own.type) {
      return another(path, fmt::format("it has the param '{} : {}' instead of '{} : {}'",
                                       saved.name, saved.type, own.name, own.type));
    }
    if (saved.value == own.value) continue;
    const bool follows = any_given && param.derived && is_float(param.type) && !param.folded();
    if (!follows && !may_change(param, given, p)) return other_value(path, param, saved, own);
    changed.push_back({own.name, print_param(saved, true), print_param(own, true)});
  }
  return Done{};
}

Status compare_fields(const std::string& path, const Header& there, const Header& here) {
  for (size_t f = 0; f < std::min(there.fields.size(), here.fields.size()); ++f) {
    const FieldEntry &saved = there.fields[f], &own = here.fields[f];
    if (saved.name != own.name) {
      return another(path,
                     fmt::format("it has the field '{}' instead of '{}'", saved.name, own.name));
    }
    if (saved.levels.size() != own.levels.size()) {
      return another(path, fmt::format("'{}' has {} levels in the file, but {} in this program",
                                       own.name, saved.levels.size(), own.levels.size()));
    }
  }
  return Done{};
}

// Whether all lists have the same lengths. Equal hashes imply this, unless the header is forged.
// Later code uses indices of one header for the other.
bool same_lengths(const Header& there, const Header& here) {
  bool same = there.params.size() == here.params.size() &&
              there.reductions.size() == here.reductions.size() &&
              there.fields.size() == here.fields.size();
  for (size_t f = 0; same && f < here.fields.size(); ++f) {
    const FieldEntry &saved = there.fields[f], &own = here.fields[f];
    same = saved.components.size() == own.components.size();
    for (const auto& level : saved.levels) same = same && level.size() == own.components.size();
  }
  return same;
}

// Whether the checkpoint with header `there` belongs to the program described by `here`.
// Differences that a user can recognise are compared first; the hash is checked last.
Status compare(const std::string& path, const ir::Program& program, const Header& there,
               const Header& here, const std::vector<bool>& given,
               std::vector<ChangedParam>& changed) {
  for (const auto& [what, saved, own] :
       {std::tuple{"--real", &there.real, &here.real}, std::tuple{"--fp", &there.fp, &here.fp}}) {
    if (*saved == *own) continue;
    return another(path, fmt::format("it has {} {}, but this run has {}", what, *saved, *own));
  }
  TRY(compare_fields(path, there, here));
  TRY(compare_params(path, program, there, here, given, changed));
  if (there.program != here.program) return another(path, "it has other statements");
  if (!same_lengths(there, here)) return damaged_checkpoint(path, "its header is malformed");
  return Done{};
}

// --- Reading ---------------------------------------------------------------------------------

Result<Header> read_header(const InputFile& file) {
  const std::string& path = file.path();
  Preamble preamble{};
  const int64_t known = std::min<int64_t>(file.size(), sizeof preamble);
  TRY(file.read(0, known, &preamble));
  if (known < static_cast<int64_t>(kCheckpointMagic.size()) ||
      std::string_view(preamble.magic, kCheckpointMagic.size()) != kCheckpointMagic) {
    return damaged_checkpoint(path, "it does not start with the signature of a checkpoint");
  }
  if (known < static_cast<int64_t>(sizeof preamble))
    return damaged_checkpoint(path, "it is truncated");
  if (preamble.version != kVersion) {
    return Failure{"R061",
                   fmt::format("'{}' has format version {}, but this stencilc reads version {}",
                               path, preamble.version, kVersion),
                   "use the stencilc that wrote it"};
  }
  if (preamble.file_bytes != file.size()) {
    return damaged_checkpoint(
        path, fmt::format("it has {} of {} bytes", file.size(), preamble.file_bytes));
  }
  const int64_t rest = file.size() - static_cast<int64_t>(sizeof preamble);
  const bool fits = preamble.header_bytes >= 0 && preamble.header_bytes <= rest;
  std::string text(fits ? static_cast<size_t>(preamble.header_bytes) : 0, '\0');
  TRY(file.read(sizeof preamble, static_cast<int64_t>(text.size()), text.data()));
  if (!fits || checksum_of(text.data(), preamble.header_bytes) != preamble.header_checksum) {
    return damaged_checkpoint(path, "the checksum of its header is wrong");
  }
  Header header;
  Extractor extractor(text);
  transfer(extractor, header);
  if (!extractor.complete()) return damaged_checkpoint(path, "its header is malformed");
  return header;
}

// The checksum of `count` bytes from offset `at`.
Result<uint32_t> checksum_in(const InputFile& file, int64_t at, int64_t count) {
  std::vector<char> part(static_cast<size_t>(std::min(count, kBytesAtOnce)));
  uLong sum = crc32_z(0, nullptr, 0);
  for (const int64_t end = at + count; at < end; at += kBytesAtOnce) {
    const int64_t size = std::min(kBytesAtOnce, end - at);
    TRY(file.read(at, size, part.data()));
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), static_cast<z_size_t>(size));
  }
  return static_cast<uint32_t>(sum);
}

// The arrays, if all are present with the sizes of the state.
Result<FieldFile> place_arrays(std::shared_ptr<const InputFile> file, const Header& header,
                               const reference::State& state) {
  FieldFile out{std::move(file), {}};
  Status sound = Done{};
  for_each_array(header, [&](const ArrayEntry& array, size_t f, int level, int component) {
    const reference::FieldData& field = state.fields[f];
    const int64_t size = out.file->size();
    const bool within = array.offset >= 0 && array.offset <= size &&
                        array.bytes == field.size_in_bytes(component) &&
                        array.bytes <= size - array.offset;
    const std::string& path = header.fields[f].components[component].path;
    if (!within && sound.ok()) {
      sound = damaged_checkpoint(out.file->path(),
                                 fmt::format("{} is at an unexpected offset",
                                             name_of_array(header.fields[f].name, path, level)));
    }
    out.arrays.push_back({.offset = array.offset,
                          .field = static_cast<ir::FieldId>(f),
                          .level = level,
                          .component = component,
                          .type = field.types[component],
                          .points = field.points});
    out.checksums.push_back(static_cast<uint32_t>(array.checksum));
  });
  if (!sound.ok()) return sound.failure();
  return out;
}

Status compare_checksum(const ir::Program& program, const FieldFile& file, size_t number,
                        uint32_t sum) {
  if (sum == file.checksums[number]) return Done{};
  const StoredArray& array = file.arrays[number];
  const ir::Field& field = program.fields[array.field];
  return damaged_checkpoint(
      file.file->path(),
      fmt::format("the checksum of {} is wrong",
                  name_of_array(field.name, field.components[array.component].path, array.level)));
}

}  // namespace

// --- Writing and reading a checkpoint --------------------------------------------------------

Status write_checkpoint(const std::string& path, const ir::Program& program, FieldSource& fields) {
  const reference::State& state = fields.state();
  Header header = describe(program, state);
  const auto header_bytes = static_cast<int64_t>(bytes_of(header).size());
  NewFile file{path};
  file.bytes = static_cast<int64_t>(sizeof(Preamble)) + header_bytes;
  for_each_array(header, [&](const ArrayEntry&, size_t f, int level, int component) {
    const reference::FieldData& field = state.fields[f];
    file.bytes = aligned(file.bytes);
    file.append(StoredArray{.field = static_cast<ir::FieldId>(f),
                            .level = level,
                            .component = component,
                            .type = field.types[component],
                            .points = field.points});
  });
  const auto shares = TRY(fields.checksums(file.arrays));
  size_t number = 0;
  for_each_array(header, [&](ArrayEntry& array, size_t, int, int) {
    const StoredArray& stored = file.arrays[number];
    array.offset = stored.offset;
    array.bytes = stored.bytes();
    array.checksum = whole_checksum({shares[number++]}, array.bytes);
  });
  const std::string text = bytes_of(header);
  Preamble preamble{{},
                    kVersion,
                    static_cast<uint32_t>(checksum_of(text.data(), header_bytes)),
                    header_bytes,
                    file.bytes};
  std::memcpy(preamble.magic, kCheckpointMagic.data(), kCheckpointMagic.size());
  file.texts = {{0, std::string(reinterpret_cast<const char*>(&preamble), sizeof preamble) + text}};
  return write_files({file}, &fields);
}

Result<SavedState> find_checkpoint(const std::string& path, const ir::Program& program,
                                   const reference::State& state, const std::vector<bool>& given) {
  auto opened = TRY(InputFile::open(path));
  auto file = std::make_shared<const InputFile>(std::move(opened));
  const auto read = TRY(read_header(*file));
  const Header& header = read;
  std::vector<ChangedParam> changed;
  TRY(compare(path, program, header, describe(program, state), given, changed));
  auto arrays = TRY(place_arrays(std::move(file), header, state));
  SavedState out{std::move(arrays), state.reductions, header.step, header.stopped,
                 std::move(changed)};
  for (size_t r = 0; r < out.reductions.size(); ++r) {
    const ReductionEntry& saved = header.reductions[r];
    reference::ReductionValue& value = out.reductions[r];
    if (is_float(value.type)) {
      value.real = std::bit_cast<double>(saved.value);
    } else {
      value.integer = static_cast<int64_t>(saved.value);
    }
    value.evaluations = saved.evaluations;
    // The step of the first NaN is not saved. The last evaluation is known to have been NaN.
    const int64_t every = program.reductions[r].every;
    value.first_nan = value.is_nan() ? header.step / every * every : 0;
  }
  return out;
}

void go_on_from(const SavedState& saved, reference::State& state) {
  state.reductions = saved.reductions;
  state.step = saved.step;
  state.stopped = saved.stopped;
}

Status check_arrays(const ir::Program& program, const FieldFile& file) {
  for (size_t a = 0; a < file.checksums.size(); ++a) {
    const StoredArray& array = file.arrays[a];
    const auto sum = TRY(checksum_in(*file.file, array.offset, array.bytes()));
    TRY(compare_checksum(program, file, a, sum));
  }
  return Done{};
}

Status check_arrays(const ir::Program& program, const FieldFile& file,
                    const std::vector<uint32_t>& shares) {
  for (size_t a = 0; a < file.checksums.size(); ++a) {
    const uint32_t sum = whole_checksum({shares[a]}, file.arrays[a].bytes());
    TRY(compare_checksum(program, file, a, sum));
  }
  return Done{};
}

Status read_checkpoint(const std::string& path, const ir::Program& program,
                       reference::State& state) {
  const auto saved = TRY(find_checkpoint(path, program, state));
  Status read = check_arrays(program, saved.fields);
  if (read.ok()) read = read_all_rows(saved.fields, state);
  if (read.ok()) go_on_from(saved, state);
  return read;
}

Event checkpoint_event(const std::string& path, const ir::Program& program, int64_t every,
                       double seconds) {
  return {every, seconds, true,
          [path, &program](FieldSource& fields) { return write_checkpoint(path, program, fields); },
          path};
}

}  // namespace stencil::runtime
