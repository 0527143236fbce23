/* What the sources of libtrommel_jni share: batches of keys from Java, and errors to Java. Their
 * functions are those of trommel/Native.java, which says who calls them with what.
 *
 * Arrays are copied in chunks rather than pinned: a pinned array delays garbage collections of all
 * threads until it is released, and a copy costs less than 1 ns per key. */
#ifndef TROMMEL_JNI_KEYS_H_
#define TROMMEL_JNI_KEYS_H_

#include <jni.h>
#include <stddef.h>
#include <stdint.h>
#include <trommel/c.h>

/* The same numbers as in Native.java. */
enum {
  GLUE_VERSION = 1,
  INSERT = 0,
  INSERT_IF_ABSENT = 1,
  ERASE = 2,
  ERASE_ALL = 3,
  INSERT_AT = 4,
  ERASE_AT = 5,
  QUERY = 6,
  DIRECT = 16 /* a flag of the kind of keys */
};

/* Keys of a chunk. Windows keep one time for as many. */
enum { CHUNK = TROMMEL_WINDOW_CHUNK_KEYS, CHUNK_WORDS = CHUNK / 64 };

/* A native method of trommel.Native. */
#define NATIVE(type, name) JNIEXPORT type JNICALL Java_trommel_Native_##name
/* The parameters of a batch, as all such methods have them. */
#define BATCH jobject data, jobject offsets, jint kind, jint start, jint size

static inline trommel_filter* filter_at(jlong address) {
  return (trommel_filter*)(intptr_t)address;
}

/* Memory for copies: what its owner has at hand, or more from the heap. */
struct space {
  void* data;
  size_t num_bytes;
  void* heap; /* NULL, or data */
};

/* Makes the space at least so large; returns 0 with an exception pending. */
int reserve(JNIEnv* env, struct space* space, size_t num_bytes);

/* A batch, and the chunk of it that `keys` shows. */
struct batch {
  JNIEnv* env;
  jobject data;
  jobject offsets;
  int32_t kind;
  int32_t start;
  int32_t size;
  int32_t first;      /* of the chunk's keys, counted from start */
  trommel_keys keys;  /* the chunk */
  const char* direct; /* the buffers, where they are read in place */
  const int32_t* direct_offsets;
  struct space keys_copy;
  struct space offsets_copy;
  int64_t chunk_keys[CHUNK];
  int32_t chunk_offsets[CHUNK + 1];
};
/* Begins before the first chunk. Call end_batch in any case. */
void begin_batch(struct batch* batch, JNIEnv* env, BATCH);
/* Moves to the next chunk, of at most CHUNK keys; returns 0 behind the last, or with an exception
 * pending. */
int next_chunk(struct batch* batch);
/* Shows all keys, for what cannot be done in chunks; returns 0 with an exception pending. */
int all_keys(struct batch* batch);
void end_batch(struct batch* batch);

/* Returns a double as Double.longBitsToDouble takes it. */
jlong bits_of(double number);

/* Throws what a failed call says; keeps an exception that is pending already. */
void raise(JNIEnv* env, const trommel_error* error);
void raise_out_of_memory(JNIEnv* env, const char* what);

/* The policy of a digest, whose key is copied to `bytes`. */
trommel_digest_policy policy_of(JNIEnv* env, jint digest, jlong seed, jbyteArray secret,
                                uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES]);

/* Calls `call` with a key: the bytes of `array`, or the integer if that is NULL. */
typedef int32_t (*key_call)(void* context, trommel_key key, trommel_error* error);
/* Returns its answer, or 0 with an exception pending. */
jboolean with_key(JNIEnv* env, jlong integer, jbyteArray array, key_call call, void* context);

#endif
