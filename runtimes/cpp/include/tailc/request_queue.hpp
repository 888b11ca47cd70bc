// Waiting requests in order of arrival, which allocates only while it grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tailc {

struct Request;

namespace detail {

class RequestQueue {
 public:
  using Iterator = std::vector<Request*>::const_iterator;

  Iterator begin() const noexcept { return held_.begin() + static_cast<std::ptrdiff_t>(first_); }
  Iterator end() const noexcept { return held_.end(); }
  bool empty() const noexcept { return first_ == held_.size(); }
  Request* front() const { return held_[first_]; }

  void push_back(Request* request) {
    // At most half of the room is of requests that have gone.
    if (first_ > held_.size() / 2) {
      held_.erase(held_.begin(), begin());
      first_ = 0;
    }
    held_.push_back(request);
  }

  void pop_front() noexcept { ++first_; }
  void erase(Iterator request) { held_.erase(request); }

 private:
  std::vector<Request*> held_;
  std::size_t first_ = 0;
};

}  // namespace detail
}  // namespace tailc
