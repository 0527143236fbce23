// A small filter of any kind behind one interface, for suites that prove one promise for all kinds.
//
// A key is a 64-bit digest. A filter of attributes gets tuples made of it. Kinds with time
// (windows) insert and erase at a time; for the others, and for kNow, the time is not looked at.
#ifndef TROMMEL_TESTS_PROMISES_SPECIMEN_H_
#define TROMMEL_TESTS_PROMISES_SPECIMEN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/executor.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"

namespace trommel::tests {

using KeyList = std::vector<uint64_t>;
using KeySpan = std::span<const uint64_t>;
using BitSpan = std::span<uint64_t>;
using ByteList = std::vector<std::byte>;

constexpr uint64_t kNow = ~uint64_t{0};

struct Done {
  uint64_t num_done = 0;  // inserted or erased
  uint64_t num_refused = 0;
  uint64_t time = 0;  // of an insertion, for the erasure that undoes it

  friend bool operator==(const Done&, const Done&) = default;
};

struct SpecimenFigures {
  uint64_t num_keys = 0;
  uint64_t num_bytes = 0;
  uint64_t side_bytes = 0;
  uint64_t num_promoted = 0;  // blocks
  uint64_t num_refused_inserts = 0;
  uint64_t num_refused_erases = 0;
};

class Specimen {
 public:
  virtual ~Specimen() = default;

  // Bits: of keys that were inserted, erased, may be present or are missing. There may be more of
  // them than keys.
  virtual Done Insert(KeySpan keys, BitSpan bits, uint64_t time = kNow) = 0;
  virtual Done InsertIfAbsent(KeySpan keys, BitSpan bits) = 0;  // of one chunk, if others write
  virtual Done Erase(KeySpan keys, BitSpan bits, uint64_t time = kNow) = 0;
  virtual Result<Done> EraseAll(KeySpan keys, BitSpan missing, KeySpan times) = 0;
  virtual uint64_t Query(KeySpan keys, BitSpan bits) const = 0;
  virtual KeyList Counts(KeySpan keys) const = 0;
  virtual std::vector<uint32_t> Select(KeySpan keys, Answer answer) const = 0;

  virtual bool InsertOne(uint64_t key) = 0;
  virtual bool InsertOneIfAbsent(uint64_t key) = 0;
  virtual bool EraseOne(uint64_t key, uint64_t time = kNow) = 0;
  virtual bool MayContain(uint64_t key) const = 0;
  virtual uint64_t Count(uint64_t key) const = 0;

  virtual uint64_t num_keys() const = 0;
  virtual SpecimenFigures Figures() const = 0;
  virtual uint64_t now() const { return 0; }
  virtual void Advance(uint64_t) {}
  virtual uint64_t lifetime() const { return kNow; }  // how long a key is in at least

  virtual Status LimitSideMemory(uint64_t limit_bytes) = 0;
  virtual void UseExecutor(std::shared_ptr<Executor> executor) = 0;
  virtual Status Merge(const Specimen& other) = 0;
  virtual Status Subtract(const Specimen& other) = 0;
  virtual Status Fold() = 0;
  virtual void Clear() = 0;
  virtual Result<std::unique_ptr<Specimen>> Clone() const = 0;
  virtual bool IsEqual(const Specimen& other) const = 0;

  virtual ByteList Serialize() const = 0;
  virtual Status SaveTo(ByteSink& sink) const = 0;
  virtual Result<std::unique_ptr<Specimen>> LoadFrom(const ByteSource& source,
                                                     uint64_t memory_limit_bytes = 0) const = 0;
};

// Of every type that has traits in specimen.cc.
template <class Filter>
std::unique_ptr<Specimen> SpecimenOf(Filter filter);

// What not every type promises.
enum class Promise : uint8_t {
  kInsertIfAbsent,
  kSelect,
  kErase,
  kExactEraseAll,  // EraseAll refuses a batch only if Erase would refuse one of its keys
  kSideLimit,
  kLimitIsExact,  // within a limit of side memory, the bytes are those of the keys that are in
  kNoAllocation,  // within a limit of side memory
  kAnyOrder,      // the order of insertions and erasures does not show in the bytes
  kNoTrace,       // what has come and gone does not show in the bytes
  kWriters,       // threads may write at the same time
  kMerge,         // Merge sums up
  kLeanErase,     // without a limit of side memory, too, an erasure needs no memory
  kSafeMerge,     // a merge or fold that the system refuses memory for fails
  kSubtract,      // Subtract takes away
  kFold,          // Fold halves the blocks
};
inline constexpr size_t kNumPromises = 15;

// A kind of filter: a type, and what its blocks are.
struct FilterKind {
  std::string type;
  std::string blocks;
  // For each promise why the kind does not make it; empty if it does.
  std::array<std::string_view, kNumPromises> why_not;
  std::function<std::unique_ptr<Specimen>()> make;
  bool has_fingerprints = false;  // in blocks of fixed number
  size_t crowd = 0;               // so many distinct keys are more than its blocks take
  uint32_t zero_bits = 0;    // with which the digests of a crowd begin, so that few blocks get them
  uint64_t times_least = 0;  // a limit of side memory that a crowd reaches: the least one so often

  bool Keeps(Promise promise) const { return why_not[static_cast<size_t>(promise)].empty(); }
  void Lacks(Promise promise, std::string_view why) { why_not[static_cast<size_t>(promise)] = why; }
  // A specimen with that limit, or a multiple of it.
  std::unique_ptr<Specimen> MakeLimited(uint64_t times = 1) const;
  // `crowd` distinct digests.
  KeyList Crowd(std::mt19937_64& random) const;
};

std::ostream& operator<<(std::ostream& out, const FilterKind& kind);

std::string_view NameOf(Promise promise);

// All kinds of all types.
const std::vector<FilterKind>& AllKinds();

// Those that keep all these promises.
std::vector<FilterKind> KindsThatKeep(std::initializer_list<Promise> promises);

// So many keys of the pool; some of them often.
KeyList DrawnOften(size_t num_keys, KeySpan pool, std::mt19937_64& random);

// Those whose bit is set.
KeyList ChosenKeys(KeySpan keys, KeySpan bits);

// Room for a bit for each key; all are set, as a batch must clear what it does not mean.
KeyList SetBits(size_t num_keys);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_PROMISES_SPECIMEN_H_
