// Names of Arrow's types, for messages about those that are no keys.
#ifndef TROMMEL_ENGINE_PYTHON_SRC_ARROW_TYPE_NAME_H_
#define TROMMEL_ENGINE_PYTHON_SRC_ARROW_TYPE_NAME_H_

#include <string>

#include "engine/python/src/arrow.h"

namespace trommel::python {

// Returns the type's name as Arrow's libraries print it, without the names of fields:
// "list<int64>", "timestamp[us]", "struct". A format that the specification does not have names
// itself.
std::string ArrowTypeName(const ArrowSchema& schema);

}  // namespace trommel::python

#endif  // TROMMEL_ENGINE_PYTHON_SRC_ARROW_TYPE_NAME_H_
