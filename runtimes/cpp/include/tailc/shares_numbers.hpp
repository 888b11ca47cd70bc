// Double arithmetic that rounds after each operation.
#pragma once

#include <cstdint>

namespace tailc::detail {

// A value that no compiler fuses with the next operation: rounded to a double, to the nearest.
inline double rounded(double value) {
  const volatile double stored = value;
  return stored;
}

inline double quotient(std::int64_t dividend, std::int64_t divisor) {
  return static_cast<double>(dividend) / static_cast<double>(divisor);
}

}  // namespace tailc::detail
