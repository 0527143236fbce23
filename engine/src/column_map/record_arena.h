// RecordArena: memory for records that readers follow without a lock.
//
// Memory is taken in chunks, and no chunk is freed before the arena. So a reader that follows a
// reference of a moment ago reads words of a record, perhaps of another one that has its place now:
// the version of the reader's group tells it to read again (pair_store.h). All words are read and
// stored atomically.
//
//   reference (32 bits)   | chunk, 6 bits | offset in words, 26 bits |     0: none
//
//   chunk                 | number of words | record | record | .. |
//
// Records have size classes: 1, 2, 3, 4, 6, 8, 12, 16, .. words, and one for bitmaps. A record that
// is freed becomes the first of its class's list. A new record is the first of its list, or the
// beginning of a larger one's first, or behind the last one. Before another chunk is taken, free
// neighbours are joined if much is free. A record can be shortened where it is, which needs no
// memory.
#ifndef TROMMEL_ENGINE_SRC_COLUMN_MAP_RECORD_ARENA_H_
#define TROMMEL_ENGINE_SRC_COLUMN_MAP_RECORD_ARENA_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/src/sync/running_figure.h"

namespace trommel {

// Words of records, beside readers. Builtins, because std::atomic_ref of a const word does not
// exist in C++20.
inline uint64_t LoadWord(const uint64_t* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
inline void StoreWord(uint64_t value, uint64_t* word) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

class RecordArena {
 public:
  static constexpr uint32_t kBitmapClass = 47;
  static constexpr uint32_t kNumClasses = 48;

  explicit RecordArena(uint32_t bitmap_words) : bitmap_words_(bitmap_words) {}
  RecordArena(const RecordArena&) = delete;
  RecordArena& operator=(const RecordArena&) = delete;
  ~RecordArena();

  // Words of a record of the class; but for kBitmapClass, classes ascend.
  uint32_t WordsOf(uint32_t size_class) const {
    return size_class == kBitmapClass ? bitmap_words_ : ClassWords(size_class);
  }
  static constexpr uint32_t ClassWords(uint32_t size_class) {
    if (size_class == 0) return 1;
    return size_class % 2 != 0 ? 1U << (size_class + 1) / 2 : 3U << (size_class / 2 - 1);
  }
  // The class of the smallest records of at least so many words.
  uint32_t ClassFor(uint32_t num_words) const;

  // A record of any contents; 0: the system refuses memory.
  [[nodiscard]] uint32_t Allocate(uint32_t size_class) noexcept;
  void Free(uint32_t reference, uint32_t size_class);
  // The record becomes one of a class with fewer words, or as many, and its last words are freed.
  void Shorten(uint32_t reference, uint32_t size_class, uint32_t to_class);
  // Requires a record that is allocated.
  uint64_t* At(uint32_t reference) const {
    return chunks_[reference >> kOffsetBits].load(std::memory_order_relaxed) +
           (reference & kMaxOffset);
  }

  // --- Thread safety: any thread at any time.

  uint64_t num_bytes() const { return num_bytes_.Get(); }  // of all chunks
  // Null if no record of so many words can be there: what
  // the reader has read is no reference, or of a moment ago.
  const uint64_t* Find(uint32_t reference, uint32_t num_words) const;

 private:
  static constexpr uint32_t kOffsetBits = 26;
  static constexpr uint32_t kMaxOffset = (1U << kOffsetBits) - 1;
  static constexpr uint32_t kMaxChunks = 64;
  static constexpr uint32_t kLeastWords = 64;  // of a chunk

  // The record's place if one is free, or 0.
  uint32_t TakeFree(uint32_t size_class);
  // Returns false, and changes nothing, if the system refuses it.
  bool AddChunk(uint32_t num_words) noexcept;
  bool IsWorthJoining() const;
  void PutFirst(uint32_t reference, uint32_t size_class);
  // Makes records of any free words.
  void PutWords(uint32_t reference, uint32_t num_words);
  // Does nothing if there is no memory for a list of them.
  void JoinFree() noexcept;

  const uint32_t bitmap_words_;
  std::array<std::atomic<uint64_t*>, kMaxChunks> chunks_{};
  std::array<uint32_t, kNumClasses> free_{};  // the first free record of each class
  uint32_t num_chunks_ = 0;
  uint32_t used_words_ = 0;   // of the last chunk
  uint32_t all_words_ = 0;    // of the last chunk
  RunningFigure num_bytes_;   // of all chunks
  uint64_t num_free_ = 0;     // words of records that are free
  uint64_t num_freed_ = 0;    // words that were freed since free ones were joined
  bool was_refused_ = false;  // the last chunk that was wanted
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COLUMN_MAP_RECORD_ARENA_H_
