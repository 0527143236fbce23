/* Maps of columns. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "jni_keys.h"

static trommel_column_map* map_at(jlong address) { return (trommel_column_map*)(intptr_t)address; }

NATIVE(jlong, newColumns)
(JNIEnv* env, jclass self, jint num_columns, jlong capacity, jdouble target_fpr, jint digest,
 jlong seed, jbyteArray secret) {
  uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES];
  const trommel_digest_policy policy = policy_of(env, digest, seed, secret, bytes);
  trommel_column_map_config config = {.struct_size = sizeof(config)};
  trommel_column_map* map = NULL;
  trommel_error error;
  (void)self;
  config.num_columns = (uint32_t)num_columns;
  config.capacity = (uint64_t)capacity;
  config.target_fpr = target_fpr;
  config.digest = &policy;
  if (trommel_column_map_create(&config, &map, &error) != TROMMEL_OK) raise(env, &error);
  return (jlong)(intptr_t)map;
}

NATIVE(void, freeColumns)(JNIEnv* env, jclass self, jlong map) {
  (void)env;
  (void)self;
  trommel_column_map_free(map_at(map));
}

/* Refuses a negative column, which the library would call a very large one. */
static int is_column(JNIEnv* env, jint column) {
  trommel_error error;
  if (column >= 0) return 1;
  error.code = TROMMEL_INVALID_ARGUMENT;
  snprintf(error.message, sizeof(error.message), "column must be 0 or more; got %d", (int)column);
  raise(env, &error);
  return 0;
}

NATIVE(void, openColumn)(JNIEnv* env, jclass self, jlong map, jint column) {
  trommel_error error;
  (void)self;
  if (is_column(env, column) &&
      trommel_column_map_open(map_at(map), (uint32_t)column, &error) != TROMMEL_OK) {
    raise(env, &error);
  }
}

NATIVE(void, closeColumn)(JNIEnv* env, jclass self, jlong map, jint column) {
  trommel_error error;
  (void)self;
  if (is_column(env, column) &&
      trommel_column_map_close(map_at(map), (uint32_t)column, &error) != TROMMEL_OK) {
    raise(env, &error);
  }
}

NATIVE(jboolean, isOpen)(JNIEnv* env, jclass self, jlong map, jint column) {
  trommel_error error;
  int32_t answer;
  (void)self;
  if (!is_column(env, column)) return JNI_FALSE;
  answer = trommel_column_map_is_open(map_at(map), (uint32_t)column, &error);
  if (answer < 0) raise(env, &error);
  return answer > 0;
}

NATIVE(void, updateColumn)
(JNIEnv* env, jclass self, jlong map, jint column, jint operation, BATCH, jlongArray outcome) {
  enum { FIRST_WORD = 5 }; /* of the bitmap in an outcome */
  uint64_t bits[CHUNK_WORDS];
  jlong counts[2] = {0, 0};
  struct batch batch;
  (void)self;
  if (!is_column(env, column)) return;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  /* A batch of no keys is a call, too: it says whether the column is open. */
  while (size == 0 ? all_keys(&batch) : next_chunk(&batch)) {
    const jsize num_words = (jsize)trommel_bitmap_words(batch.keys.num_keys);
    trommel_outcome chunk = {.struct_size = sizeof(chunk)};
    trommel_error error;
    const trommel_code code =
        operation == INSERT
            ? trommel_column_map_insert(map_at(map), (uint32_t)column, &batch.keys, bits, num_words,
                                        &chunk, &error)
            : trommel_column_map_erase(map_at(map), (uint32_t)column, &batch.keys, &chunk, &error);
    if (code != TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    counts[0] += (jlong)chunk.num_done;
    counts[1] += (jlong)chunk.num_refused;
    if (operation == INSERT) {
      (*env)->SetLongArrayRegion(env, outcome, FIRST_WORD + batch.first / 64, num_words,
                                 (const jlong*)bits);
    }
    if (size == 0) break;
  }
  (*env)->SetLongArrayRegion(env, outcome, 0, 2, counts);
  end_batch(&batch);
}

NATIVE(void, queryColumns)(JNIEnv* env, jclass self, jlong map, BATCH, jlongArray rows) {
  const int64_t row_words = trommel_column_map_row_words(map_at(map));
  struct space space = {NULL, 0, NULL};
  struct batch batch;
  trommel_error error;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  while (next_chunk(&batch)) {
    const int64_t num_words = batch.keys.num_keys * row_words;
    if (!reserve(env, &space, (size_t)num_words * sizeof(uint64_t))) break;
    if (trommel_column_map_query(map_at(map), &batch.keys, space.data, num_words, &error) !=
        TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    (*env)->SetLongArrayRegion(env, rows, (jsize)(batch.first * row_words), (jsize)num_words,
                               space.data);
  }
  free(space.heap);
  end_batch(&batch);
}

struct column {
  trommel_column_map* map;
  uint32_t column;
};
static int32_t ask_column(void* context, trommel_key key, trommel_error* error) {
  const struct column* column = context;
  return trommel_column_map_may_contain(column->map, column->column, key, error);
}

NATIVE(jboolean, columnMayContain)
(JNIEnv* env, jclass self, jlong map, jint column, jlong key, jbyteArray bytes) {
  struct column context = {map_at(map), (uint32_t)column};
  (void)self;
  return is_column(env, column) && with_key(env, key, bytes, ask_column, &context);
}

NATIVE(jlong, numKeys)(JNIEnv* env, jclass self, jlong map, jint column) {
  trommel_error error;
  uint64_t num_keys = 0;
  (void)self;
  if (is_column(env, column) &&
      trommel_column_map_num_keys(map_at(map), (uint32_t)column, &num_keys, &error) != TROMMEL_OK) {
    raise(env, &error);
  }
  return (jlong)num_keys;
}

NATIVE(void, columnStats)(JNIEnv* env, jclass self, jlong map, jlongArray numbers) {
  trommel_column_map_stats stats = {.struct_size = sizeof(stats)};
  trommel_error error;
  (void)self;
  if (trommel_column_map_get_stats(map_at(map), &stats, &error) != TROMMEL_OK) {
    raise(env, &error);
    return;
  }
  const jlong values[] = {/* in the order of ColumnMap.java */
                          (jlong)stats.num_pairs,
                          (jlong)stats.num_slots,
                          (jlong)stats.num_slots_in_use,
                          (jlong)stats.num_pairs_elsewhere,
                          (jlong)stats.num_bytes,
                          (jlong)stats.num_refused_inserts,
                          (jlong)stats.num_interrupted_queries,
                          bits_of(stats.predicted_false_columns)};
  (*env)->SetLongArrayRegion(env, numbers, 0, sizeof(values) / sizeof(values[0]), values);
}

NATIVE(jbyteArray, columnToBytes)(JNIEnv* env, jclass self, jlong map, jint column) {
  struct space space = {NULL, 0, NULL};
  jbyteArray array = NULL;
  trommel_error error;
  trommel_code code;
  int64_t num_bytes = 0;
  (void)self;
  if (!is_column(env, column)) return NULL;
  do { /* again, if beside writers there are more bytes than a moment ago */
    if (!reserve(env, &space, (size_t)num_bytes)) goto done;
    code = trommel_column_map_serialize(map_at(map), (uint32_t)column, space.data,
                                        (int64_t)space.num_bytes, &num_bytes, &error);
  } while (code == TROMMEL_BUFFER_TOO_SMALL || (code == TROMMEL_OK && space.data == NULL));
  if (code != TROMMEL_OK) {
    raise(env, &error);
  } else if (num_bytes > INT_MAX - 8) {
    raise_out_of_memory(env, "2^31 bytes in one array");
  } else {
    array = (*env)->NewByteArray(env, (jsize)num_bytes);
    if (array != NULL) (*env)->SetByteArrayRegion(env, array, 0, (jsize)num_bytes, space.data);
  }
done:
  free(space.heap);
  return array;
}

NATIVE(void, loadColumn)(JNIEnv* env, jclass self, jlong map, jint column, jbyteArray bytes) {
  jbyte* copy;
  trommel_error error;
  (void)self;
  if (!is_column(env, column)) return;
  copy = (*env)->GetByteArrayElements(env, bytes, NULL);
  if (copy == NULL) return;
  if (trommel_column_map_load(map_at(map), (uint32_t)column, copy,
                              (*env)->GetArrayLength(env, bytes), &error) != TROMMEL_OK) {
    raise(env, &error);
  }
  (*env)->ReleaseByteArrayElements(env, bytes, copy, JNI_ABORT);
}
