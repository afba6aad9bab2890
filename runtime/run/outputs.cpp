// One row per format describes the contents of its files. The rest (names, series, atomic writing)
// is independent of the format, except for .vti, whose series have a collection: a .pvd file for
// ParaView that gives the time of each file.
#include "runtime/run/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/support/escape.h"
#include "compiler/support/try.h"
#include "runtime/io/files.h"
#include "runtime/io/netcdf.h"
#include "runtime/io/npy_fields.h"
#include "runtime/io/vti.h"
#include "runtime/picture/picture.h"
#include "runtime/picture/png.h"
#include "runtime/run/animation.h"

namespace stencil::runtime {

namespace {

Result<NewFile> png_file(const ir::Program& program, FieldSource& fields, const Output& output) {
  TRY(fields.gather(levels_shown(program, {output})));
  const auto image =
      TRY(picture_of(program, fields.state(), output.selections[0], output.plane, output.image));
  const auto bytes = TRY(encode_png(image));
  return text_file(output.path, bytes);
}

Result<NewFile> file_of(const ir::Program& program, FieldSource& fields, const Output& output) {
  const Selection& first = output.selections[0];
  const reference::State& state = fields.state();
  switch (*format_of(output.path)) {
    case Format::Npy:
      return npy_file(output.path, state.fields[first.field], first);
    case Format::Png:
      return png_file(program, fields, output);
    case Format::Vti:
      return vti_file(output.path, program, state, output.selections);
    case Format::Gif:
    case Format::Apng:
      return still_file(program, fields, output);
    case Format::Nc:
      return netcdf_file(output.path, program, state, output.selections);
  }
  return Failure{};
}

}  // namespace

std::optional<Format> format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") return Format::Npy;
  if (extension == ".png") return Format::Png;
  if (extension == ".vti") return Format::Vti;
  if (extension == ".gif") return Format::Gif;
  if (extension == ".apng") return Format::Apng;
  if (extension == ".nc") return Format::Nc;
  return std::nullopt;
}

bool is_picture(Format format) {
  return format == Format::Png || is_animation(format);
}

bool is_animation(Format format) {
  return format == Format::Gif || format == Format::Apng;
}

bool holds_several(Format format) {
  return format == Format::Vti || format == Format::Nc;
}

bool Output::grows() const {
  const Format format = *format_of(path);
  return every > 0 && (is_animation(format) || format == Format::Nc);
}

Status write_outputs(const ir::Program& program, FieldSource& fields,
                     const std::vector<Output>& outputs) {
  FileGroup group;
  TRY(add_outputs(program, fields, outputs, group));
  return group.commit();
}

Status add_outputs(const ir::Program& program, FieldSource& fields,
                   const std::vector<Output>& outputs, FileGroup& group) {
  std::vector<NewFile> files;
  for (const Output& output : outputs) {
    auto file = TRY(file_of(program, fields, output));
    files.push_back(std::move(file));
  }
  return group.add(files, &fields);
}

std::vector<int> levels_shown(const ir::Program& program, const std::vector<Output>& outputs) {
  std::vector<Selection> shown;
  for (const Output& output : outputs) {
    shown.insert(shown.end(), output.selections.begin(), output.selections.end());
  }
  return levels_of(shown, program.fields.size());
}

Event output_event(const ir::Program& program, const std::vector<Output>& outputs) {
  return {0, 0, true, [&program, outputs](FieldSource& fields) {
            return write_outputs(program, fields, outputs);
          }};
}

Series::Series(const ir::Program& program, std::vector<Output> outputs, int64_t every,
               int64_t first_step, int64_t last_step)
    : program_(program), outputs_(std::move(outputs)), every_(every) {
  digits_ = std::max<int>(6, static_cast<int>(std::to_string(last_step).size()));
  for (int64_t step = 0; step < first_step; step += every_) {
    const bool there = std::all_of(outputs_.begin(), outputs_.end(), [&](const Output& output) {
      std::error_code ignored;
      return std::filesystem::exists(numbered(output.path, step), ignored);
    });
    if (there) steps_.push_back(step);
  }
}

std::string Series::numbered(const std::string& path, int64_t step) const {
  const std::filesystem::path whole(path);
  const std::string name =
      fmt::format("{}_{:0{}}{}", whole.stem().string(), step, digits_, whole.extension().string());
  return (whole.parent_path() / name).string();
}

Status Series::write(FieldSource& fields) {
  const int64_t step = fields.state().step;
  std::vector<Output> files = outputs_;
  for (Output& output : files) output.path = numbered(output.path, step);
  TRY(write_outputs(program_, fields, files));
  if (steps_.empty() || steps_.back() < step) steps_.push_back(step);
  return write_collections();
}

Status Series::write_collections() const {
  for (const Output& output : outputs_) {
    if (format_of(output.path) != Format::Vti) continue;
    std::string text =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n";
    for (const int64_t step : steps_) {
      const auto file = std::filesystem::path(numbered(output.path, step)).filename();
      text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", step,
                          xml_attribute(file.string()));
    }
    text += "  </Collection>\n</VTKFile>\n";
    const auto path = std::filesystem::path(output.path).replace_extension(".pvd");
    TRY(write_file_atomically(path.string(), text));
  }
  return Done{};
}

Event Series::event() {
  return {every_, 0, false, [this](FieldSource& fields) { return write(fields); }};
}

}  // namespace stencil::runtime
