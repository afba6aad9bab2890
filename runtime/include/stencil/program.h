// A stencil program: read, checked, and open to questions.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stencil/builder.h"
#include "stencil/result.h"
#include "stencil/view.h"

namespace stencil {

class Kernel;
class State;
struct KernelOptions;
struct RunFiles;
namespace api {
struct ProgramData;
}

// The value of a param: a number, or text as the command line takes it.
class ParamValue {
 public:
  template <std::integral T>
  ParamValue(T value) : text_(std::to_string(+value)) {}
  template <std::floating_point T>
  ParamValue(T value) {
    char buffer[64];
    text_.assign(buffer, std::to_chars(buffer, buffer + sizeof buffer, double{value}).ptr);
  }
  ParamValue(std::string text) : text_(std::move(text)) {}
  ParamValue(const char* text) : text_(text) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;  // reads back as the same number
};
using ParamValues = std::map<std::string, ParamValue>;  // by name

// How floating-point arithmetic may be treated; docs/language.md, "Floating point".
enum class FloatingPoint : uint8_t { Strict, Contract, Fast };

// What is known about a program before it is read.
struct Options {
  ParamValues definitions;                // values of params, part of the program (-D)
  std::vector<std::string> open;          // integer params whose values come later (--open)
  std::vector<std::string> fixed;         // float params whose values are part of the code (--fix)
  ElementType real = ElementType::Float;  // what `real` means: Float or Double
  FloatingPoint fp = FloatingPoint::Contract;  // --fp
  std::optional<int64_t> steps;                // in place of the program's own number
  std::string name;                            // of the program; empty: from the file's name
};

struct ComponentInfo {
  std::string path;  // "" of a scalar field; ".rho", ".u[0]", "[2]" otherwise
  ElementType type;
};
struct FieldInfo {
  std::string name;
  std::vector<ComponentInfo> components;  // scalars of an element, at least one
  int levels = 1;                         // of time that are kept: @0, @-1, ...
  bool constant = false;                  // declared so
  bool written = false;                   // by some stencil function, or a reduction
  int rank = 1;
  // What its dimensions are: those of the grid, 0 the outermost, -1 for the steps of a series, and
  // -2 for the points of a set.
  std::vector<int> dimensions;
  // Points per dimension and the coordinates of the first one, outermost dimension first. Empty
  // while a param that they depend on is open.
  Extents shape, origin;
  // Where the grid's origin and spacing put the first point, per dimension, and the distance from
  // one point to the next. At the values that params have in the program, or in a State; empty
  // while a param that they depend on has none.
  std::vector<double> position, spacing;
};
struct ParamInfo {
  std::string name;
  ElementType type;
  std::optional<double>
      value;  // default, or what Options::definitions say; integers up to 2^53 exactly
  bool given_later = false;       // ParamValues of a run may hold it: it is not part of the code
  std::string derived_from = {};  // what it follows from unless it is given; "" if nothing
};
struct ReductionInfo {
  std::string name;
  ElementType type;   // Int, Long, Float or Double
  int64_t every = 1;  // steps
  // It is over some of the dimensions: what it gives is the field of its name, and ReductionValue
  // says only when it was evaluated, and NaN.
  bool profile = false;
};

// A program that is free of errors. A value: copies share what they hold, which never changes, so
// threads may use one Program, and copies of it, at the same time.
class STENCIL_API Program {
 public:
  // Reads a .stn file. R010 if it cannot be read; otherwise the P and S codes of errors in the
  // program, R051 for a malformed definition: Failure::diagnostics then has all of them.
  static Result<Program> from_file(const std::string& path, const Options& options = {});
  // The same for a text; `file_name` is what messages call it.
  static Result<Program> from_text(std::string text, const Options& options = {},
                                   std::string file_name = "program.stn");
  // The same for a program written in C++ (stencil/builder.h); messages name the C++ lines, too.
  static Result<Program> from_built(const BuiltProgram& built, const Options& options = {});

  const std::string& name() const;
  const std::vector<FieldInfo>& fields() const;          // in the order of the program
  const std::vector<ParamInfo>& params() const;          // likewise
  const std::vector<ReductionInfo>& reductions() const;  // likewise
  int rank() const;                                      // of the grid, 1 to 8
  bool has_stop() const;                                 // a `stop when`
  // Names of the grid's dimensions, outermost first: ..., "z", "y", "x".
  std::vector<std::string> axes() const;
  // What is called so: "A", "U@-1" (a level of U), "S.rho" (with that component alone). R070.
  Result<FieldInfo> field(const std::string& name) const;
  // Warnings of the compiler, rendered with their lines; empty if there are none.
  const std::string& warnings() const;
  // Steps of a run at these values; R053 if the program does not say, R050, R070 or R051 for the
  // values.
  Result<int64_t> steps(const ParamValues& values = {}) const;
  // Whether runs can write these files, as far as that is known without sizes. R070; R032 an
  // extension that names no format; R033 what a format does not hold, such as several components in
  // a picture; R031; R034 what would be written twice; R035 a negative interval; R011 a place where
  // no file can be made.
  Status check(const RunFiles& files) const;

  // The state at step 0, with every field at its initial values. R050, R051, R070 and R074 for
  // values that are missing, malformed, of no param, or already part of the code; R052 and R046 if
  // there is not enough memory; the codes of checks that do not hold at these sizes.
  Result<State> initial_state(const ParamValues& values = {}) const;

  // Compiles the program for a device. R040 to R045 about the device, the L codes of a schedule
  // that is malformed or cannot serve the program.
  Result<Kernel> compile(const KernelOptions& options) const;
  Result<Kernel> compile() const;  // for the best device present

 private:
  friend struct api::ProgramData;
  explicit Program(std::shared_ptr<const api::ProgramData> data) : data_(std::move(data)) {}
  std::shared_ptr<const api::ProgramData> data_;
};

}  // namespace stencil
