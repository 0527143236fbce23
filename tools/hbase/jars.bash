# Sourced by the scripts in tools/hbase and tests/hbase: HBase's jars, and what is compiled against them.
#
# TROMMEL_HBASE_VERSION is the version of HBase (default: the one of engine/hbase/pom.xml).

source "$(dirname "${BASH_SOURCE[0]}")/../steps.bash"

hbase_pom=${root:?}/engine/hbase/pom.xml
hbase_version=${TROMMEL_HBASE_VERSION:-$(sed -n 's|.*<hbase.version>\(.*\)</hbase.version>.*|\1|p' "$hbase_pom" | head -1)}
hbase_build=$root/build/hbase/${hbase_version:?}

# cannot TEXT: says why nothing can be run here, and ends the script as skipped.
cannot() {
  say "hbase: skipped: $*"
  exit 3
}

# Ends the script as skipped unless there are a JDK of at least 11 and Maven.
need_java() {
  local program version
  for program in java javac mvn; do
    command -v "$program" >/dev/null || cannot "needs $program: run tools/setup --hbase"
  done
  version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  ((${version:-0} >= 11)) || cannot "javac is version ${version:-unknown}, 11 or later is needed: run tools/setup --hbase"
}

# maven ARGUMENT...: from the local repository where it has everything, else from the network.
maven() {
  local log=$root/build/log/hbase-maven.log
  mkdir -p "${log%/*}"
  mvn -q -B -o "$@" >"$log" 2>&1 && return
  grep -q 'in offline mode' "$log" && mvn -q -B "$@" >"$log" 2>&1
}

# Writes the class path of HBase's servers into $hbase_build/classpath.
resolve_jars() {
  need_java
  [[ $hbase_build/classpath -nt $hbase_pom ]] && return
  mkdir -p "$hbase_build"
  say "hbase: resolving the jars of HBase $hbase_version"
  # Goals are named with their version, so that another default of Maven asks the network for nothing.
  if ! maven -f "$hbase_pom" "-Dhbase.version=$hbase_version" -DincludeScope=compile \
    org.apache.maven.plugins:maven-dependency-plugin:2.8:build-classpath "-Dmdep.outputFile=$hbase_build/classpath.new"; then
    tail -n 5 "$root/build/log/hbase-maven.log" >&2
    cannot "the jars of HBase $hbase_version cannot be had"
  fi
  mv "$hbase_build/classpath.new" "$hbase_build/classpath"
}

# compile SOURCES CLASSES [CLASSPATH]: the Java sources below a folder, when one of them has changed.
compile() {
  local sources=$1 classes=$2 files
  [[ -d $sources ]] || { say "hbase: no folder $sources"; return 1; }
  mapfile -t files < <(find "$sources" -name '*.java' | sort)
  # A source that has gone leaves a list that differs.
  if [[ -e $classes.files && -z $(find "$sources" -name '*.java' -newer "$classes.files") ]] &&
    cmp -s "$classes.files" <(printf '%s\n' "${files[@]}"); then
    return 0
  fi
  rm -rf "$classes" "$classes.files"
  mkdir -p "$classes"
  # NativePairs needs classes of trommel-java, which servers have from its own jar, or do without.
  javac --release 11 -nowarn -proc:none -implicit:none -sourcepath "$root/engine/java/src/main/java" -d "$classes" -cp "${3:+$3:}$(<"$hbase_build/classpath")" "${files[@]}" || return 1
  printf '%s\n' "${files[@]}" >"$classes.files"
}

# Packages the binding for Java, with which servers have a filter over their regions, where the C library is built.
build_binding() {
  local library=$root/build/release/engine/c/libtrommel_c.a jar
  jar=$(echo "$root"/build/java/trommel-java-*.jar)
  if [[ -e $library ]]; then
    [[ $jar -nt $library ]] || maven -f "$root/engine/java/pom.xml" "-Dtrommel.build=$root/build/release" package || true
  fi
  [[ -e $(echo "$root"/build/java/trommel-java-*.jar) ]] ||
    say "hbase: servers have no filter over their regions: tools/test-java builds the library that it needs"
}

# Compiles the coprocessor and the trials into $hbase_build/index and $hbase_build/trial.
compile_index_and_trial() {
  build_binding
  compile "$root/engine/hbase/src/main/java" "$hbase_build/index" &&
    compile "$root/tests/hbase/trial" "$hbase_build/trial" "$hbase_build/index"
}
