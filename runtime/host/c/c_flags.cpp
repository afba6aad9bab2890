#include "runtime/host/c/c_flags.h"

#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <string_view>

namespace stencil::host {

namespace {

using Word = std::string_view;

enum class Effect {
  Read,        // determines the meaning of the source text
  None,        // does not affect the results of the code
  Arithmetic,  // changes the bits of results
  OpenMp,      // defines _OPENMP; the lifter ignores the pragmas
  NoOpenMp,
  Machine,  // selects another machine, where types have other sizes
  Refused
};

// ---- flags with a value, which is joined to the flag or is the next word

struct Valued {
  Word flag;
  bool separate;  // the value may be in the next word
  Effect effect;
};

// If a flag is a prefix of another flag, the longer flag comes first.
constexpr Valued kValued[] = {
    {"-include-pch", true, Effect::Refused},
    {"-include", true, Effect::Read},
    {"-imacros", true, Effect::Read},
    {"-isystem", true, Effect::Read},
    {"-iquote", true, Effect::Read},
    {"-idirafter", true, Effect::Read},
    {"-isysroot", true, Effect::Read},
    {"--sysroot=", false, Effect::Read},
    {"--sysroot", true, Effect::Read},
    {"--gcc-toolchain=", false, Effect::Read},
    {"--gcc-install-dir=", false, Effect::Read},
    {"-I", true, Effect::Read},
    {"-D", true, Effect::Read},
    {"-U", true, Effect::Read},
    {"-stdlib=", false, Effect::Read},
    {"-std=", false, Effect::Read},
    {"--std=", false, Effect::Read},
    {"-ftemplate-depth=", false, Effect::Read},
    {"-fconstexpr-depth=", false, Effect::Read},
    {"-fconstexpr-steps=", false, Effect::Read},
    {"-fbracket-depth=", false, Effect::Read},
    {"-march=", false, Effect::Read},
    {"-mcpu=", false, Effect::Read},
    {"-mtune=", false, Effect::None},
    {"-mcmodel=", false, Effect::None},
    {"-mprefer-vector-width=", false, Effect::None},
    {"-fopenmp=", false, Effect::OpenMp},
    {"-flto=", false, Effect::None},
    {"-fvisibility=", false, Effect::None},
    {"-fdiagnostics-color=", false, Effect::None},
    {"-fstack-protector", false, Effect::None},
    {"-Wp,", false, Effect::Refused},
    {"-W", false, Effect::None},
    {"-g", false, Effect::None},
    {"-l", true, Effect::None},
    {"-L", true, Effect::None},
    {"-ffp-contract=", false, Effect::None},  // the proof uses code without contraction
    {"-ffp-model=", false, Effect::Arithmetic},
    {"-ffp-eval-method=", false, Effect::Arithmetic},
    {"-ffp-exception-behavior=", false, Effect::None},
    {"-fexcess-precision=", false, Effect::Arithmetic},
    {"-fdenormal-fp-math", false, Effect::Arithmetic},
    {"-mfpmath=", false, Effect::Arithmetic},
    {"-mrecip", false, Effect::Arithmetic},
    {"-mlong-double-", false, Effect::Arithmetic},
    // The value is the next word and may look like a flag.
    {"-Xclang", true, Effect::Refused},
    {"-Xpreprocessor", true, Effect::Refused},
    {"-Xassembler", true, Effect::Refused},
    {"-Xlinker", true, Effect::Refused},
    {"-mllvm", true, Effect::Refused},
    {"-MF", true, Effect::Refused},
    {"-MT", true, Effect::Refused},
    {"-MQ", true, Effect::Refused},
    {"-MJ", true, Effect::Refused},
    {"-o", true, Effect::Refused},
    {"-target", true, Effect::Machine},
    {"--target=", false, Effect::Machine},
    {"--target", true, Effect::Machine},
    {"-mabi=", false, Effect::Machine},
    {"-arch", true, Effect::Refused},
};

// ---- flags in one word

constexpr Word kRead[] = {"-ansi",       "-undef",       "-trigraphs", "-nostdinc",
                          "-nostdinc++", "-nostdlibinc", "-pthread"};
constexpr Word kNone[] = {"-c",      "-w",  "-pipe",   "-pedantic",    "-pedantic-errors",
                          "-static", "-pg", "-shared", "-rdynamic",    "-O",
                          "-O0",     "-O1", "-O2",     "-O3",          "-O4",
                          "-Os",     "-Oz", "-Og",     "-mno-red-zone"};
// The part of a flag after -f or -fno-.
constexpr Word kSwitches[] = {"wrapv",

                              "trapv",
                              "strict-overflow",
                              "signed-char",
                              "unsigned-char",
                              "short-enums",
                              "short-wchar",
                              "gnu89-inline",
                              "ms-extensions",
                              "strict-aliasing",
                              "exceptions",
                              "cxx-exceptions",
                              "rtti",
                              "char8_t",
                              "freestanding",
                              "hosted",
                              "declspec",
                              "gnu-keywords",
                              "asm",
                              "digraphs",
                              "operator-names",
                              "dollars-in-identifiers",
                              "sized-deallocation",
                              "aligned-allocation",

                              "access-control",
                              "coroutines"};
constexpr Word kSwitchesOfBits[] = {"fast-math",        "unsafe-math-optimizations",
                                    "associative-math", "reciprocal-math",
                                    "finite-math-only", "signed-zeros",
                                    "approx-func",      "honor-nans",
                                    "honor-infinities", "rounding-math",
                                    "trapping-math",    "cx-limited-range",
                                    "cx-fortran-rules", "single-precision-constant",
                                    "math-errno"};
constexpr Word kSwitchesWithoutEffect[] = {"PIC",
                                           "pic",
                                           "PIE",
                                           "pie",
                                           "plt",
                                           "lto",
                                           "builtin",
                                           "common",
                                           "openmp-simd",
                                           "inline",
                                           "inline-functions",
                                           "unroll-loops",
                                           "vectorize",
                                           "tree-vectorize",
                                           "slp-vectorize",
                                           "tree-slp-vectorize",
                                           "omit-frame-pointer",
                                           "function-sections",
                                           "data-sections",
                                           "semantic-interposition",
                                           "stack-protector",
                                           "color-diagnostics",
                                           "diagnostics-color",
                                           "asynchronous-unwind-tables",
                                           "unwind-tables",
                                           "visibility-inlines-hidden",
                                           "threadsafe-statics",
                                           "float-store",
                                           "delete-null-pointer-checks",
                                           "stack-clash-protection",
                                           "peel-loops",
                                           "prefetch-loop-arrays",
                                           "ident",
                                           "caret-diagnostics",
                                           "tree-loop-vectorize",
                                           "optimize-sibling-calls"};
// The part after -m or -mno-, as in -mavx2 and -mno-avx512f. These flags select instruction sets; a
// file may test their macros.
constexpr Word kInstructionSets[] = {"mmx",    "sse",   "ssse",   "avx",   "fma",
                                     "f16c",   "bmi",   "popcnt", "lzcnt", "aes",
                                     "pclmul", "movbe", "rdrnd",  "xop",   "tbm"};

template <size_t n>
bool contains(const Word (&list)[n], Word word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool take(Word& word, Word prefix) {
  if (!word.starts_with(prefix)) return false;
  word.remove_prefix(prefix.size());
  return true;
}

// C requires signed zeros, NaNs and infinities. For these switches, the -fno- form therefore
// changes bits. For the other switches, the -f form does.
bool changes_bits(Word name, bool off) {
  constexpr Word kRules[] = {"signed-zeros", "honor-nans", "honor-infinities"};
  if (!contains(kSwitchesOfBits, name)) return false;
  if (name == "math-errno" || name == "trapping-math" || name == "rounding-math") return false;
  return contains(kRules, name) == off;
}

Effect effect_of(Word word) {
  if (contains(kRead, word)) return Effect::Read;
  if (word == "-Ofast") return Effect::Arithmetic;
  if (contains(kNone, word)) return Effect::None;
  if (word == "-m32" || word == "-mx32" || word == "-m16") return Effect::Machine;
  Word name = word;
  if (take(name, "-m")) {
    take(name, "no-");
    for (const Word set : kInstructionSets) {
      if (name.starts_with(set)) return Effect::Read;
    }
    return name == "daz-ftz" ? Effect::Arithmetic : Effect::Refused;
  }
  if (!take(name, "-f")) return Effect::Refused;
  if (name.starts_with("no-builtin-")) return Effect::None;
  const bool off = take(name, "no-");
  if (name == "openmp") return off ? Effect::NoOpenMp : Effect::OpenMp;
  if (contains(kSwitches, name)) return Effect::Read;
  if (contains(kSwitchesWithoutEffect, name)) return Effect::None;
  if (contains(kSwitchesOfBits, name))
    return changes_bits(name, off) ? Effect::Arithmetic : Effect::None;
  return Effect::Refused;
}

const Valued* valued(Word word) {
  for (const Valued& one : kValued) {
    if (!word.starts_with(one.flag)) continue;
    // -gsplit-dwarf writes a file and is refused.
    if (one.flag == "-g" && word.find("split") != Word::npos) return nullptr;
    const bool joined = word.size() > one.flag.size();
    // For some flags, the value must be a separate word: -Xclang=... and -targetx are other flags.
    const bool only_apart =
        one.separate && one.flag.size() > 2 && one.flag[1] != 'i' && one.flag[1] != 'M';
    if (joined && only_apart) continue;
    return &one;
  }
  return nullptr;
}

// Whether a target has the same types as this machine.
bool is_this_machine(Word target) {
  const llvm::Triple given(llvm::Triple::normalize({target.data(), target.size()}));
  const llvm::Triple here(llvm::sys::getProcessTriple());
  const bool other_abi = given.getEnvironment() == llvm::Triple::GNUX32 ||
                         given.getEnvironment() == llvm::Triple::MuslX32;
  return given.getArch() == here.getArch() && given.getOS() == here.getOS() && !other_abi;
}

class Reader {
 public:
  Reader(CFlags& out, bool user) : out_(out), user_(user) {}

  void read(const std::vector<std::string>& words, size_t begin) {
    for (size_t i = begin; i < words.size(); ++i) {
      const Word word = words[i];
      const bool more = i + 1 < words.size();
      if (word == "-x" || word == "--language" || (word.starts_with("-x") && word.size() > 2)) {
        const bool apart = word.size() <= 2 || word[1] == '-';
        if (apart && !more) return refuse(word, "it has no value");
        language(apart ? Word(words[++i]) : word.substr(2));
        continue;
      }
      if (const Valued* one = valued(word)) {
        const bool apart = one->separate && word.size() == one->flag.size();
        if (apart && !more) return refuse(word, "it has no value");
        const Word value = apart ? Word(words[i + 1]) : word.substr(one->flag.size());
        const bool target = one->flag.find("target") != Word::npos;
        if (!target || user_ || !is_this_machine(value)) keep(one->effect, word);
        if (apart) {
          ++i;
          if (one->effect == Effect::Read) out_.kept.push_back(words[i]);
        }
        out_.standard = out_.standard || word.starts_with("-std=") || word.starts_with("--std=");
        continue;
      }
      // The word is a file name. File names of the database are skipped: they include the file to
      // lift.
      if (!word.starts_with('-')) {
        if (user_) refuse(word, "it is not a flag");
        continue;
      }
      if (word == "-ansi") out_.standard = true;
      keep(effect_of(word), word);
    }
  }

 private:
  void refuse(Word word, const std::string& why) {
    if (!user_) return;
    refuse_always(word, why);
  }
  void refuse_always(Word word, const std::string& why) {
    if (!out_.refused.empty()) return;
    out_.refused = word;
    out_.why = why;
  }
  void keep(Effect effect, Word word) {
    switch (effect) {
      case Effect::Read:
        out_.kept.emplace_back(word);
        return;
      case Effect::None:
        return;
      case Effect::OpenMp:
      case Effect::NoOpenMp:
        out_.openmp = effect == Effect::OpenMp;
        return;
      case Effect::Machine:
        return refuse_always(word,
                             "it selects another machine, where types may have other sizes; the "
                             "lifter reads code for the machine that it runs on");
      case Effect::Arithmetic:
        return refuse(word, "it changes the bits of results, which the proof compares");
      case Effect::Refused:
        return refuse(word, "it is not one of the flags that the lifter accepts");
    }
  }
  void language(Word name) {
    if (name == "c" || name == "c++") {
      out_.cpp = name == "c++";
    } else if (name != "none") {
      refuse("-x " + std::string(name), "the lifter reads C and C++");
    }
  }

  CFlags& out_;
  const bool user_;
};

}  // namespace

CFlags flags_for_clang(const std::string& file, const std::vector<std::string>& recorded,
                       const std::vector<std::string>& given) {
  CFlags out;
  out.cpp = !Word(file).ends_with(".c");
  for (size_t i = 0; i < recorded.size(); ++i) {
    const bool driver = i == 0 && Word(recorded[i]).ends_with("++");
    if (driver || recorded[i] == "--driver-mode=g++") out.cpp = true;
  }
  Reader(out, false).read(recorded, 1);
  Reader(out, true).read(given, 0);
  // The value that Clang defines for OpenMP 5.1. This flag comes first, so that a -U of the user
  // overrides it.
  if (out.openmp) out.kept.insert(out.kept.begin(), "-D_OPENMP=202011");
  return out;
}

}  // namespace stencil::host
