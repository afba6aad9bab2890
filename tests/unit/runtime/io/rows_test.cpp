// Fields whose rows are spread over several owners: one file, one checksum, one count.
#include "runtime/io/rows.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/io/checksum.h"
#include "runtime/io/file_writer.h"
#include "runtime/io/files.h"
#include "runtime/io/new_files.h"
#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

uint32_t zlib_checksum(const std::vector<std::byte>& bytes) {
  const auto* at = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<uint32_t>(crc32_z(crc32_z(0, nullptr, 0), at, bytes.size()));
}

TEST(Checksum, CombinesSharesOfSeveralOwners) {
  std::vector<std::byte> bytes(20011);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i / 7);
  for (const size_t hands : {1u, 2u, 5u}) {
    std::vector<SparseChecksum> sums(hands);
    size_t piece = 0;
    for (size_t at = 0; at < bytes.size(); ++piece) {
      const size_t count = std::min(bytes.size() - at, size_t{1} + piece * piece % 213);
      sums[piece % hands].add(static_cast<int64_t>(at), {bytes.data() + at, count});
      at += count;
    }
    std::vector<uint32_t> shares;
    const auto size = static_cast<int64_t>(bytes.size());
    for (const SparseChecksum& sum : sums) shares.push_back(sum.share_of(size));
    EXPECT_EQ(whole_checksum(shares, size), zlib_checksum(bytes)) << hands;
  }
  EXPECT_EQ(whole_checksum({SparseChecksum().share_of(0)}, 0), 0u);
  const std::vector<std::byte> zeros(1000);
  EXPECT_EQ(whole_checksum({SparseChecksum().share_of(1000)}, 1000), zlib_checksum(zeros));
}

// Two components over 6 x 50 points.
reference::State field_with_values(int64_t rows) {
  reference::State state;
  state.fields = {make_field({{0, rows - 1}, {0, 49}}, {Scalar::BF16, Scalar::BF16})};
  for (int c = 0; c < 2; ++c) {
    for (int64_t i = 0; i < state.fields[0].points; ++i) {
      state.fields[0].set_real(0, c, i, static_cast<double>(c + 2 * i));
    }
  }
  return state;
}

constexpr int64_t kRows = 6;

// One of three owners. It has every third row, stored together in its own field.
struct Hand {
  explicit Hand(const reference::State& whole, int64_t number) {
    state.fields = {make_field({{0, kRows / 3 - 1}, {0, 49}}, {Scalar::BF16, Scalar::BF16})};
    for (int c = 0; c < 2; ++c) {
      for (int64_t i = 0; i < state.fields[0].points; ++i) {
        const int64_t there = (i / 50 * 3 + number) * 50 + i % 50;
        state.fields[0].set_real(0, c, i, whole.fields[0].real(0, c, there));
      }
    }
    rows = [number](ir::FieldId, const std::function<void(const Row&)>& visit) {
      for (int64_t row = 0; row < kRows / 3; ++row) {
        visit({row * 50, (row * 3 + number) * 50, 20});
        visit({row * 50 + 20, (row * 3 + number) * 50 + 20, 30});  // adjacent rows
      }
    };
  }
  reference::State state;
  RowsOf rows;
};

std::vector<Hand> hands_of(const reference::State& whole) {
  return {Hand(whole, 0), Hand(whole, 1), Hand(whole, 2)};
}

NewFile file_of(const std::string& path) {
  NewFile file = text_file(path, "head");
  file.append(StoredArray{.components = 2, .type = Scalar::F32, .points = kRows * 50});
  file.append("middle");
  file.bytes += 5;  // zeros
  file.append(StoredArray{.component = 1, .type = Scalar::BF16, .points = kRows * 50});
  file.bytes += 3;
  return file;
}

TEST(Rows, OfSeveralOwnersGiveOneFile) {
  const TemporaryDirectory directory;
  const reference::State whole = field_with_values(kRows);
  const NewFile file = file_of(directory.file("one"));
  StateSource all(whole);
  ASSERT_TRUE(write_files({file}, &all).ok());
  const std::string expected = read_file(file.path).value();
  EXPECT_EQ(static_cast<int64_t>(expected.size()), file.bytes);
  EXPECT_EQ(expected.substr(0, 4), "head");
  float second = 0;
  std::memcpy(&second, expected.data() + 4 + 4, 4);
  EXPECT_EQ(second, 1.0f);

  std::string other(expected.size(), '\0');
  other.replace(0, 4, "head");
  other.replace(static_cast<size_t>(file.texts[1].offset), 6, "middle");
  const std::string path = directory.file("three");
  ASSERT_TRUE(write_file_atomically(path, other).ok());
  for (Hand& hand : hands_of(whole)) {
    EXPECT_NE(read_file(path).value(), expected);
    ASSERT_TRUE(
        StateSource(hand.state, hand.rows).write({{path, path, file.bytes, file.arrays}}).ok());
  }
  EXPECT_EQ(read_file(path).value(), expected);
}

// A pipe does not support writing at an offset.
TEST(Rows, AreWrittenToAPipeInOrder) {
  const TemporaryDirectory directory;
  const reference::State whole = field_with_values(kRows);
  StateSource all(whole);
  const NewFile file = file_of(directory.file("one"));
  ASSERT_TRUE(write_files({file}, &all).ok());
  NewFile piped = file;
  piped.path = directory.file("pipe");
  ASSERT_EQ(::mkfifo(piped.path.c_str(), 0600), 0);
  const int reader = ::open(piped.path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(::fcntl(reader, F_SETFL, 0), 0);  // blocking from here on
  const std::string expected = read_file(file.path).value();
  std::string copy;
  std::thread reading([&] {
    std::string part(4096, ' ');
    while (copy.size() < expected.size()) {
      const ssize_t got = ::read(reader, part.data(), part.size());
      if (got <= 0 && copy.empty()) continue;  // the writer has not opened it yet
      if (got <= 0) break;
      copy.append(part, 0, static_cast<size_t>(got));
    }
  });
  EXPECT_TRUE(write_files({piped}, &all).ok());
  reading.join();
  ::close(reader);
  EXPECT_EQ(copy, expected);
}

TEST(Rows, OfSeveralOwnersHaveOneChecksum) {
  const reference::State whole = field_with_values(kRows);
  const std::vector<StoredArray> arrays = file_of("x").arrays;
  const auto all = StateSource(whole).checksums(arrays).value();
  std::vector<std::vector<uint32_t>> shares(arrays.size());
  for (Hand& hand : hands_of(whole)) {
    const auto own = StateSource(hand.state, hand.rows).checksums(arrays).value();
    for (size_t a = 0; a < arrays.size(); ++a) shares[a].push_back(own[a]);
  }
  for (size_t a = 0; a < arrays.size(); ++a) {
    EXPECT_EQ(whole_checksum(shares[a], arrays[a].bytes()),
              whole_checksum({all[a]}, arrays[a].bytes()));
  }
}

TEST(Rows, OfSeveralOwnersAreCountedTogether) {
  reference::State whole = field_with_values(kRows);
  whole.fields[0].set_real(0, 1, 260, kNan);
  whole.fields[0].set_real(0, 1, 177, kInfinity);
  NonFiniteCount all;
  for (Hand& hand : hands_of(whole)) {
    all.add(StateSource(hand.state, hand.rows).count_non_finite({{0, 0, 1}}).value()[0]);
  }
  EXPECT_EQ(all.nans, 1);
  EXPECT_EQ(all.infinities, 1);
  EXPECT_EQ(all.first, 177);
}

TEST(Rows, RefuseAMissingFile) {
  const TemporaryDirectory directory;
  const reference::State whole = field_with_values(kRows);
  const SharedFile file{"a.npy", directory.file("none"), 10, {}};
  EXPECT_EQ(reaches(file).failure().message, "cannot write 'a.npy': No such file or directory");
  EXPECT_EQ(StateSource(whole).write({file}).failure().code, "R011");
}

}  // namespace
}  // namespace stencil::runtime
