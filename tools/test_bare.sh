#!/usr/bin/env bash
# Run both commands of the README on bare Debian machines: roots made by debootstrap that hold Python, make, a compiler and
# git, and nothing else. As root, with debootstrap installed (sudo apt-get install debootstrap).
#   tools/test_bare.sh                       all releases, as an ordinary user
#   tools/test_bare.sh bookworm              one release
#   AS="player root" tools/test_bare.sh      as root too
#   ARGS="tests/rules" tools/test_bare.sh    what `make test` is given
# The roots are kept in /var/cache and stay as they are: each run writes to a layer of its own, which is removed.
set -euo pipefail
cd "$(dirname "$0")/.."
CACHE=${CACHE:-/var/cache/card-table-companion}
PACKAGES=python3,python3-venv,make,g++,git,ca-certificates
MIRROR=${MIRROR:-http://deb.debian.org/debian}
mkdir -p "$CACHE" out/bare
# How this machine reaches the package index goes along; nothing else of its environment does.
reach=$(env | grep -E '^(UV_|PIP_(INDEX_URL|CERT|PROXY|DEFAULT_TIMEOUT)|SSL_CERT_|(https?|no)_proxy|(HTTPS?|NO)_PROXY)' || true)

prepare() {  # release
  local root=$CACHE/$1
  [ -e "$root.made" ] && return
  rm -rf "$root"
  echo "== Making a bare $1 in $root ..."
  debootstrap --variant=minbase --include="$PACKAGES" "$1" "$root" "$MIRROR" > "$root.log"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  touch "$root.made"
}

within() {  # root user: both commands, as this user, without a terminal
  local root=$1 user=$2 home=/home/$2
  [ "$user" = root ] && home=/root
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  for file in /etc/ssl/certs /etc/pip.conf /etc/uv; do
    [ -e "$file" ] || continue
    if [ -d "$file" ]; then mkdir -p "$root$file"; else touch "$root$file"; fi
    mount --bind "$file" "$root$file"
  done
  [ "$user" = root ] || chroot "$root" useradd --create-home "$user"
  git clone --quiet . "$root$home/companion"
  chroot "$root" chown -R "$user" "$home/companion"
  local clean=(env -i "HOME=$home" "PATH=/usr/local/bin:/usr/bin:/bin") line
  while read -r line; do [ -z "$line" ] || clean+=("$line"); done <<< "$reach"
  local as=(chroot "$root" setpriv "--reuid=$user" "--regid=$user" --init-groups)
  local script='cd ~/companion && time make play && time make test ARGS="$TEST_ARGS"'
  "${as[@]}" "${clean[@]}" "TEST_ARGS=${ARGS:-}" bash -c "$script" < /dev/null
}

failed=0
for release in ${*:-bookworm trixie}; do
  prepare "$release"
  for user in ${AS:-player}; do
    layer=$(mktemp -d "$CACHE/layer.XXXXXX")
    mkdir "$layer/upper" "$layer/work" "$layer/root"
    log=out/bare/$release-$user.log
    echo "== $release, as $user: $log"
    export -f within
    root=$layer/root release=$release CACHE=$CACHE layer=$layer user=$user reach=$reach ARGS=${ARGS:-} \
      unshare --mount --pid --fork --kill-child bash -euo pipefail -c '
        mount -t overlay overlay -o "lowerdir=$CACHE/$release,upperdir=$layer/upper,workdir=$layer/work" "$root"
        within "$root" "$user"' > "$log" 2>&1 &
    trap "kill -9 $!" EXIT  # unshare waits for its child whatever else it is told
    wait $! || { failed=1; echo "FAILED"; }
    trap - EXIT
    grep -aE '^(=+ )?[0-9]+ (passed|failed)|^(FAILED|ERROR) |^(real|user|sys)' "$log" || tail -5 "$log"
    rm -rf --one-file-system "$layer"
  done
done
exit $failed
