// Demands of a server's requests as a trace that tailc reads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace tailc {

// When a request arrived and how it ran, in microseconds of the scheduler's clock.
struct RequestTimes {
  std::int64_t arrival_us, wait_us, run_us;
  std::int64_t thread_us;   // for which its threads worked, in all
  std::int64_t granted_us;  // threads of its rungs times time
  std::int64_t late_us;     // by how much its ticks were late, in all
};

// Columns of a log: the demand of each request, with its class, or with its class and its times.
enum class DemandColumns { demands, classes, times };

// A CSV file with every n-th demand, and the number of requests that each represents. Any number of
// threads may record at once; most requests are only counted.
class DemandLog {
 public:
  // Writes every `one_in`-th demand; `has_classes`: with a class for each. An existing file is
  // continued; std::invalid_argument if it has other columns, or ends within a line. Throws
  // std::system_error where it cannot be written, as all others do.
  DemandLog(std::string path, std::uint64_t one_in, bool has_classes = false)
      : DemandLog(std::move(path), one_in,
                  has_classes ? DemandColumns::classes : DemandColumns::demands) {}
  DemandLog(std::string path, std::uint64_t one_in, DemandColumns columns);
  // Writes what was recorded; where that fails, it is lost: call `flush` to know.
  ~DemandLog();
  DemandLog(const DemandLog&) = delete;
  DemandLog& operator=(const DemandLog&) = delete;

  // One more request is done, which executed for so long; less than a microsecond counts as one,
  // since a trace has no demand of 0. Throws std::invalid_argument for a negative demand, and where
  // the log has classes.
  void record(std::int64_t demand_us) { record_row(demand_us, std::nullopt, nullptr); }
  // The same for a request of a class, in a log that has classes.
  void record(std::int64_t demand_us, std::string_view request_class) {
    record_row(demand_us, request_class, nullptr);
  }
  // The same in a log with times; the class may be empty.
  void record(std::int64_t demand_us, std::string_view request_class, const RequestTimes& times) {
    record_row(demand_us, request_class, &times);
  }

  // Whether each demand has a class.
  bool has_classes() const noexcept { return columns_ != DemandColumns::demands; }

  // Whether each demand has the times of its request.
  bool has_times() const noexcept { return columns_ == DemandColumns::times; }

  // Writes the recorded demands to the file; those that cannot be written stay in memory.
  void flush();

 private:
  static constexpr std::size_t kBufferBytes = 64 * 1024;

  void record_row(std::int64_t demand_us, std::optional<std::string_view> request_class,
                  const RequestTimes* times);
  void begin();
  void write_rows();
  [[noreturn]] void fail() const {
    throw std::system_error(errno, std::generic_category(), path_);
  }

  struct Close {
    void operator()(std::FILE* open) const { std::fclose(open); }
  };

  std::string path_;
  std::uint64_t one_in_;
  DemandColumns columns_;
  std::atomic<std::uint64_t> requests_{0};
  std::mutex lock_;  // of what follows
  std::unique_ptr<std::FILE, Close> file_;
  std::string rows_;
};

namespace detail {

// As RFC 4180 quotes a field.
inline std::string quoted(std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (const char character : field) text += character == '"' ? "\"\"" : std::string(1, character);
  return text + "\"";
}

}  // namespace detail

inline DemandLog::DemandLog(std::string path, std::uint64_t one_in, DemandColumns columns)
    : path_(std::move(path)), one_in_(one_in), columns_(columns) {
  if (one_in == 0)
    throw std::invalid_argument("one demand in N is written, so N must be at least 1");
  file_.reset(std::fopen(path_.c_str(), "a+b"));
  if (!file_) fail();
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  begin();
}

inline DemandLog::~DemandLog() {
  try {
    flush();
  } catch (const std::system_error&) {
    // There is no caller that could try again.
  }
}

// Begins an empty file with the header; another must begin with it, and end with a line.
inline void DemandLog::begin() {
  std::string header = has_classes() ? "demand_us,weight,class" : "demand_us,weight";
  if (has_times()) header += ",arrival_us,wait_us,run_us,thread_us,granted_us,late_us";
  header += "\n";
  std::string found(header.size(), '\0');
  if (std::fseek(file_.get(), 0, SEEK_SET) != 0) fail();
  found.resize(std::fread(found.data(), 1, found.size(), file_.get()));
  if (std::ferror(file_.get()) != 0) fail();
  if (found.empty()) {
    rows_ = header;
    return write_rows();
  }
  if (std::fseek(file_.get(), -1, SEEK_END) != 0) fail();
  if (found != header || std::fgetc(file_.get()) != '\n')
    throw std::invalid_argument(
        path_ + ": the file exists, but has other columns or an incomplete line");
}

inline void DemandLog::record_row(std::int64_t demand_us,
                                  std::optional<std::string_view> request_class,
                                  const RequestTimes* times) {
  if (demand_us < 0 || request_class.has_value() != has_classes())
    throw std::invalid_argument(
        "a demand must not be negative, and must have a class if the log has classes");
  if ((times != nullptr) != has_times())
    throw std::invalid_argument("a request must have times if the log has times");
  if ((requests_.fetch_add(1, std::memory_order_relaxed) + 1) % one_in_ != 0) return;
  std::string row = std::to_string(std::max<std::int64_t>(demand_us, 1)) + "," + std::to_string(one_in_);
  if (request_class) row += "," + detail::quoted(*request_class);
  if (times != nullptr) {
    for (const std::int64_t time_us : {times->arrival_us, times->wait_us, times->run_us,
                                       times->thread_us, times->granted_us, times->late_us})
      row += "," + std::to_string(time_us);
  }
  const std::lock_guard<std::mutex> held(lock_);
  // Only where the file could not be written it is full; then this one is left out.
  if (rows_.size() >= kBufferBytes) write_rows();
  rows_ += row + "\n";
  if (rows_.size() >= kBufferBytes) write_rows();
}

inline void DemandLog::flush() {
  const std::lock_guard<std::mutex> held(lock_);
  write_rows();
}

inline void DemandLog::write_rows() {
  const std::size_t written = std::fwrite(rows_.data(), 1, rows_.size(), file_.get());
  rows_.erase(0, written);
  if (!rows_.empty()) fail();
}

}  // namespace tailc
