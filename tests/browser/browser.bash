# Sourced by the scripts beside it: Chromium without a window, which reaches no network.

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [[ -z $browser ]]; then
  echo "skipped: no Chromium; tools/setup --browser installs it"
  exit 77
fi
profile=$(mktemp -d)

# browse OPTION... URL
browse() {
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --hide-scrollbars --user-data-dir="$profile" "$@" 2>/dev/null
}
