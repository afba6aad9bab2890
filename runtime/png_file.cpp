// The bytes of a PNG file (W3C, Portable Network Graphics, third edition): a signature, and chunks
// with a length, a name and a CRC each. zlib does the compression. A row is stored as differences
// from its neighbours, by that rule of four whose differences are smallest, as the specification
// recommends (section 12.7).
//
// libpng would do the same; its static archive cannot be part of a shared library (it refers to the
// C library's stderr), and libstencil.so is to bring everything along.
#include <zlib.h>

#include <array>
#include <cstdlib>

#include "runtime/files.h"
#include "runtime/png.h"

namespace stencil::runtime {
namespace {

constexpr size_t kPixelBytes = 3;

std::string big_endian(uint64_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
  return out;
}

std::string chunk(const std::string& name, const std::string& data) {
  const std::string covered = name + data;
  const auto* bytes = reinterpret_cast<const Bytef*>(covered.data());
  return big_endian(data.size()) + covered + big_endian(crc32_z(0, bytes, covered.size()));
}

// Of the bytes to the left, above, and above to the left, the one that is nearest to their linear
// prediction (Paeth).
uint8_t paeth(int left, int above, int corner) {
  const int predicted = left + above - corner;
  const int to_left = std::abs(predicted - left), to_above = std::abs(predicted - above);
  const int to_corner = std::abs(predicted - corner);
  if (to_left <= to_above && to_left <= to_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(to_above <= to_corner ? above : corner);
}

// The rules by their numbers in the file; 3, the average of left and above, is left out.
enum Rule : uint8_t { kNone = 0, kLeft = 1, kAbove = 2, kPaeth = 4 };

// The row's number of the rule and its differences. `above` is the row before, or zeros.
std::string filtered(Rule rule, const uint8_t* row, const uint8_t* above, size_t bytes) {
  std::string out(1, static_cast<char>(rule));
  for (size_t i = 0; i < bytes; ++i) {
    const bool first = i < kPixelBytes;
    const uint8_t left = first ? 0 : row[i - kPixelBytes];
    const uint8_t corner = first ? 0 : above[i - kPixelBytes];
    const uint8_t predicted = rule == kLeft    ? left
                              : rule == kAbove ? above[i]
                              : rule == kPaeth ? paeth(left, above[i], corner)
                                               : 0;
    out += static_cast<char>(row[i] - predicted);
  }
  return out;
}

int64_t size_of_differences(const std::string& row) {
  int64_t sum = 0;
  for (size_t i = 1; i < row.size(); ++i) sum += std::abs(static_cast<signed char>(row[i]));
  return sum;
}

std::string smallest(const uint8_t* row, const uint8_t* above, size_t bytes) {
  std::string best = filtered(kNone, row, above, bytes);
  for (const Rule rule : {kLeft, kAbove, kPaeth}) {
    std::string candidate = filtered(rule, row, above, bytes);
    if (size_of_differences(candidate) < size_of_differences(best)) best = std::move(candidate);
  }
  return best;
}

}  // namespace

Result<std::string> encode_png(const Image& image) {
  const size_t row_bytes = kPixelBytes * static_cast<size_t>(image.width);
  const std::vector<uint8_t> zeros(row_bytes, 0);
  std::string rows;
  rows.reserve((row_bytes + 1) * static_cast<size_t>(image.height));
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t* row = image.rgb.data() + static_cast<size_t>(y) * row_bytes;
    rows += smallest(row, y == 0 ? zeros.data() : row - row_bytes, row_bytes);
  }
  uLongf size = compressBound(rows.size());
  std::string data(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(data.data()), &size,
                reinterpret_cast<const Bytef*>(rows.data()), rows.size(), 6) != Z_OK) {
    return Failure{"R030", "no image can be made: zlib has no memory for it", ""};
  }
  data.resize(size);
  // 8 bits a sample, RGB; the only methods of compression and filtering; not interlaced.
  const std::string header = big_endian(static_cast<uint64_t>(image.width)) +
                             big_endian(static_cast<uint64_t>(image.height)) +
                             std::string({8, 2, 0, 0, 0});
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", "");
}

Status write_png(const std::string& path, const Image& image) {
  const Result<std::string> bytes = encode_png(image);
  if (!bytes.ok()) return bytes.failure();
  return write_file_atomically(path, bytes.value());
}

}  // namespace stencil::runtime
