// Nearly all requests have ascending addresses, which need no sorting.
//
// Shared memory: accesses of 8 and 16 bytes are split into groups of threads, as is commonly
// assumed for devices since Volta. Groups are merged if the whole warp has no bank conflict;
// hardware may merge more.
#include "compiler/kernel/trace_access.h"

#include <algorithm>

namespace stencil::kernel::tracing {

namespace {

constexpr int kWordBytes = 4;
constexpr int kMostWords = 5;  // touched by 16 bytes

// The units of `unit` bytes that threads `begin` to `end` of the access touch, as sorted unique
// numbers.
template <int unit>
class Units {
 public:
  Units(const WarpAccess& access, int begin, int end) {
    bool sorted = true;
    for (int i = begin; i < end; ++i) {
      const int64_t address = access.addresses[i];
      for (int64_t n = address / unit; n <= (address + access.bytes - 1) / unit; ++n) {
        if (count_ > 0 && units_[count_ - 1] == n) continue;
        sorted = sorted && (count_ == 0 || units_[count_ - 1] < n);
        units_[count_++] = n;
      }
    }
    if (sorted) return;
    std::sort(units_.begin(), units_.begin() + static_cast<std::ptrdiff_t>(count_));
    const auto last =
        std::unique(units_.begin(), units_.begin() + static_cast<std::ptrdiff_t>(count_));
    count_ = static_cast<size_t>(last - units_.begin());
  }
  size_t count() const { return count_; }
  int64_t operator[](size_t i) const { return units_[i]; }

 private:
  size_t count_ = 0;
  std::array<int64_t, static_cast<size_t>(kWarpThreads) * kMostWords> units_;
};

// The largest number of words requested from one bank.
int64_t most_words_of_a_bank(const WarpAccess& access, int begin, int end) {
  const Units<kWordBytes> words(access, begin, end);
  std::array<int64_t, kSharedBanks> asked{};
  int64_t most = 0;
  for (size_t i = 0; i < words.count(); ++i) {
    most = std::max(most, ++asked[words[i] % kSharedBanks]);
  }
  return most;
}

// True if consecutive threads access consecutive words, as in nearly all requests. No group then
// has a bank conflict, because it has no more words than there are banks.
bool is_dense(const WarpAccess& access) {
  if (access.bytes % kWordBytes != 0 || access.addresses[0] % kWordBytes != 0) return false;
  bool dense = true;
  for (int i = 1; i < access.count; ++i) {
    const auto n = static_cast<size_t>(i);
    dense = dense && access.addresses[n] - access.addresses[n - 1] == access.bytes;
  }
  return dense;
}

}  // namespace

Touched touched(const WarpAccess& access) {
  const Units<kSectorBytes> sectors(access, 0, access.count);
  Touched out{static_cast<int64_t>(sectors.count()), 0};
  int64_t line = -1;
  for (size_t i = 0; i < sectors.count(); ++i) {
    if (sectors[i] / kLineSectors == line) continue;
    line = sectors[i] / kLineSectors;
    ++out.lines;
  }
  return out;
}

Touched touched(int64_t first_byte, int64_t bytes) {
  if (bytes <= 0) return {};
  const int64_t first = first_byte / kSectorBytes, last = (first_byte + bytes - 1) / kSectorBytes;
  return {last - first + 1, last / kLineSectors - first / kLineSectors + 1};
}

int64_t wavefronts(const WarpAccess& access) {
  if (access.count == 0) return 0;
  const int words = (access.bytes + kWordBytes - 1) / kWordBytes;
  const bool dense = is_dense(access);
  if (dense && access.count * words <= kSharedBanks) return 1;
  const int64_t together = dense ? words : most_words_of_a_bank(access, 0, access.count);
  if (together <= 1 || words == 1) return together;
  int64_t out = 0;
  const int group = kWarpThreads / words;  // threads per group
  for (int begin = 0, end = 0; begin < access.count; begin = end) {
    const int number = access.lanes[begin] / group;
    while (end < access.count && access.lanes[end] / group == number) ++end;
    out += dense ? 1 : most_words_of_a_bank(access, begin, end);
  }
  return out;
}

}  // namespace stencil::kernel::tracing
