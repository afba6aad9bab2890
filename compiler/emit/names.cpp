// Reserved names that all targets share: the keywords of C and C++, the types and functions of the
// headers that emitted files include (and that CUDA's runtime header brings with it), and macros.
#include "compiler/emit/names.h"

#include <iterator>
#include <sstream>

#include "compiler/kernel/walk.h"

namespace stencil::emit {

namespace {

std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

const std::set<std::string> kKeywords = words(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while "
    "xor xor_eq std main linux unix");

// math.h, stdlib.h, string.h, stdio.h, time.h, stdint.h, and the unistd.h names that come along;
// then what the writers themselves say.
const std::set<std::string> kLibrary = words(
    "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 "
    "frexp ilogb ldexp log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt "
    "erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround llround trunc "
    "fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma j0 j1 jn y0 "
    "y1 yn gamma signgam drem significand finite scalb pow10 isnan isinf isfinite isnormal "
    "signbit fpclassify sincos acosf asinf atanf cosf sinf tanf tanhf expf logf powf sqrtf "
    "fabsf floorf ceilf fmodf fmaf fminf fmaxf j0f j1f y0f y1f abs labs llabs div ldiv lldiv "
    "abort exit atexit atof atoi atol atoll strtod strtol strtoll rand srand random srandom "
    "drand48 malloc calloc realloc free getenv setenv system qsort bsearch mblen memcpy "
    "memmove memset memcmp memchr strlen strcmp strcpy strcat strchr index rindex bcopy bzero "
    "bcmp ffs basename printf fprintf sprintf snprintf scanf sscanf puts putchar getchar "
    "fopen fclose fread fwrite fflush remove rename tmpfile perror stdin stdout stderr time "
    "clock difftime mktime ctime localtime gmtime timer_t timezone daylight signal raise read "
    "write open close link unlink pipe dup dup2 access sleep usleep pause nice fork sync "
    "alarm truncate select send recv bind listen accept stat size_t ssize_t ptrdiff_t int8_t "
    "int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t uint ulong "
    "ushort off_t time_t float_t double_t NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF M_PI M_E "
    "RAND_MAX BUFSIZ errno assert va_list swap error arrays parameters block self_check");

void collect(const kernel::Kernel& kernel, std::set<std::string>& names) {
  names.insert(kernel.name);
  for (const auto& buffer : kernel.buffers) names.insert(buffer.name);
  for (const auto& scalar : kernel.scalars) names.insert(scalar.name);
  for (const auto& source : kernel.bulk_sources) names.insert(source.name);
  kernel::for_each_statement(kernel.body, [&](const kernel::Statement& statement) {
    if (const auto* let = std::get_if<kernel::Let>(&statement.kind)) names.insert(let->name);
    if (const auto* loop = std::get_if<kernel::For>(&statement.kind)) names.insert(loop->name);
  });
}

}  // namespace

Names::Names(const kernel::Module& module, const Dialect& dialect) : dialect_(dialect) {
  used_.insert(module.name);
  for (const auto& constant : module.constants) used_.insert(constant.name);
  for (const auto& kernel : module.kernels) collect(kernel, used_);
  for (const auto& array : module.plan.arrays) used_.insert(array.name);
  for (const auto& parameter : module.plan.parameters) used_.insert(parameter.name);
  for (const auto& scratch : module.plan.scratch) used_.insert(scratch.name);
  for (const auto& reduction : module.plan.reductions) used_.insert(reduction.name);
  spelled_["block"] = "block";
  for (const char* thread : kernel::kThreadNames) {
    used_.insert(thread);
    spelled_[thread] = thread;
  }
}

Names Names::for_host(const kernel::Module& module) {
  Names host(dialect_);
  const auto share = [&](const std::string& name) {
    host.used_.insert(name);
    host.spelled_[name] = spell(name);
    host.used_.insert(host.spelled_[name]);
  };
  share(module.name);
  for (const auto& constant : module.constants) share(constant.name);
  for (const auto& kernel : module.kernels) share(kernel.name);
  for (const auto& array : module.plan.arrays) share(array.name);
  for (const auto& parameter : module.plan.parameters) share(parameter.name);
  for (const auto& scratch : module.plan.scratch) share(scratch.name);
  for (const auto& reduction : module.plan.reductions) share(reduction.name);
  return host;
}

bool Names::reserved(const std::string& name) const {
  return kKeywords.count(name) || kLibrary.count(name) || dialect_.reserved.count(name) ||
         name.rfind("stencil_", 0) == 0 || name.rfind("__", 0) == 0;
}

std::string Names::spell(const std::string& name) {
  const auto known = spelled_.find(name);
  if (known != spelled_.end()) return known->second;
  std::string spelling = name;
  while (reserved(spelling) || (spelling != name && used_.count(spelling))) {
    spelling = spelling.rfind("__", 0) == 0 ? "n" + spelling : spelling + "_";
    if (spelling.rfind("stencil_", 0) == 0) spelling = "the_" + spelling;
  }
  used_.insert(spelling);
  return spelled_[name] = spelling;
}

std::string Names::fresh(const std::string& base) {
  // A reserved prefix stays reserved whatever follows it.
  const std::string stem = reserved(base + "_2") ? "the_" + base : base;
  std::string name = stem;
  for (int number = 2; reserved(name) || used_.count(name); ++number) {
    name = stem + "_" + std::to_string(number);
  }
  used_.insert(name);
  spelled_[name] = name;
  return name;
}

}  // namespace stencil::emit
