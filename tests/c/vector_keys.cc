// Keys in all layouts that the C ABI takes, policies, and codes.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "c/vectors.h"

namespace trommel::vectors {

int32_t IndexOf(const std::vector<std::string_view>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? 0 : static_cast<int32_t>(found - names.begin());
}

void Check(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("does not hold: " + what);
}

LaidOutKeys::LaidOutKeys(VectorKeys keys) : keys_(std::move(keys)), offsets64_(1), offsets32_(1) {
  kind_ = keys_.kind == "int64"     ? TROMMEL_KEYS_INT64
          : keys_.kind == "int32"   ? TROMMEL_KEYS_INT32
          : keys_.kind == "digests" ? TROMMEL_KEYS_DIGESTS
                                    : TROMMEL_KEYS_BYTES64;
  for (const std::string& key : keys_.strings) {
    bytes_ += key;
    offsets64_.push_back(std::ssize(bytes_));
    offsets32_.push_back(static_cast<int32_t>(bytes_.size()));
    slices_.push_back({key.empty() ? nullptr : key.data(), std::ssize(key)});
  }
  if (kind_ == TROMMEL_KEYS_BYTES64) return;
  const size_t width = kind_ == TROMMEL_KEYS_INT32 ? 4 : 8;
  const auto* const data = static_cast<const char*>(Adjacent());
  for (size_t i = size(); i-- > 0;) {
    bytes_.append(data + i * width, width).append(kApart - width, '\0');
  }
}

const void* LaidOutKeys::Adjacent() const {
  return kind_ == TROMMEL_KEYS_INT32 ? static_cast<const void*>(keys_.narrow.data())
                                     : keys_.words.data();
}

trommel_keys LaidOutKeys::View(uint64_t variant) const {
  const auto num_keys = static_cast<int64_t>(size());
  if (kind_ != TROMMEL_KEYS_BYTES64) {
    trommel_keys view = trommel_keys_of(kind_, Adjacent(), num_keys);
    if (variant % 3 == 1 && num_keys > 0) {
      view.data = bytes_.data() + (num_keys - 1) * kApart;
      view.stride = -kApart;
    }
    return view;
  }
  if (variant % 3 == 2) return trommel_keys_of(TROMMEL_KEYS_SLICES, slices_.data(), num_keys);
  trommel_keys view = trommel_keys_of(kind_, bytes_.data(), num_keys);
  view.num_bytes = std::ssize(bytes_);
  view.offsets = offsets64_.data();
  if (variant % 3 == 1) {
    view.kind = TROMMEL_KEYS_BYTES32;
    view.offsets = offsets32_.data();
  }
  return view;
}

trommel_key LaidOutKeys::At(size_t i) const {
  if (kind_ == TROMMEL_KEYS_INT64) return trommel_key_int64(static_cast<int64_t>(keys_.words[i]));
  if (kind_ == TROMMEL_KEYS_INT32) return trommel_key_int32(keys_.narrow[i]);
  if (kind_ == TROMMEL_KEYS_DIGESTS) return trommel_key_digest(keys_.words[i]);
  return trommel_key_bytes(keys_.strings[i].data(), std::ssize(keys_.strings[i]));
}

Policy::Policy(const Line& line) : key_(FromHex(Option(line, "key", "-"))) {
  policy_.kind = IndexOf({"", "xxh64", "xxh3", "caller", "siphash"}, Option(line, "digest"));
  policy_.seed = NumberOption(line, "seed");
  policy_.key = key();
}

std::string CodeText(trommel_code code, const trommel_error& error) {
  if (code == TROMMEL_OK) return "ok";
  Check(error.code == code && error.message[0] != '\0', "an error has its code and a message");
  return std::string("error ") + trommel_code_name(code);
}

}  // namespace trommel::vectors
