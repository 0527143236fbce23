/* Saving and loading filters. */
#include <limits.h>
#include <stdlib.h>

#include "jni_keys.h"

/* A file's name, which ends with a zero byte in Java already. */
static jbyte* name_of(JNIEnv* env, jbyteArray name) {
  return (*env)->GetByteArrayElements(env, name, NULL);
}

NATIVE(void, save)
(JNIEnv* env, jclass self, jlong filter, jbyteArray name, jbyteArray metadata, jint options) {
  trommel_save_options save = {.struct_size = sizeof(save)};
  jbyte* path = name_of(env, name);
  jbyte* bytes = path == NULL ? NULL : (*env)->GetByteArrayElements(env, metadata, NULL);
  trommel_error error;
  (void)self;
  if (bytes != NULL) {
    save.keep_existing = options & 1;
    save.point_in_time = options >> 1 & 1;
    save.metadata = bytes;
    save.metadata_bytes = (*env)->GetArrayLength(env, metadata);
    if (trommel_save(filter_at(filter), (const char*)path, &save, &error) != TROMMEL_OK) {
      raise(env, &error);
    }
    (*env)->ReleaseByteArrayElements(env, metadata, bytes, JNI_ABORT);
  }
  if (path != NULL) (*env)->ReleaseByteArrayElements(env, name, path, JNI_ABORT);
}

NATIVE(jbyteArray, metadata)(JNIEnv* env, jclass self, jbyteArray name) {
  uint8_t bytes[1 << 16]; /* the most that there can be */
  jbyte* path = name_of(env, name);
  jbyteArray metadata = NULL;
  int64_t num_bytes = 0;
  trommel_error error;
  (void)self;
  if (path == NULL) return NULL;
  if (trommel_load_metadata((const char*)path, bytes, sizeof(bytes), &num_bytes, &error) ==
      TROMMEL_OK) {
    metadata = (*env)->NewByteArray(env, (jsize)num_bytes);
    if (metadata != NULL) {
      (*env)->SetByteArrayRegion(env, metadata, 0, (jsize)num_bytes, (const jbyte*)bytes);
    }
  } else {
    raise(env, &error);
  }
  (*env)->ReleaseByteArrayElements(env, name, path, JNI_ABORT);
  return metadata;
}

/* Bytes of Java's, and how many of them were written. */
struct bytes {
  JNIEnv* env;
  jbyteArray array;
  int64_t num_bytes;
};

/* A trommel_source. */
static int32_t read_array(void* context, int64_t offset, void* buffer, int64_t num_bytes) {
  const struct bytes* bytes = context;
  JNIEnv* env = bytes->env;
  if (offset < 0 || offset > INT_MAX || num_bytes < 0 || num_bytes > INT_MAX) return 1;
  (*env)->GetByteArrayRegion(env, bytes->array, (jsize)offset, (jsize)num_bytes, buffer);
  return (*env)->ExceptionCheck(env);
}

NATIVE(jlong, load)
(JNIEnv* env, jclass self, jbyteArray source, jboolean is_name, jint type, jlong memory_limit_bytes,
 jbyteArray secret) {
  uint8_t key[TROMMEL_DIGEST_KEY_BYTES];
  trommel_load_options options = {.struct_size = sizeof(options), .type = type};
  trommel_filter* filter = NULL;
  trommel_error error;
  trommel_code code;
  (void)self;
  options.memory_limit_bytes = (uint64_t)memory_limit_bytes;
  options.digest_key = policy_of(env, 0, 0, secret, key).key;
  if (is_name) {
    jbyte* path = name_of(env, source);
    if (path == NULL) return 0;
    code = trommel_load((const char*)path, &options, &filter, &error);
    (*env)->ReleaseByteArrayElements(env, source, path, JNI_ABORT);
  } else {
    struct bytes bytes = {env, source, 0};
    code = trommel_read(read_array, &bytes, (*env)->GetArrayLength(env, source), &options, &filter,
                        &error);
  }
  if (code != TROMMEL_OK) raise(env, &error);
  return (jlong)(intptr_t)filter;
}

/* A trommel_sink, which fails where there are more bytes than the array has. */
static int32_t write_array(void* context, const void* from, int64_t num_bytes) {
  struct bytes* bytes = context;
  JNIEnv* env = bytes->env;
  if (num_bytes > (*env)->GetArrayLength(env, bytes->array) - bytes->num_bytes) {
    bytes->num_bytes = INT64_MAX;
    return 1;
  }
  (*env)->SetByteArrayRegion(env, bytes->array, (jsize)bytes->num_bytes, (jsize)num_bytes, from);
  bytes->num_bytes += num_bytes;
  return 0;
}

NATIVE(jbyteArray, toBytes)(JNIEnv* env, jclass self, jlong filter) {
  trommel_error error;
  trommel_code code;
  int64_t num_bytes = 0;
  (void)self;
  for (;;) {
    struct bytes bytes = {env, NULL, 0};
    code = trommel_serialize(filter_at(filter), NULL, 0, &num_bytes, &error);
    if (code != TROMMEL_OK) break;
    if (num_bytes > INT_MAX - 8) {
      raise_out_of_memory(env, "2^31 bytes in one array: use save or writeTo");
      return NULL;
    }
    bytes.array = (*env)->NewByteArray(env, (jsize)num_bytes);
    if (bytes.array == NULL) return NULL;
    code = trommel_write(filter_at(filter), write_array, &bytes, &error);
    if (code == TROMMEL_OK && bytes.num_bytes == num_bytes) return bytes.array;
    if (code != TROMMEL_OK && bytes.num_bytes != INT64_MAX) break;
    /* Beside writers the number has changed. */
    (*env)->DeleteLocalRef(env, bytes.array);
  }
  raise(env, &error);
  return NULL;
}

enum { STREAM_BYTES = 1 << 16 };
struct stream {
  JNIEnv* env;
  jobject out;
  jmethodID write;
  jbyteArray buffer;
};
/* A trommel_sink into an OutputStream. */
static int32_t write_stream(void* context, const void* bytes, int64_t num_bytes) {
  const struct stream* stream = context;
  JNIEnv* env = stream->env;
  const jbyte* next = bytes;
  while (num_bytes > 0) {
    const jsize size = num_bytes < STREAM_BYTES ? (jsize)num_bytes : STREAM_BYTES;
    (*env)->SetByteArrayRegion(env, stream->buffer, 0, size, next);
    (*env)->CallVoidMethod(env, stream->out, stream->write, stream->buffer, (jint)0, size);
    if ((*env)->ExceptionCheck(env)) return 1;
    next += size;
    num_bytes -= size;
  }
  return 0;
}

NATIVE(void, write)(JNIEnv* env, jclass self, jlong filter, jobject out) {
  struct stream stream = {env, out, NULL, NULL};
  trommel_error error;
  (void)self;
  stream.write = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, out), "write", "([BII)V");
  if (stream.write == NULL) return;
  stream.buffer = (*env)->NewByteArray(env, STREAM_BYTES);
  if (stream.buffer == NULL) return;
  if (trommel_write(filter_at(filter), write_stream, &stream, &error) != TROMMEL_OK) {
    raise(env, &error);
  }
}
