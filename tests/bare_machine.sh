#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Follows the README's steps for a newcomer, on a Debian 12 with nothing on it: see usage() below.
set -euo pipefail

usage() {
    cat <<'END'
tests/bare_machine.sh [OPTION ...] [TREE]

Runs the two commands of the README, `./netsim run scenarios/pingpong_cluster1.yaml' and
`./netsim test', in a copy of TREE on a Debian 12 that holds nothing but apt and a shell, and fails if
one of them fails or a test is skipped. TREE is this tree if none is named; of a git checkout its last
commit is taken, of other trees the files as they are, without what was built.

  -u, --user     as a user without root, after root has run `./netsim setup build test'
  -b, --blanks   in a directory with blanks in its name
  -t, --tarball  without .git, as from an unpacked tarball
  -c, --command COMMAND
                 COMMAND instead of the last of the two, in the same place and as the same user
  -p, --packages DIR
                 installs DIR/*.deb instead of a tree, and runs `netsim run pingpong_cluster1' and
                 `netsim list' as a user without root
  -h, --help     this text

Needs root, and mmdebstrap or a way to install it. The bare system is kept in the temporary directory
as netsim-bare-debian.tar; the machine that runs is in namespaces of its own and leaves nothing.
END
}

die() {
    printf 'bare_machine.sh: %s\n' "$*" >&2
    exit 1
}

# ---- The bare system ----------------------------------------------------------------------------

# Prints where this machine's own Debian packages come from, if it is a Debian 12: that may be a
# mirror near by. Otherwise nothing, and mmdebstrap knows.
own_sources() {
    grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release || return 0
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
        if grep -qs bookworm "$file"; then
            printf '%s\n' "$file"
        fi
    done
}

# Makes $system, a tar of a minimal Debian, if it is not there. A file of another user is not trusted.
make_system() {
    if [[ -s $system && -O $system ]]; then
        return
    fi
    command -v mmdebstrap >/dev/null || apt-get -qq -y install mmdebstrap >/dev/null ||
        { apt-get -qq update && apt-get -qq -y install mmdebstrap >/dev/null; } ||
        die "there is no mmdebstrap, and it can't be installed"
    local options=() sources=()
    mapfile -t options < <(apt-config dump --format '--aptopt=%F "%v"%n' |
        grep -E '^--aptopt=Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) ')
    mapfile -t sources < <(own_sources)
    mmdebstrap --quiet --mode=root --format=tar --variant=minbase "${options[@]}" \
        bookworm "$scratch/system.tar" "${sources[@]}"
    mv -f "$scratch/system.tar" "$system"
}

# ---- The machine --------------------------------------------------------------------------------

# copy_tree FROM TO
copy_tree() {
    if git -c safe.directory='*' -C "$1" rev-parse --git-dir >/dev/null 2>&1 && [[ -e $1/.git ]]; then
        if [[ -n $tarball ]]; then
            git -c safe.directory='*' -C "$1" archive HEAD | tar -x -C "$2"
        else
            git -c safe.directory='*' clone --quiet --no-hardlinks "$1" "$2"
        fi
    else
        tar -c -C "$1" --exclude='./build*' --exclude=./.git --exclude=./results --exclude=./figures . |
            tar -x -C "$2"
    fi
}

# enter ROOT COMMAND ...: in new namespaces, makes ROOT the root directory and becomes COMMAND. Not with chroot(1),
# inside which the kernel does not allow user namespaces.
enter() {
    local root=$1
    shift
    mount --bind "$root" "$root"
    cd "$root"
    mkdir -p dev/pts dev/shm old
    mount -t proc proc proc
    mount -t sysfs -o ro sysfs sys || true
    mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts || true
    mount -t tmpfs tmpfs dev/shm
    pivot_root . old
    umount -l /old
    rmdir /old
    exec "$@" </dev/null
}

# in_machine USER COMMAND: runs COMMAND with sh in the copy of the tree
in_machine() {
    local as=() home=/root start=$SECONDS code=0
    if [[ $1 != root ]]; then
        as=(setpriv --reuid "$1" --regid "$1" --init-groups)
        home=/home/$1
    fi
    printf '\n== as %s: %s\n\n' "$1" "$2"
    # shellcheck disable=SC2016  # the inner shells expand what is quoted
    unshare --mount --pid --fork --kill-child bash -c "$(declare -f enter); set -e; "'enter "$@"' bash \
        "$root" "${as[@]}" env -i HOME="$home" PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        TERM=dumb sh -c 'cd "$1" && eval "$2"' sh "$place" "$2" || code=$?
    printf '\n== exit %d after %d s\n' "$code" $((SECONDS - start))
    return "$code"
}

# ---- Main ---------------------------------------------------------------------------------------

user=root
folder=netsim
tarball=
packages=
last='./netsim test --none-skipped'
parsed=$(getopt -n bare_machine.sh -o ubtc:p:h -l user,blanks,tarball,command:,packages:,help -- "$@") ||
    { usage >&2; exit 1; }
eval set -- "$parsed"
while [[ $1 != -- ]]; do
    case $1 in
    -u | --user) user=new ;;
    -b | --blanks) folder='where blanks are' ;;
    -t | --tarball) tarball=1 ;;
    -c | --command) last=$2; shift ;;
    -p | --packages) packages=$(readlink -e -- "$2") || die "there is no $2"; shift ;;
    -h | --help) usage; exit ;;
    esac
    shift
done
shift
[[ $# -le 1 ]] || { usage >&2; exit 1; }
tree=$(readlink -e -- "${1-$(dirname "$0")/..}") || die "there is no $1"
[[ -x $tree/netsim ]] || die "$tree is no tree of netsim"
[[ $(id -u) -eq 0 ]] || die "only root can make a machine; see --help"

scratch=$(mktemp -d)
system=$(dirname "$scratch")/netsim-bare-debian.tar
root=$scratch/root
trap 'rm -rf --one-file-system "$scratch"' EXIT
make_system
chmod 755 "$scratch"
mkdir "$root"
tar -x -C "$root" -f "$system"
[[ ! -e /etc/resolv.conf ]] || cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"

place=/home/new/$folder
chroot "$root" useradd --create-home new
mkdir "$root$place"
if [[ -n $packages ]]; then
    cp "$packages"/*.deb "$root$place"
else
    copy_tree "$tree" "$root$place"
fi
chroot "$root" chown -R new: /home/new

if [[ -n $packages ]]; then
    in_machine root 'apt-get -qq update && apt-get -qq -y --no-install-recommends install ./*.deb >/dev/null'
    in_machine new 'netsim run pingpong_cluster1'
    in_machine new 'netsim list'
    exit
fi
if [[ $user != root ]]; then
    in_machine root './netsim setup build test'
fi
in_machine "$user" './netsim run scenarios/pingpong_cluster1.yaml'
in_machine "$user" "$last"
