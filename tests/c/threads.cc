// Threads on one handle, as the header promises: columns are opened and closed while others use
// them, a concurrent filter is queried, changed and saved, a window is advanced beside insertions.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "trommel/c.h"

namespace {

std::atomic<int> num_wrong{0};

void Expect(bool holds, const char* what) {
  if (holds) return;
  if (num_wrong++ == 0) std::fprintf(stderr, "does not hold: %s\n", what);
}

// A call on one column finds it open, or fails with a code because it is closed; nothing else.
void UseColumns() {
  trommel_column_map_config config = {};
  config.struct_size = sizeof(config);
  config.num_columns = 4;
  config.capacity = 4000;
  trommel_column_map* map = nullptr;
  Expect(trommel_column_map_create(&config, &map, nullptr) == TROMMEL_OK, "a map is created");
  std::vector<uint64_t> numbers(3000);
  for (uint64_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const trommel_keys keys =
      trommel_keys_of(TROMMEL_KEYS_INT64, numbers.data(), static_cast<int64_t>(numbers.size()));
  std::atomic<bool> ends{false};
  std::atomic<int> num_done{0};
  std::atomic<int> num_refused{0};
  std::vector<std::thread> users;
  for (int user = 0; user < 2; ++user) {
    users.emplace_back([&] {
      for (uint32_t i = 0; !ends; ++i) {
        const trommel_code code =
            i % 2 == 0 ? trommel_column_map_insert(map, 1, &keys, nullptr, 0, nullptr, nullptr)
                       : trommel_column_map_erase(map, 1, &keys, nullptr, nullptr);
        Expect(code == TROMMEL_OK || code == TROMMEL_INVALID_ARGUMENT, "updates of a column");
        ++(code == TROMMEL_OK ? num_done : num_refused);
        uint64_t num_keys = 0;
        const trommel_code read = trommel_column_map_num_keys(map, 1, &num_keys, nullptr);
        Expect(read == TROMMEL_OK || read == TROMMEL_INVALID_ARGUMENT, "the keys of a column");
        Expect(trommel_column_map_may_contain(map, 1, trommel_key_int64(5), nullptr) >= 0,
               "queries of a column");
      }
    });
  }
  // A column is saved beside its updates, and loaded into another.
  std::vector<char> bytes(1 << 16);
  while (num_done < 300 || num_refused < 300) {
    Expect(trommel_column_map_open(map, 1, nullptr) == TROMMEL_OK, "opening a closed column");
    int64_t size = 0;
    Expect(trommel_column_map_serialize(map, 1, bytes.data(), static_cast<int64_t>(bytes.size()),
                                        &size, nullptr) == TROMMEL_OK,
           "saving it");
    Expect(trommel_column_map_close(map, 1, nullptr) == TROMMEL_OK, "closing it");
    Expect(trommel_column_map_load(map, 2, bytes.data(), size, nullptr) == TROMMEL_OK,
           "loading what was saved");
    Expect(trommel_column_map_close(map, 2, nullptr) == TROMMEL_OK, "closing the other");
  }
  ends = true;
  for (std::thread& user : users) user.join();
  trommel_column_map_free(map);
}

// Keys that are in stay so for queries beside writers, and a copy that is saved meanwhile loads.
void UseFilter() {
  trommel_counting_config config = {};
  config.struct_size = sizeof(config);
  config.capacity = 20000;
  trommel_filter* filter = nullptr;
  Expect(trommel_concurrent_create(&config, &filter, nullptr) == TROMMEL_OK, "a concurrent filter");
  for (int64_t i = 0; i < 1000; ++i) trommel_insert_key(filter, trommel_key_int64(i), nullptr);
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (int64_t i = 0; !ends; i = (i + 1) % 10000) {
      Expect(trommel_insert_key(filter, trommel_key_int64(5000 + i), nullptr) == 1, "insertions");
      Expect(trommel_erase_key(filter, trommel_key_int64(5000 + i), nullptr) == 1, "erasures");
    }
  });
  for (int round = 0; round < 20; ++round) {
    for (int64_t i = 0; i < 1000; ++i) {
      Expect(trommel_may_contain(filter, trommel_key_int64(i), nullptr) == 1, "queries");
    }
    trommel_filter* copy = nullptr;
    Expect(trommel_clone(filter, &copy, nullptr) == TROMMEL_OK, "clones beside a writer");
    Expect(trommel_may_contain(copy, trommel_key_int64(77), nullptr) == 1, "what a clone holds");
    trommel_filter_free(copy);
  }
  ends = true;
  writer.join();
  trommel_filter_free(filter);
}

// What insert_if_absent inserts is erased at the time that it returns, or has expired, though
// another thread advances all the time.
void UseWindow() {
  trommel_window_config config = {};
  config.struct_size = sizeof(config);
  config.window = 64;
  config.capacity = 1000;
  trommel_filter* window = nullptr;
  Expect(trommel_window_create(&config, &window, nullptr) == TROMMEL_OK, "a window");
  std::atomic<bool> ends{false};
  std::thread clock([&] {
    for (uint64_t now = 1; !ends; now += 8) trommel_window_advance(window, now, nullptr);
  });
  for (uint64_t i = 0; i < 100'000; ++i) {
    const trommel_keys key = trommel_keys_of(TROMMEL_KEYS_INT64, &i, 1);
    uint64_t inserted = 0;
    trommel_outcome outcome = {};
    outcome.struct_size = sizeof(outcome);
    Expect(trommel_insert_if_absent(window, &key, &inserted, 1, nullptr, &outcome, nullptr) ==
               TROMMEL_OK,
           "insertions into a window");
    if (inserted == 0) continue;
    Expect(trommel_window_erase(window, &key, outcome.time, nullptr, 0, &outcome, nullptr) ==
                   TROMMEL_OK &&
               outcome.num_refused == 0,
           "a key is erased at the time of its insertion");
  }
  ends = true;
  clock.join();
  trommel_filter_free(window);
}

}  // namespace

int main() {
  UseColumns();
  UseFilter();
  UseWindow();
  return num_wrong == 0 ? 0 : 1;
}
