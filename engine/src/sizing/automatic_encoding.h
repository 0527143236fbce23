// The choice of an encoding by preference.
#ifndef TROMMEL_ENGINE_SRC_SIZING_AUTOMATIC_ENCODING_H_
#define TROMMEL_ENGINE_SRC_SIZING_AUTOMATIC_ENCODING_H_

#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// SizeFor of a request for Encoding::kAutomatic: sizes those encodings that the preference
// considers, and returns one of these results. Fails as the first of them if all fail.
Result<Sizing> SizeAutomatically(const SizingRequest& request);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIZING_AUTOMATIC_ENCODING_H_
