// Claims that must hold; what does not is printed and counted.
#pragma once

#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

#include <tailc/error.hpp>

inline int failures = 0;

inline void expect(bool holds, const char* claim) {
  if (holds) return;
  std::cout << "not so: " << claim << "\n";
  ++failures;
}

// The word of the refusal, of another error that it is, or empty.
inline std::string thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const tailc::PolicyError& error) {
    return name_of(error.refusal());
  } catch (const std::invalid_argument&) {
    return "invalid-argument";
  } catch (const std::system_error&) {
    return "system-error";
  }
  return "";
}
