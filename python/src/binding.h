// What the parts of the extension module share: failures as exceptions, and views of arrays.
//
// The module is a thin layer over the headers of libstencil.so. Checks of arguments, conversions of
// Python objects and documentation for users are in the package (python/stencilc).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "stencil/stencil.h"

namespace stencil::python {

namespace nb = nanobind;

// Raises stencilc.Error. Needs the GIL.
[[noreturn]] void raise(const Failure& failure);

// The value of a result; raises stencilc.Error. Needs the GIL.
template <class T>
T take(Result<T> result) {
  if (!result.ok()) raise(result.failure());
  return std::move(result).value();
}

// Calls `work` without the GIL, so other threads of Python continue.
template <class Work>
auto without_gil(Work work) {
  const nb::gil_scoped_release released;
  return work();
}

// A user array: address, extents, strides in elements.
struct Array {
  uintptr_t address = 0;
  Extents shape, strides;
  ElementType type = ElementType::Float;
  bool writable = true;
};
AnyView view_of(const Array& array);

using NamedArrays = std::vector<std::pair<std::string, Array>>;
using Texts = std::map<std::string, std::string>;  // values of params, as text

ParamValues values_of(const Texts& texts);

void bind_arrays(nb::module_& module);
void bind_builder(nb::module_& module);
void bind_program(nb::module_& module);
void bind_simulation(nb::module_& module);

}  // namespace stencil::python
