// GIF and animated PNG: the pixels of each frame, decoded here and by libpng.
#include "runtime/run/animation.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "compiler/reference/interpreter.h"
#include "runtime/io/files.h"
#include "runtime/picture/gif.h"
#include "tests/unit/runtime/decoded_png.h"
#include "tests/unit/runtime/programs.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

struct DecodedFrame {
  std::vector<uint8_t> rgb;
  double seconds = 0;
};

int number_at(const std::string& bytes, size_t at, int count) {
  int number = 0;
  for (int i = count - 1; i >= 0; --i) {
    number = number << 8 | static_cast<uint8_t>(bytes[at + static_cast<size_t>(i)]);
  }
  return number;
}

// The colour numbers of one image; the codes as in the GIF89a specification, appendix F.
std::vector<uint8_t> decoded_lzw(const std::string& data, int least, size_t pixels) {
  const size_t clear = size_t{1} << least, end = clear + 1;
  std::vector<std::vector<uint8_t>> codes;
  std::vector<uint8_t> out, last;
  int width = least + 1;
  size_t bit = 0;
  const auto next = [&] {
    size_t code = 0;
    for (int b = 0; b < width; ++b, ++bit) {
      EXPECT_LT(bit / 8, data.size());
      if (bit / 8 < data.size())
        code |= size_t{static_cast<uint8_t>(data[bit / 8]) >> bit % 8 & 1U} << b;
    }
    return code;
  };
  while (bit / 8 < data.size()) {
    const size_t code = next();
    if (code == end) break;
    if (code == clear) {
      codes.clear();
      for (size_t c = 0; c < clear; ++c) codes.push_back({static_cast<uint8_t>(c)});
      codes.resize(clear + 2);
      width = least + 1;
      last.clear();
      continue;
    }
    std::vector<uint8_t> entry;
    EXPECT_LE(code, codes.size());
    if (code < codes.size()) {
      entry = codes[code];
    } else {
      entry = last;
      entry.push_back(last.empty() ? 0 : last[0]);
    }
    EXPECT_FALSE(entry.empty());
    if (entry.empty()) return out;
    out.insert(out.end(), entry.begin(), entry.end());
    if (!last.empty() && codes.size() < 4096) {
      last.push_back(entry[0]);
      codes.push_back(last);
    }
    if (codes.size() == size_t{1} << width && width < 12) ++width;
    last = entry;
  }
  EXPECT_EQ(out.size(), pixels);
  return out;
}

std::vector<DecodedFrame> decoded_gif(const std::string& bytes, int64_t width, int64_t height) {
  std::vector<DecodedFrame> frames;
  EXPECT_EQ(bytes.substr(0, 6), "GIF89a");
  EXPECT_EQ(number_at(bytes, 6, 2), width);
  EXPECT_EQ(number_at(bytes, 8, 2), height);
  const int flags = number_at(bytes, 10, 1);
  EXPECT_TRUE(flags & 0x80);
  const size_t colours = size_t{2} << (flags & 7);
  const std::string table = bytes.substr(13, 3 * colours);
  size_t at = 13 + 3 * colours;
  const auto blocks = [&] {
    std::string data;
    while (bytes[at] != 0) {
      const auto size = static_cast<uint8_t>(bytes[at]);
      data += bytes.substr(at + 1, size);
      at += 1 + size_t{size};
    }
    ++at;
    return data;
  };
  double seconds = 0;
  bool repeats = false;
  while (at < bytes.size() && bytes[at] != '\x3b') {
    const char kind = bytes[at++];
    if (kind == '\x21') {
      const char label = bytes[at++];
      const std::string data = blocks();
      if (label == '\xf9') seconds = number_at(data, 1, 2) / 100.0;
      if (label == '\xff') repeats = data == std::string("NETSCAPE2.0\1\0\0", 14);
      continue;
    }
    EXPECT_EQ(kind, '\x2c');
    if (kind != '\x2c') return frames;
    EXPECT_EQ(number_at(bytes, at + 4, 2), width);
    EXPECT_EQ(number_at(bytes, at + 6, 2), height);
    const int least = number_at(bytes, at + 9, 1);
    at += 10;
    const auto pixels = static_cast<size_t>(width * height);
    DecodedFrame frame{{}, seconds};
    for (const uint8_t number : decoded_lzw(blocks(), least, pixels)) {
      EXPECT_LT(number, colours);
      for (size_t k = 0; k < 3; ++k) {
        frame.rgb.push_back(static_cast<uint8_t>(table[(3 * number + k) % table.size()]));
      }
    }
    frames.push_back(std::move(frame));
  }
  EXPECT_TRUE(repeats);
  EXPECT_EQ(at + 1, bytes.size());
  return frames;
}

uint32_t big(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

// Each frame as a PNG file of its own, decoded by libpng.
std::vector<DecodedFrame> decoded_apng(const std::string& bytes, int64_t width, int64_t height) {
  std::vector<DecodedFrame> frames;
  std::string head = bytes.substr(0, 8), image;
  uint32_t count = 0, sequence = 0;
  double seconds = 0;
  const std::string end("\0\0\0\0IEND\xae\x42\x60\x82", 12);
  const auto finish = [&] {
    if (image.empty()) return;
    const std::string covered = "IDAT" + image;
    std::string chunk;
    const auto put = [&](uint32_t number) {
      for (int shift = 24; shift >= 0; shift -= 8)
        chunk += static_cast<char>(number >> shift & 0xff);
    };
    put(static_cast<uint32_t>(image.size()));
    chunk += covered;
    uint32_t crc = 0xffffffff;  // PNG specification, annex D
    for (const char c : covered) {
      crc ^= static_cast<uint8_t>(c);
      for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320U ^ crc >> 1 : crc >> 1;
    }
    put(~crc);
    frames.push_back({decoded_png(head + chunk + end, width, height), seconds});
    image.clear();
  };
  for (size_t at = 8; at + 12 <= bytes.size();) {
    const size_t size = big(bytes, at);
    const std::string name = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, size);
    if (name == "IHDR" || name == "PLTE") head += bytes.substr(at, size + 12);
    if (name == "acTL") {
      count = big(data, 0);
      EXPECT_EQ(big(data, 4), 0u) << "repeats for ever";
    }
    if (name == "fcTL") {
      finish();
      EXPECT_EQ(big(data, 0), sequence++);
      EXPECT_EQ(big(data, 4), width);
      EXPECT_EQ(big(data, 8), height);
      const auto half = [&](size_t where) {
        return static_cast<uint8_t>(data[where]) * 256.0 + static_cast<uint8_t>(data[where + 1]);
      };
      seconds = half(20) / half(22);
    }
    if (name == "IDAT") image = data;
    if (name == "fdAT") {
      EXPECT_EQ(big(data, 0), sequence++);
      image = data.substr(4);
    }
    at += size + 12;
  }
  finish();
  EXPECT_EQ(frames.size(), count);
  return frames;
}

std::vector<DecodedFrame> decoded(const std::string& path, int64_t width, int64_t height) {
  const std::string bytes = read_file(path).value();
  return path.ends_with(".gif") ? decoded_gif(bytes, width, height)
                                : decoded_apng(bytes, width, height);
}

// Random pixels fill the dictionary of codes several times; runs give long codes.
TEST(Gif, PixelsSurvive) {
  std::mt19937 random(5);
  for (const size_t colours : {1, 2, 3, 4, 5, 16, 17, 128, 129, 256}) {
    std::vector<uint32_t> values;
    for (size_t c = 0; c < colours; ++c) values.push_back(static_cast<uint32_t>(c * 65793));
    const Palette palette(values);
    const std::string table = palette.bytes();
    for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3, 2}, std::pair{173, 211}}) {
      for (const int run : {1, 300}) {
        std::vector<uint8_t> numbers(static_cast<size_t>(width * height));
        for (size_t i = 0; i < numbers.size(); ++i) {
          const bool same = i > 0 && random() % static_cast<unsigned>(run) != 0;
          numbers[i] = same ? numbers[i - 1] : static_cast<uint8_t>(random() % colours);
        }
        const std::string bytes = gif_begin(width, height, palette) +
                                  gif_frame(numbers, width, height, palette, 7) + gif_end();
        const auto frames = decoded_gif(bytes, width, height);
        ASSERT_EQ(frames.size(), 1u);
        std::vector<uint8_t> expected;
        for (const uint8_t number : numbers) {
          for (size_t k = 0; k < 3; ++k) {
            expected.push_back(static_cast<uint8_t>(table[3 * size_t{number} + k]));
          }
        }
        EXPECT_EQ(frames[0].rgb, expected) << colours << " colours, " << width << "x" << height;
        EXPECT_EQ(frames[0].seconds, 0.07);
      }
    }
  }
}

TEST(Palettes, KeepTheGivenColours) {
  Image image{300, 2, {}};
  for (int i = 0; i < 600; ++i) {  // 300 shades, the first 40 of them once, others twice
    const int shade = i < 300 ? i : std::max(i - 300, 40);
    image.rgb.insert(image.rgb.end(), {static_cast<uint8_t>(shade % 256), 10,
                                       static_cast<uint8_t>(shade / 256 * 9)});
  }
  ColourCount colours;
  colours.add(image);
  EXPECT_FALSE(colours.fits_palette());
  const std::vector<Colour> kept = {{3, 10, 0}, {17, 10, 0}, {200, 200, 200}};
  Palette palette = colours.palette(kept);
  EXPECT_EQ(palette.size(), 256u);
  const std::string table = palette.bytes();
  const auto has = [&](int red) {
    for (size_t c = 0; c < palette.size(); ++c) {
      if (table.substr(3 * c, 3) == std::string({static_cast<char>(red), 10, 0})) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(3) && has(17));
  EXPECT_FALSE(has(0) || has(5));
  // An omitted shade is shown as a similar one.
  const std::vector<uint8_t> numbers = palette.numbers_of(image);
  EXPECT_NEAR(static_cast<uint8_t>(table[3 * size_t{numbers[20]}]), 20, 25);
}

class Animations : public testing::Test {
 protected:
  // The pictures of kDecay or kWave after 0, 2, 4 and 5 steps, with these options.
  struct Made {
    std::vector<Image> pictures;
    std::vector<DecodedFrame> frames;
  };
  Made make(const std::string& text, const std::string& name, ImageOptions options,
            double fps = 15) {
    const ir::Program program = program_of(text);
    reference::State state = initial_state(program, bind_params(program).value());
    StateSource fields(state);
    Output output{directory_.file(name), {{0}}, {}, options};
    output.every = 2;
    output.fps = fps;
    Animation animation(program, output);
    std::vector<Shot> shots;
    Census census;
    const auto note = [&] {
      shots.push_back(shot_of(program, state, {0}, {}, options).value());
      census.add(shots.back().census());
    };
    for (int step = 0; step < 6; step += 2) {
      EXPECT_TRUE(animation.add(fields).ok());
      EXPECT_TRUE(animation.add(fields).ok()) << "a step is added once";
      EXPECT_FALSE(std::filesystem::exists(output.path));
      note();
      reference::advance(program, state, step == 4 ? 1 : 2);
    }
    auto file = animation.encode(fields);
    EXPECT_TRUE(file.ok());
    EXPECT_FALSE(std::filesystem::exists(output.path)) << "the caller commits it";
    EXPECT_TRUE(file.value().commit().ok());
    note();
    Made made;
    if (options.plain && !options.range) options.range = {census.least, census.greatest};
    for (Shot& shot : shots) {
      shot.census() = census;
      made.pictures.push_back(runtime::draw(shot, options).value());
    }
    made.frames = decoded(output.path, made.pictures[0].width, made.pictures[0].height);
    EXPECT_EQ(directory_.entries(), 1u) << "no temporary files remain";
    std::filesystem::remove(output.path);
    return made;
  }
  TemporaryDirectory directory_;
};

// Every frame has exactly the pixels of a picture with the range of all frames.
TEST_F(Animations, FramesArePicturesWithOneRange) {
  for (const char* name : {"a.gif", "a.apng"}) {
    for (const char* text : {kDecay, kWave}) {
      for (const ImageOptions& options :
           {ImageOptions{}, ImageOptions{.plain = true},
            ImageOptions{.range = std::pair{0.0, 0.25}, .flip = true}}) {
        const Made made = make(text, name, options);
        ASSERT_EQ(made.frames.size(), 4u);
        for (size_t f = 0; f < 4; ++f) {
          EXPECT_EQ(made.frames[f].rgb, made.pictures[f].rgb) << name << " frame " << f;
        }
        EXPECT_NE(made.frames[0].rgb, made.frames[1].rgb);
      }
    }
  }
}

TEST_F(Animations, ShowFramesAtTheirRate) {
  double total = 0;
  for (const DecodedFrame& frame : make(kWave, "a.gif", {.plain = true}).frames) {
    EXPECT_NEAR(frame.seconds, 1 / 15.0, 0.0099);  // times are rounded to 0.01 s
    total += frame.seconds;
  }
  EXPECT_NEAR(total, 4 / 15.0, 0.005);
  for (const double fps : {0.1, 2.5, 15.0, 50.0}) {
    for (const char* name : {"a.gif", "a.apng"}) {
      for (const DecodedFrame& frame : make(kWave, name, {.plain = true}, fps).frames) {
        EXPECT_NEAR(frame.seconds, 1 / fps, 0.0099) << name << " at " << fps;
      }
    }
  }
}

TEST_F(Animations, WithoutFinishLeaveNothing) {
  const ir::Program program = program_of(kDecay);
  reference::State state = initial_state(program, bind_params(program).value());
  StateSource fields(state);
  {
    Output output{directory_.file("a.gif"), {{0}}, {}, {}};
    output.every = 1;
    Animation animation(program, output);
    ASSERT_TRUE(animation.add(fields).ok());
    EXPECT_EQ(directory_.entries(), 1u);
  }
  EXPECT_EQ(directory_.entries(), 0u);
}

}  // namespace
}  // namespace stencil::runtime
