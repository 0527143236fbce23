// --digest, --seed and --key-file: how keys of a new filter become digests.
#ifndef TROMMEL_TOOLS_DIGEST_OPTIONS_H_
#define TROMMEL_TOOLS_DIGEST_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "tools/trommel/options.h"
#include "trommel/result.h"

namespace trommel::tool {

// FinishDigest must be called in the subcommand's callback: it throws CLI::ValidationError when
// these options contradict each other.
void AddDigest(CLI::App& command, FilterOptions& options);
void FinishDigest(const CLI::App& command, const FilterOptions& options);

// Makes options.digest a keyed one if there is a key file. Fails as ReadKeyFile does.
Status ReadDigestKey(FilterOptions& options);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DIGEST_OPTIONS_H_
