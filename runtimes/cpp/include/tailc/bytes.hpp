// The bytes of a file.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace tailc::detail {

// All bytes of the file, but no more than `most`; std::system_error where it cannot be read.
inline std::vector<std::uint8_t> bytes_of(const std::string& path, std::size_t most) {
  constexpr std::size_t kFirst = 16 * 1024;
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), path); };
  const auto close = [](std::FILE* open) { std::fclose(open); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) fail();
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  std::vector<std::uint8_t> bytes(kFirst);
  std::size_t size = 0;
  for (std::size_t got = 1; got > 0 && size < most; size += got) {
    if (size == bytes.size()) bytes.resize(2 * size);
    got = std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
  }
  if (std::ferror(file.get()) != 0) fail();
  bytes.resize(size);
  return bytes;
}

}  // namespace tailc::detail
