// The .npy format: a magic string, a version, a header length, a header that is a Python dictionary
// literal with the keys descr, fortran_order and shape, then the raw elements (NumPy's
// numpy.lib.format documentation). The reader accepts that dictionary in any order and spacing and
// nothing else; every length is checked against the bytes that are there before it is used.
#include "runtime/npy.h"

#include <bit>
#include <cctype>
#include <cstring>
#include <map>
#include <optional>

#include "runtime/files.h"
#include "runtime/mapped_file.h"

namespace stencil::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;
constexpr size_t kMostDimensions = 32;  // NumPy's own limit

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// A cursor over the header's text. Every take_ function skips blanks first and leaves the cursor
// where it was if what it looks for is not there.
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

Failure damaged(const std::string& name, const std::string& why) {
  return {"R020", "'" + name + "' is no intact .npy file: " + why, ""};
}

Result<Header> parse_header(HeaderText text, const std::string& name) {
  const Failure malformed = damaged(name, "its header is malformed");
  Header header;
  std::map<std::string, int> seen;
  if (!text.take("{")) return malformed;
  while (!text.take("}")) {
    const std::optional<std::string> key = text.take_string();
    if (!key || !text.take(":") || seen[*key]++ != 0) return malformed;
    if (*key == "descr") {
      if (text.take("[")) {
        return Failure{"R021", "'" + name + "' holds structured elements, which are not supported",
                       "save each member as an array of its own"};
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

// How the elements of a file are stored, and what they become.
struct Dtype {
  std::string_view descr;
  Scalar type;
  int64_t stored_size;  // bytes
};
constexpr Dtype kDtypes[] = {
    {"<f2", Scalar::F16, 2}, {"<f4", Scalar::F32, 4}, {"<f8", Scalar::F64, 8},
    {"<i4", Scalar::I32, 4}, {"<i8", Scalar::I64, 8}, {"|b1", Scalar::Bool, 1},
    {"|u1", Scalar::I32, 1},
};

Result<Dtype> dtype_of(const Header& header, const std::string& name) {
  if (header.fortran_order) {
    return Failure{"R021", "'" + name + "' is in Fortran order, which is not supported",
                   "save numpy.ascontiguousarray(array)"};
  }
  for (const Dtype& dtype : kDtypes) {
    if (dtype.descr == header.descr) return dtype;
  }
  return Failure{"R021", "'" + name + "' has dtype '" + header.descr + "', which is not supported",
                 "save array.astype(t) with t one of '<f2', '<f4', '<f8', '<i4', '<i8'"};
}

// Number of elements; nothing if it overflows. A shape with a 0 has none, whatever else it holds.
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

std::string print_shape(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (size_t d = 0; d < shape.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

NpyView::NpyView(const NpyArray& array)
    : type(array.type),
      shape(array.shape),
      stored(array.data.data()),
      stored_size(size_in_bytes(array.type)),
      count(static_cast<int64_t>(array.data.size()) / stored_size) {}

void NpyView::load(int64_t first, int64_t count, std::byte* to) const {
  const std::byte* from = stored + first * stored_size;
  const int64_t size = size_in_bytes(type);
  if (size == stored_size && type != Scalar::Bool) {
    if (count > 0) std::memcpy(to, from, static_cast<size_t>(count * size));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {  // u1, or a bool, which is 0 or 1
    const auto byte = std::to_integer<int32_t>(from[i]);
    const int32_t value = type == Scalar::Bool ? byte != 0 : byte;
    std::memcpy(to + i * size, &value, static_cast<size_t>(size));
  }
}

Result<NpyView> view_npy(std::string_view bytes, const std::string& name) {
  constexpr size_t kFixed = 8;  // magic and version
  if (bytes.substr(0, kMagic.size()) != kMagic) return damaged(name, "it does not begin as one");
  if (bytes.size() < kFixed) return damaged(name, "it is truncated");
  const auto byte_at = [&](size_t i) {
    return static_cast<size_t>(static_cast<uint8_t>(bytes[i]));
  };
  const size_t version = byte_at(6);
  if (version < 1 || version > 3) {
    return Failure{"R021", "'" + name + "' has format version " + std::to_string(version), ""};
  }
  const size_t length_size = version == 1 ? 2 : 4;
  if (bytes.size() < kFixed + length_size) return damaged(name, "it is truncated");
  size_t length = 0;
  for (size_t i = length_size; i > 0; --i) length = length << 8 | byte_at(kFixed + i - 1);
  bytes.remove_prefix(kFixed + length_size);
  if (bytes.size() < length) return damaged(name, "its header is truncated");

  const Result<Header> header = parse_header(HeaderText(bytes.substr(0, length)), name);
  if (!header.ok()) return header.failure();
  bytes.remove_prefix(length);
  const Result<Dtype> dtype = dtype_of(header.value(), name);
  if (!dtype.ok()) return dtype.failure();
  const std::optional<int64_t> count = count_elements(header.value().shape);
  int64_t size = 0;
  if (!count || __builtin_mul_overflow(*count, dtype.value().stored_size, &size)) {
    return damaged(name, "its shape " + print_shape(header.value().shape) + " overflows");
  }
  if (static_cast<size_t>(size) != bytes.size()) {
    return damaged(name, "its shape " + print_shape(header.value().shape) + " needs " +
                             std::to_string(size) + " bytes of data, it has " +
                             std::to_string(bytes.size()));
  }
  NpyView view;
  view.type = dtype.value().type;
  view.shape = header.value().shape;
  view.stored = reinterpret_cast<const std::byte*>(bytes.data());
  view.stored_size = dtype.value().stored_size;
  view.count = *count;
  return view;
}

Result<NpyArray> parse_npy(std::string_view bytes, const std::string& name) {
  const Result<NpyView> view = view_npy(bytes, name);
  if (!view.ok()) return view.failure();
  const auto& [type, shape, stored, stored_size, count] = view.value();
  NpyArray array{type, shape, {}};
  array.data.resize(static_cast<size_t>(count * size_in_bytes(type)));
  view.value().load(0, count, array.data.data());
  return array;
}

Result<NpyArray> read_npy(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok()) return file.failure();
  return parse_npy(file.value().bytes(), path);
}

std::string npy_header(Scalar type, const std::vector<int64_t>& shape) {
  std::string_view descr;
  for (const Dtype& dtype : kDtypes) {
    if (descr.empty() && dtype.type == type) descr = dtype.descr;
  }
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': " + print_shape(shape) + ", }";
  const size_t before = kMagic.size() + 4;
  while ((before + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string bytes(kMagic);
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
