// Filters that hold keys as files and bytes.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/c/src/failures.h"
#include "engine/c/src/filter.h"
#include "engine/c/src/policies.h"
#include "engine/c/src/snapshots.h"
#include "engine/c/src/structs.h"
#include "trommel/byte_stream.h"
#include "trommel/c.h"
#include "trommel/metadata.h"
#include "trommel/save_options.h"

namespace trommel::c_abi {
namespace {

// Loads what `source` says it is, or a counting filter as one for threads.
template <class Source>
void LoadFrom(const Source& source, int32_t type_of_source, const trommel_load_options* options,
              trommel_filter** filter) {
  trommel_filter*& out = Required(filter, "filter");
  const LoadOptions given = LoadOptionsOf(options);
  const int32_t type = given.type == TROMMEL_TYPE_ANY ? type_of_source : given.type;
  const bool converts = type == TROMMEL_TYPE_CONCURRENT && type_of_source == TROMMEL_TYPE_COUNTING;
  if (type != type_of_source && !converts) {
    Throw(TROMMEL_MISMATCH, "it is a " + std::string(TypeText(type_of_source)) +
                                " filter; options.type is " + std::string(TypeText(type)));
  }
  if (type == TROMMEL_TYPE_ATTRIBUTES) {
    Throw(TROMMEL_MISMATCH, "it is an attribute filter: call trommel_attributes_load");
  }
  AnyFilterPtr any = ValueOf(source.template Load<AnyFilter>(given));
  // Another file may have taken its name since its type was read, or a source have other bytes.
  if (static_cast<int32_t>(any->type()) != type_of_source) {
    Throw(TROMMEL_MISMATCH, "it changed while it was read: it was a " +
                                std::string(TypeText(type_of_source)) + " filter");
  }
  Return(out, converts ? Converted(*any) : std::move(any));
}

}  // namespace
}  // namespace trommel::c_abi

using namespace trommel;         // NOLINT(google-build-using-namespace): of the functions below
using namespace trommel::c_abi;  // NOLINT(google-build-using-namespace)

trommel_code trommel_type_of_file(const char* path, int32_t* type, trommel_error* error) {
  return Guarded(error, [&] {
    int32_t& out = Required(type, "type");
    out = FileOf(path).Type();
  });
}

trommel_code trommel_type_of_bytes(const void* bytes, int64_t num_bytes, int32_t* type,
                                   trommel_error* error) {
  return Guarded(error, [&] {
    int32_t& out = Required(type, "type");
    const SpanSource memory(BytesOf(bytes, num_bytes));
    out = SnapshotSource{memory}.Type();
  });
}

trommel_code trommel_save(const trommel_filter* filter, const char* path,
                          const trommel_save_options* options, trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    const char& name = Required(path, "path");
    const SaveOptions given = SaveOptionsOf(options);
    ValueOf(source.any->Save(&name, given));
  });
}

trommel_code trommel_load(const char* path, const trommel_load_options* options,
                          trommel_filter** filter, trommel_error* error) {
  return Guarded(error, [&] {
    const SnapshotFile file = FileOf(path);
    LoadFrom(file, file.Type(), options, filter);
  });
}

trommel_code trommel_load_metadata(const char* path, void* buffer, int64_t buffer_size,
                                   int64_t* num_bytes, trommel_error* error) {
  return Guarded(error, [&] {
    const char& name = Required(path, "path");
    CheckBuffer(buffer, buffer_size, num_bytes);
    const std::vector<std::byte> metadata = ValueOf(LoadMetadata(&name));
    WriteOut(buffer, buffer_size, num_bytes, [&](ByteSink& sink) { return sink.Append(metadata); });
  });
}

trommel_code trommel_metadata_of_bytes(const void* bytes, int64_t num_bytes, void* buffer,
                                       int64_t buffer_size, int64_t* num_metadata_bytes,
                                       trommel_error* error) {
  return Guarded(error, [&] {
    const SpanSource memory(BytesOf(bytes, num_bytes));
    CheckBuffer(buffer, buffer_size, num_metadata_bytes);
    const std::vector<std::byte> metadata = ValueOf(LoadMetadata(memory));
    WriteOut(buffer, buffer_size, num_metadata_bytes,
             [&](ByteSink& sink) { return sink.Append(metadata); });
  });
}

trommel_code trommel_load_bytes(const void* bytes, int64_t num_bytes,
                                const trommel_load_options* options, trommel_filter** filter,
                                trommel_error* error) {
  return Guarded(error, [&] {
    const SpanSource memory(BytesOf(bytes, num_bytes));
    const SnapshotSource snapshot{memory};
    LoadFrom(snapshot, snapshot.Type(), options, filter);
  });
}

trommel_code trommel_read(trommel_source source, void* context, int64_t num_bytes,
                          const trommel_load_options* options, trommel_filter** filter,
                          trommel_error* error) {
  return Guarded(error, [&] {
    const CallbackSource callback(source, context, num_bytes);
    const SnapshotSource snapshot{callback};
    LoadFrom(snapshot, snapshot.Type(), options, filter);
  });
}

trommel_code trommel_serialize(const trommel_filter* filter, void* buffer, int64_t buffer_size,
                               int64_t* num_bytes, trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    WriteOut(buffer, buffer_size, num_bytes,
             [&](ByteSink& sink) { return source.any->SaveTo(sink, {}); });
  });
}

trommel_code trommel_write(const trommel_filter* filter, trommel_sink sink, void* context,
                           trommel_error* error) {
  return Guarded(error, [&] {
    const trommel_filter& source = Required(filter, "filter");
    PassOn(sink, context, source.any->Serialize());
  });
}
