// Writes PNG (W3C, Portable Network Graphics, third edition): a signature, and chunks with length,
// name and CRC. zlib compresses. Each row uses the filter (of four) that leaves the smallest
// differences, as the specification recommends (section 12.7), or all rows are unfiltered,
// whichever is shorter.
//
// An image with at most 256 colours, such as a figure, uses a palette with one byte per pixel, a
// third of the size. The palette is sorted by lightness, so that similar values have similar
// indices.
//
// libpng is not used, because its static archive refers to the C library's stderr and so cannot be
// part of a shared library, and libstencil.so must be self-contained.
#include "runtime/picture/png.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

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

// The pixels as stored, and their palette ("" for RGB).
struct Samples {
  std::vector<uint8_t> bytes;
  size_t pixel_bytes = 3;
  std::string palette;
};

Samples samples_of(const Image& image) {
  constexpr size_t kMostColours = 256;
  const size_t pixels = image.rgb.size() / 3;
  const auto colour = [&](size_t i) {
    const uint8_t* rgb = image.rgb.data() + 3 * i;
    return uint32_t{rgb[0]} << 16 | uint32_t{rgb[1]} << 8 | rgb[2];
  };
  std::unordered_map<uint32_t, uint8_t> numbers;
  for (size_t i = 0; i < pixels; ++i) {
    numbers.emplace(colour(i), 0);
    if (numbers.size() > kMostColours) return {image.rgb, 3, ""};
  }
  std::vector<uint32_t> colours;
  for (const auto& [value, number] : numbers) colours.push_back(value);
  std::sort(colours.begin(), colours.end(), [](uint32_t a, uint32_t b) {
    const auto lightness = [](uint32_t c) {
      return 30 * (c >> 16) + 59 * (c >> 8 & 0xff) + 11 * (c & 0xff);
    };
    return std::pair(lightness(a), a) < std::pair(lightness(b), b);
  });
  Samples samples{std::vector<uint8_t>(pixels), 1, ""};
  for (size_t n = 0; n < colours.size(); ++n) {
    numbers[colours[n]] = static_cast<uint8_t>(n);
    for (int shift = 16; shift >= 0; shift -= 8) {
      samples.palette += static_cast<char>(colours[n] >> shift & 0xff);
    }
  }
  for (size_t i = 0; i < pixels; ++i) samples.bytes[i] = numbers[colour(i)];
  return samples;
}

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

}  // namespace

Result<std::string> encode_png(const Image& image) {
  const Samples samples = samples_of(image);
  const size_t row_bytes = samples.pixel_bytes * static_cast<size_t>(image.width);
  const std::vector<uint8_t> zeros(row_bytes, 0);
  std::string differences, plain;
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t* row = samples.bytes.data() + static_cast<size_t>(y) * row_bytes;
    const uint8_t* above = y == 0 ? zeros.data() : row - row_bytes;
    differences += smallest(row, above, row_bytes, samples.pixel_bytes);
    plain += filtered(kNone, row, above, row_bytes, samples.pixel_bytes);
  }
  auto data = compressed(differences);
  auto other = compressed(plain);
  if (!data.ok()) return data;
  if (!other.ok()) return other;
  if (other.value().size() < data.value().size()) data = std::move(other);
  // 8 bits per sample; RGB or palette; default compression and filtering; not interlaced.
  const bool coloured = samples.palette.empty();
  const std::string header = big_endian(static_cast<uint64_t>(image.width)) +
                             big_endian(static_cast<uint64_t>(image.height)) +
                             std::string({8, static_cast<char>(coloured ? 2 : 3), 0, 0, 0});
  const std::string palette = coloured ? "" : chunk("PLTE", samples.palette);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + palette + chunk("IDAT", data.value()) +
         chunk("IEND", "");
}

}  // namespace stencil::runtime
