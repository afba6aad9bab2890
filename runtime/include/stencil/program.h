// A stencil program, read and checked.
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

// The value of a param: a number, or text in the syntax of the command line.
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
  std::string text_;  // round-trips: parsing it gives the same number
};
using ParamValues = std::map<std::string, ParamValue>;  // by name

// How floating-point arithmetic may be treated; docs/reference/language.md, "Floating point".
enum class FloatingPoint : uint8_t { Strict, Contract, Fast };

// Settings that apply before a program is read.
struct Options {
  ParamValues definitions;                // values of params, compiled in (-D)
  std::vector<std::string> open;          // integer params whose values each run is given (--open)
  std::vector<std::string> fixed;         // float params whose values are compiled in (--fix)
  ElementType real = ElementType::Float;  // meaning of `real`: Float or Double
  FloatingPoint fp = FloatingPoint::Contract;  // --fp
  std::optional<int64_t> steps;                // overrides the program's own number
  std::string name;                            // of the program; empty: derived from the file name
};

struct ComponentInfo {
  std::string path;  // "" for a scalar field; else ".rho", ".u[0]", "[2]"
  ElementType type;
};
struct FieldInfo {
  std::string name;
  std::vector<ComponentInfo> components;  // the scalars of one element, at least one
  int levels = 1;                         // time levels kept: @0, @-1, ...
  bool constant = false;                  // declared constant
  bool written = false;                   // by a stencil function or a reduction
  int rank = 1;
  // What each dimension is: a dimension of the grid (0 is the outermost), -1 for the steps of a
  // series, -2 for the points of a set.
  std::vector<int> dimensions;
  // Points per dimension, and the grid coordinates of the first point, outermost dimension first.
  // Empty while they depend on a param without a value.
  Extents shape, origin;
  // Physical position of the first point and distance between points, per dimension, from the
  // grid's origin and spacing. They use the params' values in the Program or State; empty while
  // they depend on a param without a value.
  std::vector<double> position, spacing;
};
struct ParamInfo {
  std::string name;
  ElementType type;
  std::optional<double> value;    // default or Options::definitions; exact for integers up to 2^53
  bool given_later = false;       // not compiled in: the ParamValues of a run may set it
  std::string derived_from = {};  // the params that determine it unless it is given; "" if none
};
struct ReductionInfo {
  std::string name;
  ElementType type;   // Int, Long, Float or Double
  int64_t every = 1;  // steps
  // True for a reduction over some of the dimensions. Its result is the field of the same name. Its
  // ReductionValue then only says when the reduction was evaluated; the value is NaN.
  bool profile = false;
};

// How far one step reads beyond the points that it computes, in points.
struct Halo {
  int64_t low = 0, high = 0;
};

// An error-free program. A value type: copies share immutable data, so threads may use a Program
// and its copies concurrently.
class STENCIL_API Program {
 public:
  // Reads a .stn file. Errors: R010 if the file cannot be read; R051 for a malformed definition; P
  // and S codes for errors in the program, all of them in Failure::diagnostics.
  static Result<Program> from_file(const std::string& path, const Options& options = {});
  // from_file() for a text; messages use `file_name`.
  static Result<Program> from_text(std::string text, const Options& options = {},
                                   std::string file_name = "program.stn");
  // from_file() for a program built in C++ (stencil/builder.h); messages also name the C++ lines.
  static Result<Program> from_built(const BuiltProgram& built, const Options& options = {});

  const std::string& name() const;
  const std::vector<FieldInfo>& fields() const;          // in program order
  const std::vector<ParamInfo>& params() const;          // in program order
  const std::vector<ReductionInfo>& reductions() const;  // in program order
  int rank() const;                                      // of the grid, 1 to 8
  bool has_stop() const;                                 // has a `stop when`
  // Names of the grid's dimensions, outermost first: ..., "z", "y", "x".
  std::vector<std::string> axes() const;
  // The field called "A", its level "U@-1", or its component "S.rho" (listed alone). R070 if
  // unknown.
  Result<FieldInfo> field(const std::string& name) const;
  // How far one step reads this field: all functions of the step together, per dimension of the
  // grid, the outermost first. Empty if a step does not read the field, or if it is a profile, a
  // series or a set of points. R070 if unknown.
  Result<std::vector<Halo>> halo(const std::string& field) const;
  // Warnings of the compiler, rendered with source lines; empty if there are none.
  const std::string& warnings() const;
  // Number of steps of a run with these values. Errors: R053 if the program gives no number; R050,
  // R070, R051 for the values.
  Result<int64_t> steps(const ParamValues& values = {}) const;
  // Checks whether a run can write these files, as far as possible without sizes. Errors: R070
  // unknown field; R032 unknown extension; R033 content that the format cannot hold, such as
  // several components in a picture; R031; R034 a file written twice; R035 a negative interval;
  // R011 a path where no file can be created.
  Status check(const RunFiles& files) const;

  // The state at step 0, every field at its initial values. Errors about params: R050 missing, R051
  // malformed, R070 unknown, R074 compiled in. R052 and R046 if memory does not suffice; the codes
  // of checks that fail at these sizes.
  Result<State> initial_state(const ParamValues& values = {}) const;

  // Compiles the program for a device. Errors: R040 to R045 about the device; L codes if the
  // schedule is malformed or does not support the program.
  Result<Kernel> compile(const KernelOptions& options) const;
  Result<Kernel> compile() const;  // for the best available device

 private:
  friend struct api::ProgramData;
  explicit Program(std::shared_ptr<const api::ProgramData> data) : data_(std::move(data)) {}
  std::shared_ptr<const api::ProgramData> data_;
};

}  // namespace stencil
