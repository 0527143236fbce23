// The scalable split filter (SSCBF) of the paper on split counting filters: generations of one
// geometry, M positions at rate P each, and a new one when the newest is half full.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_SCALABLE_SPLIT_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_SCALABLE_SPLIT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/classic/filter.h"
#include "trommel/keys.h"

namespace trommel::classic {

// Which generation a key goes into.
enum class InsertRule : uint8_t {
  kNewest,         // the newest; one that was half full once is closed for good
  kBelowHalf,      // the text's: one that is not half full, here the oldest; erasing reopens them
  kOldestShowing,  // the oldest that answers "maybe present", else the newest; not the paper's
};

// Where it is erased, which the text does not say.
enum class EraseRule : uint8_t {
  kEverywhere,  // from each that answers "maybe present"
  kNewest,      // from the newest that answers so
  kOldest,      // from the oldest that answers so
};

// A key is maybe present if it is in any generation. By every reading of the paper, keys that are
// in become absent when others are erased from generations that answer "maybe present" for them by
// mistake. Only kOldestShowing with kOldest keeps all: then only the newest generation gains
// presence bits, so that the oldest which shows a key is the one that counts it.
class ScalableSplit {
 public:
  // Each generation has M positions and rate P at half fill. Requires them as PublishedSplitFor.
  // Counters have 8 bits, so that none sticks.
  ScalableSplit(uint64_t total_positions, double generation_fpr, InsertRule insert_rule,
                EraseRule erase_rule);

  void Insert(uint64_t digest);
  void Insert(Keys digests);
  void Erase(uint64_t digest);  // a key that no generation shows is left alone
  bool MayContain(uint64_t digest) const;
  size_t Query(Keys digests, std::span<uint64_t> maybe_present) const;

  // The geometry of a generation; half full is m ln 2 keys.
  const ArrayGeometry& geometry() const { return geometry_; }
  uint64_t half_full() const { return half_full_; }
  size_t num_generations() const { return generations_.size(); }  // d

  // Returns the exact P of a generation, by its keys at half fill, and P_d = 1 - (1 - P)^d of d of
  // them.
  double generation_fpr() const;
  static double FprOf(double generation_fpr, size_t num_generations);

 private:
  struct Generation {
    Filter filter;
    uint64_t num_new = 0;  // keys that no older generation had a place for
  };

  Generation& WithPlace();

  ArrayGeometry geometry_;
  InsertRule insert_rule_;
  EraseRule erase_rule_;
  uint64_t half_full_;
  std::vector<Generation> generations_;  // the oldest first
};

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_SCALABLE_SPLIT_H_
