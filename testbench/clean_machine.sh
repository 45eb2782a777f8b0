#!/usr/bin/env bash
# Proves that a fresh clone needs nothing but Debian 12: makes a minimal root file system with debootstrap (git and
# ca-certificates added, nothing else), clones this repository's HEAD into it, and runs the quickstart and the tests there
# as root. The tests take pinned Python packages from PyPI, or from PIP_INDEX_URL.
#
#   sudo testbench/clean_machine.sh [--mirror URL] [--directory DIR] [--keep] [--only-run] [TEST OPTIONS...]
#
# The mirror, and whatever apt needs to reach it (sources, proxies, certificates), are this machine's own; --mirror or
# ARMATURE_MIRROR takes another. Needs root, debootstrap, 4 GB of disk; a quarter of an hour on 2 cores.
set -euo pipefail

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
mirror=${ARMATURE_MIRROR:-}
directory='' keep='' only_run=''
suite=bookworm
while (( $# )); do
  case $1 in
    --mirror) mirror=${2:?--mirror needs an address}; shift ;;
    --directory) directory=${2:?--directory needs a path}; shift ;;
    --keep) keep=1 ;;
    --only-run) only_run=1 ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) break ;;
  esac
  shift
done

die() { printf 'clean_machine: %s\n' "$*" >&2; exit 2; }
(( EUID == 0 )) || die "must be root, for chroot"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

# Mounts of our own, which end with us however we end.
if [[ ! ${ARMATURE_UNSHARED:-} ]]; then
  export ARMATURE_UNSHARED=1
  exec unshare --mount --propagation private "$0" ${mirror:+--mirror "$mirror"} ${directory:+--directory "$directory"} \
    ${keep:+--keep} ${only_run:+--only-run} "$@"
fi

if [[ ! $mirror ]]; then
  mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
             awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
  [[ $mirror ]] || die "apt has no source for $suite (run apt-get update, or give --mirror)"
fi

[[ $directory ]] || directory=$(mktemp -d "${TMPDIR:-/var/tmp}/armature-clean-XXXXXX")
mkdir -p "$directory"
cleanup() {
  umount "$directory/proc" 2>/dev/null || true
  if [[ $keep ]]; then printf 'kept: %s\n' "$directory"; else rm -rf --one-file-system "$directory"; fi
}
trap cleanup EXIT

say() { printf '\n==== %s (%s s)\n' "$*" "$SECONDS"; }

# debootstrap downloads by wget, which does not read apt's configuration.
proxy=$(apt-config shell found Acquire::http::Proxy | sed "s/^found='\(.*\)'$/\1/")
[[ $proxy && $proxy != DIRECT ]] && export http_proxy=${http_proxy:-$proxy}

say "root file system of Debian 12"
if ! debootstrap --variant=minbase --include=git,ca-certificates "$suite" "$directory" "$mirror" \
       >"$directory.log" 2>&1; then
  tail -n 20 "$directory.log" >&2
  die "debootstrap failed"
fi
rm -f "$directory.log"

# How this machine reaches its mirror; package lists and programs are not copied.
rm -f "$directory/etc/apt/sources.list"
for item in sources.list sources.list.d apt.conf apt.conf.d auth.conf auth.conf.d keyrings trusted.gpg.d; do
  [[ -e /etc/apt/$item ]] && cp -a "/etc/apt/$item" "$directory/etc/apt/"
done
# Hooks call programs that are not there, and only Debian's own sources are of use.
grep -lE 'Pre-Install-Pkgs|Post-Invoke|Pre-Invoke' "$directory"/etc/apt/apt.conf.d/* 2>/dev/null | xargs -r rm -f
for source in "$directory"/etc/apt/sources.list.d/*; do
  [[ -f $source ]] && ! grep -q "$suite" "$source" && rm -f "$source"
done
cp -a /etc/resolv.conf "$directory/etc/resolv.conf" 2>/dev/null || true
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
  cp -a /usr/local/share/ca-certificates/. "$directory/usr/local/share/ca-certificates/"
  chroot "$directory" update-ca-certificates >/dev/null 2>&1
fi
mount -t proc proc "$directory/proc"

say "clone of $(git -C "$root" rev-parse --short HEAD)"
git clone --quiet --no-local "$root" "$directory/root/armature"

inside() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt ${PIP_INDEX_URL:+PIP_INDEX_URL="$PIP_INDEX_URL"} \
    chroot "$directory" /bin/bash -euc 'cd /root/armature; exec "$@"' _ "$@"
}

say "./armature run scenarios/quickstart.toml"
inside ./armature run scenarios/quickstart.toml
report=$(find "$directory/root/armature/out" -name report.html | head -n 1)
[[ -s $report ]] || die "the run left no report"
[[ -z $(git -C "$directory/root/armature" status --porcelain) ]] || die "the run left files that git does not ignore"

say "the same again, nothing to build"
before=$SECONDS
inside ./armature run scenarios/quickstart.toml --quiet
(( SECONDS - before < 60 )) || die "the second run built again: $(( SECONDS - before )) s"

if [[ ! $only_run ]]; then
  say "./armature test $*"
  inside ./armature test "$@"
fi
say "passed on a clean Debian 12"
