// Program: the compiler's front end behind one class.
//
// All public properties are computed when the program is read, so a Program is immutable and needs
// no lock.
#include "runtime/api/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/analysis/time_tile.h"
#include "compiler/builder/access.h"
#include "compiler/driver/frontend.h"
#include "compiler/support/numbers.h"
#include "compiler/support/shape.h"
#include "compiler/support/try.h"
#include "runtime/api/arrays.h"
#include "runtime/api/attach.h"
#include "runtime/api/files.h"
#include "runtime/api/guarded.h"
#include "runtime/api/kernel.h"
#include "runtime/run/source.h"

namespace stencil {

namespace api {

namespace {

std::vector<ParamInfo> describe_params(const ir::Program& program) {
  std::vector<ParamInfo> out;
  for (const ir::Param& param : program.params) {
    ParamInfo info{param.name, element_type_of(param.type), param.real_value, !param.folded()};
    if (param.derived) info.derived_from = param.derived->text;
    if (param.affine) info.derived_from = ir::print(*param.affine, ir::param_names(program));
    if (param.integer_value) info.value = static_cast<double>(*param.integer_value);
    out.push_back(std::move(info));
  }
  return out;
}

// `rendered`: the diagnostics as text.
Result<Program> finish(Source source, std::optional<ir::Program> program,
                       const Diagnostics& diagnostics, std::string rendered,
                       const Options& options) {
  if (!program) {
    Failure failure = failure_of(source, diagnostics);
    failure.diagnostics = std::move(rendered);
    return failure;
  }
  auto data = std::make_shared<ProgramData>(
      ProgramData{std::move(source), std::move(*program), std::move(rendered), {}, {}, {}});
  for (const auto& definition : options.definitions) data->defined.insert(definition.first);
  data->fields = describe_fields(data->program);
  data->params = describe_params(data->program);
  for (const ir::Reduction& reduction : data->program.reductions) {
    data->reductions.push_back({reduction.name, element_type_of(ir::value_type(reduction)),
                                reduction.every, reduction.target.has_value()});
  }
  return ProgramData::wrap(std::move(data));
}

}  // namespace

Failure failure_of(const Source& source, const Diagnostics& diagnostics) {
  Failure failure;
  for (const Diagnostic& diagnostic : diagnostics.items()) {
    if (diagnostic.severity != Severity::Error) continue;
    failure = {diagnostic.code, diagnostic.message, diagnostic.hint};
    break;
  }
  failure.diagnostics = render(source, diagnostics);
  return failure;
}

Failure unknown(const std::string& kind, const std::string& name,
                const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  std::string hint = known.empty() ? "" : fmt::format("the program has {}", fmt::join(known, ", "));
  if (!near.empty()) hint = fmt::format("did you mean '{}'?", near);
  return {"R070", fmt::format("no {} '{}'", kind, name), hint};
}

Result<double> real_value(const ir::Param& param, const std::string& text) {
  const auto value = parse_real(text, param.type);
  if (value) return *value;
  return Failure{"R051",
                 fmt::format("'{}' is not a valid value of param '{}' of type {}", text, param.name,
                             stencil::name(param.type)),
                 fmt::format("give {}", numbers_of(param.type))};
}

Result<runtime::Params> bind(const ir::Program& program, const ParamValues& values) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : values) {
    const auto names = ir::param_names(program);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return unknown("param", name, names);
    const ir::Param& param = program.params[found - names.begin()];
    if (param.affine) {
      return Failure{
          "R074",
          fmt::format("param '{}' is computed as {}", name, ir::print(*param.affine, names)),
          fmt::format("to set it separately, name it in Options::open (--open {})", name)};
    }
    if (param.folded()) {
      return Failure{"R074", fmt::format("param '{}' is compiled into the code", name),
                     "give it when the program is read (Options::definitions), or name it in "
                     "Options::open"};
    }
    if (is_float(param.type)) {
      TRY(real_value(param, value.text()));
    }
    texts[name] = value.text();
  }
  return runtime::bind_params(program, texts);
}

}  // namespace api

const char* version() {
  static const std::string kText =
      fmt::format("{}.{}.{}", STENCIL_VERSION_MAJOR, STENCIL_VERSION_MINOR, STENCIL_VERSION_PATCH);
  return kText.c_str();
}

namespace {

// Rejects enum values that the types of options allow but no option has. R036.
Status check_options(const Options& options) {
  if (options.real != ElementType::Float && options.real != ElementType::Double) {
    return Failure{"R036", fmt::format("Options::real is {}", name_of(options.real)),
                   "`real` is Float or Double"};
  }
  if (options.fp > FloatingPoint::Fast) {
    return Failure{"R036", "Options::fp must be Strict, Contract or Fast", ""};
  }
  return Done{};
}

Result<Program> program_of(Result<Source> source, const Options& options) {
  if (!source.ok()) return source.failure();
  TRY(check_options(options));
  Source text = std::move(source).value();
  Diagnostics diagnostics;
  auto program = load_program(text, runtime::program_options(options, text.name()), diagnostics);
  std::string rendered = render(text, diagnostics);
  return api::finish(std::move(text), std::move(program), diagnostics, std::move(rendered),
                     options);
}

}  // namespace

Result<Program> Program::from_text(std::string text, const Options& options,
                                   std::string file_name) {
  return api::guarded<Program>([&] {
    return program_of(runtime::make_source(std::move(file_name), std::move(text)), options);
  });
}

Result<Program> Program::from_built(const BuiltProgram& built, const Options& options) {
  return api::guarded<Program>([&]() -> Result<Program> {
    TRY(check_options(options));
    Diagnostics diagnostics;
    auto program = load_program(syntax_of(built), source_of(built),
                                runtime::program_options(options, built.name()), diagnostics);
    return api::finish(source_of(built), std::move(program), diagnostics,
                       render(built, diagnostics), options);
  });
}

Result<Program> Program::from_file(const std::string& path, const Options& options) {
  return api::guarded<Program>([&] { return program_of(runtime::read_source(path), options); });
}

const std::string& Program::name() const {
  return data_->program.name;
}
const std::vector<FieldInfo>& Program::fields() const {
  return data_->fields;
}
const std::vector<ParamInfo>& Program::params() const {
  return data_->params;
}
const std::vector<ReductionInfo>& Program::reductions() const {
  return data_->reductions;
}
std::vector<std::string> Program::axes() const {
  return {kAxes.rend() - rank(), kAxes.rend()};
}
Result<FieldInfo> Program::field(const std::string& name) const {
  return api::guarded<FieldInfo>([&]() -> Result<FieldInfo> {
    const auto place = TRY(api::find_place(data_->program, name));
    FieldInfo info = data_->fields[place.field];
    const int component = place.component;
    if (component >= 0) info.components = {info.components[component]};
    return info;
  });
}
Result<std::vector<Halo>> Program::halo(const std::string& field) const {
  return api::guarded<std::vector<Halo>>([&]() -> Result<std::vector<Halo>> {
    const auto place = TRY(api::find_place(data_->program, field));
    std::vector<Halo> out;
    if (data_->program.fields[place.field].read_in_place()) return out;
    const analysis::TimeTile step = analysis::unroll(data_->program, 1);
    for (const analysis::Version& version : step.versions) {
      if (version.field != place.field || !version.in_memory() || !version.needed) continue;
      out.resize(version.needed->size());
      for (size_t d = 0; d < out.size(); ++d) {
        out[d].low = std::max(out[d].low, (*version.needed)[d].low);
        out[d].high = std::max(out[d].high, (*version.needed)[d].high);
      }
    }
    return out;
  });
}
int Program::rank() const {
  return data_->program.grid().rank();
}
bool Program::has_stop() const {
  return data_->program.run.until.has_value();
}
const std::string& Program::warnings() const {
  return data_->warnings;
}

Result<int64_t> Program::steps(const ParamValues& values) const {
  return api::guarded<int64_t>([&]() -> Result<int64_t> {
    const auto params = TRY(api::bind(data_->program, values));
    return runtime::steps_of(data_->program, params);
  });
}

Status Program::check(const RunFiles& files) const {
  return api::guarded<Done>([&] { return api::check(data_->program, files); });
}

Result<State> Program::initial_state(const ParamValues& values) const {
  return api::guarded<State>([&] { return api::make_state(data_, values); });
}

Result<Kernel> Program::compile() const {
  return compile(KernelOptions{});
}

Result<Kernel> Program::compile(const KernelOptions& options) const {
  return api::guarded<Kernel>([&] { return api::compile(*this, data_, options); });
}

}  // namespace stencil
