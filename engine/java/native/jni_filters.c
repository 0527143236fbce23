/* Filters that hold keys: making them, batches, one key, whole filters. */
#include <stdlib.h>
#include <string.h>

#include "jni_keys.h"

/* --- Making filters. */

NATIVE(jlong, newCounting)
(JNIEnv* env, jclass self, jboolean is_concurrent, jlong capacity, jdouble target_fpr, jint digest,
 jlong seed, jbyteArray secret) {
  uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES];
  const trommel_digest_policy policy = policy_of(env, digest, seed, secret, bytes);
  trommel_counting_config config = {.struct_size = sizeof(config)};
  trommel_filter* filter = NULL;
  trommel_error error;
  (void)self;
  config.capacity = (uint64_t)capacity;
  config.target_fpr = target_fpr;
  config.digest = &policy;
  if ((is_concurrent ? trommel_concurrent_create(&config, &filter, &error)
                     : trommel_counting_create(&config, &filter, &error)) != TROMMEL_OK) {
    raise(env, &error);
  }
  return (jlong)(intptr_t)filter;
}

NATIVE(jlong, newScalable)
(JNIEnv* env, jclass self, jlong first_capacity, jdouble target_fpr, jlong max_capacity,
 jint digest, jlong seed, jbyteArray secret) {
  uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES];
  const trommel_digest_policy policy = policy_of(env, digest, seed, secret, bytes);
  trommel_scalable_config config = {.struct_size = sizeof(config)};
  trommel_filter* filter = NULL;
  trommel_error error;
  (void)self;
  config.first_capacity = (uint64_t)first_capacity;
  config.target_fpr = target_fpr;
  config.max_capacity = (uint64_t)max_capacity;
  config.digest = &policy;
  if (trommel_scalable_create(&config, &filter, &error) != TROMMEL_OK) raise(env, &error);
  return (jlong)(intptr_t)filter;
}

NATIVE(jlong, newWindow)
(JNIEnv* env, jclass self, jlong window, jint num_buckets, jlong capacity, jdouble target_fpr,
 jint digest, jlong seed, jbyteArray secret) {
  uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES];
  const trommel_digest_policy policy = policy_of(env, digest, seed, secret, bytes);
  trommel_window_config config = {.struct_size = sizeof(config)};
  trommel_filter* filter = NULL;
  trommel_error error;
  (void)self;
  config.num_buckets = (uint32_t)num_buckets;
  config.window = (uint64_t)window;
  config.capacity = (uint64_t)capacity;
  config.target_fpr = target_fpr;
  config.digest = &policy;
  if (trommel_window_create(&config, &filter, &error) != TROMMEL_OK) raise(env, &error);
  return (jlong)(intptr_t)filter;
}

NATIVE(void, free)(JNIEnv* env, jclass self, jlong filter) {
  (void)env;
  (void)self;
  trommel_filter_free(filter_at(filter));
}

/* --- Updates. An outcome is a long[]: five numbers, the bitmap, and of a window the times of
 * chunks. */

enum { NUM_COUNTS = 5 };

/* Adds what a chunk did. */
static void add(trommel_outcome* all, const trommel_outcome* chunk) {
  all->num_done += chunk->num_done;
  all->num_refused += chunk->num_refused;
  all->num_expired += chunk->num_expired;
  all->time = chunk->time;
  if (chunk->refusal != TROMMEL_REFUSAL_NONE) all->refusal = chunk->refusal;
}

static void set_counts(JNIEnv* env, jlongArray outcome, const trommel_outcome* all) {
  const jlong counts[NUM_COUNTS] = {(jlong)all->num_done, (jlong)all->num_refused,
                                    (jlong)all->num_expired, (jlong)all->time, all->refusal};
  (*env)->SetLongArrayRegion(env, outcome, 0, NUM_COUNTS, counts);
}

/* An update of the chunk that a batch shows. */
static trommel_code update_chunk(trommel_filter* filter, int32_t operation, uint64_t time,
                                 const trommel_keys* keys, uint64_t* bits, trommel_outcome* outcome,
                                 trommel_error* error) {
  const int64_t num_words = trommel_bitmap_words(keys->num_keys);
  switch (operation) {
    case INSERT:
      return trommel_insert(filter, keys, bits, num_words, outcome, error);
    case INSERT_IF_ABSENT:
      return trommel_insert_if_absent(filter, keys, bits, num_words, NULL, outcome, error);
    case ERASE:
      return trommel_erase(filter, keys, bits, num_words, outcome, error);
    case INSERT_AT:
      return trommel_window_insert(filter, keys, time, bits, num_words, outcome, error);
    case ERASE_AT:
      return trommel_window_erase(filter, keys, time, bits, num_words, outcome, error);
    default:
      return trommel_erase_all(filter, keys, bits, num_words, outcome, error);
  }
}

NATIVE(void, update)
(JNIEnv* env, jclass self, jlong filter, jint operation, jlong time, BATCH, jlongArray outcome) {
  const jsize first_time = NUM_COUNTS + (jsize)trommel_bitmap_words(size);
  trommel_outcome all = {.struct_size = sizeof(all)};
  uint64_t chunk_bits[CHUNK_WORDS];
  struct space bits = {chunk_bits, sizeof(chunk_bits), NULL};
  struct batch batch;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  /* A batch of no keys is a call, too: it says whether the filter has the operation. */
  while (operation == ERASE_ALL || size == 0 ? all_keys(&batch) : next_chunk(&batch)) {
    const jsize num_words = (jsize)trommel_bitmap_words(batch.keys.num_keys);
    trommel_outcome chunk = {.struct_size = sizeof(chunk)};
    trommel_error error;
    if (!reserve(env, &bits, (size_t)num_words * sizeof(uint64_t))) break;
    if (update_chunk(filter_at(filter), operation, (uint64_t)time, &batch.keys, bits.data, &chunk,
                     &error) != TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    add(&all, &chunk);
    (*env)->SetLongArrayRegion(env, outcome, NUM_COUNTS + batch.first / 64, num_words, bits.data);
    if ((*env)->GetArrayLength(env, outcome) > first_time) {
      (*env)->SetLongArrayRegion(env, outcome, first_time + batch.first / CHUNK, 1,
                                 (const jlong*)&chunk.time);
    }
    if (operation == ERASE_ALL || size == 0) break;
  }
  set_counts(env, outcome, &all);
  free(bits.heap);
  end_batch(&batch);
}

NATIVE(void, eraseAllAt)
(JNIEnv* env, jclass self, jlong filter, BATCH, jlongArray inserted_at, jlongArray outcome) {
  const jsize num_words = (jsize)trommel_bitmap_words(size);
  const jsize num_times = (*env)->GetArrayLength(env, inserted_at);
  trommel_outcome all = {.struct_size = sizeof(all)};
  struct space bits = {NULL, 0, NULL};
  struct space times = {NULL, 0, NULL};
  struct batch batch;
  trommel_error error;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  if (all_keys(&batch) && reserve(env, &bits, (size_t)num_words * sizeof(uint64_t)) &&
      reserve(env, &times, (size_t)num_times * sizeof(uint64_t))) {
    (*env)->GetLongArrayRegion(env, inserted_at, 0, num_times, times.data);
    if (trommel_window_erase_all(filter_at(filter), &batch.keys, times.data, num_times, bits.data,
                                 num_words, &all, &error) == TROMMEL_OK) {
      (*env)->SetLongArrayRegion(env, outcome, NUM_COUNTS, num_words, bits.data);
      set_counts(env, outcome, &all);
    } else {
      raise(env, &error);
    }
  }
  free(bits.heap);
  free(times.heap);
  end_batch(&batch);
}

struct asking {
  JNIEnv* env;
  jobject existing;
};
/* A trommel_exist that asks a Filter.Existing. */
static int32_t ask(void* context, const uint32_t* asked, int64_t num_asked, uint32_t* existing,
                   int64_t* num_existing) {
  const struct asking* asking = context;
  JNIEnv* env = asking->env;
  const jmethodID among =
      (*env)->GetMethodID(env, (*env)->GetObjectClass(env, asking->existing), "among", "([I)[I");
  jintArray question = among == NULL ? NULL : (*env)->NewIntArray(env, (jsize)num_asked);
  jintArray answer;
  if (question == NULL) return 1;
  (*env)->SetIntArrayRegion(env, question, 0, (jsize)num_asked, (const jint*)asked);
  answer = (*env)->CallObjectMethod(env, asking->existing, among, question);
  if ((*env)->ExceptionCheck(env)) return 1;
  /* Too many are a wrong answer, as are indices that were not asked: the library says so. */
  *num_existing = answer == NULL ? -1 : (*env)->GetArrayLength(env, answer);
  if (*num_existing > 0 && *num_existing <= num_asked) {
    (*env)->GetIntArrayRegion(env, answer, 0, (jsize)*num_existing, (jint*)existing);
  }
  return 0;
}

NATIVE(void, upsert)
(JNIEnv* env, jclass self, jlong filter, BATCH, jobject existing, jlongArray outcome) {
  const jsize num_words = (jsize)trommel_bitmap_words(size);
  trommel_outcome all = {.struct_size = sizeof(all)};
  struct asking asking = {env, existing};
  struct space bits = {NULL, 0, NULL};
  struct batch batch;
  trommel_error error;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  if (all_keys(&batch) && reserve(env, &bits, (size_t)num_words * sizeof(uint64_t))) {
    if (trommel_upsert(filter_at(filter), &batch.keys, ask, &asking, bits.data, num_words, &all,
                       &error) == TROMMEL_OK) {
      (*env)->SetLongArrayRegion(env, outcome, NUM_COUNTS, num_words, bits.data);
      set_counts(env, outcome, &all);
    } else {
      raise(env, &error);
    }
  }
  free(bits.heap);
  end_batch(&batch);
}

/* --- Queries. */

NATIVE(jlong, query)
(JNIEnv* env, jclass self, jlong filter, BATCH, jlongArray maybe_present) {
  uint64_t bits[CHUNK_WORDS];
  struct batch batch;
  trommel_error error;
  jlong num_all = 0;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  while (next_chunk(&batch)) {
    const jsize num_words = (jsize)trommel_bitmap_words(batch.keys.num_keys);
    int64_t num_present = 0;
    if (trommel_query(filter_at(filter), &batch.keys, bits, num_words, &num_present, &error) !=
        TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    num_all += num_present;
    (*env)->SetLongArrayRegion(env, maybe_present, batch.first / 64, num_words, (const jlong*)bits);
  }
  end_batch(&batch);
  return num_all;
}

NATIVE(void, counts)(JNIEnv* env, jclass self, jlong filter, BATCH, jlongArray counts) {
  uint64_t chunk[CHUNK];
  struct batch batch;
  trommel_error error;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  while (next_chunk(&batch)) {
    const int64_t num_keys = batch.keys.num_keys;
    if (trommel_count_estimates(filter_at(filter), &batch.keys, chunk, num_keys, &error) !=
        TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    (*env)->SetLongArrayRegion(env, counts, batch.first, (jsize)num_keys, (const jlong*)chunk);
  }
  end_batch(&batch);
}

/* --- One key. */

struct one {
  trommel_filter* filter;
  int32_t operation;
  uint64_t time;
};
static int32_t call_one(void* context, trommel_key key, trommel_error* error) {
  const struct one* one = context;
  switch (one->operation) {
    case INSERT:
      return trommel_insert_key(one->filter, key, error);
    case INSERT_IF_ABSENT:
      return trommel_insert_key_if_absent(one->filter, key, error);
    case ERASE:
      return trommel_erase_key(one->filter, key, error);
    case INSERT_AT:
      return trommel_window_insert_key(one->filter, key, one->time, error);
    case ERASE_AT:
      return trommel_window_erase_key(one->filter, key, one->time, error);
    default:
      return trommel_may_contain(one->filter, key, error);
  }
}

NATIVE(jboolean, one)
(JNIEnv* env, jclass self, jlong filter, jint operation, jlong time, jlong key, jbyteArray bytes) {
  struct one one = {filter_at(filter), operation, (uint64_t)time};
  (void)self;
  return with_key(env, key, bytes, call_one, &one);
}

/* --- Whole filters. */

NATIVE(void, merge)(JNIEnv* env, jclass self, jlong filter, jlong other) {
  trommel_error error;
  (void)self;
  if (trommel_merge(filter_at(filter), filter_at(other), &error) != TROMMEL_OK) raise(env, &error);
}

NATIVE(void, subtract)(JNIEnv* env, jclass self, jlong filter, jlong other) {
  trommel_error error;
  (void)self;
  if (trommel_subtract(filter_at(filter), filter_at(other), &error) != TROMMEL_OK) {
    raise(env, &error);
  }
}

NATIVE(void, clear)(JNIEnv* env, jclass self, jlong filter) {
  trommel_error error;
  (void)self;
  if (trommel_clear(filter_at(filter), &error) != TROMMEL_OK) raise(env, &error);
}

NATIVE(void, limitSideMemory)(JNIEnv* env, jclass self, jlong filter, jlong limit_bytes) {
  trommel_error error;
  (void)self;
  if (trommel_limit_side_memory(filter_at(filter), (uint64_t)limit_bytes, &error) != TROMMEL_OK) {
    raise(env, &error);
  }
}

NATIVE(jboolean, advance)(JNIEnv* env, jclass self, jlong filter, jlong now) {
  trommel_error error;
  const int32_t answer = trommel_window_advance(filter_at(filter), (uint64_t)now, &error);
  (void)self;
  if (answer < 0) raise(env, &error);
  return answer > 0;
}

NATIVE(jlong, now)(JNIEnv* env, jclass self, jlong filter) {
  trommel_error error;
  uint64_t now = 0;
  (void)self;
  if (trommel_window_now(filter_at(filter), &now, &error) != TROMMEL_OK) raise(env, &error);
  return (jlong)now;
}

NATIVE(jint, type)(JNIEnv* env, jclass self, jlong filter) {
  (void)env;
  (void)self;
  return trommel_filter_type(filter_at(filter));
}

NATIVE(void, stats)(JNIEnv* env, jclass self, jlong filter, jlongArray numbers) {
  trommel_stats stats = {.struct_size = sizeof(stats)};
  trommel_error error;
  (void)self;
  if (trommel_get_stats(filter_at(filter), &stats, &error) != TROMMEL_OK) {
    raise(env, &error);
    return;
  }
  const jlong values[] = {/* in the order of Stats.java */
                          (jlong)stats.num_keys,           (jlong)stats.num_bytes,
                          (jlong)stats.side_table_bytes,   (jlong)stats.capacity,
                          bits_of(stats.target_fpr),       bits_of(stats.predicted_fpr),
                          bits_of(stats.undecided_share),  (jlong)stats.num_refused_inserts,
                          (jlong)stats.num_refused_erases, (jlong)stats.num_interrupted_queries,
                          (jlong)stats.num_parts,          (jlong)stats.now,
                          (jlong)stats.num_expired_erases, (jlong)stats.num_excess_keys};
  (*env)->SetLongArrayRegion(env, numbers, 0, sizeof(values) / sizeof(values[0]), values);
}
