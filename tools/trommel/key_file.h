// --key-file: the digest key of filters whose keys strangers choose, as a file of 16 random bytes.
#ifndef TROMMEL_TOOLS_KEY_FILE_H_
#define TROMMEL_TOOLS_KEY_FILE_H_

#include <CLI/CLI.hpp>
#include <string>

#include "tools/trommel/filter_file.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::tool {

// For commands that hash keys to ask a filter file for them.
void AddKeyFile(CLI::App& command, std::string& key_file);

// Fails with kInvalidArgument unless the file holds exactly DigestKey::kNumBytes bytes, and with
// kIo if it cannot be read. Standard input ("-") is none: it may be where keys come from.
Result<DigestKey> ReadKeyFile(const std::string& path);

// FilterFile::Load with the key in that file; "": without one. Fails as both, and with
// kInvalidArgument for a filter of another key or none.
Result<FilterFile> LoadWithKey(const std::string& path, const std::string& key_file,
                               uint64_t memory_limit_bytes = 0);

// Says why loading failed: a wrong key is a usage error, all else bad input.
int FailOnLoad(const Error& error);

// kInvalidArgument if the filter's digest has a key that was not given: nothing can be hashed.
Status CheckKeyGiven(const DigestPolicy& policy);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_FILE_H_
