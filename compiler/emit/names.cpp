// One rule for all names of a program: a name keeps its spelling unless the target, an included
// header, or the emitted file itself gives it another meaning; then an underscore is added.
// tools/reserved_names lists the names in headers by running the compilers. Macros of headers that
// only some systems have were copied from the manuals. Distinct names of the kernel IR get distinct
// spellings.
#include "compiler/emit/names.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <sstream>

#include "compiler/kernel/walk.h"

namespace stencil::emit {

const std::string_view kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue decltype default delete do double dynamic_cast "
    "else enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
    "register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while "
    "xor xor_eq std main linux unix";

namespace {

std::set<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

// Names in older C libraries, and names that the writers use where a name of the program could
// occur.
const std::set<std::string> kOthers = words(
    "major minor makedev DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS HUGE imaginary pow10 "
    "significand error arrays parameters block blocks arguments begin_block end_block "
    "self_check _tolower _toupper");

// Functions and types of the emitted file are named after the program and have these endings.
constexpr const char* kEndings[] = {
    "_run",  "_run_device",     "_run_padded",    "_run_packed", "_results",        "_params",
    "_init", "_default_params", "_derive_params", "_run_box",    "_run_box_device", "_init_box",
    "_box",  "_box_memory",     "_memory",        "_box_steps",  "_halo",           "_grid"};

// True if a table of reserved_names.h contains the name.
bool has(std::string_view table, const std::string& name) {
  static std::map<std::string_view, std::set<std::string>> read;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto [names, fresh] = read.try_emplace(table);
  if (fresh) names->second = words(table);
  return names->second.count(name) > 0;
}

bool begins(const std::string& name, std::string_view prefix) {
  return name.compare(0, prefix.size(), prefix) == 0;
}

}  // namespace

Names::Names(const kernel::Module& module, const Dialect& dialect,
             const std::set<std::string>& also)
    : dialect_(dialect), module_(module.name), also_(also) {
  used_ = kernel::names_in(module);
  spelled_["block"] = "block";
  for (const char* thread : kernel::kThreadNames) spelled_[thread] = thread;
  // These are at file scope and always have the same spelling.
  for (const auto& array : module.plan.arrays) spell(array.name);
  for (const auto& parameter : module.plan.parameters) spell(parameter.name);
  for (const auto& reduction : module.plan.reductions) spell(reduction.name);
  for (const auto& kernel : module.kernels) spell(kernel.name);
  for (const auto& constant : module.constants) spell(constant.name);
  for (const auto& scratch : module.plan.scratch) spell(scratch.name);
}

Names Names::for_host(const kernel::Module& module, const std::set<std::string>& also) {
  Names host(dialect_, module_, also);
  const auto share = [&](const std::string& name) {
    host.used_.insert(name);
    if (!also.count(spell(name))) host.spelled_[name] = spell(name);
    host.used_.insert(host.spell(name));
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
  if (name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'))) return true;
  if (has(kKeywords, name) || kOthers.count(name) || also_.count(name)) return true;
  if (dialect_.reserved.count(name)) return true;
  const auto table_has = [&](std::string_view table) { return has(table, name); };
  if (std::any_of(dialect_.declared.begin(), dialect_.declared.end(), table_has)) return true;
  return reserved_beginning(name) || (begins(name, module_) && is_entry(name));
}

// True if all names with the beginning of `name` are reserved.
bool Names::reserved_beginning(const std::string& name) const {
  const auto with = [&](std::string_view prefix) { return begins(name, prefix); };
  return with("stencil_") || with("STENCIL_") ||
         std::any_of(dialect_.reserved_prefixes.begin(), dialect_.reserved_prefixes.end(), with);
}

bool Names::is_entry(const std::string& name) const {
  constexpr std::string_view kSlots = "_slots";  // follows the name of an array
  if (name.size() > kSlots.size() &&
      name.compare(name.size() - kSlots.size(), kSlots.size(), kSlots) == 0) {
    return true;
  }
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](const char* ending) { return name == module_ + ending; });
}

std::string Names::spell(const std::string& name) {
  const auto known = spelled_.find(name);
  if (known != spelled_.end()) return known->second;
  std::string spelling = name;
  while (reserved(spelling) || (spelling != name && used_.count(spelling))) {
    if (spelling[0] == '_') {
      spelling = "n" + spelling;
    } else if (reserved_beginning(spelling)) {
      spelling = "the_" + spelling;
    } else {
      spelling += "_";
    }
  }
  used_.insert(spelling);
  return spelled_[name] = spelling;
}

std::string Names::fresh(const std::string& base) {
  // Appending a number would not help if the prefix is reserved.
  std::string stem = base;
  if (stem[0] == '_') stem = "n" + stem;
  if (reserved_beginning(stem)) stem = "the_" + stem;
  std::string name = stem;
  for (int number = 2; reserved(name) || used_.count(name); ++number) {
    name = stem + "_" + std::to_string(number);
  }
  used_.insert(name);
  spelled_[name] = name;
  return name;
}

}  // namespace stencil::emit
