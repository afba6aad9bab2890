// Simulations. Steps run without the GIL. Ctrl-C and progress functions are handled between time
// tiles, when the library calls back.
#include <memory>
#include <optional>

#include "python/src/binding.h"
#include "python/src/run.h"

namespace stencil::python {

namespace {

// Holds the simulation for one call.
class Held {
 public:
  explicit Held(Run& run) : run_(run) {
    if (run.busy.exchange(true)) {
      throw std::runtime_error(
          "the simulation is in use: by another thread, or by the call whose progress function "
          "this is");
    }
  }
  ~Held() { run_.busy = false; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  Run& run_;
};

// Calls `work` with the simulation, without the GIL. Raises its failure.
template <class Work>
auto on(Run& run, Work work) {
  const Held held(run);
  return take(without_gil([&] { return work(run.simulation); }));
}

// Passes progress to Python, and ends the call after Ctrl-C or if the function raises.
class Watch {
 public:
  // `notify`: called with (done, total, seconds, updates, elapsed); False ends the call. None:
  // only signals are handled.
  explicit Watch(nb::object notify) : notify_(std::move(notify)) {}

  ProgressCallback callback() {
    return [this](const Progress& at) {
      const nb::gil_scoped_acquire held;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (notify_.is_none()) return true;
        const nb::object answer = notify_(at.done, at.total, at.seconds, at.updates, at.elapsed);
        return !answer.is(nb::bool_(false));
      } catch (nb::python_error& error) {
        error_.emplace(std::move(error));
        return false;
      }
    };
  }
  // The exception, if any. Needs the GIL.
  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  nb::object notify_;
  std::optional<nb::python_error> error_;
};

RunFiles run_files(const std::vector<Output>& outputs, int64_t every, const std::string& checkpoint,
                   int64_t checkpoint_steps, double checkpoint_seconds,
                   const std::string& history) {
  RunFiles files;
  files.outputs = outputs;
  files.every = every;
  files.checkpoint = checkpoint;
  files.checkpoint_steps = checkpoint_steps;
  files.checkpoint_seconds = checkpoint_seconds;
  files.history = history;
  return files;
}

OnNan on_nan_of(const std::string& text) {
  return text == "continue" ? OnNan::Continue : text == "ignore" ? OnNan::Ignore : OnNan::Stop;
}

nb::dict dict_of(const NonFinite& found) {
  nb::dict out;
  out["field"] = found.field;
  out["values"] = found.values;
  out["nans"] = found.nans;
  out["infinities"] = found.infinities;
  out["first"] = found.first;
  out["step"] = found.step;
  out["last"] = found.last;
  return out;
}

nb::list list_of(const std::vector<NonFinite>& found) {
  nb::list out;
  for (const NonFinite& one : found) out.append(dict_of(one));
  return out;
}

// Steps, and the values of the reductions that were evaluated after them.
using Evaluations = std::vector<std::pair<int64_t, std::vector<ReductionValue>>>;

nb::list list_of(const Evaluations& evaluations) {
  nb::list out;
  for (const auto& [step, values] : evaluations) {
    nb::dict by_name;
    for (const ReductionValue& value : values) by_name[value.name.c_str()] = value.value;
    out.append(nb::make_tuple(step, by_name));
  }
  return out;
}

void bind_reports(nb::module_& module) {
  nb::class_<Report>(module, "Report")
      .def("__repr__",
           [](const Report& self) {
             return "<stencilc report: " + std::to_string(self.steps) + " steps, " +
                    std::to_string(self.seconds) + " s, " +
                    std::to_string(self.gcells_per_second()) + " GCells/s" +
                    (self.interrupted ? ", interrupted" : "") + (self.stopped ? ", stopped" : "") +
                    ">";
           })
      .def_ro("steps", &Report::steps)
      .def_ro("seconds", &Report::seconds)
      .def_ro("updates", &Report::updates)
      .def_ro("interrupted", &Report::interrupted)
      .def_ro("stopped", &Report::stopped)
      .def_prop_ro("gcells_per_second", &Report::gcells_per_second)
      .def_prop_ro("nan",
                   [](const Report& self) -> nb::object {
                     return self.nan ? nb::cast(self.nan->text()) : nb::none();
                   })
      .def_prop_ro("non_finite", [](const Report& self) { return list_of(self.non_finite); })
      .def_prop_ro("became_non_finite",
                   [](const Report& self) { return list_of(self.became_non_finite); });
  nb::class_<ReductionValue>(module, "ReductionValue")
      .def_ro("name", &ReductionValue::name)
      .def_ro("value", &ReductionValue::value)
      .def_ro("integer", &ReductionValue::integer)
      .def_ro("evaluations", &ReductionValue::evaluations)
      .def_ro("first_nan", &ReductionValue::first_nan);
  nb::class_<Statistics>(module, "Statistics")
      .def("__repr__",
           [](const Statistics& self) {
             return "<stencilc statistics: " + std::to_string(self.points) + " points, " +
                    std::to_string(self.nans) + " NaN, " + std::to_string(self.least) + " to " +
                    std::to_string(self.greatest) + ", mean " + std::to_string(self.mean) + ">";
           })
      .def_ro("points", &Statistics::points)
      .def_ro("nans", &Statistics::nans)
      .def_ro("least", &Statistics::least)
      .def_ro("greatest", &Statistics::greatest)
      .def_ro("mean", &Statistics::mean)
      .def_ro("l2", &Statistics::l2);
  nb::class_<Output>(module, "Output")
      .def(
          "__init__",
          [](Output* self, const std::string& path, const std::vector<std::string>& fields,
             const std::vector<std::optional<int64_t>>& plane,
             const std::optional<std::pair<double, double>>& range, bool plain, bool flip,
             std::optional<int64_t> every, double fps) {
            new (self) Output{path, fields, plane, range, plain, flip, every, fps};
          },
          nb::arg("path"), nb::arg("fields"), nb::arg("plane"), nb::arg("range").none(),
          nb::arg("plain"), nb::arg("flip"), nb::arg("every").none(), nb::arg("fps"));
}

void bind_state(nb::class_<Run>& run) {
  run.def_prop_ro("fields", [](Run& self) { return self.simulation.fields(); })
      .def_prop_ro("step", [](Run& self) { return self.simulation.step(); })
      .def_prop_ro("stopped", [](Run& self) { return self.simulation.stopped(); })
      .def("steps_left", [](Run& self) { return take(self.simulation.steps_left()); })
      .def_prop_ro("warnings",
                   [](Run& self) {
                     nb::list out;
                     for (const Failure& warning : self.simulation.warnings()) {
                       out.append(nb::make_tuple(warning.code, warning.message, warning.hint));
                     }
                     return out;
                   })
      .def(
          "shape_of",
          [](Run& self, const std::string& field) { return take(self.simulation.shape_of(field)); },
          nb::arg("field"))
      .def(
          "set",
          [](Run& self, const std::string& field, const Array& array) {
            on(self, [&](Simulation& s) { return s.set(field, view_of(array)); });
          },
          nb::arg("field"), nb::arg("array"))
      .def(
          "get",
          [](Run& self, const std::string& field, const Array& array) {
            on(self, [&](Simulation& s) { return s.get(field, view_of(array)); });
          },
          nb::arg("field"), nb::arg("array"))
      .def(
          "set_box",
          [](Run& self, const std::string& field, const Extents& origin, const Extents& shape,
             const Array& array) {
            on(self, [&](Simulation& s) { return s.set(field, {origin, shape}, view_of(array)); });
          },
          nb::arg("field"), nb::arg("origin"), nb::arg("shape"), nb::arg("array"))
      .def(
          "get_box",
          [](Run& self, const std::string& field, const Extents& origin, const Extents& shape,
             const Array& array) {
            on(self, [&](Simulation& s) { return s.get(field, {origin, shape}, view_of(array)); });
          },
          nb::arg("field"), nb::arg("origin"), nb::arg("shape"), nb::arg("array"))
      .def(
          "read",
          [](Run& self, const std::string& field, const std::string& path) {
            on(self, [&](Simulation& s) { return s.read(field, path); });
          },
          nb::arg("field"), nb::arg("path"))
      .def(
          "write",
          [](Run& self, const std::vector<Output>& outputs) {
            on(self, [&](Simulation& s) { return s.write(outputs); });
          },
          nb::arg("outputs"))
      .def(
          "save",
          [](Run& self, const std::string& path) {
            on(self, [&](Simulation& s) { return s.save_checkpoint(path); });
          },
          nb::arg("path"))
      .def(
          "restore",
          [](Run& self, const std::string& path) {
            on(self, [&](Simulation& s) { return s.load_checkpoint(path); });
          },
          nb::arg("path"))
      .def("check_inputs",
           [](Run& self) { on(self, [](Simulation& s) { return s.check_inputs(); }); })
      .def(
          "set_param",
          [](Run& self, const std::string& name, const std::string& value) {
            on(self, [&](Simulation& s) { return s.set_param(name, value); });
          },
          nb::arg("name"), nb::arg("value"))
      .def("reductions",
           [](Run& self) { return on(self, [](Simulation& s) { return s.reductions(); }); })
      .def(
          "statistics",
          [](Run& self, const std::string& field) {
            return on(self, [&](Simulation& s) { return s.statistics(field); });
          },
          nb::arg("field"))
      .def("non_finite", [](Run& self) {
        return list_of(on(self, [](Simulation& s) { return s.non_finite(); }));
      });
}

}  // namespace

void bind_simulation(nb::module_& module) {
  bind_reports(module);
  nb::class_<Run> run(module, "Run");
  bind_state(run);
  // Steps that only have to be queued, or that take less time than handling a signal would.
  run.def(
         "advance",
         [](Run& self, int64_t steps) {
           return on(self, [&](Simulation& s) { return s.advance(steps); });
         },
         nb::arg("steps"))
      .def(
          "advance_watched",
          [](Run& self, int64_t steps, nb::object notify) {
            Watch watch(std::move(notify));
            const auto callback = watch.callback();
            Report report = on(self, [&](Simulation& s) { return s.advance(steps, callback); });
            watch.rethrow();
            return report;
          },
          nb::arg("steps"), nb::arg("notify").none())
      .def(
          "run",
          [](Run& self, nb::object notify, const std::string& on_nan) {
            Watch watch(std::move(notify));
            const auto callback = watch.callback();
            Report report =
                on(self, [&](Simulation& s) { return s.run(callback, on_nan_of(on_nan)); });
            watch.rethrow();
            return report;
          },
          nb::arg("notify").none(), nb::arg("on_nan"))
      .def(
          "run_files",
          [](Run& self, nb::object notify, const std::string& on_nan,
             const std::vector<Output>& outputs, int64_t every, const std::string& checkpoint,
             int64_t checkpoint_steps, double checkpoint_seconds, const std::string& history) {
            Watch watch(std::move(notify));
            const auto callback = watch.callback();
            RunFiles files = run_files(outputs, every, checkpoint, checkpoint_steps,
                                       checkpoint_seconds, history);
            Evaluations evaluations;
            files.evaluated = [&](int64_t step, const std::vector<ReductionValue>& values) {
              evaluations.emplace_back(step, values);
            };
            Report report =
                on(self, [&](Simulation& s) { return s.run(files, callback, on_nan_of(on_nan)); });
            watch.rethrow();
            return nb::make_tuple(report, list_of(evaluations));
          },
          nb::arg("notify").none(), nb::arg("on_nan"), nb::arg("outputs"), nb::arg("every"),
          nb::arg("checkpoint"), nb::arg("checkpoint_steps"), nb::arg("checkpoint_seconds"),
          nb::arg("history"))
      .def("wait", [](Run& self) { on(self, [](Simulation& s) { return s.wait(); }); });
}

}  // namespace stencil::python
