// Calls the entry points of emitted C++ files in a separate process, compiled with AddressSanitizer
// and UndefinedBehaviorSanitizer. The calls come from a script drawn by calls.cpp, which knows the
// required result of each call. The generated source includes this header, then the emitted files
// and a table of their entry points.
//
//   block ID BYTES SHIFT FILL SEED   BYTES bytes of memory, SHIFT bytes after an aligned address
//   doubles ID COUNT VALUES...       memory that holds these numbers
//   bytes ID COUNT HEX               memory that holds these bytes
//   at ID OTHER OFFSET               the memory of OTHER, starting at byte OFFSET
//   null ID
//   table ID COUNT IDS...            an array of pointers
//   call ENTRY EXPECTED LABEL IDS COUNT... NUMBERS COUNT...
//   same FILL BYTES ID OTHER         checks that both memories hold the same bits (NaN equals NaN)
//   free                             frees all memory
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace harness {

struct Arguments {
  const std::vector<void*>& pointers;
  const std::vector<int64_t>& numbers;
  size_t pointer = 0, number = 0;
};

template <class T>
T take(Arguments& from) {
  if constexpr (std::is_pointer_v<T>) {
    return (T)from.pointers.at(from.pointer++);
  } else {
    return (T)from.numbers.at(from.number++);
  }
}

template <class... T>
const char* invoke(const char* (*function)(T...), Arguments from) {
  std::tuple<T...> arguments{take<T>(from)...};  // evaluated in this order
  return std::apply(function, arguments);
}

using Entries = std::map<std::string, std::function<const char*(Arguments)>>;

inline uint64_t next(uint64_t& state) {  // splitmix64
  state += 0x9e3779b97f4a7c15u;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// f, d: floats, with some non-finite values in one block of eight; h: 16-bit floats; i, l: small
// integers of 32 and 64 bits; b: bools; x: random bytes; z: zeros.
inline void fill(char how, uint64_t seed, char* to, size_t bytes) {
  const bool holes = seed % 8 == 0;
  const auto each = [&](auto zero, auto make) {
    using T = decltype(zero);
    for (size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
      const T value = (T)make(next(seed));
      memcpy(to + at, &value, sizeof value);
    }
  };
  const auto real = [&](uint64_t bits) {
    if (holes && bits % 16 == 0) return bits % 32 ? (double)NAN : (bits % 64 ? 1.0 : -1.0) / 0.0;
    return (double)(bits >> 11) * 0x1p-52 - 1;
  };
  if (how == 'f') each(0.0f, real);
  if (how == 'd') each(0.0, real);
  if (how == 'h') each(uint16_t{0}, [](uint64_t bits) { return 0x3800 | (bits & 0x83ff); });
  if (how == 'i') each(int32_t{0}, [](uint64_t bits) { return bits & 7; });
  if (how == 'l') each(int64_t{0}, [](uint64_t bits) { return bits & 7; });
  if (how == 'b') each(uint8_t{0}, [](uint64_t bits) { return bits & 1; });
  if (how == 'x') each(uint8_t{0}, [](uint64_t bits) { return bits; });
  if (how == 'z') memset(to, 0, bytes);
}

inline bool same(char type, size_t bytes, const char* a, const char* b) {
  const auto each = [&](auto zero) {
    for (size_t at = 0; at + sizeof zero <= bytes; at += sizeof zero) {
      auto x = zero, y = zero;
      memcpy(&x, a + at, sizeof x);
      memcpy(&y, b + at, sizeof y);
      if (memcmp(&x, &y, sizeof x) != 0 && !(x != x && y != y)) return false;
    }
    return true;
  };
  return type == 'f' ? each(0.0f) : type == 'd' ? each(0.0) : memcmp(a, b, bytes) == 0;
}

inline char current[400];  // the call in progress

inline void died(int signal) {
  const auto say = [](const char* text) { (void)!write(2, text, strlen(text)); };
  say(signal == SIGPROF ? "\nendless: " : "\nsignal in: ");
  say(current);
  say("\n");
  _exit(98);
}

extern "C" inline void __asan_on_error() {
  (void)!write(2, "\nin: ", 5);
  (void)!write(2, current, strlen(current));
  (void)!write(2, "\n", 1);
}

// Limits the CPU time of a call.
inline void limit_time(int seconds) {
  itimerval limit = {};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

class Script {
 public:
  Script(const Entries& entries, std::istream& in) : entries_(entries), in_(in) {}

  int run() {
    for (std::string word; in_ >> word;) {
      if (word == "block") block();
      if (word == "doubles") doubles();
      if (word == "bytes") bytes();
      if (word == "at") at();
      if (word == "null") pointers_[read<int>()] = nullptr;
      if (word == "table") table();
      if (word == "call") call();
      if (word == "same") compare();
      if (word == "free") free_all();
    }
    free_all();
    printf("%lld calls, %lld errors, %d problems\n", calls_, errors_, problems_);
    return problems_ == 0 ? 0 : 1;
  }

 private:
  template <class T>
  T read() {
    T value{};
    if (!(in_ >> value)) {
      fprintf(stderr, "the script ends early\n");
      exit(97);
    }
    return value;
  }

  char* memory(int id, size_t bytes, size_t shift) {
    char* const whole = (char*)malloc(bytes + shift + (bytes + shift == 0));
    owned_.push_back(whole);
    pointers_[id] = whole + shift;
    return whole + shift;
  }

  void block() {
    const int id = read<int>();
    const auto bytes = read<size_t>(), shift = read<size_t>();
    const char how = read<char>();
    fill(how, read<uint64_t>(), memory(id, bytes, shift), bytes);
  }
  void doubles() {
    const int id = read<int>();
    const auto count = read<size_t>();
    char* const to = memory(id, count * sizeof(double), 0);
    for (size_t i = 0; i < count; ++i) {
      const double value = strtod(read<std::string>().c_str(), nullptr);
      memcpy(to + i * sizeof value, &value, sizeof value);
    }
  }
  void bytes() {
    const int id = read<int>();
    const auto count = read<size_t>();
    const auto hex = read<std::string>();
    char* const to = memory(id, count, 0);
    for (size_t i = 0; i < count; ++i) {
      to[i] = (char)strtol(hex.substr(1 + 2 * i, 2).c_str(), nullptr, 16);
    }
  }
  void at() {
    const int id = read<int>(), other = read<int>();
    pointers_[id] = (void*)((uintptr_t)pointers_[other] + read<uintptr_t>());
  }
  std::vector<void*> list() {
    std::vector<void*> out(read<size_t>());
    for (void*& each : out) each = pointers_[read<int>()];
    return out;
  }
  void table() {
    const int id = read<int>();
    const std::vector<void*> all = list();
    char* const to = memory(id, all.size() * sizeof(void*), 0);
    if (!all.empty()) memcpy(to, all.data(), all.size() * sizeof(void*));
  }

  void call() {
    const auto entry = read<std::string>();
    const auto expected = read<std::string>();  // "error", "none" or "any"
    const auto label = read<std::string>();
    const std::vector<void*> pointers = list();
    std::vector<int64_t> numbers(read<size_t>());
    for (int64_t& number : numbers) number = read<int64_t>();
    snprintf(current, sizeof current, "%s, call %s", entry.c_str(), label.c_str());
    limit_time(100);
    const char* const error = entries_.at(entry)({pointers, numbers});
    limit_time(0);
    ++calls_;
    errors_ += error != nullptr;
    const bool wrong = (expected == "error" && !error) || (expected == "none" && error);
    const bool empty = error && strlen(error) == 0;
    if (wrong || empty) problem(error ? error : "no error");
  }

  void compare() {
    const char type = read<char>();
    const auto bytes = read<size_t>();
    const int a = read<int>(), b = read<int>();
    if (!same(type, bytes, (const char*)pointers_[a], (const char*)pointers_[b])) {
      problem("other bits than in one piece");
    }
  }

  void problem(const char* what) {
    ++problems_;
    printf("PROBLEM %s: %s\n", current, what);
  }

  void free_all() {
    for (void* memory : owned_) ::free(memory);
    owned_.clear();
    pointers_.clear();
  }

  const Entries& entries_;
  std::istream& in_;
  std::map<int, void*> pointers_;
  std::vector<void*> owned_;
  long long calls_ = 0, errors_ = 0;
  int problems_ = 0;
};

inline int run(const Entries& entries, const char* script) {
  signal(SIGPROF, died);
  signal(SIGFPE, died);
  signal(SIGABRT, died);
  std::ifstream in(script);
  return Script(entries, in).run();
}

}  // namespace harness
