// Numbers and strings as bytes, for the values in the databases. A number is a varint: 7 bits per
// byte, the lowest first, the top bit set in all bytes but the last. A string is its length and its
// bytes. The reader accepts what the writer writes and nothing else, and never reads beyond its
// bytes.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_BYTE_CODEC_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_BYTE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trommel::index {

void AppendNumber(uint64_t number, std::string& bytes);
void AppendString(std::string_view text, std::string& bytes);

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  // Each returns nothing if the bytes do not begin with such a number or string, or it is beyond
  // the limit; the reader must not be used after it.
  std::optional<uint64_t> Number(uint64_t largest);
  std::optional<std::string_view> String(size_t longest);
  // As String, without a length before them.
  std::optional<std::string_view> Bytes(size_t length);

  size_t num_left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

// Returns the key in quotation marks for a message: bytes that are not printable as \xNN, and the
// first 40 bytes of a long one.
std::string Quoted(std::string_view key);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_BYTE_CODEC_H_
