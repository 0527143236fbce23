// --key-file: the digest key of filters whose keys strangers choose, as a file of 16 random bytes.
#ifndef TROMMEL_TOOLS_KEY_FILE_H_
#define TROMMEL_TOOLS_KEY_FILE_H_

#include <CLI/CLI.hpp>
#include <string>

#include "tools/trommel/filter_file.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::tool {

// --key-file, an empty name being a usage error.
CLI::Option* AddKeyFileOption(CLI::App& command, std::string& key_file, const std::string& help);
// The same for commands that hash keys to ask a filter file for them.
void AddKeyFile(CLI::App& command, std::string& key_file);

// Fails with kInvalidArgument unless the file holds exactly DigestKey::kNumBytes bytes, and with
// kIo if it cannot be read. Standard input, by any name, is none: keys may come from there.
Result<DigestKey> ReadKeyFile(const std::string& path);

// The same for --key-file as it was given or not: "" is no key.
Result<DigestKey> ReadGivenKey(const std::string& key_file);

// FilterFile::Load with the key in that file; "": without one. Fails as both, and with
// kInvalidArgument for a filter of another key or none. For commands that only read: those that
// take a lock read the key before.
Result<FilterFile> LoadWithKey(const std::string& path, const std::string& key_file);

// kInvalidArgument if the filter's digest has a key that was not given: nothing can be hashed.
Status CheckKeyGiven(const DigestPolicy& policy);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_FILE_H_
