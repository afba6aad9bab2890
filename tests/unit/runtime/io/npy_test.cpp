#include "runtime/io/npy_fields.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "runtime/io/files.h"
#include "tests/unit/runtime/fields.h"
#include "tests/unit/runtime/temporary_directory.h"

namespace stencil::runtime {
namespace {

// A version 1 file with the given header text and data.
std::string npy(const std::string& header, const std::string& data) {
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string failure_of(const std::string& bytes) {
  const Result<NpyArray> array = parse_npy(bytes, "x.npy");
  EXPECT_FALSE(array.ok());
  return array.ok() ? "" : array.failure().code + ": " + array.failure().message;
}

const char* const kTwoFloats = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";

TEST(Npy, ReadsFilesOfNumPy) {
  const Result<NpyArray> array =
      parse_npy(npy(kTwoFloats, std::string("\0\0\x80\x3f\0\0\0\xc0", 8)), "");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array.value().type, Scalar::F32);
  EXPECT_EQ(array.value().shape, std::vector<int64_t>{2});
  float values[2];
  std::memcpy(values, array.value().data.data(), sizeof values);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], -2);
}

TEST(Npy, ReadsHeadersInAnyOrderAndVersion2) {
  const std::string header = "{\"shape\":( ) , 'fortran_order':False,'descr':'|u1'}\n";
  std::string bytes("\x93NUMPY\2\0", 8);
  bytes += static_cast<char>(header.size());
  bytes += std::string(3, '\0') + header + "\xc8";
  const Result<NpyArray> array = parse_npy(bytes, "");
  ASSERT_TRUE(array.ok()) << array.failure().message;
  EXPECT_EQ(array.value().type, Scalar::U8);
  EXPECT_TRUE(array.value().shape.empty());
  ASSERT_EQ(array.value().data.size(), 1u);
  EXPECT_EQ(std::to_integer<int>(array.value().data[0]), 200);
}

TEST(Npy, WrittenFilesAreAlignedAndReadBack) {
  const TemporaryDirectory directory;
  for (const Scalar type : {Scalar::F16, Scalar::F32, Scalar::F64, Scalar::I8, Scalar::U8,
                            Scalar::I16, Scalar::U16, Scalar::I32, Scalar::I64, Scalar::Bool}) {
    NpyArray array{type, {2, 3}, std::vector<std::byte>(6 * size_in_bytes(type))};
    for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = std::byte(i & 1);
    EXPECT_EQ((format_npy(array).size() - array.data.size()) % 64, 0u);
    ASSERT_TRUE(write_npy(directory.file("a.npy"), array).ok());
    const Result<NpyArray> back = read_npy(directory.file("a.npy"));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back.value().type, type);
    EXPECT_EQ(back.value().shape, array.shape);
    EXPECT_EQ(back.value().data, array.data);
  }
}

TEST(Npy, NamesTypesOfTheSameKind) {
  for (const auto& [descr, types] :
       {std::pair{">f4", "'<f4'"},
        {"<f16", "'<f2', '<f4', '<f8'"},
        {"<u4", "'|i1', '<i2', '<i4', '<i8', '|u1', '<u2'"},
        {"<c8", "'<f2', '<f4', '<f8', '|i1', '<i2', '<i4', '<i8', '|u1', '<u2', '|b1'"}}) {
    const std::string header =
        std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,), }";
    const auto array = parse_npy(npy(header, std::string(8, '\0')), "x.npy");
    ASSERT_FALSE(array.ok()) << descr;
    EXPECT_EQ(array.failure().hint, std::string("save array.astype(t) with t one of ") + types);
  }
}

TEST(Npy, RefusesWhatItDoesNotSupport) {
  const std::string data(8, '\0');
  EXPECT_EQ(failure_of(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", data)),
            "R021: 'x.npy' is in Fortran order, which is not supported");
  EXPECT_EQ(failure_of(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", data)),
            "R021: 'x.npy' has dtype '>f4', which is not supported");
  EXPECT_EQ(
      failure_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", data)),
      "R021: 'x.npy' holds structured elements, which are not supported");
  EXPECT_EQ(failure_of(std::string("\x93NUMPY\7\0\0\0", 10)), "R021: 'x.npy' has format version 7");
}

TEST(Npy, DamagedFilesAreErrors) {
  EXPECT_EQ(failure_of("PNG"),
            "R020: 'x.npy' is not an intact .npy file: it does not start with the .npy signature");
  EXPECT_EQ(failure_of(npy(kTwoFloats, "1234567")),
            "R020: 'x.npy' is not an intact .npy file: its shape (2,) needs 8 bytes of data, but "
            "it has 7");
  EXPECT_EQ(failure_of(npy(kTwoFloats, "123456789")),
            "R020: 'x.npy' is not an intact .npy file: its shape (2,) needs 8 bytes of data, but "
            "it has 9");
  const std::string malformed = "R020: 'x.npy' is not an intact .npy file: its header is malformed";
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} trailing",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"}) {
    EXPECT_EQ(failure_of(npy(header, "12345678")), malformed) << header;
  }
  EXPECT_EQ(
      failure_of(npy("{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (4294967296, 4294967296)}",
                     "")),
      "R020: 'x.npy' is not an intact .npy file: its shape (4294967296, 4294967296) overflows");
}

// Every prefix of a valid file, and every file with one changed byte, is read or refused.
TEST(Npy, DamagedFilesNeverCrash) {
  const std::string good = npy(kTwoFloats, "12345678");
  for (size_t size = 0; size < good.size(); ++size) failure_of(good.substr(0, size));
  for (size_t i = 0; i < good.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = good;
      bad[i] = static_cast<char>(byte);
      const Result<NpyArray> array = parse_npy(bad, "");
      EXPECT_TRUE(!array.ok() || array.value().data.size() <= 32u);
    }
  }
}

// Writes one component of a field to a file, or all of them if `component` is -1.
Status write_field(const std::string& path, const reference::FieldData& field, int component = -1) {
  reference::State state;
  state.fields = {field};
  StateSource fields(state);
  const Result<NewFile> file = npy_file(path, field, {0, 0, component});
  if (!file.ok()) return file.failure();
  const Status written = write_files({file.value()}, &fields);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) {
    EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(path)), file.value().bytes);
  }
  return written;
}

Status read_field(const std::string& path, reference::FieldData& field) {
  const auto found = find_npy(path, field, {0, 0, -1});
  if (!found.ok()) return found.failure();
  reference::State state;
  state.fields = {field};
  const Status read = read_all_rows(found.value().values, state);
  field = state.fields[0];
  return read;
}

// Writes a field to a file and reads the array back.
Result<NpyArray> array_of(const reference::FieldData& field, int component = -1) {
  const TemporaryDirectory directory;
  const Status written = write_field(directory.file("a.npy"), field, component);
  if (!written.ok()) return written.failure();
  return read_npy(directory.file("a.npy"));
}

TEST(NpyFields, RoundTripOfOneComponent) {
  reference::FieldData field = make_field({{2, 3}, {0, 2}}, {Scalar::BF16});
  for (int64_t i = 0; i < 6; ++i) field.set_real(0, 0, i, 0.1 * static_cast<double>(i));
  const Result<NpyArray> array = array_of(field);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array.value().type, Scalar::F32);
  EXPECT_EQ(array.value().shape, (std::vector<int64_t>{2, 3}));
  reference::FieldData copy = make_field({{2, 3}, {0, 2}}, {Scalar::BF16});
  ASSERT_TRUE(from_npy(array.value(), "x", copy).ok());
  EXPECT_EQ(copy.levels, field.levels);
}

TEST(NpyFields, ComponentsAreTheLastDimension) {
  reference::FieldData field = make_field({{0, 1}}, {Scalar::I32, Scalar::I32, Scalar::I32});
  for (int c = 0; c < 3; ++c) {
    for (int64_t i = 0; i < 2; ++i) field.set_integer(0, c, i, 10 * i + c);
  }
  const Result<NpyArray> array = array_of(field);
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array.value().shape, (std::vector<int64_t>{2, 3}));
  int32_t values[6];
  std::memcpy(values, array.value().data.data(), sizeof values);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values[i], 10 * (i / 3) + i % 3);
  reference::FieldData copy = make_field({{0, 1}}, {Scalar::I32, Scalar::I32, Scalar::I32});
  ASSERT_TRUE(from_npy(array.value(), "x", copy).ok());
  EXPECT_EQ(copy.levels, field.levels);
  EXPECT_EQ(array_of(field, 1).value().shape, std::vector<int64_t>{2});

  field = make_field({{0, 1}}, {Scalar::I32, Scalar::F32});
  EXPECT_EQ(array_of(field).failure().code, "R024");
  const NpyArray ones = array_of(make_field({{0, 1}}, {Scalar::I64}), 0).value();
  EXPECT_TRUE(from_npy(ones, "x", field, 0, 1).ok());
}

TEST(NpyFields, RefusesOtherShapesAndValues) {
  reference::FieldData field = make_field({{0, 2}}, {Scalar::I32});
  const auto failure = [&](const reference::FieldData& from) {
    const auto status = from_npy(array_of(from).value(), "x.npy", field);
    EXPECT_FALSE(status.ok());
    return status.ok() ? "" : status.failure().code + ": " + status.failure().message;
  };
  EXPECT_EQ(failure(make_field({{0, 3}}, {Scalar::I32})),
            "R022: 'x.npy' has the shape 4, but the field has 3");
  const NpyArray scalar{Scalar::I32, {}, std::vector<std::byte>(4)};
  const auto number = from_npy(scalar, "x.npy", field);
  ASSERT_FALSE(number.ok());
  EXPECT_EQ(number.failure().message,
            "'x.npy' holds a single number without dimensions, but the field has the shape 3");
  EXPECT_EQ(failure(make_field({{0, 2}}, {Scalar::F64})),
            "R023: 'x.npy' holds double values, but the field holds integer");
  reference::FieldData large = make_field({{0, 2}}, {Scalar::I64});
  large.set_integer(0, 0, 0, 7);
  large.set_integer(0, 0, 2, int64_t{1} << 31);
  EXPECT_EQ(failure(large), "R023: 'x.npy' holds 2147483648, which does not fit a 32-bit integer");
  EXPECT_EQ(field.integer(0, 0, 0), 0);  // untouched
  large.set_integer(0, 0, 2, -5);
  EXPECT_TRUE(from_npy(array_of(large).value(), "x.npy", field).ok());
  EXPECT_EQ(field.integer(0, 0, 2), -5);
}

TEST(NpyFields, SmallIntegersAreCheckedForTheirRange) {
  const auto stored = [](Scalar from, int64_t value, Scalar type) {
    reference::FieldData source = make_field({{0, 2}}, {from});
    source.set_integer(0, 0, 2, value);
    reference::FieldData field = make_field({{0, 2}}, {type});
    const auto status = from_npy(array_of(source).value(), "x.npy", field);
    if (!status.ok()) return status.failure().code + ": " + status.failure().message;
    EXPECT_EQ(status.value().values, 0);
    return std::to_string(field.integer(0, 0, 2));
  };
  EXPECT_EQ(stored(Scalar::I32, 200, Scalar::U8), "200");
  EXPECT_EQ(stored(Scalar::U8, 200, Scalar::I32), "200");
  EXPECT_EQ(stored(Scalar::U8, 200, Scalar::I16), "200");
  EXPECT_EQ(stored(Scalar::U8, 200, Scalar::I8),
            "R023: 'x.npy' holds 200, which does not fit a byte");
  EXPECT_EQ(stored(Scalar::I8, -1, Scalar::U8),
            "R023: 'x.npy' holds -1, which does not fit a ubyte");
  EXPECT_EQ(stored(Scalar::I8, -1, Scalar::U16),
            "R023: 'x.npy' holds -1, which does not fit a ushort");
  EXPECT_EQ(stored(Scalar::I8, 5, Scalar::U16), "5");
  EXPECT_EQ(stored(Scalar::U16, 40000, Scalar::I16),
            "R023: 'x.npy' holds 40000, which does not fit a short");
  EXPECT_EQ(stored(Scalar::I64, 65536, Scalar::U16),
            "R023: 'x.npy' holds 65536, which does not fit a ushort");
  EXPECT_EQ(stored(Scalar::U16, 65535, Scalar::F32), "65535");
  EXPECT_EQ(stored(Scalar::Bool, 1, Scalar::I8), "1");
  for (const Scalar from : {Scalar::I8, Scalar::U8, Scalar::U16, Scalar::I64}) {
    EXPECT_EQ(stored(from, 2, Scalar::Bool), "1") << "every value except 0 is true";
    EXPECT_EQ(stored(from, 0, Scalar::Bool), "0");
  }
  EXPECT_EQ(stored(Scalar::F32, 1, Scalar::Bool),
            "R023: 'x.npy' holds float values, but the field holds bool");
}

// Larger than the chunk in which files are converted.
TEST(NpyFields, LargeFieldsAreConvertedInChunks) {
  const TemporaryDirectory directory;
  reference::FieldData field = make_field({{0, 99}, {0, 999}}, {Scalar::F64, Scalar::F64});
  for (int64_t i = 0; i < field.points; ++i) field.set_real(0, 1, i, static_cast<double>(i));
  const std::string path = directory.file("a.npy");
  ASSERT_TRUE(write_field(path, field).ok());
  reference::FieldData copy = make_field({{0, 99}, {0, 999}}, {Scalar::F64, Scalar::F64});
  ASSERT_TRUE(read_field(path, copy).ok());
  EXPECT_EQ(copy.levels, field.levels);
  reference::FieldData rounded = make_field({{0, 99}, {0, 999}}, {Scalar::F32});
  ASSERT_TRUE(write_field(path, field, 1).ok());
  ASSERT_TRUE(read_field(path, rounded).ok());
  EXPECT_EQ(rounded.real(0, 0, 99999), 99999);
  const auto missing = read_field(directory.file("b.npy"), copy);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.failure().code, "R010");
}

TEST(NpyFields, NamedPipesAreRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  reference::FieldData copy = make_field({{0, 2}}, {Scalar::I32});
  for (const std::string& name : {path, std::string("/dev/zero"), directory.file("")}) {
    const auto read = read_field(name, copy);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.failure().code, "R010") << name;
  }
}

// Reads a pipe such as a shell creates for `<(...)`.
TEST(NpyFields, PipesOfTheProcessAreRead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const reference::FieldData field = make_field({{0, 2}}, {Scalar::I32});
  const std::string in = "/dev/fd/" + std::to_string(ends[0]);
  std::thread writer([&] {
    EXPECT_TRUE(write_field("/dev/fd/" + std::to_string(ends[1]), field).ok());
    ::close(ends[1]);
  });
  reference::FieldData copy = make_field({{0, 2}}, {Scalar::I32});
  EXPECT_TRUE(read_field(in, copy).ok());
  writer.join();
  ::close(ends[0]);
}

// Values that the type of the field cannot represent.
TEST(NpyFields, RoundingIsCounted) {
  const auto array = [](Scalar type, double value) {
    reference::FieldData field = make_field({{0, 2}}, {type});
    is_float(type) ? field.set_real(0, 0, 1, value)
                   : field.set_integer(0, 0, 1, static_cast<int64_t>(value));
    return array_of(field).value();
  };
  const auto rounded = [](const NpyArray& from, Scalar type) {
    reference::FieldData field = make_field({{0, 2}}, {type});
    const auto result = from_npy(from, "x.npy", field);
    EXPECT_TRUE(result.ok()) << result.failure().message;
    return result.ok() ? std::pair{result.value().values, result.value().example}
                       : std::pair{int64_t{-1}, std::string()};
  };
  using Counted = std::pair<int64_t, std::string>;
  EXPECT_EQ(rounded(array(Scalar::F64, 0.1), Scalar::F32), (Counted{1, "0.1 becomes 0.100000001"}));
  EXPECT_EQ(rounded(array(Scalar::F64, 0.5), Scalar::F32), (Counted{0, ""}));
  EXPECT_EQ(rounded(array(Scalar::F64, std::nan("")), Scalar::F32), (Counted{0, ""}));
  EXPECT_EQ(rounded(array(Scalar::F64, HUGE_VAL), Scalar::F32), (Counted{0, ""}));
  EXPECT_EQ(rounded(array(Scalar::F64, 1e-60), Scalar::F32), (Counted{1, "1e-60 becomes 0"}));
  EXPECT_EQ(rounded(array(Scalar::F32, 1.0009765625f), Scalar::BF16),
            (Counted{1, "1.0009765625 becomes 1"}));
  EXPECT_EQ(rounded(array(Scalar::I64, 16777217), Scalar::F32),
            (Counted{1, "16777217 becomes 16777216"}));
  EXPECT_EQ(rounded(array(Scalar::I64, 16777217), Scalar::F64), (Counted{0, ""}));
  reference::FieldData field = make_field({{0, 2}}, {Scalar::F16});
  const auto huge = from_npy(array(Scalar::F32, 1e30), "x.npy", field);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.failure().code, "R023");
}

TEST(InputFile, TruncationWhileReadingIsAFailure) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x");
  ASSERT_TRUE(write_file_atomically(path, std::string(10000, 'x')).ok());
  const auto file = InputFile::open(path);
  ASSERT_TRUE(file.ok());
  std::string part(5000, ' ');
  EXPECT_TRUE(file.value().read(5000, 5000, part.data()).ok());
  EXPECT_EQ(part, std::string(5000, 'x'));
  std::filesystem::resize_file(path, 6000);
  EXPECT_TRUE(file.value().read(0, 5000, part.data()).ok());
  const Status cut = file.value().read(5000, 5000, part.data());
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(cut.failure().code, "R010");
  EXPECT_EQ(cut.failure().message, "cannot read '" + path +
                                       "': it was truncated while it was read, from 10000 bytes "
                                       "to 6000");
  EXPECT_FALSE(file.value().read(9999, 2, part.data()).ok());
  EXPECT_FALSE(InputFile::open(directory.file("none")).ok());
}

}  // namespace
}  // namespace stencil::runtime
