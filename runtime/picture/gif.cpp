// Writes GIF89a (CompuServe, "Graphics Interchange Format, Version 89a", 1990). Pixels are
// compressed by LZW with codes of variable width. The dictionary is a table with one row per code
// and one column per colour; at 4096 codes it is cleared and begun again.
//
// giflib is not used: the encoder is short, and the binary must not depend on a library that is
// not on every machine.
#include "runtime/picture/gif.h"

#include <algorithm>
#include <array>

namespace stencil::runtime {
namespace {

std::string little_endian(int64_t number) {
  return {static_cast<char>(number & 0xff), static_cast<char>(number >> 8 & 0xff)};
}

// The width of the palette's indices; GIF has at least 2 colours.
int bits_of(const Palette& palette) {
  int bits = 1;
  while (size_t{1} << bits < palette.size()) ++bits;
  return bits;
}

// Codes of any width as blocks of at most 255 bytes, each preceded by its size.
class CodeBlocks {
 public:
  void put(uint32_t code, int bits) {
    pending_ |= code << used_;
    for (used_ += bits; used_ >= 8; used_ -= 8, pending_ >>= 8) byte(pending_ & 0xff);
  }
  std::string finish() {
    if (used_ > 0) byte(pending_ & 0xff);
    flush();
    return out_ + '\0';  // an empty block ends the data
  }

 private:
  void byte(uint32_t value) {
    block_ += static_cast<char>(value);
    if (block_.size() == 255) flush();
  }
  void flush() {
    if (block_.empty()) return;
    out_ += static_cast<char>(block_.size());
    out_ += block_;
    block_.clear();
  }

  std::string out_, block_;
  uint32_t pending_ = 0;
  int used_ = 0;  // bits in pending_
};

// The pixels as LZW codes, beginning with the number of bits of a pixel.
class LzwEncoder {
 public:
  explicit LzwEncoder(int bits) : least_(std::max(bits, 2)), clear_(1U << least_) {}

  std::string encode(const std::vector<uint8_t>& numbers) {
    begin_again();
    blocks_.put(clear_, width_);
    if (!numbers.empty()) {
      uint32_t prefix = numbers[0];
      for (size_t i = 1; i < numbers.size(); ++i) prefix = add(prefix, numbers[i]);
      put(prefix);
    }
    put(clear_ + 1);  // the end
    return static_cast<char>(least_) + blocks_.finish();
  }

 private:
  static constexpr int kMostBits = 12;

  void begin_again() {
    for (auto& row : longer_) row.fill(0);
    width_ = least_ + 1;
    next_ = clear_ + 2;
  }
  // The decoder learns each code one code later than the encoder, so the width grows after the code
  // that completes a power of two.
  void put(uint32_t code) {
    blocks_.put(code, width_);
    if (next_ == 1U << width_ && width_ < kMostBits) ++width_;
  }
  // The code of `prefix` followed by `colour`. If there is none yet, puts `prefix`, adds the code
  // and returns the code of `colour` alone.
  uint32_t add(uint32_t prefix, uint8_t colour) {
    if (longer_[prefix][colour] != 0) return longer_[prefix][colour];
    put(prefix);
    if (next_ < 1U << kMostBits) {
      longer_[prefix][colour] = static_cast<uint16_t>(next_++);
    } else {
      blocks_.put(clear_, width_);
      begin_again();
    }
    return colour;
  }

  const int least_;
  const uint32_t clear_;
  CodeBlocks blocks_;
  // The code of a sequence of pixels followed by a colour; 0: none.
  std::vector<std::array<uint16_t, Palette::kMostColours>> longer_{1U << kMostBits};
  uint32_t next_ = 0;
  int width_ = 0;
};

}  // namespace

std::string gif_begin(int64_t width, int64_t height, const Palette& palette) {
  const int bits = bits_of(palette);
  std::string colours = palette.bytes();
  colours.resize(3 * (size_t{1} << bits), '\0');
  // A table of 2^bits colours for all frames, 8 bits per primary; background 0; square pixels.
  const std::string screen = little_endian(width) + little_endian(height) +
                             static_cast<char>(0xf0 | (bits - 1)) + std::string(2, '\0');
  const std::string repeats("\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", 19);
  return "GIF89a" + screen + colours + repeats;
}

std::string gif_frame(const std::vector<uint8_t>& numbers, int64_t width, int64_t height,
                      const Palette& palette, int64_t hundredths) {
  // Disposal 1 keeps the pixels, which the next frame overwrites; no transparent colour.
  const std::string control =
      std::string("\x21\xf9\x04\x04", 4) + little_endian(hundredths) + std::string(2, '\0');
  const std::string place = "\x2c" + std::string(4, '\0') + little_endian(width) +
                            little_endian(height) + std::string(1, '\0');
  return control + place + LzwEncoder(bits_of(palette)).encode(numbers);
}

std::string gif_end() {
  return "\x3b";
}

}  // namespace stencil::runtime
