// Writes fields of a run to files: once, or as a series numbered by step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/io/new_files.h"
#include "runtime/io/selection.h"
#include "runtime/picture/image.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

enum class Format { Npy, Png, Vti, Gif, Apng, Nc };
// Determined by the extension of the path; nullopt if unknown.
std::optional<Format> format_of(const std::string& path);
bool is_picture(Format format);     // shows one component of the newest level
bool is_animation(Format format);   // a picture with several frames
bool holds_several(Format format);  // any number of fields

// A file and its contents.
struct Output {
  std::string path;                   // its extension is a Format
  std::vector<Selection> selections;  // one, or more if the format holds several
  std::vector<int64_t> plane;         // of a picture, as for slice_of()
  ImageOptions image;                 // of a picture
  int64_t every = 0;                  // also written at multiples of this step; 0: only at the end
  double fps = 15;                    // of an animation: frames per second
  // Whether the run extends one file, instead of writing a file per step.
  bool grows() const;
};

// Writes all outputs or none, without a second copy of fields in memory. Fields of pictures are
// gathered. R011, R024, R030, R031.
Status write_outputs(const ir::Program& program, FieldSource& fields,
                     const std::vector<Output>& outputs);
// Adds the outputs to `group`, which the caller commits.
Status add_outputs(const ir::Program& program, FieldSource& fields,
                   const std::vector<Output>& outputs, FileGroup& group);

// The number of levels of each field (by FieldId) that the outputs show; 0: none.
std::vector<int> levels_shown(const ir::Program& program, const std::vector<Output>& outputs);

// An event that writes the outputs when the run ends. `program` must outlive it.
Event output_event(const ir::Program& program, const std::vector<Output>& outputs);

// Writes the outputs at every multiple of `every` steps: "x.npy" becomes "x_000100.npy" at step
// 100. Numbers have six digits, or as many as `last_step`, so that files sort by step. For each
// .vti output a collection "x.pvd" lists the files and their steps. It is replaced after each of
// them and only names complete files.
class Series {
 public:
  // `program` must outlive the series. A run resumed at `first_step` keeps existing earlier files
  // in its collections; 0 starts anew.
  Series(const ir::Program& program, std::vector<Output> outputs, int64_t every, int64_t first_step,
         int64_t last_step);

  // Writes the files of the current step. Errors of write_outputs().
  Status write(FieldSource& fields);
  // Calls write() as an event of a run; the series must outlive it.
  Event event();

 private:
  std::string numbered(const std::string& path, int64_t step) const;
  Status write_collections() const;

  const ir::Program& program_;
  std::vector<Output> outputs_;
  int64_t every_;
  int digits_;
  std::vector<int64_t> steps_;  // written, or found on resuming
};

}  // namespace stencil::runtime
