// Lists cut down to what a failure needs.
#ifndef TROMMEL_TESTS_SUPPORT_SHRINK_H_
#define TROMMEL_TESTS_SUPPORT_SHRINK_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace trommel::tests {

// Tries to leave out ever smaller stretches of `list`; `try_it` says whether the shorter list is
// kept.
template <class T>
void ShrinkList(std::vector<T>& list, const std::function<bool(const std::vector<T>&)>& try_it) {
  for (size_t length = std::max<size_t>(list.size() / 2, 1); length > 0 && !list.empty();
       length /= 2) {
    for (size_t first = 0; first < list.size();) {
      std::vector<T> shorter(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(first));
      const size_t rest = std::min(first + length, list.size());
      shorter.insert(shorter.end(), list.begin() + static_cast<std::ptrdiff_t>(rest), list.end());
      if (try_it(shorter)) {
        list = std::move(shorter);
      } else {
        first += length;
      }
    }
  }
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SHRINK_H_
