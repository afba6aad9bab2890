// Animations: pictures of several steps in one file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "runtime/io/file_writer.h"
#include "runtime/io/input_file.h"
#include "runtime/io/new_files.h"
#include "runtime/picture/picture.h"
#include "runtime/picture/png.h"
#include "runtime/run/outputs.h"

namespace stencil::runtime {

// Rates that both formats can express: a GIF counts in 1/100 s, and browsers slow down frames that
// are shorter than 1/50 s.
constexpr double kSlowestFps = 0.1, kFastestFps = 50;

// A .gif or .apng. All frames share one range of colours: the given one, or that of the values of
// all frames. The second is known only at the end, so values of frames wait in a temporary file
// beside `output.path`, and encode() draws them. Memory holds one frame.
class Animation {
 public:
  // `program` must outlive it.
  Animation(const ir::Program& program, Output output)
      : program_(program), output_(std::move(output)) {}
  // Adds a frame for the current step, unless it has one. R011, R030.
  Status add(FieldSource& fields);
  // Adds the last step and returns the whole file, which the caller commits. R010, R011, R030.
  Result<FileWriter> encode(FieldSource& fields);

 private:
  Result<Shot> frame(const InputFile& stored, int64_t number) const;
  Result<FileWriter> write_frames(const InputFile& stored);

  const ir::Program& program_;
  const Output output_;
  std::optional<FileWriter> storage_;
  std::optional<Shot> last_;  // texts, sizes and axes are those of all frames
  int64_t frames_ = 0;
  Census census_ = {};  // of all frames
};

// A file of such a format with one frame, the current step.
Result<NewFile> still_file(const ir::Program& program, FieldSource& fields, const Output& output);

}  // namespace stencil::runtime
