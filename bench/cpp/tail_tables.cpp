// Tail tables by direct convolution and bisection: the same sums as a compiler makes of them.
//
// One case a row: the running request ends above bucket above[row]. An entry is the least n with
// sum over k > above of p[k] G_i(n - k) at most allowed[row].

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" void tail_tables(const double* p, int64_t buckets, const int64_t* above,
                            const double* allowed, int64_t rows, int64_t positions, int64_t* entry) {
  const int64_t size = (buckets - 1) * positions + 1;
  // G_i(m), with 1 for m < 0 in front.
  std::vector<double> tail(buckets + size, 0.0), next(buckets + size, 0.0);
  std::fill_n(tail.begin(), buckets, 1.0);
  std::fill_n(next.begin(), buckets, 1.0);
  for (int64_t i = 0; i < positions; ++i) {
    const double* g = tail.data() + buckets;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t low = -1, high = (buckets - 1) * (i + 1);
      while (high - low > 1) {
        const int64_t n = (low + high) / 2;
        double total = 0.0;
        for (int64_t k = above[row] + 1; k < buckets; ++k) total += p[k] * g[n - k];
        (total > allowed[row] ? low : high) = n;
      }
      entry[row * positions + i] = high;
    }
    double* out = next.data() + buckets;
    const int64_t longest = std::min(size, (buckets - 1) * (i + 1) + 1);
    std::fill_n(out, longest, 0.0);
    for (int64_t k = 0; k < buckets; ++k)
      for (int64_t m = 0; m < longest; ++m) out[m] += p[k] * g[m - k];
    std::swap(tail, next);
  }
}
