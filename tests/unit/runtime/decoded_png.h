// Decodes pictures with another library.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <string>
#include <vector>

namespace stencil::runtime {

// The pixels of a PNG file of this size, decoded by libpng.
inline std::vector<uint8_t> decoded_png(const std::string& bytes, int64_t width, int64_t height) {
  png_image description{};
  description.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&description, bytes.data(), bytes.size()), 0);
  EXPECT_EQ(description.width, width);
  EXPECT_EQ(description.height, height);
  description.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> rgb(PNG_IMAGE_SIZE(description));
  EXPECT_NE(png_image_finish_read(&description, nullptr, rgb.data(), 0, nullptr), 0);
  return rgb;
}

}  // namespace stencil::runtime
