// The programs of this folder in one, `conformance NAME ARGUMENTS`: the reader, which is all headers,
// is compiled once and not once a program.

#define main api
#include "api.cpp"
#undef main
#define main differential
#include "differential.cpp"
#undef main
#define main files
#include "files.cpp"
#undef main
#define main hashes
#include "hashes.cpp"
#undef main
#define main refusals
#include "refusals.cpp"
#undef main
#define main scheduler
#include "scheduler.cpp"
#undef main
#define main serving
#include "serving.cpp"
#undef main
#define main states
#include "states.cpp"
#undef main
#define main vectors
#include "vectors.cpp"
#undef main

int main(int count, char** arguments) {
  const std::string_view name = count > 1 ? arguments[1] : "";
  if (name == "hashes") return hashes();
  if (name == "api") return api(count - 1, arguments + 1);
  if (name == "differential") return differential(count - 1, arguments + 1);
  if (name == "files") return files(count - 1, arguments + 1);
  if (name == "refusals") return refusals(count - 1, arguments + 1);
  if (name == "scheduler") return scheduler(count - 1, arguments + 1);
  if (name == "serving") return serving(count - 1, arguments + 1);
  if (name == "states") return states(count - 1, arguments + 1);
  if (name == "vectors") return vectors(count - 1, arguments + 1);
  std::cerr << "usage: conformance NAME ARGUMENTS\n";
  return 64;
}
