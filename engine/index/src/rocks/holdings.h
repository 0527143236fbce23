// Holdings: what a server holds, and what was taken from it while a lookup read.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_HOLDINGS_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_HOLDINGS_H_

#include <filesystem>
#include <list>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/held_ranges.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

// A range may be taken from a server and come back while a lookup reads it, and its rows change
// elsewhere meanwhile. So each lookup that reads is told what is taken, when it is taken:
//
//   held        |  a..m  |  a..c  |  a..m  |
//   lookup         begins to read a..m  .....  ends: answers for a..c, and c..m is not its server's
//
// Thread safety: any thread. Nothing here waits for a lookup.
class Holdings {
 public:
  class Reading;

  explicit Holdings(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Sets what the server holds. Requires that the ranges do not overlap. A lookup that reads and
  // cannot be told what was taken, for want of memory, fails.
  void Set(std::vector<KeyRange> ranges) noexcept;
  // Sets whether the server answers. If not, all that read fail, too.
  void SetAnswering(bool is_answering);

 private:
  struct UnderWay {
    RangeParts parts;
    bool has_failed = false;    // the server did not answer at some moment
    bool lacks_memory = false;  // it could not be told what was taken
  };

  // Takes ranges, both ascending, from what a lookup answers for.
  static void Take(std::span<const KeyRange> taken, RangeParts& parts);

  const std::filesystem::path folder_;  // of the server, for messages
  std::mutex mutex_;                    // over everything below
  std::vector<KeyRange> held_;          // ascending, joined
  bool is_answering_ = true;
  std::list<UnderWay> under_way_;
};

// One lookup that reads.
class Holdings::Reading {
 public:
  // The holdings must outlive it. Requires that the ranges ascend and do not overlap.
  Reading(Holdings& holdings, std::span<const KeyRange> ranges);
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading();

  // Returns what of the ranges the server held at every moment since the beginning, and what it did
  // not: both ascending. Fails with kIo if it did not answer at some moment, and with kOutOfMemory.
  Result<RangeParts> Parts() const;

 private:
  Holdings& holdings_;
  std::list<UnderWay>::iterator place_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_HOLDINGS_H_
