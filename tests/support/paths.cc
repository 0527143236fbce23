#include "support/paths.h"

namespace trommel::tests {

const char* const kSourceFolder = TROMMEL_SOURCE_FOLDER;
const char* const kCommand = TROMMEL_COMMAND;

}  // namespace trommel::tests
