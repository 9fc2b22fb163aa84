#!/usr/bin/env bash
# setup_test.sh SOURCE WORK: which packages cmake/setup.sh asks for on a system without dpkg. What tells such a system and its
# packages is made up here: nobody's package manager is asked.
set -uo pipefail
root="$2"
mkdir -p "$root/bin"
. "$1/cmake/setup.sh"
failures=0
# expect WHAT STATUS WORDS…: the last answer has this status and all of these words.
expect() {
    local what="$1" wanted="$2" words
    shift 2
    [ "$status" = "$wanted" ] || { echo "$what: status $status, not $wanted"; failures=1; }
    for words in "$@"; do
        [[ "$answer" == *"$words"* ]] || { echo "$what: no \"$words\" in: $answer"; failures=1; }
    done
}
# ask SYSTEM PACKAGE…: of a system with this ID, where only cmake is installed.
ask() {
    printf 'ID=%s\nID_LIKE="%s"\n' "${1%/*}" "${1#*/}" >"$root/os-release"
    shift
    answer="$(PATH="$root/bin" SPECLENS_OS_RELEASE="$root/os-release" need_packages "$@" 2>&1)"
    status=$?
}
ln -sf "$(command -v awk)" "$root/bin/awk"
for tool in rpm pacman; do
    printf '#!%s\n[ "$2" = cmake ]\n' "$(command -v bash)" >"$root/bin/$tool"
    chmod +x "$root/bin/$tool"
done

ask fedora/ cmake g++ fonts-dejavu-core
expect "Fedora" 3 "dnf install gcc-c++ dejavu-sans-fonts dejavu-sans-mono-fonts" "UNTESTED"
[[ "$answer" != *"install cmake"* ]] || { echo "Fedora: asks for what is there"; failures=1; }
ask rhel/"centos fedora" libzip-dev
expect "Red Hat" 3 "dnf install libzip-devel"
ask fedora/ libimgui-dev
expect "no package" 0 "libimgui-dev" "SPEC_APP=OFF"
ask arch/ cmake ninja-build libimgui-dev
expect "Arch" 3 "pacman -S --needed ninja imgui" "UNTESTED"
ask manjaro/arch cmake
expect "nothing is missing" 0
[ -z "$answer" ] || { echo "nothing is missing, but: $answer"; failures=1; }
ask plan9/ cmake g++
expect "another system" 0 "cmake g++"

# Every package that ./run, ./test and ./run get ask for has names on both.
for system in fedora/ arch/; do
    # shellcheck disable=SC2086
    ask $system ${build_packages//libimgui-dev/} $test_packages python3 python3-pip
    [[ "$answer" != *"no package here"* ]] || { echo "$answer"; failures=1; }
done
exit $failures
