#!/usr/bin/env bash
# Proves ./run, ./test and .ci/run on a system with nothing installed: a bare Debian 12 in a temporary folder, with a
# clean clone of HEAD. Needs root and debootstrap; packages come from wherever this machine's apt gets them.
# Takes a few minutes, and 2 GB in $TMPDIR.
set -euo pipefail
source_dir=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

if ((EUID != 0)) || ! command -v debootstrap >/dev/null; then
  echo "clean_root.sh needs root and the package debootstrap" >&2
  exit 2
fi
if [[ ! ${CLEAN_ROOT_NAMESPACE-} ]]; then # mounts vanish with the namespace, whatever happens
  exec env CLEAN_ROOT_NAMESPACE=yes unshare --mount --propagation private bash "$0" "$@"
fi

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | awk 'NR == 1')
chroot_dir=$(mktemp -d)
clean_up() {
  umount "$chroot_dir/proc" "$chroot_dir/dev/pts" "$chroot_dir/dev" 2>/dev/null || true
  rm -rf --one-file-system "$chroot_dir"
}
trap clean_up EXIT

# stage <heading> <command>...
stage() {
  local heading=$1 start=$SECONDS
  shift
  printf '\n== %s\n' "$heading"
  if ! "$@"; then
    printf '== %s: FAILED\n' "$heading"
    exit 1
  fi
  printf '== %s: passed in %d s\n' "$heading" $((SECONDS - start))
}

bare_root() {
  debootstrap --variant=minbase bookworm "$chroot_dir" "$mirror" >"$chroot_dir.log" 2>&1 || {
    tail -n 20 "$chroot_dir.log"
    return 1
  }
  rm -f "$chroot_dir.log"
  mount -t proc proc "$chroot_dir/proc"
  mount --bind /dev "$chroot_dir/dev"
  mount --bind /dev/pts "$chroot_dir/dev/pts" # a test opens a terminal
  chmod 755 "$chroot_dir"                     # mktemp made it private; another user must be able to see /
  # How this machine reaches its packages: sources, keys, proxy, names.
  rm -f "$chroot_dir/etc/apt/sources.list"
  cp -a /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/trusted.gpg.d /etc/apt/keyrings "$chroot_dir/etc/apt/" \
    2>/dev/null || true
  cp -a /usr/share/keyrings/. "$chroot_dir/usr/share/keyrings/"
  apt-config dump | grep '^Acquire::' >"$chroot_dir/etc/apt/apt.conf.d/99host" || true
  cp -L /etc/resolv.conf /etc/hosts "$chroot_dir/etc/"
  git -c safe.directory="*" clone -q --no-hardlinks "$source_dir" "$chroot_dir/rattleback"
}

inside() {
  chroot "$chroot_dir" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=true \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" bash -c "cd /rattleback && $1" </dev/null
}

stage "bare Debian 12" bare_root
stage "./run installs, builds and runs the demonstration" inside ./run
stage "./run again" inside ./run
stage ".ci/run" inside 'bash .ci/run'
stage "nothing in the tree changed" inside 'test -z "$(git status --porcelain)"'
printf '\nclean root: all passed in %d s\n' "$SECONDS"
