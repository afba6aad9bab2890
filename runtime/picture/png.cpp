// Writes PNG (W3C, Portable Network Graphics, third edition): a signature, and chunks with length,
// name and CRC. zlib compresses. Each row uses the filter (of four) that leaves the smallest
// differences, as the specification recommends (section 12.7), or all rows are unfiltered,
// whichever is shorter.
//
// An image with at most 256 colours, such as a figure, uses a palette with one byte per pixel, a
// third of the size. The frames of an animation share one palette.
//
// libpng is not used, because its static archive refers to the C library's stderr and so cannot be
// part of a shared library, and libstencil.so must be self-contained.
#include "runtime/picture/png.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compiler/support/try.h"

namespace stencil::runtime {
namespace {

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

// The neighbour (left, above, upper left) that is nearest to their linear prediction (Paeth).
uint8_t paeth(int left, int above, int corner) {
  const int predicted = left + above - corner;
  const int to_left = std::abs(predicted - left), to_above = std::abs(predicted - above);
  const int to_corner = std::abs(predicted - corner);
  if (to_left <= to_above && to_left <= to_corner) return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(to_above <= to_corner ? above : corner);
}

// Filter types by their number in the file; 3 (average) is not used.
enum Rule : uint8_t { kNone = 0, kLeft = 1, kAbove = 2, kPaeth = 4 };

// The filter type and the filtered row. `above`: the previous row, or zeros.
std::string filtered(Rule rule, const uint8_t* row, const uint8_t* above, size_t bytes,
                     size_t pixel_bytes) {
  std::string out(1, static_cast<char>(rule));
  for (size_t i = 0; i < bytes; ++i) {
    const bool first = i < pixel_bytes;
    const uint8_t left = first ? 0 : row[i - pixel_bytes];
    const uint8_t corner = first ? 0 : above[i - pixel_bytes];
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

std::string smallest(const uint8_t* row, const uint8_t* above, size_t bytes, size_t pixel_bytes) {
  std::string best = filtered(kNone, row, above, bytes, pixel_bytes);
  for (const Rule rule : {kLeft, kAbove, kPaeth}) {
    std::string candidate = filtered(rule, row, above, bytes, pixel_bytes);
    if (size_of_differences(candidate) < size_of_differences(best)) best = std::move(candidate);
  }
  return best;
}

// The pixels as stored.
struct Samples {
  std::vector<uint8_t> bytes;
  size_t pixel_bytes = 3;  // 1: numbers of a palette
};

Result<std::string> compressed(const std::string& rows) {
  uLongf size = compressBound(rows.size());
  std::string data(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(data.data()), &size,
                reinterpret_cast<const Bytef*>(rows.data()), rows.size(), 9) != Z_OK) {
    return no_image("zlib ran out of memory");
  }
  data.resize(size);
  return data;
}

// The content of IDAT.
Result<std::string> compressed_rows(const Samples& samples, int64_t width, int64_t height) {
  const size_t row_bytes = samples.pixel_bytes * static_cast<size_t>(width);
  const std::vector<uint8_t> zeros(row_bytes, 0);
  std::string differences, plain;
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t* row = samples.bytes.data() + static_cast<size_t>(y) * row_bytes;
    const uint8_t* above = y == 0 ? zeros.data() : row - row_bytes;
    differences += smallest(row, above, row_bytes, samples.pixel_bytes);
    plain += filtered(kNone, row, above, row_bytes, samples.pixel_bytes);
  }
  auto data = compressed(differences);
  auto other = compressed(plain);
  if (!data.ok()) return data;
  if (!other.ok()) return other;
  return other.value().size() < data.value().size() ? other : data;
}

constexpr const char* kSignature = "\x89PNG\r\n\x1a\n";

// 8 bits per sample; RGB or palette; default compression and filtering; not interlaced.
std::string header_of(int64_t width, int64_t height, bool coloured) {
  return chunk("IHDR", big_endian(static_cast<uint64_t>(width)) +
                           big_endian(static_cast<uint64_t>(height)) +
                           std::string({8, static_cast<char>(coloured ? 2 : 3), 0, 0, 0}));
}

}  // namespace

Result<std::string> encode_png(const Image& image) {
  ColourCount colours;
  colours.add(image);
  std::string palette_chunk;
  Samples samples;
  if (colours.fits_palette()) {
    Palette palette = colours.palette();
    palette_chunk = chunk("PLTE", palette.bytes());
    samples = {palette.numbers_of(image), 1};
  } else {
    samples = {image.rgb, 3};
  }
  const auto data = TRY(compressed_rows(samples, image.width, image.height));
  return kSignature + header_of(image.width, image.height, palette_chunk.empty()) + palette_chunk +
         chunk("IDAT", data) + chunk("IEND", "");
}

std::string apng_begin(int64_t width, int64_t height, int64_t frames, const Palette& palette) {
  const std::string control = big_endian(static_cast<uint64_t>(frames)) + big_endian(0);
  return kSignature + header_of(width, height, false) + chunk("acTL", control) +
         chunk("PLTE", palette.bytes());
}

Result<std::string> apng_frame(const std::vector<uint8_t>& numbers, int64_t width, int64_t height,
                               int64_t frame, const Duration& duration) {
  const auto data = TRY(compressed_rows({numbers, 1}, width, height));
  // Chunks of frames are numbered in sequence; the data of frame 0 have no number.
  const auto number = static_cast<uint64_t>(frame == 0 ? 0 : 2 * frame - 1);
  const auto half = [](int64_t n) { return big_endian(static_cast<uint64_t>(n)).substr(2); };
  const std::string control = big_endian(number) + big_endian(static_cast<uint64_t>(width)) +
                              big_endian(static_cast<uint64_t>(height)) + big_endian(0) +
                              big_endian(0) + half(duration.numerator) +
                              half(duration.denominator) + std::string(2, '\0');
  const std::string pixels =
      frame == 0 ? chunk("IDAT", data) : chunk("fdAT", big_endian(number + 1) + data);
  return chunk("fcTL", control) + pixels;
}

std::string apng_end() {
  return chunk("IEND", "");
}

}  // namespace stencil::runtime
