# Sourced by the scripts in tools/ and by .ci/run: the repository's root, and one way to run a step.

root=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/log

# ccache shortens rebuilds and the consumer tests, where there is one. Checkouts share its objects.
if command -v ccache >/dev/null && [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]]; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  # Precompiled headers are cached only when asked for.
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi

# say TEXT: one line of progress, on stderr so that a program's own output can be piped.
say() { printf '== %s\n' "$*" >&2; }

# step NAME TEXT COMMAND...: runs the command with its output in build/log/NAME.log and says how long
# it took; if it fails, shows the end of the log and ends the script.
step() {
  local log=$logs/$1.log text=$2 start=$SECONDS
  shift 2
  mkdir -p "$logs"
  say "$text ..."
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    say "failed: $text (whole output: $log)"
    exit 1
  fi
  say "$text: done in $((SECONDS - start)) s"
}

# configure_and_build PRESET [TARGET]: everything, or one target.
configure_and_build() {
  local preset=$1 target=${2:-all}
  # cmake finds presets in the current folder only.
  step "configure-$preset" "configuring ($preset)" \
    env -C "$root" cmake --preset "$preset"
  step "build-$preset" "building ${target/#all/everything} ($preset)" \
    env -C "$root" cmake --build --preset "$preset" --target "$target"
}
