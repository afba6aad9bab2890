// A whole file, from the comment at its top to its entry points: emit() is the table of contents.
// The kernels are written first, because what stands above them (helper functions, extensions)
// depends on what they turn out to use.
#include "compiler/emit/emit.h"

#include <fmt/format.h>

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
  switch (options.target) {
    case Target::Cuda:
      return options.kernels_only ? cuda_jit_dialect() : cuda_dialect();
    case Target::OpenCl:
      return options.threads_are_loops ? opencl_loops_dialect() : opencl_dialect();
    case Target::Cpp:
      return options.kernels_only ? cpp_jit_dialect() : cpp_dialect();
  }
  return cpp_dialect();
}

// C++ compilers decide about contraction and value-changing optimisation by flags: the file
// insists.
constexpr const char* kExactArithmetic = R"(#if defined(__FAST_MATH__)
#error "compiled with -ffast-math, this file would not give the results it promises"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

)";

// Values may change, but NaN and infinities are what the language says.
constexpr const char* kFastArithmetic = R"(#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "compiled with -ffinite-math-only, which is part of -ffast-math, this file would get NaN wrong"
#endif

)";

// A clone per kind of processor, chosen when the program starts: the bits are the same on all of
// them, but without FMA instructions an fma is a call, and 10 to 30 times as slow.
constexpr const char* kClones = R"(#if !defined(STENCIL_CLONES)
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__FMA__) && \
    (defined(__clang_major__) ? __clang_major__ >= 14 : defined(__GNUC__) && __GNUC__ >= 6)
#define STENCIL_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define STENCIL_CLONES
$warning#endif
#endif

)";

constexpr const char* kFmaWarning =
    R"(#if !defined(__FMA__) && !defined(__ARM_FEATURE_FMA) && !defined(__FP_FAST_FMAF) && \
    !defined(__FP_FAST_FMA) && defined(__GNUC__)
#warning "without FMA instructions this file is 10 to 30 times as slow: compile with -march=native"
#endif
)";

void includes(Text& out, const kernel::Module& module, const Options& options) {
  if (options.kernels_only || options.target == Target::OpenCl) return;
  if (options.target == Target::Cuda) out.line("#include <cuda_runtime.h>");
  for (const char* header : {"algorithm", "math.h", "stdint.h", "stdio.h"}) {
    out.line(fmt::format("#include <{}>", header));
  }
  if (options.main || options.target == Target::Cpp) out.line("#include <stdlib.h>");
  out.line("#include <string.h>");
  if (options.main && options.target == Target::Cpp) out.line("#include <chrono>");
  out.blank();
  if (!options.header_name.empty()) {
    out.line(fmt::format("#include \"{}\"", options.header_name));
    out.blank();
  }
  if (options.target != Target::Cpp) return;
  out.verbatim(module.fp == FpMode::Fast ? kFastArithmetic : kExactArithmetic);
  out.verbatim(replaced(kClones, "$warning", module.fp == FpMode::Contract ? kFmaWarning : ""));
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

void pragmas(Text& out, const kernel::Module& module, const ExpressionPrinter& expressions) {
  const bool doubles = expressions.uses_double() || stores_double(module);
  if (module.fp != FpMode::Fast) out.line("#pragma OPENCL FP_CONTRACT OFF");
  if (doubles) out.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable");
  out.blank();
}

// The helpers that kernels and driver use; in CUDA those of the driver serve host and device alike.
std::string helpers(std::set<std::string> device, const std::set<std::string>& host,
                    const Dialect& dialect, Target target) {
  if (target != Target::Cuda) {
    device.insert(host.begin(), host.end());
    return helper_text(device, dialect);
  }
  for (const std::string& name : host) device.erase(name);
  Dialect both = dialect;
  both.function = "static __host__ __device__ __forceinline__ ";
  return helper_text(host, both) + helper_text(device, dialect);
}

// One newline at the end, whatever came last.
std::string finished(std::string text) {
  while (text.size() > 1 && text[text.size() - 2] == '\n' && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

namespace {

// As launches see it where a block is one work-item.
kernel::Module with_single_threads(kernel::Module module) {
  for (kernel::Kernel& kernel : module.kernels) kernel.threads = {};
  return module;
}

// The entry points, and what they need at file scope.
void host_part(Text& out, const kernel::Module& module, const Options& options,
               const HostModules* host, const HostApi& api, Names& names,
               ExpressionPrinter& expressions) {
  std::vector<const kernel::Module*> modules = {&module};
  if (host) modules.push_back(&host->initial);
  if (host && options.main) modules.push_back(&*host->reference);
  driver_support(out, modules, options.target);
  if (options.header_name.empty()) api.declare_types(out);
  if (!host) return driver(out, module, api, names, expressions, options.target, nullptr);
  const std::string name_space = names.fresh(module.name + "_initial_values");
  InitialValues initial{&host->initial, {}};
  if (!host->initial.kernels.empty()) {
    std::vector<kernel::NamedConstant> known = module.constants;
    for (kernel::NamedConstant& constant : known) constant.name = names.spell(constant.name);
    initial.kernels =
        host_module(out, name_space, host->initial, false, known, dialect_of(options));
  }
  driver(out, module, api, names, expressions, options.target, &initial);
}

}  // namespace

kernel::Module legalise(kernel::Module module, const Options& options) {
  return legalise(std::move(module), dialect_of(options));
}

HostModules legalise(HostModules host) {
  // Initial values are given to coefficients too.
  for (kernel::Array& array : host.initial.plan.arrays) array.written = true;
  host.initial = legalise(std::move(host.initial), cpp_dialect());
  if (host.reference) host.reference = legalise(std::move(*host.reference), cpp_dialect());
  return host;
}

std::string emit(const kernel::Module& module, const Options& options, const HostModules* host) {
  const kernel::Module legal = legalise(module, options);
  if (!host) return write(legal, options);
  const HostModules parts = legalise(*host);
  return write(legal, options, &parts);
}

std::string write(const kernel::Module& module, const Options& options, const HostModules* host) {
  const Dialect& dialect = dialect_of(options);
  Names names(module, dialect);
  Writer writer(module, dialect, options.target, names);
  for (const kernel::Kernel& kernel : module.kernels) writer.kernel(kernel);

  const bool has_driver = !options.kernels_only && options.target != Target::OpenCl;
  Names host_names = names.for_host(module);
  ExpressionPrinter host_expressions(cpp_dialect(), module, host_names);
  const HostApi api(module, host_names);
  Text host_text;
  if (has_driver) {
    host_part(host_text, module, options, host, api, host_names, host_expressions);
  }

  Text out;
  for (const std::string& line : module.header) out.comment(line);
  if (options.target == Target::OpenCl && !options.kernels_only) {
    plan_comment(out, options.threads_are_loops ? with_single_threads(module) : module, names);
  }
  out.blank();
  includes(out, module, options);
  out.verbatim(std::string(dialect.prelude));
  if (options.target == Target::OpenCl) pragmas(out, module, writer.expressions());
  out.verbatim(
      helpers(writer.expressions().helpers(), host_expressions.helpers(), dialect, options.target));
  out.verbatim(writer.constants(host_text.str()));
  out.verbatim(writer.text());
  if (!has_driver) return finished(out.str());
  out.verbatim(host_text.str());
  if (options.main && host) main_program(out, module, api, *host, options.target);
  return finished(out.str());
}

std::string symbol(const kernel::Module& module, const std::string& name, const Options& options) {
  return Names(module, dialect_of(options)).spell(name);
}

std::string compile_line(Target target, FpMode fp, const std::string& file,
                         const std::string& executable) {
  const std::string flags = required_flags(target, fp);
  const std::string files = (executable.empty() ? " -c " : " -o " + executable + " ") + file;
  switch (target) {
    case Target::Cuda:
      return "nvcc -O3 -std=c++17 -arch=sm_90 " + flags + files;
    case Target::OpenCl:
      return "clBuildProgram with " + flags;
    case Target::Cpp:
      return "g++ -O3 -std=c++17 -fopenmp " + flags + files;
  }
  return "";
}

std::string required_flags(Target target, FpMode fp) {
  if (fp == FpMode::Fast) {
    switch (target) {
      case Target::Cuda:
        return "--use_fast_math";
      case Target::OpenCl:
        return "-cl-mad-enable -cl-no-signed-zeros";
      case Target::Cpp:
        return "-fno-math-errno -fno-trapping-math -fno-signed-zeros -freciprocal-math "
               "-ffp-contract=fast";
    }
  }
  switch (target) {
    case Target::Cuda:
      return "--fmad=false";
    case Target::OpenCl:
      return "-cl-fp32-correctly-rounded-divide-sqrt";
    case Target::Cpp:
      return "-ffp-contract=off";
  }
  return "";
}

}  // namespace stencil::emit
