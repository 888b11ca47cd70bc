// Vector files: sentences that begin with #, a header, and lines of fields between commas.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string& text, char between) {
  std::vector<std::string> parts(1);
  for (const char character : text) {
    if (character == between) {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

// What stands between blanks.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(word);
  return found;
}

inline std::int64_t whole(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::runtime_error("`" + text + "` is no whole number");
  return number;
}

inline std::vector<std::int64_t> wholes(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : words(text)) numbers.push_back(whole(word));
  return numbers;
}

// The shortest text of a double reads back to the same double.
inline std::vector<double> doubles(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& word : words(text)) numbers.push_back(std::strtod(word.c_str(), nullptr));
  return numbers;
}

inline std::vector<Row> rows_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Row> rows;
  std::vector<std::string> header;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = split(line, ',');
    if (header.empty()) {
      header = fields;
      continue;
    }
    if (fields.size() != header.size()) throw std::runtime_error(path + ": " + line);
    Row row;
    for (std::size_t i = 0; i < fields.size(); ++i) row[header[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}
