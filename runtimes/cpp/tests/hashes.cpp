// SHA-256 of each line of standard input, whose bytes are given in hex: in hex, first as this machine
// does it fastest, then by the code that runs anywhere.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <tailc/sha256.hpp>

namespace {

void print(const tailc::Sha256& digest) {
  for (const unsigned byte : digest) std::printf("%02x", byte);
}

}  // namespace

int main() {
  constexpr int kHex = 16;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < line.size(); i += 2)
      bytes.push_back(static_cast<std::uint8_t>(std::stoul(line.substr(i, 2), nullptr, kHex)));
    print(tailc::sha256(bytes.data(), bytes.size()));
    std::printf(" ");
    print(tailc::detail::sha256_by(tailc::detail::sha256_blocks, bytes.data(), bytes.size()));
    std::printf("\n");
  }
  return 0;
}
