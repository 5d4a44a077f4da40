#!/usr/bin/env bash
# Onboards an instance by running "vp onboard" (see bash onboarding/onboard.sh --help).

# Check for bash 4.4 or newer first, in syntax that every shell understands.
case "${BASH_VERSION:-}" in
  4.[4-9]* | 4.[1-9][0-9]* | [5-9].* | [1-9][0-9]*.*) ;;
  *)
    printf '%s\n' \
      "onboard.sh needs bash 4.4 or newer; this is ${BASH_VERSION:+bash }${BASH_VERSION:-another shell}. Nothing was changed." \
      '    Run "bash onboarding/onboard.sh …" with such a bash first on PATH:' \
      '      macOS            brew install bash, then open a new terminal' \
      '      Debian, Ubuntu   sudo apt-get install bash' \
      '      Fedora           sudo dnf install bash' \
      '    Or run "vp onboard …", which needs no bash.' >&2
    exit 4
    ;;
esac

kit=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd) || exit 4

# The kit's own binary, unless it is for another kind of machine; else the one on PATH.
for vp in "$kit/bin/vp" "$(type -P vp)"; do
  if [[ -x $vp ]] && "$vp" --version >/dev/null 2>&1; then
    exec "$vp" onboard --kit "$kit" "$@"
  fi
done

printf '%s\n' \
  "onboard.sh: there is no vp binary for this machine ($(uname -s) $(uname -m)). Nothing was changed." \
  '    Download it from the releases page, make it executable (chmod +x vp), and put it on PATH' \
  "    or at $kit/bin/vp; then run this again." >&2
exit 4
