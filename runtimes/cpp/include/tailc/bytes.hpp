// The bytes of a file.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

// Replaces a file at once and whole; std::system_error where that fails, and the old file stays.
inline void replace_file(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), path); };
  std::string beside = path + ".XXXXXX";
  const int number = ::mkstemp(beside.data());
  if (number < 0) fail();
  std::FILE* file = ::fdopen(number, "wb");
  const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() &&
                          std::fflush(file) == 0 && ::fsync(number) == 0;
  const bool is_closed = std::fclose(file) == 0;
  if (is_written && is_closed && std::rename(beside.c_str(), path.c_str()) == 0) return;
  const int why = errno;
  std::remove(beside.c_str());
  errno = why;
  fail();
}

}  // namespace tailc::detail
