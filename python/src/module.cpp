// The extension module stencilc._core: failures, devices, C programs, MPI.
#include "python/src/binding.h"

namespace stencil::python {

void raise(const Failure& failure) {
  const nb::object type = nb::module_::import_("stencilc._errors").attr("Error");
  const nb::object error = type(failure.code, failure.message, failure.hint, failure.diagnostics);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

namespace {

Options options_of(const Texts& definitions, const std::vector<std::string>& open,
                   const std::vector<std::string>& fixed, bool real_is_double,
                   const std::string& fp, std::optional<int64_t> steps, const std::string& name) {
  Options options;
  options.definitions = values_of(definitions);
  options.open = open;
  options.fixed = fixed;
  options.real = real_is_double ? ElementType::Double : ElementType::Float;
  options.fp = fp == "strict" ? FloatingPoint::Strict
               : fp == "fast" ? FloatingPoint::Fast
                              : FloatingPoint::Contract;
  options.steps = steps;
  options.name = name;
  return options;
}

void bind_devices(nb::module_& module) {
  nb::class_<Device>(module, "Device")
      .def("__repr__",
           [](const Device& self) {
             return "<stencilc device " + self.name + ": " +
                    (self.available ? self.description : "absent, " + self.reason) + ">";
           })
      .def_ro("name", &Device::name)
      .def_ro("description", &Device::description)
      .def_ro("available", &Device::available)
      .def_ro("reason", &Device::reason)
      .def_ro("takes_pointers", &Device::takes_pointers);
  module.def("devices", [] { return without_gil([] { return devices(); }); });
  module.def(
      "choose_device",
      [](const std::string& name) {
        return take(without_gil([&] { return choose_device(name); }));
      },
      nb::arg("name"));
}

void bind_lift(nb::module_& module) {
  nb::class_<LiftedSource>(module, "LiftedSource")
      .def_ro("text", &LiftedSource::text)
      .def_ro("assumed", &LiftedSource::assumed)
      .def_ro("verified", &LiftedSource::verified)
      .def_ro("proof", &LiftedSource::proof);
  module.def(
      "lift_source",
      [](const std::string& file, const std::string& function,
         const std::vector<std::string>& flags, const std::string& compile_commands, int unroll,
         bool verify, uint64_t seed, const std::vector<std::string>& params) {
        LiftOptions options;
        options.function = function;
        options.flags = flags;
        options.compile_commands = compile_commands;
        options.unroll = unroll;
        options.verify = verify;
        options.seed = seed;
        options.params = params;
        return take(without_gil([&] { return lift_source(file, options); }));
      },
      nb::arg("file"), nb::arg("function"), nb::arg("flags"), nb::arg("compile_commands"),
      nb::arg("unroll"), nb::arg("verify"), nb::arg("seed"), nb::arg("params"));
}

void bind_ranks(nb::module_& module) {
  module.def("started_by_mpi", &started_by_mpi);
  // `communicator`: the address of an MPI_Comm; 0: all processes.
  module.def(
      "join_ranks",
      [](uintptr_t communicator) {
        const Ranks ranks =
            take(without_gil([&] { return join_ranks(reinterpret_cast<void*>(communicator)); }));
        return std::make_pair(ranks.rank, ranks.size);
      },
      nb::arg("communicator"));
}

}  // namespace

}  // namespace stencil::python

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  using namespace stencil;
  using namespace stencil::python;
  // Expressions that a traced function stores in globals outlive the module at exit.
  nb::set_leak_warnings(false);
  module.def("version", &version);
  nb::class_<Options>(module, "Options")
      .def(
          "__init__",
          [](Options* self, const Texts& definitions, const std::vector<std::string>& open,
             const std::vector<std::string>& fixed, bool real_is_double, const std::string& fp,
             std::optional<int64_t> steps, const std::string& name) {
            new (self)
                Options(options_of(definitions, open, fixed, real_is_double, fp, steps, name));
          },
          nb::arg("definitions"), nb::arg("open"), nb::arg("fixed"), nb::arg("real_is_double"),
          nb::arg("fp"), nb::arg("steps").none(), nb::arg("name"));
  bind_arrays(module);
  bind_devices(module);
  bind_program(module);
  bind_simulation(module);
  bind_builder(module);
  bind_lift(module);
  bind_ranks(module);
}
