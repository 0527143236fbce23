/* Keys and errors between Java and the C library. */
#include "jni_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Errors. */

void raise(JNIEnv* env, const trommel_error* error) {
  const jsize size = (jsize)strlen(error->message);
  jclass native;
  jmethodID failure;
  jbyteArray message;
  jthrowable made;
  if ((*env)->ExceptionCheck(env)) return;
  native = (*env)->FindClass(env, "trommel/Native");
  if (native == NULL) return;
  failure = (*env)->GetStaticMethodID(env, native, "failure", "(I[B)Ljava/lang/RuntimeException;");
  if (failure == NULL) return;
  message = (*env)->NewByteArray(env, size);
  if (message == NULL) return;
  (*env)->SetByteArrayRegion(env, message, 0, size, (const jbyte*)error->message);
  made = (*env)->CallStaticObjectMethod(env, native, failure, (jint)error->code, message);
  if (made != NULL) (*env)->Throw(env, made);
}

void raise_out_of_memory(JNIEnv* env, const char* what) {
  trommel_error error;
  error.code = TROMMEL_OUT_OF_MEMORY;
  snprintf(error.message, sizeof(error.message), "the system has no memory for %s", what);
  raise(env, &error);
}

/* --- Batches. */

int reserve(JNIEnv* env, struct space* space, size_t num_bytes) {
  void* heap;
  if (num_bytes <= space->num_bytes) return 1;
  heap = malloc(num_bytes);
  if (heap == NULL) {
    raise_out_of_memory(env, "a copy of the keys");
    return 0;
  }
  free(space->heap);
  space->data = space->heap = heap;
  space->num_bytes = num_bytes;
  return 1;
}

void begin_batch(struct batch* batch, JNIEnv* env, BATCH) {
  const struct space keys_copy = {batch->chunk_keys, sizeof(batch->chunk_keys), NULL};
  const struct space offsets_copy = {batch->chunk_offsets, sizeof(batch->chunk_offsets), NULL};
  batch->env = env;
  batch->data = data;
  batch->offsets = offsets;
  /* An empty batch is read from nowhere; digests are what every filter takes. */
  batch->kind = size == 0 ? TROMMEL_KEYS_DIGESTS : kind & ~DIRECT;
  batch->start = start;
  batch->size = size;
  batch->first = 0;
  batch->keys = trommel_keys_of(batch->kind, NULL, 0);
  batch->direct = NULL;
  batch->direct_offsets = NULL;
  batch->keys_copy = keys_copy;
  batch->offsets_copy = offsets_copy;
  if ((kind & DIRECT) == 0 || size == 0) return;
  batch->direct = (*env)->GetDirectBufferAddress(env, data);
  if (offsets == NULL) return;
  batch->direct_offsets = (*env)->GetDirectBufferAddress(env, offsets);
  batch->keys.num_bytes = (*env)->GetDirectBufferCapacity(env, data);
}

void end_batch(struct batch* batch) {
  free(batch->keys_copy.heap);
  free(batch->offsets_copy.heap);
}

/* Copies the next strings, and their offsets as counted from the first one. The offsets were
 * checked when the batch was made; if a thread has changed them since, a copy fails or the library
 * refuses them. */
static int copy_strings(struct batch* batch, int32_t size) {
  JNIEnv* env = batch->env;
  int32_t* offsets;
  int32_t begin;
  int32_t num_bytes;
  int32_t i;
  if (!reserve(env, &batch->offsets_copy, ((size_t)size + 1) * sizeof(int32_t))) return 0;
  offsets = batch->offsets_copy.data;
  (*env)->GetIntArrayRegion(env, batch->offsets, batch->start + batch->first, size + 1, offsets);
  if ((*env)->ExceptionCheck(env)) return 0;
  begin = offsets[0];
  num_bytes = (int32_t)((uint32_t)offsets[size] - (uint32_t)begin);
  if (!reserve(env, &batch->keys_copy, num_bytes < 0 ? 0 : (size_t)num_bytes)) return 0;
  (*env)->GetByteArrayRegion(env, batch->data, begin, num_bytes, batch->keys_copy.data);
  if ((*env)->ExceptionCheck(env)) return 0;
  for (i = 0; i <= size; ++i) offsets[i] = (int32_t)((uint32_t)offsets[i] - (uint32_t)begin);
  batch->keys.offsets = offsets;
  /* 0 would say that the number is not known, and what changed meanwhile would not be refused. */
  batch->keys.num_bytes = num_bytes == 0 ? 1 : num_bytes;
  return 1;
}

/* Moves to the next `size` keys. */
static int move(struct batch* batch, int32_t size) {
  JNIEnv* env = batch->env;
  batch->first += (int32_t)batch->keys.num_keys;
  batch->keys.num_keys = size;
  if (batch->direct != NULL) {
    if (batch->direct_offsets != NULL) {
      batch->keys.data = batch->direct;
      batch->keys.offsets = batch->direct_offsets + batch->first;
    } else {
      batch->keys.data = batch->direct + (size_t)batch->first * sizeof(int64_t);
    }
    return 1;
  }
  if (batch->kind == TROMMEL_KEYS_BYTES32) {
    if (!copy_strings(batch, size)) return 0;
  } else if (size > 0) {
    if (!reserve(env, &batch->keys_copy, (size_t)size * sizeof(int64_t))) return 0;
    (*env)->GetLongArrayRegion(env, batch->data, batch->start + batch->first, size,
                               batch->keys_copy.data);
    if ((*env)->ExceptionCheck(env)) return 0;
  }
  batch->keys.data = batch->keys_copy.data;
  return 1;
}

int next_chunk(struct batch* batch) {
  const int32_t left = batch->size - batch->first - (int32_t)batch->keys.num_keys;
  return left > 0 && move(batch, left < CHUNK ? left : CHUNK);
}

int all_keys(struct batch* batch) { return move(batch, batch->size); }

jboolean with_key(JNIEnv* env, jlong integer, jbyteArray array, key_call call, void* context) {
  uint8_t few[512];
  struct space space = {few, sizeof(few), NULL};
  trommel_key key = trommel_key_int64(integer);
  trommel_error error;
  int32_t answer;
  if (array != NULL) {
    const jsize size = (*env)->GetArrayLength(env, array);
    if (!reserve(env, &space, (size_t)size)) return JNI_FALSE;
    (*env)->GetByteArrayRegion(env, array, 0, size, space.data);
    key = trommel_key_bytes(space.data, size);
  }
  answer = call(context, key, &error);
  free(space.heap);
  if (answer < 0) raise(env, &error);
  return answer > 0;
}

jlong bits_of(double number) {
  jlong bits;
  memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/* --- Digests, and what was loaded. */

trommel_digest_policy policy_of(JNIEnv* env, jint digest, jlong seed, jbyteArray secret,
                                uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES]) {
  trommel_digest_policy policy = {sizeof(policy), digest, (uint64_t)seed, NULL};
  if (secret != NULL) {
    (*env)->GetByteArrayRegion(env, secret, 0, TROMMEL_DIGEST_KEY_BYTES, (jbyte*)bytes);
    policy.key = bytes;
  }
  return policy;
}

NATIVE(void, digests)
(JNIEnv* env, jclass self, jint digest, jlong seed, jbyteArray secret, BATCH, jlongArray digests) {
  uint8_t bytes[TROMMEL_DIGEST_KEY_BYTES];
  const trommel_digest_policy policy = policy_of(env, digest, seed, secret, bytes);
  uint64_t chunk[CHUNK];
  struct batch batch;
  trommel_error error;
  (void)self;
  begin_batch(&batch, env, data, offsets, kind, start, size);
  while (next_chunk(&batch)) {
    const int64_t num_keys = batch.keys.num_keys;
    if (trommel_digests(&policy, &batch.keys, chunk, num_keys, &error) != TROMMEL_OK) {
      raise(env, &error);
      break;
    }
    (*env)->SetLongArrayRegion(env, digests, batch.first, (jsize)num_keys, (const jlong*)chunk);
  }
  end_batch(&batch);
}

NATIVE(jintArray, versions)(JNIEnv* env, jclass self) {
  const jint versions[] = {GLUE_VERSION, TROMMEL_C_ABI_VERSION, trommel_c_abi_version()};
  jintArray array = (*env)->NewIntArray(env, 3);
  (void)self;
  if (array != NULL) (*env)->SetIntArrayRegion(env, array, 0, 3, versions);
  return array;
}
