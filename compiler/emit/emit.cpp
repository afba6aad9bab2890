// Assembles a whole file, from the comment at its top to its entry points, in write(). Kernels are
// written first, because the text above them (helper functions, extensions) depends on what they
// use.
#include "compiler/emit/emit.h"

#include <fmt/format.h>

#include "compiler/emit/box_part.h"
#include "compiler/emit/driver.h"
#include "compiler/emit/helpers.h"
#include "compiler/emit/host_api.h"
#include "compiler/emit/legalise.h"
#include "compiler/emit/main_program.h"
#include "compiler/emit/plan_comment.h"
#include "compiler/emit/writer.h"

namespace stencil::emit {

namespace {

const Dialect& dialect_of(const Options& options) {
  return info(options.target).dialect(options);
}

bool has_host_part(const Options& options) {
  return !options.kernels_only && !info(options.target).header_ending.empty();
}

void includes(Text& out, const kernel::Module& module, const Options& options,
              const Dialect& dialect) {
  if (!has_host_part(options)) return;
  if (dialect.has_device()) out.line(fmt::format("#include <{}>", dialect.runtime_header));
  for (const char* header : {"algorithm", "math.h", "stdint.h", "stdio.h"}) {
    out.line(fmt::format("#include <{}>", header));
  }
  if (options.main || !dialect.has_device()) out.line("#include <stdlib.h>");
  out.line("#include <string.h>");
  const bool points = !module.plan.point_sets.empty();
  if (points) out.line("#include <cmath>");
  if (points || replays_launches({&module}, dialect)) out.line("#include <vector>");
  if (options.main && !dialect.has_device()) out.line("#include <chrono>");
  out.blank();
  if (options.header_name.empty()) return;
  out.line(fmt::format("#include \"{}\"", options.header_name));
  out.blank();
}

bool stores_double(const kernel::Module& module) {
  for (const kernel::Kernel& kernel : module.kernels) {
    for (const kernel::Buffer& buffer : kernel.buffers) {
      if (buffer.type == Scalar::F64) return true;
    }
    for (const kernel::ScalarArgument& scalar : kernel.scalars) {
      if (scalar.type == Scalar::F64) return true;
    }
  }
  return false;
}

// The helpers that kernels and driver use. Helpers of the driver are compiled for host and device.
std::string helpers(std::set<std::string> device, const std::set<std::string>& host,
                    const Dialect& dialect) {
  if (dialect.both_function.empty()) {
    device.insert(host.begin(), host.end());
    return helper_text(device, dialect);
  }
  for (const std::string& name : host) device.erase(name);
  Dialect both = dialect;
  both.function = dialect.both_function;
  return helper_text(host, both) + helper_text(device, dialect);
}

// Ends the text with exactly one newline.
std::string finished(std::string text) {
  while (text.size() > 1 && text[text.size() - 2] == '\n' && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

namespace {

// Launch sizes if a block is one work-item.
kernel::Module with_single_threads(kernel::Module module) {
  for (kernel::Kernel& kernel : module.kernels) kernel.threads = {};
  return module;
}

// The entry points, and what they need at file scope.
void host_part(Text& out, const kernel::Module& module, const Options& options,
               const HostModules* host, const HostApi& api, Names& names,
               ExpressionPrinter& expressions) {
  std::vector<const kernel::Module*> modules = {&module}, beside;
  if (host && host->box) modules.push_back(&host->box->module);
  if (host) beside.push_back(&host->initial);
  if (host && options.main) beside.push_back(&*host->reference);
  const Dialect& dialect = dialect_of(options);
  driver_support(out, modules, beside, dialect);
  if (options.header_name.empty()) {
    for (const Structure& structure : api.structures()) declare_in_c(out, structure);
  }
  if (options.header_name.empty() && host && host->box) {
    declare_boxes_in_place(out, *host->box, dialect);
  }
  if (!host) {
    return driver(out, module, api, names, expressions, dialect, nullptr, options.all_given);
  }
  const std::string name_space = names.fresh(module.name + "_initial_values");
  InitialValues initial{&host->initial, {}};
  if (!host->initial.kernels.empty()) {
    std::vector<kernel::NamedConstant> known = module.constants;
    for (kernel::NamedConstant& constant : known) constant.name = names.spell(constant.name);
    initial.kernels = host_module(out, name_space, host->initial, false, known, dialect);
  }
  driver(out, module, api, names, expressions, dialect, &initial, options.all_given);
}

}  // namespace

kernel::Module legalise(kernel::Module module, const Options& options) {
  return legalise(std::move(module), dialect_of(options));
}

HostModules legalise(HostModules host, const Options& options) {
  // NAME_init writes coefficients too.
  const auto initial = [](kernel::Module& module) {
    for (kernel::Array& array : module.plan.arrays) array.written = true;
    module = legalise(std::move(module), cpp_dialect());
  };
  initial(host.initial);
  if (host.reference) host.reference = legalise(std::move(*host.reference), cpp_dialect());
  if (!host.box) return host;
  initial(host.box->initial);
  host.box->module = legalise(std::move(host.box->module), options);
  return host;
}

std::string emit(const kernel::Module& module, const Options& options, const HostModules* host) {
  const kernel::Module legal = legalise(module, options);
  if (!host) return write(legal, options);
  const HostModules parts = legalise(*host, options);
  return write(legal, options, &parts);
}

std::string write(const kernel::Module& module, const Options& options, const HostModules* host) {
  const Dialect& dialect = dialect_of(options);
  Names names(module, dialect);
  Writer writer(module, dialect, names);
  for (const kernel::Kernel& kernel : module.kernels) writer.kernel(kernel);

  const bool has_driver = has_host_part(options);
  Names host_names = names.for_host(module);
  ExpressionPrinter host_expressions(cpp_dialect(), module, host_names);
  const HostApi api(module, host_names);
  Text host_text;
  if (has_driver) {
    host_part(host_text, module, options, host, api, host_names, host_expressions);
  }

  std::optional<BoxText> box;
  if (has_driver && host && host->box) box = box_part(*host->box, dialect);

  Text out;
  for (const std::string& line : module.header) out.comment(line);
  if (!has_driver && !options.kernels_only) {
    plan_comment(out, options.threads_are_loops ? with_single_threads(module) : module, names);
  }
  out.blank();
  includes(out, module, options, dialect);
  out.verbatim(std::string(dialect.prelude));
  bool doubles = writer.expressions().uses_double() || stores_double(module);
  if (box) doubles |= box->uses_double || stores_double(host->box->module);
  if (dialect.file_head) out.verbatim(dialect.file_head(module, doubles));
  std::set<std::string> of_kernels = writer.expressions().helpers();
  std::set<std::string> of_host = host_expressions.helpers();
  if (box) of_kernels.merge(box->kernel_helpers), of_host.merge(box->host_helpers);
  out.verbatim(helpers(std::move(of_kernels), of_host, dialect));
  out.verbatim(writer.constants(host_text.str()));
  out.verbatim(writer.text());
  if (!has_driver) return finished(out.str());
  out.verbatim(host_text.str());
  if (box) out.verbatim(box->text);
  if (options.main && host) main_program(out, module, api, *host, dialect);
  return finished(out.str());
}

host_ir::Program host_program(const kernel::Module& module, Target target) {
  const bool has_driver = !info(target).header_ending.empty();
  return host_ir::lower(
      module, has_driver ? host_options(info(target).dialect({}), false) : kDescribedHost);
}

std::string symbol(const kernel::Module& module, const std::string& name, const Options& options) {
  return Names(module, dialect_of(options)).spell(name);
}

}  // namespace stencil::emit
