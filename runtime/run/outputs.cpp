// One row per format: what a file of it holds. Everything else (names, series, all or none) knows
// no format but .vti, whose series need a collection: the .pvd files of ParaView, which give each
// file its time.
#include "runtime/run/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/support/escape.h"
#include "runtime/io/files.h"
#include "runtime/io/npy_fields.h"
#include "runtime/io/vti.h"
#include "runtime/picture/picture.h"
#include "runtime/picture/png.h"

namespace stencil::runtime {

namespace {

Result<NewFile> png_file(const ir::Program& program, const reference::State& state,
                         const Output& output) {
  const auto image = picture_of(program, state, output.selections[0], output.plane, output.image);
  if (!image.ok()) return image.failure();
  const auto bytes = encode_png(image.value());
  if (!bytes.ok()) return bytes.failure();
  return NewFile{output.path, static_cast<int64_t>(bytes.value().size()),
                 [text = bytes.value()](FileWriter& file) { return file.write(text); }};
}

Result<NewFile> file_of(const ir::Program& program, const reference::State& state,
                        const Output& output) {
  const Selection& first = output.selections[0];
  const reference::FieldData& field = state.fields[static_cast<size_t>(first.field)];
  switch (*format_of(output.path)) {
    case Format::Npy:
      return npy_file(output.path, field, first.level, first.component);
    case Format::Png:
      return png_file(program, state, output);
    case Format::Vti:
      return vti_file(output.path, program, state, output.selections);
  }
  return Failure{};
}

}  // namespace

std::optional<Format> format_of(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".npy") return Format::Npy;
  if (extension == ".png") return Format::Png;
  if (extension == ".vti") return Format::Vti;
  return std::nullopt;
}

Status write_outputs(const ir::Program& program, const reference::State& state,
                     const std::vector<Output>& outputs) {
  std::vector<NewFile> files;
  for (const Output& output : outputs) {
    auto file = file_of(program, state, output);
    if (!file.ok()) return file.failure();
    files.push_back(std::move(file).value());
  }
  return write_files(files);
}

std::vector<int> levels_shown(const ir::Program& program, const std::vector<Output>& outputs) {
  std::vector<int> levels(program.fields.size(), 0);
  for (const Output& output : outputs) {
    for (const Selection& selection : output.selections) {
      int& shown = levels[static_cast<size_t>(selection.field)];
      shown = std::max(shown, selection.level + 1);
    }
  }
  return levels;
}

Event output_event(const ir::Program& program, const std::vector<Output>& outputs) {
  return {0, 0, true, levels_shown(program, outputs),
          [&program, outputs](const reference::State& state) {
            return write_outputs(program, state, outputs);
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

Status Series::write(const reference::State& state) {
  std::vector<Output> files = outputs_;
  for (Output& output : files) output.path = numbered(output.path, state.step);
  const Status written = write_outputs(program_, state, files);
  if (!written.ok()) return written;
  if (steps_.empty() || steps_.back() < state.step) steps_.push_back(state.step);
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
    const Status written = write_file_atomically(path.string(), text);
    if (!written.ok()) return written;
  }
  return Done{};
}

Event Series::event() {
  return {every_, 0, false, levels_shown(program_, outputs_),
          [this](const reference::State& state) { return write(state); }};
}

}  // namespace stencil::runtime
