// Says as what bytes are refused, one word a line, `opened` where they are not.
//
//   refusals files < LIST   of each file of the list
//   refusals damages FILE   of all single-bit flips of a file, all truncations, all appended bytes

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <tailc/tailc.hpp>

#include "questions.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

std::string_view opened_as(const Bytes& bytes) {
  try {
    tailc::Policy policy = tailc::open(bytes.data(), bytes.size());
    ask(policy);
    return "opened";
  } catch (const tailc::PolicyError& error) {
    return name_of(error.refusal());
  }
}

Bytes bytes_of(const std::string& path) {
  return tailc::detail::bytes_of(path, tailc::detail::kMostBytes + 1);
}

void damage(Bytes bytes) {
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto mask = static_cast<std::uint8_t>(1U << bit % 8);
    bytes[bit / 8] ^= mask;
    std::cout << opened_as(bytes) << "\n";
    bytes[bit / 8] ^= mask;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    std::cout << opened_as(Bytes(bytes.data(), bytes.data() + size)) << "\n";
  bytes.push_back(0);
  for (int byte = 0; byte < 256; ++byte) {
    bytes.back() = static_cast<std::uint8_t>(byte);
    std::cout << opened_as(bytes) << "\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view command = count > 1 ? arguments[1] : "";
  if (command == "files" && count == 2) {
    for (std::string path; std::getline(std::cin, path);)
      std::cout << opened_as(bytes_of(path)) << "\n";
  } else if (command == "damages" && count == 3) {
    damage(bytes_of(arguments[2]));
  } else {
    std::cerr << "usage: refusals files < LIST | refusals damages FILE\n";
    return 64;
  }
  return 0;
}
