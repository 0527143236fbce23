// Filters of tuples as files and bytes.
#include <cstdint>

#include "engine/c/src/attributes.h"
#include "engine/c/src/failures.h"
#include "engine/c/src/snapshots.h"
#include "trommel/attribute_filter.h"
#include "trommel/byte_stream.h"
#include "trommel/c.h"

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_attributes_save(const trommel_attributes* filter, const char* path,
                                     const trommel_save_options* options, trommel_error* error) {
  return trommel_save(filter, path, options, error);
}

trommel_code trommel_attributes_load(const char* path, const trommel_load_options* options,
                                     trommel_attributes** filter, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_attributes*& out = Required(filter, "filter");
    out = MakeAttributes(FileOf(path).Load<AttributeFilter>(LoadOptionsOf(options)));
  });
}

trommel_code trommel_attributes_load_bytes(const void* bytes, int64_t num_bytes,
                                           const trommel_load_options* options,
                                           trommel_attributes** filter, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_attributes*& out = Required(filter, "filter");
    const SpanSource memory(BytesOf(bytes, num_bytes));
    out = MakeAttributes(SnapshotSource{memory}.Load<AttributeFilter>(LoadOptionsOf(options)));
  });
}

trommel_code trommel_attributes_read(trommel_source source, void* context, int64_t num_bytes,
                                     const trommel_load_options* options,
                                     trommel_attributes** filter, trommel_error* error) {
  return Guarded(error, [&] {
    trommel_attributes*& out = Required(filter, "filter");
    const CallbackSource callback(source, context, num_bytes);
    out = MakeAttributes(SnapshotSource{callback}.Load<AttributeFilter>(LoadOptionsOf(options)));
  });
}

trommel_code trommel_attributes_serialize(const trommel_attributes* filter, void* buffer,
                                          int64_t buffer_size, int64_t* num_bytes,
                                          trommel_error* error) {
  return trommel_serialize(filter, buffer, buffer_size, num_bytes, error);
}

trommel_code trommel_attributes_write(const trommel_attributes* filter, trommel_sink sink,
                                      void* context, trommel_error* error) {
  return trommel_write(filter, sink, context, error);
}

trommel_code trommel_attributes_clone(const trommel_attributes* filter, trommel_attributes** clone,
                                      trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_attributes& source = Required(filter, "filter");
    trommel_attributes*& out = Required(clone, "clone");
    out = MakeAttributes(source.filter.Clone(), source.executor);
  });
}
