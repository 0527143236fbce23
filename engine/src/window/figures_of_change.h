// Keeps a stamped store's figures while the blocks of one group are changed.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_FIGURES_OF_CHANGE_H_
#define TROMMEL_ENGINE_SRC_WINDOW_FIGURES_OF_CHANGE_H_

#include <bit>
#include <cstdint>

#include "engine/src/window/stamped_store.h"

namespace trommel {

// For its lifetime.
class StampedStore::FiguresOfChange {
 public:
  FiguresOfChange(StampedStore& store, uint64_t block_idx)
      : range_(store.RangeOf(block_idx)),
        group_(store.GroupOf(block_idx)),
        line_(store.LineOf(block_idx)),
        overflowing_before_(NumOf(group_.overflow)),
        undecided_before_(NumOf(line_.spilled())) {}
  ~FiguresOfChange() {
    Replace(overflowing_before_, NumOf(group_.overflow), range_.num_overflowing);
    Replace(undecided_before_, NumOf(line_.spilled()), range_.num_undecided);
    range_.side_table_bytes.Set(range_.side.num_bytes());
  }
  FiguresOfChange(const FiguresOfChange&) = delete;
  FiguresOfChange& operator=(const FiguresOfChange&) = delete;

 private:
  static uint64_t NumOf(uint64_t blocks) { return static_cast<uint64_t>(std::popcount(blocks)); }
  static void Replace(uint64_t before, uint64_t after, RunningFigure& figure) {
    figure.Set(figure.Get() - before + after);
  }

  OwnedRange& range_;
  const kernels::StampedGroup& group_;
  const StampedLine line_;
  uint64_t overflowing_before_;
  uint64_t undecided_before_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_FIGURES_OF_CHANGE_H_
