# shellcheck shell=bash disable=SC2154
# Shared by ./run and ./test: packages, configuration, build. Everything said here goes to stderr.
# Needs $root; build folders are $root/build and folders in it.

build=$root/build

say() { printf '%s\n' "rattleback: $*" >&2; }

# One set-up at a time in a tree; not held while the program or the tests run.
lock() {
  # In a tree that cannot be written (a mounted archive, another user's) nothing can be built.
  if ! mkdir -p "$build" 2>/dev/null || ! : 2>/dev/null >>"$build/.lock"; then
    say "cannot write to $build, where everything is built. Copy the tree to a place of your own, and run $0 there"
    exit 2
  fi
  exec 9>"$build/.lock"
  flock 9
}
unlock() { exec 9>&-; }

# packages_of <section>...: the package names of these sections of packages.txt. A package with "?command" behind it is
# left out where that command is there already, from wherever.
packages_of() {
  local name unless
  while read -r name unless; do
    [[ $unless == \?* ]] && command -v "${unless#\?}" >/dev/null && continue
    printf '%s\n' "$name"
  done < <(awk -v want=" $* " '/^\[/ { gsub(/[][]/, "", $1); on = index(want, " " $1 " "); next }
                               on && NF && $1 !~ /^#/ { print $1, $2 }' "$root/packages.txt")
}

# install_packages <section>...: installs what is missing. A stamp makes the second time free.
install_packages() {
  local stamp="$build/.packages-${*: -1}" sum names missing as_root=()
  sum=$(cksum <"$root/packages.txt")
  [[ -f $stamp && $(<"$stamp") == "$sum" ]] && return
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system; I assume that what packages.txt names is installed"
    return
  fi
  mapfile -t names < <(packages_of "$@")
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${names[@]}" | sort) \
    <(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  if ((${#missing[@]})); then
    if ((EUID != 0)); then
      if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
        say "packages are missing, and I cannot become root to install them. Please install:"
        printf '  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
        exit 2
      fi
      as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    local log=$build/packages.log
    if ! {
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q || true
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=600 "${missing[@]}"
    } </dev/null >"$log" 2>&1; then
      tail -n 20 "$log" >&2
      say "installing failed; the whole log is $log"
      exit 2
    fi
    rm -f "$build"/.configured "$build"/*/.configured # new packages may change what CMake finds
  fi
  printf '%s\n' "$sum" >"$stamp"
}

# configure <folder> <cmake option>...: once per set of options, and again when the tree has moved.
configure() {
  local folder=$1 log=$1/configure.log key
  shift
  key="$root $*"
  if [[ -f $folder/.configured ]]; then
    [[ $(<"$folder/.configured") == "$key" && -f $folder/build.ninja ]] && return
    rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
  fi
  mkdir -p "$folder"
  if ! cmake -S "$root" -B "$folder" -G Ninja "$@" </dev/null >"$log" 2>&1; then
    sed -n '/CMake Error/,$p' "$log" >&2
    rm -f "$build"/.packages-*
    say "configuring failed; the whole log is $log"
    exit 2
  fi
  printf '%s\n' "$key" >"$folder/.configured"
}

# The options of the main build. Warnings are errors with the compiler that the code is kept clean for.
configure_main() {
  local werror=OFF
  [[ $(g++ -dumpversion 2>/dev/null) == 12* ]] && werror=ON
  configure "$build" -DCMAKE_BUILD_TYPE=Release "-DRATTLEBACK_WERROR=$werror"
}

# show_progress <1 on a terminal>: of ninja's lines, one that changes, or the fact that something is built.
show_progress() {
  local line any=
  while IFS= read -r line; do
    [[ $line =~ ^\[[0-9]+/[0-9]+\]\  && $line != *"Re-checking globbed"* ]] || continue
    if [[ $1 == 1 ]]; then
      printf '\r\033[Kbuilding %.100s' "$line"
    elif [[ ! $any ]]; then
      echo "building ..."
    fi
    any=yes
  done
  [[ ! $any || $1 != 1 ]] || printf '\r\033[K'
}

# build_targets <folder> <target>...: silent when nothing is to do, one line of progress otherwise.
build_targets() {
  local folder=$1 log=$1/build.log tty=0
  shift
  [[ -t 2 ]] && tty=1
  # Read line by line: awk may wait for a full buffer before it shows anything.
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" </dev/null 2>&1 | tee "$log" | show_progress "$tty" >&2; then
    # From the first failure on, without the progress lines of other targets and the command lines.
    sed -n '/^FAILED: \|^CMake Error\|^ninja: error/,$p' "$log" |
      grep -Ev '^\[[0-9]+/[0-9]+\] |^(: && )?[^ ]*(ccache|c\+\+|g\+\+|clang\+\+)[^ ]* ' | head -n 80 >&2 || true
    say "the build failed; the whole log is $log"
    exit 2
  fi
}
