/* A libtrommel_jni of another version, for Loading.java: glue 1, compiled for ABI 1, with ABI 7
 * inside. */
#include <jni.h>

JNIEXPORT jintArray JNICALL Java_trommel_Native_versions(JNIEnv* env, jclass self) {
  const jint versions[] = {1, 1, 7};
  jintArray array = (*env)->NewIntArray(env, 3);
  (void)self;
  if (array != NULL) (*env)->SetIntArrayRegion(env, array, 0, 3, versions);
  return array;
}
