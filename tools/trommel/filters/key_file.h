// The digest key of a filter whose keys an adversary may choose, as a file of 16 random bytes.
#ifndef TROMMEL_TOOLS_KEY_FILE_H_
#define TROMMEL_TOOLS_KEY_FILE_H_

#include <cstdint>
#include <string>

#include "tools/trommel/filters/filter_file.h"
#include "tools/trommel/input/key_format.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::tool {

// Fails with kInvalidArgument unless the file holds exactly DigestKey::kNumBytes bytes, and with
// kIo if it cannot be read, or if it is standard input, by any name: keys may come from there.
Result<DigestKey> ReadKeyFile(const std::string& path);

// The same for --key-file as it was given or not: "" is no key.
Result<DigestKey> ReadGivenKey(const std::string& key_file);

// FilterFile::Load with the key in that file; "": without one. Fails as both, and with
// kInvalidArgument for a filter of another key or none. For commands that only read: those that
// take a lock read the key first.
Result<FilterFile> LoadWithKey(const std::string& path, const std::string& key_file,
                               uint64_t memory_limit_bytes);

// Fails with kInvalidArgument if the filter's digest has a key that was not given.
Status CheckKeyGiven(const DigestPolicy& policy);

// The same, and kInvalidArgument if keys of this format have no digest of that policy: a filter of
// the caller's own digests takes only 64-bit integers, which are the digests.
Status CheckCanHash(const DigestPolicy& policy, KeyFormat format);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_FILE_H_
