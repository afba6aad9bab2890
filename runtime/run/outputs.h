// Fields of a run to files: once, or as a series numbered by step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/io/selection.h"
#include "runtime/picture/image.h"
#include "runtime/run/run.h"

namespace stencil::runtime {

enum class Format { Npy, Png, Vti };
// By the extension of the path; nothing for others.
std::optional<Format> format_of(const std::string& path);

// A file and what it shows.
struct Output {
  std::string path;                   // its extension is a Format
  std::vector<Selection> selections;  // one for .npy and .png, one or more for .vti
  // .png, a component of the newest level:
  std::vector<int64_t> plane;  // as slice_of() takes it
  ImageOptions image;
};

// Writes all of them or none, without a second copy of the fields in memory. Fields of pictures are
// gathered. R011, R024, R030, R031.
Status write_outputs(const ir::Program& program, FieldSource& fields,
                     const std::vector<Output>& outputs);

// How many levels of each field (by FieldId) the outputs show; 0: none.
std::vector<int> levels_shown(const ir::Program& program, const std::vector<Output>& outputs);

// Writes the outputs when a run ends. `program` must outlive the event.
Event output_event(const ir::Program& program, const std::vector<Output>& outputs);

// The outputs at every step that is a multiple of `every`: "x.npy" becomes "x_000100.npy" at step
// 100. Numbers have six digits, or as many as `last_step` has, so that files sort by step. For
// every .vti output a collection, "x.pvd", lists the files and their steps. It is replaced after
// each of them, so that it is whole and names only complete files at any moment.
class Series {
 public:
  // `program` must outlive the series. A run that goes on at `first_step` keeps those earlier files
  // in its collections that are there; 0 begins anew.
  Series(const ir::Program& program, std::vector<Output> outputs, int64_t every, int64_t first_step,
         int64_t last_step);

  // The files of the run's step. Errors of write_outputs().
  Status write(FieldSource& fields);
  // The same as an event of a run; the series must outlive it.
  Event event();

 private:
  std::string numbered(const std::string& path, int64_t step) const;
  Status write_collections() const;

  const ir::Program& program_;
  std::vector<Output> outputs_;
  int64_t every_;
  int digits_;
  std::vector<int64_t> steps_;  // written or found
};

}  // namespace stencil::runtime
