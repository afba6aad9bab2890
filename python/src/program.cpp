// Programs and kernels.
#include <memory>

#include "python/src/binding.h"
#include "python/src/run.h"

namespace stencil::python {

namespace {

Arrays views_of(const NamedArrays& arrays) {
  Arrays out;
  for (const auto& [name, array] : arrays) out.emplace_back(name, view_of(array));
  return out;
}

KernelOptions kernel_options(const std::string& device, const std::string& schedule, bool dense,
                             std::optional<int64_t> steps, const std::string& parts, bool ranks,
                             int64_t exchange, const nb::object& stage) {
  KernelOptions options;
  options.device = device;
  options.schedule = schedule;
  options.dense = dense;
  options.steps = steps;
  options.parts = parts;
  options.ranks = ranks;
  options.exchange = exchange;
  if (!stage.is_none()) {
    options.stage = [stage](const std::string& what) {
      const nb::gil_scoped_acquire held;
      try {
        stage(what);
      } catch (nb::python_error& error) {
        error.discard_as_unraisable(stage);
      }
    };
  }
  return options;
}

void bind_infos(nb::module_& module) {
  nb::class_<ComponentInfo>(module, "ComponentInfo")
      .def_ro("path", &ComponentInfo::path)
      .def_prop_ro("type", [](const ComponentInfo& self) { return static_cast<int>(self.type); });
  nb::class_<FieldInfo>(module, "FieldInfo")
      .def_ro("name", &FieldInfo::name)
      .def_ro("components", &FieldInfo::components)
      .def_ro("levels", &FieldInfo::levels)
      .def_ro("constant", &FieldInfo::constant)
      .def_ro("written", &FieldInfo::written)
      .def_ro("rank", &FieldInfo::rank)
      .def_ro("dimensions", &FieldInfo::dimensions)
      .def_ro("shape", &FieldInfo::shape)
      .def_ro("origin", &FieldInfo::origin)
      .def_ro("position", &FieldInfo::position)
      .def_ro("spacing", &FieldInfo::spacing);
  nb::class_<ParamInfo>(module, "ParamInfo")
      .def_ro("name", &ParamInfo::name)
      .def_prop_ro("type", [](const ParamInfo& self) { return static_cast<int>(self.type); })
      .def_ro("value", &ParamInfo::value)
      .def_ro("given_later", &ParamInfo::given_later)
      .def_ro("derived_from", &ParamInfo::derived_from);
  nb::class_<ReductionInfo>(module, "ReductionInfo")
      .def_ro("name", &ReductionInfo::name)
      .def_prop_ro("type", [](const ReductionInfo& self) { return static_cast<int>(self.type); })
      .def_ro("every", &ReductionInfo::every)
      .def_ro("profile", &ReductionInfo::profile);
}

void bind_kernel(nb::module_& module) {
  nb::class_<ScheduleRace>(module, "ScheduleRace")
      .def_ro("schedule", &ScheduleRace::schedule)
      .def_ro("brief_schedule", &ScheduleRace::brief)
      .def_ro("tried", &ScheduleRace::tried)
      .def_ro("refused", &ScheduleRace::refused)
      .def_ro("changes", &ScheduleRace::changes)
      .def_ro("over", &ScheduleRace::over)
      .def_ro("gain", &ScheduleRace::gain)
      .def_ro("lost", &ScheduleRace::lost)
      .def_ro("saved", &ScheduleRace::saved);
  nb::class_<Kernel>(module, "Kernel")
      .def_prop_ro("device", &Kernel::device)
      .def_prop_ro("schedule", &Kernel::schedule)
      .def_prop_ro("brief_schedule", &Kernel::brief_schedule)
      .def_prop_ro("schedule_origin", &Kernel::schedule_origin)
      .def_prop_ro("race", &Kernel::race)
      .def_prop_ro("parts", &Kernel::parts)
      .def(
          "code",
          [](const Kernel& self, const std::string& kind) -> nb::object {
            const CodeKind code = kind == "ptx"      ? CodeKind::Ptx
                                  : kind == "binary" ? CodeKind::MachineCode
                                                     : CodeKind::Source;
            const std::string bytes = take(without_gil([&] { return self.code(code); }));
            if (code == CodeKind::MachineCode) return nb::bytes(bytes.data(), bytes.size());
            return nb::str(bytes.data(), bytes.size());
          },
          nb::arg("kind"))
      .def("serves", &Kernel::serves)
      .def("serve", [](const Kernel& self) { take(without_gil([&] { return self.serve(); })); })
      .def(
          "start",
          [](const Kernel& self, const Texts& values) {
            return new Run(take(without_gil([&] { return self.start(values_of(values)); })));
          },
          nb::arg("values"), nb::rv_policy::take_ownership)
      .def(
          "attach",
          [](const Kernel& self, const NamedArrays& arrays, const Texts& values,
             const std::vector<std::string>& initialise) {
            return new Run(take(without_gil(
                [&] { return self.attach(views_of(arrays), values_of(values), initialise); })));
          },
          nb::arg("arrays"), nb::arg("values"), nb::arg("initialise"),
          nb::rv_policy::take_ownership)
      .def(
          "attach_device",
          [](const Kernel& self, const NamedArrays& arrays, uintptr_t stream, const Texts& values) {
            return new Run(take(without_gil([&] {
              return self.attach_device(views_of(arrays), reinterpret_cast<void*>(stream),
                                        values_of(values));
            })));
          },
          nb::arg("arrays"), nb::arg("stream"), nb::arg("values"), nb::rv_policy::take_ownership);
}

}  // namespace

void bind_program(nb::module_& module) {
  bind_infos(module);
  bind_kernel(module);
  nb::class_<Program>(module, "Program")
      .def_static(
          "from_file",
          [](const std::string& path, const Options& options) {
            return take(without_gil([&] { return Program::from_file(path, options); }));
          },
          nb::arg("path"), nb::arg("options"))
      .def_static(
          "from_text",
          [](const std::string& text, const Options& options, const std::string& file_name) {
            return take(without_gil([&] { return Program::from_text(text, options, file_name); }));
          },
          nb::arg("text"), nb::arg("options"), nb::arg("file_name"))
      .def_static(
          "from_built",
          [](const BuiltProgram& built, const Options& options) {
            return take(without_gil([&] { return Program::from_built(built, options); }));
          },
          nb::arg("built"), nb::arg("options"))
      .def_prop_ro("name", &Program::name)
      .def_prop_ro("fields", &Program::fields)
      .def_prop_ro("params", &Program::params)
      .def_prop_ro("reductions", &Program::reductions)
      .def_prop_ro("rank", &Program::rank)
      .def_prop_ro("axes", &Program::axes)
      .def_prop_ro("has_stop", &Program::has_stop)
      .def_prop_ro("warnings", &Program::warnings)
      .def(
          "steps",
          [](const Program& self, const Texts& values) {
            return take(self.steps(values_of(values)));
          },
          nb::arg("values"))
      .def(
          "halo",
          [](const Program& self, const std::string& field) {
            std::vector<std::pair<int64_t, int64_t>> out;
            for (const Halo& halo : take(self.halo(field))) out.emplace_back(halo.low, halo.high);
            return out;
          },
          nb::arg("field"))
      .def(
          "fields_with",
          [](const Program& self, const Texts& values) {
            const State state =
                take(without_gil([&] { return self.initial_state(values_of(values)); }));
            return state.fields();
          },
          nb::arg("values"))
      .def(
          "compile",
          [](const Program& self, const std::string& device, const std::string& schedule,
             bool dense, std::optional<int64_t> steps, const std::string& parts, bool ranks,
             int64_t exchange, const nb::object& stage) {
            const KernelOptions options =
                kernel_options(device, schedule, dense, steps, parts, ranks, exchange, stage);
            return take(without_gil([&] { return self.compile(options); }));
          },
          nb::arg("device"), nb::arg("schedule"), nb::arg("dense"), nb::arg("steps").none(),
          nb::arg("parts"), nb::arg("ranks"), nb::arg("exchange"), nb::arg("stage").none());
}

}  // namespace stencil::python
