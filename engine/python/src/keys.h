// One key from Python: an int, a str or bytes. Not here: batches (key_batch.h).
#ifndef TROMMEL_ENGINE_PYTHON_SRC_KEYS_H_
#define TROMMEL_ENGINE_PYTHON_SRC_KEYS_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::python {

// Returns the key if the object is one: an int (of Python or NumPy), a str or bytes. It views the
// object's bytes. Throws for integers beyond 64 bits.
std::optional<Key> OneKey(nanobind::handle object);

// As above, where nothing but one key is taken. Throws for anything else; `advice` ends the
// message.
Key RequireOneKey(nanobind::handle object, const char* advice = "");
inline constexpr const char* kUpdateTakesBatches = ": update takes a batch of keys";

// The steps of these, for batches: the integer of an int, modulo 2^64; the UTF-8 bytes of a str,
// which the object keeps; the bytes of bytes. Each throws where the value has none.
uint64_t IntegerOf(nanobind::handle object);
std::string_view TextOf(nanobind::handle object);
std::string_view BytesOf(nanobind::handle object);
// Whether the object says that it is an integer and has no length, as a scalar of NumPy.
bool IsIndexScalar(nanobind::handle object);

// Throws that this is not a key. `place` ends the sentence: " at index 3".
[[noreturn]] void ThrowNotAKey(nanobind::handle object, const std::string& place);
std::string TypeName(nanobind::handle object);
std::string Shown(nanobind::handle object);  // repr(object)

// Throws unless the policy can hash these keys, which the library requires.
void CheckHashable(const DigestPolicy& policy, KeyKind kind);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_KEYS_H_
