// An animation is drawn twice: the first pass counts colours, because all frames share a palette;
// the second writes the frames. Data have at most 184 colours, so a palette of 256 shows them
// exactly; only shades at the edges of text may be replaced by similar ones.
#include "runtime/run/animation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/support/try.h"
#include "runtime/picture/figure_frame.h"
#include "runtime/picture/gif.h"

namespace stencil::runtime {
namespace {

// The frames of one file, in order.
class Encoder {
 public:
  Encoder(Format format, double fps, int64_t frames, int64_t width, int64_t height, Palette palette)
      : format_(format),
        fps_(fps),
        frames_(frames),
        width_(width),
        height_(height),
        palette_(std::move(palette)) {}

  std::string begin() const {
    return format_ == Format::Gif ? gif_begin(width_, height_, palette_)
                                  : apng_begin(width_, height_, frames_, palette_);
  }
  Result<std::string> frame(const Image& image) {
    const std::vector<uint8_t> numbers = palette_.numbers_of(image);
    const int64_t number = done_++;
    if (format_ == Format::Apng) return apng_frame(numbers, width_, height_, number, duration());
    // Rounding the times, not the durations, keeps the rate.
    const auto time = [&](int64_t of) {
      return std::llround(100 * static_cast<double>(of) / fps_);
    };
    return gif_frame(numbers, width_, height_, palette_, time(number + 1) - time(number));
  }
  std::string end() const { return format_ == Format::Gif ? gif_end() : apng_end(); }

 private:
  Duration duration() const {
    constexpr int64_t kUnit = 1000;  // per second
    const bool whole = fps_ == std::floor(fps_);
    return whole ? Duration{1, static_cast<int64_t>(fps_)}
                 : Duration{std::llround(kUnit / fps_), kUnit};
  }

  Format format_;
  double fps_;
  int64_t frames_, width_, height_;
  Palette palette_;
  int64_t done_ = 0;
};

Status check_size(Format format, const Image& image) {
  if (format != Format::Gif || std::max(image.width, image.height) <= kLongestGifSide)
    return Done{};
  return no_image(fmt::format("a GIF has at most {} pixels per side, not {}", kLongestGifSide,
                              std::max(image.width, image.height)));
}

// Values of a frame, as numbers of a fixed count per animation.
struct FrameHead {
  int64_t step = 0;
  Census census = {};
};

template <class Number>
void put(std::string& out, const std::vector<Number>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
}

std::string bytes_of(Shot& shot) {
  const FrameHead head{shot.step, shot.census()};
  std::string out(reinterpret_cast<const char*>(&head), sizeof head);
  if (const auto* slice = std::get_if<Slice>(&shot.values)) {
    put(out, slice->values);
    return out;
  }
  const auto& profile = std::get<Profile>(shot.values);
  put(out, profile.least);
  put(out, profile.greatest);
  for (const auto& odd : profile.odd) {
    for (const bool is : odd) out += static_cast<char>(is);
  }
  return out;
}

// The inverse: replaces the step and the values of `shot`.
void set_values(const std::string& bytes, Shot& shot) {
  const char* from = bytes.data();
  const auto take = [&from](void* to, size_t count) {
    std::memcpy(to, from, count);
    from += count;
  };
  FrameHead head;
  take(&head, sizeof head);
  shot.step = head.step;
  shot.census() = head.census;
  if (auto* slice = std::get_if<Slice>(&shot.values)) {
    take(slice->values.data(), slice->values.size() * sizeof(double));
    return;
  }
  auto& profile = std::get<Profile>(shot.values);
  take(profile.least.data(), profile.least.size() * sizeof(double));
  take(profile.greatest.data(), profile.greatest.size() * sizeof(double));
  for (auto& odd : profile.odd) {
    for (bool& is : odd) is = *from++ != 0;
  }
}

Result<Shot> shot_now(const ir::Program& program, FieldSource& fields, const Output& output) {
  TRY(fields.gather(levels_shown(program, {output})));
  return shot_of(program, fields.state(), output.selections[0], output.plane, output.image);
}

}  // namespace

Status Animation::add(FieldSource& fields) {
  if (last_ && last_->step == fields.state().step) return Done{};
  auto shot = TRY(shot_now(program_, fields, output_));
  if (!storage_) {
    auto opened = TRY(FileWriter::create(output_.path));
    storage_.emplace(std::move(opened));
  }
  TRY(storage_->write(bytes_of(shot)));
  census_.add(shot.census());
  ++frames_;
  last_ = std::move(shot);
  return Done{};
}

Result<Shot> Animation::frame(const InputFile& stored, int64_t number) const {
  const int64_t size = stored.size() / frames_;
  std::string bytes(static_cast<size_t>(size), '\0');
  TRY(stored.read(number * size, size, bytes.data()));
  Shot shot = *last_;
  set_values(bytes, shot);
  shot.census() = census_;
  return shot;
}

Result<FileWriter> Animation::encode(FieldSource& fields) {
  TRY(add(fields));
  const auto stored = TRY(InputFile::open(storage_->temporary()));
  auto file = write_frames(stored);
  storage_.reset();  // removes the temporary file
  return file;
}

Result<FileWriter> Animation::write_frames(const InputFile& stored) {
  ImageOptions options = output_.image;
  if (options.plain && !options.range) options.range = {census_.least, census_.greatest};
  int64_t room = 0;
  for (int64_t i = 0; i < frames_; ++i) {
    const auto shot = TRY(frame(stored, i));
    room = std::max(room, title_width(shot.title()));
  }
  last_->labels.title_room = room;
  ColourCount colours;
  int64_t width = 0, height = 0;
  for (int64_t i = 0; i < frames_; ++i) {
    const auto shot = TRY(frame(stored, i));
    const auto image = TRY(draw(shot, options));
    colours.add(image);
    width = image.width;
    height = image.height;
  }
  const Format format = *format_of(output_.path);
  TRY(check_size(format, {width, height, {}}));
  Encoder encoder(format, output_.fps, frames_, width, height,
                  colours.palette(colours_of_scales()));
  auto file = TRY(FileWriter::create(output_.path));
  TRY(file.write(encoder.begin()));
  for (int64_t i = 0; i < frames_; ++i) {
    const auto shot = TRY(frame(stored, i));
    const auto image = TRY(draw(shot, options));
    const auto bytes = TRY(encoder.frame(image));
    TRY(file.write(bytes));
  }
  TRY(file.write(encoder.end()));
  return file;
}

Result<NewFile> still_file(const ir::Program& program, FieldSource& fields, const Output& output) {
  const auto shot = TRY(shot_now(program, fields, output));
  const auto image = TRY(draw(shot, output.image));
  const Format format = *format_of(output.path);
  TRY(check_size(format, image));
  ColourCount colours;
  colours.add(image);
  Encoder encoder(format, output.fps, 1, image.width, image.height,
                  colours.palette(colours_of_scales()));
  const auto frame = TRY(encoder.frame(image));
  return text_file(output.path, encoder.begin() + frame + encoder.end());
}

}  // namespace stencil::runtime
