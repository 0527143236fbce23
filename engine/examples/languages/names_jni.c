/* The native methods of Names.java. Keys are copied: a JVM may move arrays. */
#include <jni.h>
#include <trommel/c.h>

JNIEXPORT jlong JNICALL Java_Names_create(JNIEnv* env, jclass self) {
  trommel_scalable_config config = {.struct_size = sizeof(config)};
  trommel_filter* filter = NULL;
  trommel_error error;
  (void)self;
  if (trommel_scalable_create(&config, &filter, &error) != TROMMEL_OK) {
    jclass kind = (*env)->FindClass(env, "java/lang/IllegalStateException");
    if (kind != NULL) (*env)->ThrowNew(env, kind, error.message);
  }
  return (jlong)(intptr_t)filter;
}

/* A function of one key, by name; `failed` is the answer if the JVM has no memory for the copy. */
#define METHOD(name, function, failed)                                                 \
  JNIEXPORT jboolean JNICALL Java_Names_##name(JNIEnv* env, jclass self, jlong filter, \
                                               jbyteArray key) {                       \
    const jsize size = (*env)->GetArrayLength(env, key);                               \
    jbyte* bytes = (*env)->GetByteArrayElements(env, key, NULL);                       \
    int32_t answer = failed;                                                           \
    (void)self;                                                                        \
    if (bytes == NULL) return failed;                                                  \
    answer = function((trommel_filter*)(intptr_t)filter, bytes, size, NULL);           \
    (*env)->ReleaseByteArrayElements(env, key, bytes, JNI_ABORT);                      \
    return answer < 0 ? failed : answer;                                               \
  }
METHOD(insert, trommel_insert_bytes, JNI_FALSE)
METHOD(erase, trommel_erase_bytes, JNI_FALSE)
METHOD(mayContain, trommel_may_contain_bytes, JNI_TRUE)

JNIEXPORT void JNICALL Java_Names_free(JNIEnv* env, jclass self, jlong filter) {
  (void)env;
  (void)self;
  trommel_filter_free((trommel_filter*)(intptr_t)filter);
}
