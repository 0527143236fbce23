// A thread writes to the keys, digests and offsets of batches while calls read them: a mistake of
// the caller's program, which makes other keys of them and does nothing worse. Every call returns,
// and the filter can be saved and loaded afterwards: loading looks at every block.
//
//   trommel_c_changing [SECONDS]    so long for each filter and layout; 0.05 by default
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "trommel/c.h"

namespace {

constexpr size_t kNumKeys = 4096;
constexpr size_t kNumBytes = 8 * kNumKeys;

int num_wrong = 0;
double seconds = 0.05;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  ++num_wrong;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
}

uint64_t Next(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

// What keys are made of. The writer's stores are atomic words, as those of a program that shares
// the array would be; the library's loads are plain.
struct Memory {
  std::vector<uint64_t> words = std::vector<uint64_t>(kNumKeys);
  std::vector<int32_t> offsets32 = std::vector<int32_t>(kNumKeys + 1);
  std::vector<int64_t> offsets64 = std::vector<int64_t>(kNumKeys + 1);

  Memory() {
    uint64_t state = 1;
    for (uint64_t& word : words) word = Next(state);
    for (size_t i = 0; i <= kNumKeys; ++i) {
      offsets32[i] = static_cast<int32_t>(8 * i);
      offsets64[i] = static_cast<int64_t>(8 * i);
    }
  }

  trommel_keys Keys(int32_t kind) const {
    trommel_keys keys = trommel_keys_of(kind, words.data(), kNumKeys);
    if (kind == TROMMEL_KEYS_BYTES32) keys.offsets = offsets32.data();
    if (kind == TROMMEL_KEYS_BYTES64) keys.offsets = offsets64.data();
    if (kind == TROMMEL_KEYS_BYTES32 || kind == TROMMEL_KEYS_BYTES64) keys.num_bytes = kNumBytes;
    return keys;
  }

  // Writes to a word and two offsets in the middle; they go out of order, beyond the bytes and
  // below zero for moments, so that some calls find them sound.
  void Change(uint64_t& state) {
    const size_t i = 1 + Next(state) % (kNumKeys - 2);
    // Few different values, so that keys come back and counts grow.
    __atomic_store_n(&words[i], Next(state) << 56 | (Next(state) & 1), __ATOMIC_RELAXED);
    const auto wrong = static_cast<int64_t>(Next(state));
    __atomic_store_n(&offsets32[i], static_cast<int32_t>(wrong), __ATOMIC_RELAXED);
    __atomic_store_n(&offsets64[i], wrong, __ATOMIC_RELAXED);
    __atomic_store_n(&offsets32[i], static_cast<int32_t>(8 * i), __ATOMIC_RELAXED);
    __atomic_store_n(&offsets64[i], static_cast<int64_t>(8 * i), __ATOMIC_RELAXED);
  }
};

bool IsDone(trommel_code code) { return code == TROMMEL_OK || code == TROMMEL_INVALID_ARGUMENT; }

// Calls use() while another thread changes the memory.
void BesideWriter(Memory& memory, const std::string& what, const std::function<bool()>& use) {
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (uint64_t state = 2; !ends;) memory.Change(state);
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    if (!use()) {
      Expect(false, what + ": a call fails");
      break;
    }
  } while (std::chrono::steady_clock::now() < end);
  ends = true;
  writer.join();
}

int32_t TellNone(void*, const uint32_t*, int64_t, uint32_t*, int64_t* num_existing) {
  *num_existing = 0;
  return 0;
}

void UseFilter(const std::string& name, int32_t kind, trommel_filter* filter) {
  const std::string what = name + ", keys of kind " + std::to_string(kind);
  Expect(filter != nullptr, what + ": is created");
  const int64_t num_words = trommel_bitmap_words(kNumKeys);
  std::vector<uint64_t> bitmap(static_cast<size_t>(num_words));
  std::vector<uint64_t> counts(kNumKeys);
  std::vector<uint32_t> selection(kNumKeys);
  const bool is_window = trommel_filter_type(filter) == TROMMEL_TYPE_WINDOW;
  Memory memory;
  const trommel_keys keys = memory.Keys(kind);
  BesideWriter(memory, what, [&] {
    int64_t num = 0;
    bool is_done =
        IsDone(trommel_insert(filter, &keys, nullptr, 0, nullptr, nullptr)) &&
        IsDone(trommel_insert(filter, &keys, bitmap.data(), num_words, nullptr, nullptr)) &&
        IsDone(trommel_insert_if_absent(filter, &keys, bitmap.data(), num_words, nullptr, nullptr,
                                        nullptr)) &&
        IsDone(trommel_query(filter, &keys, bitmap.data(), num_words, &num, nullptr)) &&
        IsDone(trommel_select(filter, &keys, 1, selection.data(), kNumKeys, &num, nullptr)) &&
        IsDone(trommel_count_estimates(filter, &keys, counts.data(), kNumKeys, nullptr));
    for (int times = 0; times < 2 && is_done; ++times) {
      is_done =
          IsDone(is_window ? trommel_window_erase(filter, &keys, 0, nullptr, 0, nullptr, nullptr)
                           : trommel_erase(filter, &keys, nullptr, 0, nullptr, nullptr));
    }
    if (!is_window) {
      is_done = is_done && IsDone(trommel_upsert(filter, &keys, TellNone, nullptr, bitmap.data(),
                                                 num_words, nullptr, nullptr));
    }
    return is_done;
  });
  int64_t size = 0;
  Expect(trommel_serialize(filter, nullptr, 0, &size, nullptr) == TROMMEL_OK, what + ": is saved");
  std::vector<char> bytes(static_cast<size_t>(size));
  Expect(trommel_serialize(filter, bytes.data(), size, &size, nullptr) == TROMMEL_OK,
         what + ": is saved");
  trommel_filter* loaded = nullptr;
  trommel_error error = {};
  const trommel_code loads = trommel_load_bytes(bytes.data(), size, nullptr, &loaded, &error);
  Expect(loads == TROMMEL_OK, what + ": is loaded: " + error.message);
  trommel_filter_free(loaded);
  trommel_filter_free(filter);
}

const int32_t kKinds[] = {TROMMEL_KEYS_DIGESTS, TROMMEL_KEYS_INT64, TROMMEL_KEYS_INT32,
                          TROMMEL_KEYS_BYTES32, TROMMEL_KEYS_BYTES64};

void UseCounting() {
  for (int32_t encoding = TROMMEL_ENCODING_PLANES; encoding <= TROMMEL_ENCODING_DENSE; ++encoding) {
    for (const int32_t kind : kKinds) {
      // With an executor of two threads batches are split by ranges.
      for (const int32_t num_threads : {1, 2}) {
        if (kind != TROMMEL_KEYS_DIGESTS && num_threads == 2) continue;
        trommel_executor* executor = nullptr;
        trommel_executor_create(num_threads, &executor, nullptr);
        trommel_counting_config config = {};
        config.struct_size = sizeof(config);
        config.capacity = 500;  // far fewer than are inserted: blocks are full
        config.encoding = encoding;
        config.executor = executor;
        trommel_filter* filter = nullptr;
        trommel_counting_create(&config, &filter, nullptr);
        const std::string name =
            "encoding " + std::to_string(encoding) + ", threads " + std::to_string(num_threads);
        UseFilter("counting, " + name, kind, filter);
        trommel_concurrent_create(&config, &filter, nullptr);
        UseFilter("concurrent, " + name, kind, filter);
        config.side_memory_limit_bytes = 1 << 20;
        trommel_concurrent_create(&config, &filter, nullptr);
        UseFilter("concurrent with a limit, " + name, kind, filter);
        trommel_executor_free(executor);
      }
    }
  }
}

void UseOthers() {
  for (const int32_t kind : kKinds) {
    trommel_filter* filter = nullptr;
    trommel_scalable_config growing = {};
    growing.struct_size = sizeof(growing);
    growing.first_capacity = 500;
    trommel_scalable_create(&growing, &filter, nullptr);
    UseFilter("scalable", kind, filter);
    for (const uint32_t num_buckets : {8U, 20U}) {  // slots of 16 and of 24 bits
      trommel_window_config config = {};
      config.struct_size = sizeof(config);
      config.num_buckets = num_buckets;
      config.window = 100;
      config.capacity = 500;
      trommel_window_create(&config, &filter, nullptr);
      UseFilter("window, buckets " + std::to_string(num_buckets), kind, filter);
    }
  }
}

void UseColumns() {
  trommel_column_map_config config = {};
  config.struct_size = sizeof(config);
  config.num_columns = 3;
  config.capacity = 1500;
  trommel_column_map* map = nullptr;
  trommel_column_map_create(&config, &map, nullptr);
  trommel_column_map_open(map, 1, nullptr);
  Memory memory;
  const trommel_keys keys = memory.Keys(TROMMEL_KEYS_DIGESTS);
  std::vector<uint64_t> answers(kNumKeys * static_cast<size_t>(trommel_column_map_row_words(map)));
  BesideWriter(memory, "columns", [&] {
    return trommel_column_map_insert(map, 1, &keys, nullptr, 0, nullptr, nullptr) == TROMMEL_OK &&
           trommel_column_map_query(map, &keys, answers.data(),
                                    static_cast<int64_t>(answers.size()), nullptr) == TROMMEL_OK &&
           trommel_column_map_erase(map, 1, &keys, nullptr, nullptr) == TROMMEL_OK;
  });
  int64_t size = 0;
  trommel_column_map_serialize(map, 1, nullptr, 0, &size, nullptr);
  std::vector<char> bytes(static_cast<size_t>(size));
  trommel_column_map_serialize(map, 1, bytes.data(), size, &size, nullptr);
  Expect(trommel_column_map_load(map, 2, bytes.data(), size, nullptr) == TROMMEL_OK,
         "columns: a column is saved and loaded");
  trommel_column_map_free(map);
}

// Each tuple is inserted into all sets or none, and is one and the same in all of them: as many
// tuples as are counted can be erased from what the queries of single attributes show.
void UseAttributes() {
  for (const uint64_t capacity : {500, 5000}) {
    trommel_attributes_config config = {};
    config.struct_size = sizeof(config);
    config.num_attributes = 2;
    config.capacity = capacity;
    trommel_attributes* filter = nullptr;
    trommel_attributes_create(&config, &filter, nullptr);
    Memory first;
    Memory second;
    const trommel_keys keys[] = {first.Keys(TROMMEL_KEYS_DIGESTS),
                                 second.Keys(TROMMEL_KEYS_DIGESTS)};
    const trommel_keys* columns[] = {&keys[0], &keys[1]};
    const std::string what = "attributes, capacity " + std::to_string(capacity);
    BesideWriter(first, what, [&] {
      return trommel_attributes_insert(filter, columns, 2, kNumKeys, nullptr, 0, nullptr,
                                       nullptr) == TROMMEL_OK &&
             trommel_attributes_erase(filter, columns, 2, kNumKeys, nullptr, 0, nullptr, nullptr) ==
                 TROMMEL_OK;
    });
    int64_t size = 0;
    trommel_attributes_serialize(filter, nullptr, 0, &size, nullptr);
    std::vector<char> bytes(static_cast<size_t>(size));
    trommel_attributes_serialize(filter, bytes.data(), size, &size, nullptr);
    trommel_attributes* loaded = nullptr;
    Expect(
        trommel_attributes_load_bytes(bytes.data(), size, nullptr, &loaded, nullptr) == TROMMEL_OK,
        what + ": is saved and loaded");
    trommel_attributes_free(loaded);
    trommel_attributes_free(filter);
  }
}

std::vector<char> Serialized(const trommel_filter* filter) {
  int64_t size = 0;
  trommel_serialize(filter, nullptr, 0, &size, nullptr);
  std::vector<char> bytes(static_cast<size_t>(size));
  trommel_serialize(filter, bytes.data(), size, &size, nullptr);
  return bytes;
}

// A source that has other bytes, as many, from some call on.
struct Changing {
  std::vector<char> first;
  std::vector<char> then;
  int num_left;  // calls that still see the first
};
int32_t ReadChanging(void* context, int64_t offset, void* buffer, int64_t num_bytes) {
  auto* changing = static_cast<Changing*>(context);
  const std::vector<char>& bytes = changing->num_left-- > 0 ? changing->first : changing->then;
  std::memcpy(buffer, bytes.data() + offset, static_cast<size_t>(num_bytes));
  return 0;
}

// A counting filter becomes a scalable one, whose snapshot is as large, while it is loaded.
void LoadChanging() {
  Changing changing = {};
  trommel_counting_config config = {};
  config.struct_size = sizeof(config);
  trommel_scalable_config growing = {};
  growing.struct_size = sizeof(growing);
  trommel_filter* scalable = nullptr;
  trommel_scalable_create(&growing, &scalable, nullptr);
  // A capacity or a key more, until both snapshots have one size.
  for (int64_t num_keys = 0; num_keys < 10000;) {
    if (changing.first.size() <= changing.then.size()) {
      ++config.capacity;
      trommel_filter* counting = nullptr;
      trommel_counting_create(&config, &counting, nullptr);
      changing.first = Serialized(counting);
      trommel_filter_free(counting);
    } else {
      trommel_insert_key(scalable, trommel_key_int64(num_keys++), nullptr);
      changing.then = Serialized(scalable);
    }
    if (changing.first.size() == changing.then.size()) break;
  }
  trommel_filter_free(scalable);
  const auto size = static_cast<int64_t>(changing.first.size());
  int num_mismatches = 0;
  for (const int32_t type : {TROMMEL_TYPE_ANY, TROMMEL_TYPE_COUNTING, TROMMEL_TYPE_CONCURRENT}) {
    for (int num_first = 0; num_first < 16; ++num_first) {
      trommel_load_options options = {};
      options.struct_size = sizeof(options);
      options.type = type;
      changing.num_left = num_first;
      trommel_filter* loaded = nullptr;
      const trommel_code code =
          trommel_read(ReadChanging, &changing, size, &options, &loaded, nullptr);
      Expect(code != TROMMEL_OK || type == TROMMEL_TYPE_ANY || trommel_filter_type(loaded) == type,
             "loading: a filter that changes has the type that was asked for");
      if (num_first > 0 && code == TROMMEL_MISMATCH) ++num_mismatches;
      trommel_filter_free(loaded);
    }
  }
  Expect(num_mismatches > 0, "loading: a change of the type is seen");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) seconds = std::atof(argv[1]);
  UseCounting();
  UseOthers();
  UseColumns();
  UseAttributes();
  LoadChanging();
  return num_wrong == 0 ? 0 : 1;
}
