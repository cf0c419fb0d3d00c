# lib.sh: what the commands of ci/ share. Sourced from a script in ci/, which has set -euo pipefail; leaves the top level as the
# current directory.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
top=$PWD
export LC_ALL=C.UTF-8 CCACHE_BASEDIR=$top

say() { printf '%s\n' "== $*"; }
die() { printf '%s\n' "${0##*/}: $*" >&2; exit 2; }

# install_packages SECTION...: installs what is missing of these sections of ci/packages.txt, and touches nothing otherwise.
install_packages() {
  command -v apt-get >/dev/null || { echo "${0##*/}: no apt-get here; ci/packages.txt lists what must be installed" >&2; return 0; }
  local section missing=() sudo=()
  for section in "$@"; do
    while read -r package; do
      # A program that came another way (a newer Node.js with its npm, say) is as good, and the package might not go beside it.
      [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || command -v "$package" >/dev/null || missing+=("$package")
    done < <(awk -v want="[$section]" '/^\[/ {on = $0 == want; next} on && NF && !/^#/' ci/packages.txt)
  done
  ((${#missing[@]})) || return 0
  [[ $(id -u) == 0 ]] || { command -v sudo >/dev/null || die "needs root or sudo to install: ${missing[*]}"; sudo=(sudo); }
  say "installing ${missing[*]}"
  local log; log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2; rm -f "$log"; die "the installation failed"
  fi
  rm -f "$log"
}

# quiet NAME COMMAND...: runs it, shows its output only if it fails.
quiet() {
  local name=$1 log code=0; shift; log=$(mktemp)
  "$@" >"$log" 2>&1 || code=$?
  ((code == 0)) || { tail -n 60 "$log"; printf '%s\n' "${0##*/}: $name failed (exit $code)" >&2; }
  rm -f "$log"; return $code
}

# configure PRESET [OPTION...]: only when the options differ from what the build tree was configured with.
configure() {
  local preset=$1 want; shift; want="$*"
  [[ -f build/$preset/build.ninja && $(cat "build/$preset/.options" 2>/dev/null) == "$want" ]] && return 0
  quiet "configuring $preset" cmake --preset "$preset" "$@" && printf '%s\n' "$want" >"build/$preset/.options"
}

jobs_max() { nproc; }
