// The .npy format: magic string, version, header length, a header that is a Python dictionary
// literal with the keys descr, fortran_order and shape, then the raw elements (NumPy's
// numpy.lib.format documentation). The reader accepts only this dictionary, in any order and
// spacing. Every length is checked against the available bytes before use.
#include "runtime/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>

#include "compiler/support/try.h"
#include "runtime/io/files.h"

namespace stencil::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr size_t kNpyAlignment = 64;
constexpr size_t kMostDimensions = 32;  // NumPy's own limit

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// A cursor over the header's text. The take functions skip blanks first and do not advance if the
// expected token is missing.
class HeaderText {
 public:
  explicit HeaderText(std::string_view text) : text_(text) {}

  bool take(std::string_view token) {
    skip_blanks();
    if (text_.substr(0, token.size()) != token) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }
  std::optional<std::string> take_string() {
    skip_blanks();
    if (text_.empty() || (text_[0] != '\'' && text_[0] != '"')) return std::nullopt;
    const size_t close = text_.find(text_[0], 1);
    if (close == std::string_view::npos) return std::nullopt;
    std::string result(text_.substr(1, close - 1));
    text_.remove_prefix(close + 1);
    return result;
  }
  std::optional<int64_t> take_count() {
    skip_blanks();
    int64_t value = 0;
    size_t digits = 0;
    while (digits < text_.size() && std::isdigit(static_cast<unsigned char>(text_[digits]))) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[digits] - '0', &value)) {
        return std::nullopt;
      }
      ++digits;
    }
    if (digits == 0) return std::nullopt;
    text_.remove_prefix(digits);
    return value;
  }

 private:
  void skip_blanks() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0]))) {
      text_.remove_prefix(1);
    }
  }
  std::string_view text_;
};

std::optional<std::vector<int64_t>> take_shape(HeaderText& text) {
  std::vector<int64_t> shape;
  if (!text.take("(")) return std::nullopt;
  while (!text.take(")")) {
    const std::optional<int64_t> extent = text.take_count();
    if (!extent || shape.size() == kMostDimensions) return std::nullopt;
    shape.push_back(*extent);
    if (!text.take(",")) return text.take(")") ? std::optional(shape) : std::nullopt;
  }
  return shape;
}

Failure damaged_npy(const std::string& name, const std::string& why) {
  return {"R020", "'" + name + "' is not an intact .npy file: " + why, ""};
}

Result<NpyHeader> parse_header(HeaderText text, const std::string& name) {
  const Failure malformed = damaged_npy(name, "its header is malformed");
  NpyHeader header;
  std::map<std::string, int> seen;
  if (!text.take("{")) return malformed;
  while (!text.take("}")) {
    const std::optional<std::string> key = text.take_string();
    if (!key || !text.take(":") || seen[*key]++ != 0) return malformed;
    if (*key == "descr") {
      if (text.take("[")) {
        return Failure{"R021", "'" + name + "' holds structured elements, which are not supported",
                       "save each member as a separate array"};
      }
      const std::optional<std::string> descr = text.take_string();
      if (!descr) return malformed;
      header.descr = *descr;
    } else if (*key == "fortran_order") {
      header.fortran_order = text.take("True");
      if (!header.fortran_order && !text.take("False")) return malformed;
    } else if (*key == "shape") {
      const std::optional<std::vector<int64_t>> shape = take_shape(text);
      if (!shape) return malformed;
      header.shape = *shape;
    } else {
      return malformed;
    }
    if (!text.take(",")) {
      if (!text.take("}")) return malformed;
      break;
    }
  }
  if (!text.at_end() || seen.size() != 3) return malformed;
  return header;
}

// Storage of elements in a file.
struct Dtype {
  std::string_view descr;
  Scalar type;
};
constexpr Dtype kDtypes[] = {
    {"<f2", Scalar::F16}, {"<f4", Scalar::F32},  {"<f8", Scalar::F64}, {"|i1", Scalar::I8},
    {"<i2", Scalar::I16}, {"<i4", Scalar::I32},  {"<i8", Scalar::I64}, {"|u1", Scalar::U8},
    {"<u2", Scalar::U16}, {"|b1", Scalar::Bool},
};

// The dtypes that the hint proposes instead of an unsupported one: the same type in another byte
// order, otherwise all of its kind ('f': real; 'i' and 'u': integers), otherwise all.
std::string supported_instead(std::string_view descr) {
  const auto kind_of = [](std::string_view text) {
    const char kind = text.size() > 1 ? text[1] : ' ';
    return kind == 'u' ? 'i' : kind;
  };
  std::string same, alike, all;
  const auto add = [](std::string& to, std::string_view text) {
    to += fmt::format("{}'{}'", to.empty() ? "" : ", ", text);
  };
  for (const Dtype& dtype : kDtypes) {
    if (descr.size() > 1 && dtype.descr.substr(1) == descr.substr(1)) add(same, dtype.descr);
    if (kind_of(dtype.descr) == kind_of(descr)) add(alike, dtype.descr);
    add(all, dtype.descr);
  }
  return !same.empty() ? same : !alike.empty() ? alike : all;
}

Result<Dtype> dtype_of(const NpyHeader& header, const std::string& name) {
  if (header.fortran_order) {
    return Failure{"R021", "'" + name + "' is in Fortran order, which is not supported",
                   "save numpy.ascontiguousarray(array)"};
  }
  for (const Dtype& dtype : kDtypes) {
    if (dtype.descr == header.descr) return dtype;
  }
  return Failure{"R021", "'" + name + "' has dtype '" + header.descr + "', which is not supported",
                 "save array.astype(t) with t one of " + supported_instead(header.descr)};
}

// Number of elements; nullopt on overflow. If any extent is 0, the result is 0.
std::optional<int64_t> count_elements(const std::vector<int64_t>& shape) {
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::string print_tuple(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

NpySource::NpySource(const NpyArray& array)
    : type_(array.type),
      shape_(array.shape),
      count_(static_cast<int64_t>(array.data.size()) / size_in_bytes(array.type)),
      memory_(array.data.data()) {}

Status NpySource::stored(int64_t first, int64_t count, std::byte* to) const {
  const int64_t size = size_in_bytes(type_);
  const int64_t at = first * size, bytes = count * size;
  if (file_ != nullptr) return file_->read(start_ + at, bytes, to);
  if (bytes > 0) std::memcpy(to, memory_ + at, static_cast<size_t>(bytes));
  return Done{};
}

Status NpySource::load(int64_t first, int64_t count, std::byte* to) const {
  const Status read = stored(first, count, to);
  if (!read.ok() || type_ != Scalar::Bool) return read;
  for (int64_t i = 0; i < count; ++i)
    to[i] = std::byte{to[i] != std::byte{0}};  // any value to 0 or 1
  return read;
}

namespace {

// Everything before the elements: the dictionary, and its end in the file.
struct Preface {
  std::string text;
  int64_t end = 0;
};

Result<Preface> read_preface(const InputFile& file) {
  constexpr int64_t kFixed = 8, kLongest = 12;  // magic, version; with the header's length
  constexpr int64_t kLongestText = int64_t{1} << 20;
  char start[kLongest] = {};
  const int64_t known = std::min(file.size(), kLongest);
  TRY(file.read(0, known, start));
  const std::string_view bytes(start, static_cast<size_t>(known));
  const std::string& name = file.path();
  if (bytes.starts_with("PK\x03\x04")) {
    return Failure{"R020", "'" + name + "' is a .npz archive, not a .npy file",
                   "write one array with np.save(\"x.npy\", array)"};
  }
  if (bytes.substr(0, kNpyMagic.size()) != kNpyMagic)
    return damaged_npy(name, "it does not start with the .npy signature");
  if (known < kFixed) return damaged_npy(name, "it is truncated");
  const auto byte_at = [&](int64_t i) { return int64_t{static_cast<uint8_t>(start[i])}; };
  const int64_t version = byte_at(6);
  if (version < 1 || version > 3) {
    return Failure{"R021", "'" + name + "' has format version " + std::to_string(version), ""};
  }
  const int64_t length_size = version == 1 ? 2 : 4;
  if (known < kFixed + length_size) return damaged_npy(name, "it is truncated");
  int64_t length = 0;
  for (int64_t i = length_size; i > 0; --i) length = length << 8 | byte_at(kFixed + i - 1);
  const int64_t begin = kFixed + length_size;
  if (file.size() - begin < length) return damaged_npy(name, "its header is truncated");
  if (length > kLongestText) return damaged_npy(name, "its header is malformed");
  Preface preface{std::string(static_cast<size_t>(length), '\0'), begin + length};
  TRY(file.read(begin, length, preface.text.data()));
  return preface;
}

}  // namespace

Result<NpySource> NpySource::of(const InputFile& file) {
  const std::string& name = file.path();
  const auto preface = TRY(read_preface(file));
  const auto header = TRY(parse_header(HeaderText(preface.text), name));
  const auto dtype = TRY(dtype_of(header, name));
  const std::optional<int64_t> count = count_elements(header.shape);
  int64_t size = 0;
  if (!count || __builtin_mul_overflow(*count, size_in_bytes(dtype.type), &size)) {
    return damaged_npy(name, "its shape " + print_tuple(header.shape) + " overflows");
  }
  const int64_t there = file.size() - preface.end;
  if (size != there) {
    return damaged_npy(name, "its shape " + print_tuple(header.shape) + " needs " +
                                 std::to_string(size) + " bytes of data, but it has " +
                                 std::to_string(there));
  }
  NpySource source;
  source.type_ = dtype.type;
  source.shape_ = header.shape;
  source.count_ = *count;
  source.file_ = &file;
  source.start_ = preface.end;
  return source;
}

namespace {

Result<NpyArray> array_in(const InputFile& file) {
  const auto source = TRY(NpySource::of(file));
  NpyArray array{source.type(), source.shape(), {}};
  const int64_t count = source.count();
  array.data.resize(static_cast<size_t>(count * size_in_bytes(array.type)));
  TRY(source.load(0, count, array.data.data()));
  return array;
}

}  // namespace

Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name) {
  return array_in(InputFile::of(std::string(bytes), name));
}

Result<NpyArray> read_npy(const std::string& path) {
  const auto file = TRY(InputFile::open(path));
  return array_in(file);
}

std::string npy_header(Scalar type, const std::vector<int64_t>& shape) {
  std::string_view descr;
  for (const Dtype& dtype : kDtypes) {
    if (descr.empty() && dtype.type == type) descr = dtype.descr;
  }
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + print_tuple(shape) + ", }";
  const size_t before = kNpyMagic.size() + 4;
  while ((before + header.size() + 1) % kNpyAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes(kNpyMagic);
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

std::string format_npy(const NpyArray& array) {
  std::string bytes = npy_header(array.type, array.shape);
  return bytes.append(reinterpret_cast<const char*>(array.data.data()), array.data.size());
}

Status write_npy(const std::string& path, const NpyArray& array) {
  return write_file_atomically(path, format_npy(array));
}

}  // namespace stencil::runtime
