// Reads sections, symbols and attributes of a cubin. ELF is public; NVIDIA's additions are not.
// LLVM's headers name the architecture flags; the rest was determined by compiling kernels with
// known registers, stack and shared memory (the test repeats this for each architecture):
//
//   .text.KERNEL       machine code; up to sm_89, bits 24..31 of sh_info are its registers
//   .nv.shared.KERNEL  its static shared memory; from sm_90 on, with 1 KiB that the system reserves
//   .nv.info           attributes of all kernels: pairs of a symbol number and a value
//   .nv.info.KERNEL    attributes of one kernel
#include "runtime/devices/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace stencil::runtime {

namespace {

// Reads an unaligned little-endian integer.
template <class T>
T number_at(std::string_view bytes, size_t place) {
  T value = 0;
  for (size_t b = sizeof(T); b-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[place + b]));
  }
  return value;
}

Failure unreadable(const std::string& why) {
  return {"R042", "the machine code cannot be read: " + why, ""};
}

// --- ELF

constexpr size_t kHeaderBytes = 64, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint16_t kCudaMachine = 190;
constexpr uint32_t kNoBits = 8;         // a section without bytes in the file
constexpr unsigned kFunction = 2;       // type of a symbol
constexpr unsigned kKernelFlag = 0x10;  // in the `other` bits of a symbol
constexpr int kOldestArchitecture = 70;
constexpr int kReservedSince = 90;  // architecture
constexpr int64_t kReservedBytes = 1024;

struct Section {
  std::string_view name;
  uint32_t type = 0, info = 0;
  uint64_t size = 0;
  std::string_view bytes;  // empty if the file has none
};

struct Symbol {
  std::string_view name;
  unsigned type = 0, other = 0;
  uint64_t section = 0, value = 0;
};

// The zero-terminated string at `place`; nullopt if it is not terminated.
std::optional<std::string_view> text_at(std::string_view strings, uint64_t place) {
  if (place >= strings.size()) return std::nullopt;
  const size_t end = strings.find('\0', place);
  if (end == std::string_view::npos) return std::nullopt;
  return strings.substr(place, end - place);
}

class Elf {
 public:
  // Why the bytes cannot be read; "" on success.
  std::string read(std::string_view bytes);

  int architecture = 0;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;

  const Section* section(const std::string& name) const {
    const auto found = std::find_if(sections.begin(), sections.end(),
                                    [&](const Section& section) { return section.name == name; });
    return found == sections.end() ? nullptr : &*found;
  }

 private:
  std::string read_sections(std::string_view bytes);
  std::string read_symbols();
};

std::string Elf::read(std::string_view bytes) {
  constexpr std::string_view kMagic("\177ELF\2\1", 6);  // 64 bits, little-endian
  constexpr size_t kAbiVersion = 8, kMachine = 0x12, kFlags = 0x30;
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return "it is not an ELF file";
  if (number_at<uint16_t>(bytes, kMachine) != kCudaMachine) return "it is not for an NVIDIA GPU";
  // In the second byte since CUDA 13 (ABI version 8), before that in the first.
  const uint32_t flags = number_at<uint32_t>(bytes, kFlags);
  architecture = static_cast<int>((bytes[kAbiVersion] >= 8 ? flags >> 8 : flags) & 0xff);
  if (architecture < kOldestArchitecture) return fmt::format("it is for sm_{}", architecture);
  // The program headers at the end of the file, which the driver uses to load it.
  const uint64_t segments = number_at<uint64_t>(bytes, 0x20);
  const uint64_t length =
      uint64_t{number_at<uint16_t>(bytes, 0x36)} * number_at<uint16_t>(bytes, 0x38);
  if (segments > bytes.size() || length > bytes.size() - segments) return "its end is missing";
  std::string why = read_sections(bytes);
  if (why.empty()) why = read_symbols();
  return why;
}

std::string Elf::read_sections(std::string_view bytes) {
  const uint64_t table = number_at<uint64_t>(bytes, 0x28);
  const uint64_t entry = number_at<uint16_t>(bytes, 0x3a), count = number_at<uint16_t>(bytes, 0x3c);
  const uint64_t names = number_at<uint16_t>(bytes, 0x3e);
  if (entry != kSectionBytes || table > bytes.size() ||
      (bytes.size() - table) / kSectionBytes < count || names >= count) {
    return "its section table is truncated";
  }
  std::vector<uint32_t> name_places;
  for (uint64_t s = 0; s < count; ++s) {
    const std::string_view row = bytes.substr(table + s * kSectionBytes, kSectionBytes);
    Section section{"", number_at<uint32_t>(row, 4), number_at<uint32_t>(row, 44),
                    number_at<uint64_t>(row, 32), ""};
    const uint64_t place = number_at<uint64_t>(row, 24);
    if (section.type != kNoBits && section.type != 0) {
      if (place > bytes.size() || section.size > bytes.size() - place)
        return "a section is truncated";
      section.bytes = bytes.substr(place, section.size);
    }
    name_places.push_back(number_at<uint32_t>(row, 0));
    sections.push_back(section);
  }
  for (uint64_t s = 0; s < count; ++s) {
    const auto name = text_at(sections[names].bytes, name_places[s]);
    if (!name) return "its section names are truncated";
    sections[s].name = *name;
  }
  return "";
}

std::string Elf::read_symbols() {
  const Section* table = section(".symtab");
  const Section* strings = section(".strtab");
  if (table == nullptr || strings == nullptr) return "it has no symbols";
  for (size_t place = 0; table->bytes.size() - place >= kSymbolBytes; place += kSymbolBytes) {
    const std::string_view row = table->bytes.substr(place, kSymbolBytes);
    const auto name = text_at(strings->bytes, number_at<uint32_t>(row, 0));
    if (!name) return "its symbol names are truncated";
    symbols.push_back({*name, number_at<uint8_t>(row, 4) & 0xfu, number_at<uint8_t>(row, 5),
                       number_at<uint16_t>(row, 6), number_at<uint64_t>(row, 8)});
  }
  return "";
}

// --- Attributes

enum Attribute : unsigned {
  kFrameBytes = 0x11,  // of a function
  kStackBytes = 0x12,  // minimum, including called functions
  kExits = 0x1c,       // offsets of the EXIT instructions of a kernel
  kRegisters = 0x2f
};

// An entry is one byte each for form and attribute, and two bytes that hold the value or the number
// of value bytes that follow.
constexpr unsigned kLongForm = 4;

struct Entry {
  unsigned attribute;
  std::vector<uint32_t> values;
};

// nullopt if the entries are truncated.
std::optional<std::vector<Entry>> read_entries(std::string_view bytes) {
  std::vector<Entry> out;
  for (size_t place = 0; place < bytes.size();) {
    if (bytes.size() - place < 4) return std::nullopt;
    const unsigned form = number_at<uint8_t>(bytes, place);
    Entry entry{number_at<uint8_t>(bytes, place + 1), {}};
    const size_t value = number_at<uint16_t>(bytes, place + 2);
    place += 4;
    if (form == kLongForm) {
      if (bytes.size() - place < value) return std::nullopt;
      for (size_t at = 0; at + 4 <= value; at += 4) {
        entry.values.push_back(number_at<uint32_t>(bytes, place + at));
      }
      place += value;
    }
    out.push_back(std::move(entry));
  }
  return out;
}

struct Attributes {
  // By attribute and symbol number.
  std::map<std::pair<unsigned, uint32_t>, uint32_t> of_symbols;

  std::optional<int64_t> find(unsigned attribute, size_t symbol) const {
    const auto found = of_symbols.find({attribute, static_cast<uint32_t>(symbol)});
    if (found == of_symbols.end()) return std::nullopt;
    return found->second;
  }
};

// --- Kernels

std::string read_kernel(const Elf& elf, const Attributes& attributes, size_t number,
                        CubinKernel& kernel) {
  const Symbol& symbol = elf.symbols[number];
  const Section& code = elf.sections[symbol.section];
  const auto registers = attributes.find(kRegisters, number);
  const int64_t of_section = elf.architecture < kReservedSince ? code.info >> 24 : 0;
  if (!registers || *registers > 255 || (of_section != 0 && of_section != *registers)) {
    return fmt::format("the register count of {} is missing or contradictory", kernel.name);
  }
  kernel.registers = static_cast<int>(*registers);
  kernel.local_bytes = std::max(attributes.find(kFrameBytes, number).value_or(0),
                                attributes.find(kStackBytes, number).value_or(0));
  if (const Section* shared = elf.section(".nv.shared." + kernel.name)) {
    constexpr uint64_t kMost = uint64_t{1} << 31;
    if (shared->size > kMost)
      return fmt::format("the shared memory size of {} is out of range", kernel.name);
    kernel.shared_bytes = static_cast<int64_t>(shared->size);
    if (elf.architecture >= kReservedSince) {
      kernel.shared_bytes = std::max<int64_t>(kernel.shared_bytes - kReservedBytes, 0);
    }
  }
  if (code.bytes.size() % kInstructionBytes != 0 || symbol.value % kInstructionBytes != 0 ||
      symbol.value >= code.bytes.size()) {
    return fmt::format("the code of {} is truncated", kernel.name);
  }
  kernel.code_bytes = static_cast<int64_t>(code.bytes.size());
  kernel.instructions = kernel.code_bytes / kInstructionBytes;
  std::optional<std::vector<int64_t>> exits;
  if (const Section* info = elf.section(".nv.info." + kernel.name)) {
    const auto entries = read_entries(info->bytes);
    if (!entries) return fmt::format("the attributes of {} are truncated", kernel.name);
    for (const Entry& entry : *entries) {
      if (entry.attribute != kExits) continue;
      exits.emplace();
      for (const uint32_t place : entry.values) exits->push_back(place / kInstructionBytes);
      std::sort(exits->begin(), exits->end());
    }
  }
  kernel.work = work_of(code.bytes, elf.architecture,
                        static_cast<int64_t>(symbol.value) / kInstructionBytes, exits);
  return "";
}

}  // namespace

Result<Cubin> read_cubin(std::string_view bytes) {
  Elf elf;
  const std::string why = elf.read(bytes);
  if (!why.empty()) return unreadable(why);
  Attributes attributes;
  if (const Section* info = elf.section(".nv.info")) {
    const auto entries = read_entries(info->bytes);
    if (!entries) return unreadable("its attributes are truncated");
    for (const Entry& entry : *entries) {
      if (entry.values.size() != 2) continue;
      attributes.of_symbols[{entry.attribute, entry.values[0]}] = entry.values[1];
    }
  }
  Cubin out{elf.architecture, {}};
  for (size_t s = 0; s < elf.symbols.size(); ++s) {
    const Symbol& symbol = elf.symbols[s];
    if (symbol.type != kFunction || (symbol.other & kKernelFlag) == 0) continue;
    CubinKernel kernel{std::string(symbol.name)};
    if (symbol.section >= elf.sections.size()) {
      return unreadable(fmt::format("kernel {} has no code", kernel.name));
    }
    const std::string wrong = read_kernel(elf, attributes, s, kernel);
    if (!wrong.empty()) return unreadable(wrong);
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

}  // namespace stencil::runtime
