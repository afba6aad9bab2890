// Host functions from a module of their own: initial values, and the plain loops of a self-check.
// They are in a namespace, because each module chooses names of kernels and constants
// independently.
#include <fmt/format.h>

#include "compiler/emit/driver.h"
#include "compiler/emit/helpers.h"
#include "compiler/emit/writer.h"

namespace stencil::emit {

std::vector<std::string> host_module(Text& out, const std::string& name_space,
                                     const kernel::Module& module, bool has_steps,
                                     const std::vector<kernel::NamedConstant>& known,
                                     const Dialect& file) {
  Names names(module, file);
  WriterOptions options;
  options.exported = false;
  options.parallel_loops = true;
  Writer writer(module, cpp_dialect(), names, options);
  for (const kernel::Kernel& kernel : module.kernels) writer.kernel(kernel);
  Names host_names = names.for_host(module);
  const HostApi api(module, host_names);
  ExpressionPrinter expressions(cpp_dialect(), module, host_names);
  Text loop;
  if (has_steps) advance_function(loop, module, api, host_names, expressions);
  std::set<std::string> helpers = writer.expressions().helpers();
  helpers.insert(expressions.helpers().begin(), expressions.helpers().end());

  out.line(fmt::format("namespace {} {{", name_space));
  for (const Structure& results : api.result_structures()) declare_in_c(out, results);
  out.verbatim(helper_text(helpers, cpp_dialect()));
  out.verbatim(writer.constants(loop.str(), known));
  out.verbatim(writer.text());
  out.verbatim(loop.str());
  out.line(fmt::format("}}  // namespace {}", name_space));
  out.blank();
  std::vector<std::string> qualified;
  for (const kernel::Kernel& kernel : module.kernels) {
    qualified.push_back(fmt::format("{}::{}", name_space, names.spell(kernel.name)));
  }
  return qualified;
}

}  // namespace stencil::emit
