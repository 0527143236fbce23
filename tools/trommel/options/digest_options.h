// --digest, --seed and --key-file: how keys become digests.
#ifndef TROMMEL_TOOLS_DIGEST_OPTIONS_H_
#define TROMMEL_TOOLS_DIGEST_OPTIONS_H_

#include <string>

#include "tools/trommel/options/filter_options.h"
#include "trommel/result.h"

namespace trommel::tool {

// All three, for commands that make a filter.
void AddDigest(Command& command, FilterOptions& options);
// Completes options.digest, by --prefer too. Throws UsageError where options contradict each other.
// For the subcommand's action.
void FinishDigest(const Command& command, FilterOptions& options);
// Makes options.digest a keyed one if there is a key file. Fails as ReadKeyFile does.
Status ReadDigestKey(FilterOptions& options);

// --key-file alone, for commands that hash keys for a filter file.
void AddKeyFile(Command& command, std::string& key_file);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DIGEST_OPTIONS_H_
