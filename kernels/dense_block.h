// A dense block (dense_layout.h) taken apart, key by key: the reference of its kernels, and what
// the store changes blocks by that a kernel leaves to it.
#ifndef TROMMEL_KERNELS_DENSE_BLOCK_H_
#define TROMMEL_KERNELS_DENSE_BLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/dense_layout.h"
#include "kernels/presence_words.h"

namespace trommel::kernels {

// A copy of a block's words, which is changed, then stored.
class DenseBlock {
 public:
  // Neighbouring slots.
  struct Slots {
    uint32_t first;
    uint32_t end;

    uint32_t size() const { return end - first; }
  };

  // Of words that Store has not written, IsReadable tells whether anything else may be called.
  DenseBlock(const DenseLayout& layout, const uint32_t* block);
  void Store(uint32_t* block) const;

  bool IsReadable() const {
    return num_bins_ <= layout_.shape.bins && num_keys_ <= layout_.shape.slots;
  }
  // The keys in slots, and the bins that are shown: from the first on, all unless the block is cut.
  uint32_t num_keys() const { return num_keys_; }
  uint32_t num_bins() const { return num_bins_; }
  bool is_full() const { return num_keys_ == layout_.shape.slots; }
  bool is_cut() const { return num_bins_ < layout_.shape.bins; }
  bool Shows(uint32_t bin) const { return bin < num_bins_; }
  bool is_counted() const { return is_counted_; }
  void set_counted(bool is_counted) { is_counted_ = is_counted; }
  bool is_spilled() const { return is_spilled_; }
  // Requires a block that is cut when it is stored, if it is spilled.
  void set_spilled(bool is_spilled) { is_spilled_ = is_spilled; }

  uint32_t RemainderAt(uint32_t slot) const;
  // Writes the keys in slots, in their order, to the front of `keys`; returns how many there are.
  uint32_t Keys(std::span<uint32_t, kMaxDenseSlots> keys) const;
  // The slots whose key a lower slot has, too, one bit each.
  uint64_t Copies() const;
  uint32_t BinAt(uint32_t slot) const;
  // The following require that the bin is shown.
  Slots SlotsOf(uint32_t bin) const;
  uint32_t CountOf(uint32_t key) const;
  // The first slot with the key, or -1.
  int Find(uint32_t key) const;

  // Puts the key behind the others of its bin, which must be shown; returns its slot. Requires a
  // free slot.
  uint32_t Open(uint32_t key);
  // Removes the key in a slot of this bin.
  void Close(uint32_t slot, uint32_t bin);
  // The last bin that has keys. Requires one.
  uint32_t LastBin() const;
  // Shows the bins below this one alone, and drops the keys of the others.
  void CutAt(uint32_t bin);
  // Shows the bins below this one: those that it did not show have no keys.
  void ShowBins(uint32_t end);

  const DenseLayout& layout() const { return layout_; }

 private:
  // The slots with this remainder, in any bin, one bit each.
  uint64_t Equal(uint32_t remainder) const;
  void MoveBytes(uint32_t from, uint32_t to);
  // The slots with this byte, one bit each, and bits behind them.
  uint64_t EqualBytes(size_t i, uint32_t byte) const;

  DenseLayout layout_;
  // Of slots, by byte of the remainder; all others are 0.
  std::array<std::array<uint8_t, 128>, 2> bytes_;
  std::array<uint64_t, kMaxDensePlanes> planes_;  // as many as the shape has
  DenseWord ends_ = 0;                            // unary, with a 1 behind each bin that is shown
  uint32_t num_keys_ = 0;
  uint32_t num_bins_ = 0;
  bool is_counted_ = false;
  bool is_spilled_ = false;
};

// Is the block cut or counted? Counted? Spilled?
inline bool IsMarkedDense(const uint32_t* block) { return LoadPresenceWord(block + 15) >> 30 != 0; }
inline bool IsCountedDense(const uint32_t* block) {
  return (LoadPresenceWord(block + 15) >> 30 & 1) != 0;
}
inline bool IsSpilledDense(const uint32_t* block) {
  return (LoadPresenceWord(block + 15) >> 29 & 5) == 5;  // of a block that is cut
}

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_DENSE_BLOCK_H_
