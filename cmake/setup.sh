# Shared by ./run and ./test (sourced, not run): packages, configure, build. Quiet: one progress line, a log file.
# Expects $root, the folder of the clone.

say() { printf '%s\n' "speclens: $*" >&2; }

# Debian 12 and 13. The names are the same on Ubuntu 22.04 and 24.04 (universe); those two are untested.
build_packages="g++ cmake ninja-build pkg-config libimgui-dev libglfw3-dev libgl-dev nlohmann-json3-dev libstb-dev
    libhwy-dev libonig-dev libutf8proc-dev libcpp-httplib-dev libssl-dev libzip-dev libtomlplusplus-dev libgif-dev
    fonts-inter fonts-jetbrains-mono fonts-dejavu-core libgl1 libgl1-mesa-dri"
test_packages="libgtest-dev xvfb xauth ccache"

# The sanitizers' compiler: clang takes three fifths of g++'s time with them for scenes, five sixths for the engine. 16 is the first that reads the ranges of g++'s library.
# Where its version is not known here, it is g++ as everywhere else.
# shellcheck disable=SC1091
case "$(. /etc/os-release 2>/dev/null && printf '%s' "${ID:-} ${VERSION_ID:-}")" in
    "debian 12") clang=16 ;;
    "debian 13") clang=19 ;;
    *) clang="" ;;
esac
sanitizer_packages="${clang:+clang-$clang libclang-rt-$clang-dev llvm-$clang}" # LLVM names the functions of a report
sanitizer_compiler="${clang:+clang++-$clang}"

# What was compiled in another clone, or in the last one of CI, need not be compiled here.
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

# UNTESTED: what Debian's packages are called elsewhere, one a line: Debian's, Fedora's, Arch's; several with a comma between
# them, - for none. Nobody has built this program on either yet.
names_elsewhere="
g++                  gcc-c++                                  gcc
cmake                cmake                                    cmake
ninja-build          ninja-build                              ninja
pkg-config           pkgconf-pkg-config                       pkgconf
libimgui-dev         -                                        imgui
libglfw3-dev         glfw-devel                               glfw
libgl-dev            mesa-libGL-devel                         libglvnd
nlohmann-json3-dev   json-devel                               nlohmann-json
libstb-dev           stb-devel                                stb
libhwy-dev           highway-devel                            highway
libonig-dev          oniguruma-devel                          oniguruma
libutf8proc-dev      utf8proc-devel                           libutf8proc
libcpp-httplib-dev   cpp-httplib-devel                        cpp-httplib
libssl-dev           openssl-devel                            openssl
libzip-dev           libzip-devel                             libzip
libtomlplusplus-dev  tomlplusplus-devel                       tomlplusplus
libgif-dev           giflib-devel                             giflib
fonts-inter          rsms-inter-fonts                         inter-font
fonts-jetbrains-mono jetbrains-mono-fonts                     ttf-jetbrains-mono
fonts-dejavu-core    dejavu-sans-fonts,dejavu-sans-mono-fonts ttf-dejavu
libgl1               libglvnd-glx                             libglvnd
libgl1-mesa-dri      mesa-dri-drivers                         mesa
libgtest-dev         gtest-devel                              gtest
xvfb                 xorg-x11-server-Xvfb                     xorg-server-xvfb
xauth                xorg-x11-xauth                           xorg-xauth
ccache               ccache                                   ccache
clang-format-14      -                                        -
python3              python3                                  python
python3-pip          python3-pip                              python-pip
"

# need_elsewhere NAME…: the same for a system without dpkg, which /etc/os-release tells. Installs nothing by itself: names
# that nobody has tried are for somebody to read first.
need_elsewhere() {
    local system column missing_of install name here missing="" none=""
    # shellcheck disable=SC1090
    system="$(. "${SPECLENS_OS_RELEASE:-/etc/os-release}" 2>/dev/null && printf '%s' " ${ID:-} ${ID_LIKE:-} ")"
    case "$system" in
        *" fedora "*) column=2 missing_of="rpm -q" install="dnf install" ;;
        *" arch "*) column=3 missing_of="pacman -Q" install="pacman -S --needed" ;;
        *)
            say "this system's packages are not known here: please see to it yourself that you have what Debian calls: $*"
            return 0
            ;;
    esac
    for name in "$@"; do
        here="$(printf '%s' "$names_elsewhere" | awk -v name="$name" -v column="$column" '$1 == name { print $column }')"
        case "$here" in
            "" | -) none="$none $name" ;;
            *) for here in ${here//,/ }; do
                $missing_of "$here" >/dev/null 2>&1 || missing="$missing $here"
            done ;;
        esac
    done
    if [ -n "$none" ]; then
        say "no package here is known for what Debian calls$none: please install it yourself."
        say "    Without Dear ImGui (libimgui-dev) all but the window and the pictures can be built: cmake -DSPEC_APP=OFF"
    fi
    [ -z "$missing" ] && return 0
    say "these packages seem to be missing (their names are UNTESTED: they were never tried on this system); as root, please run:"
    say "    $install$missing"
    return 3
}

# need_packages NAME…: installs those that are missing. A stamp (the list and the package database's time)
# makes the second call cheap.
need_packages() {
    local stamp="$root/build/.packages" now missing="" package
    if ! command -v dpkg-query >/dev/null; then
        need_elsewhere "$@"
        return
    fi
    now="$* $(stat -c %Y /var/lib/dpkg/status)"
    [ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && return 0
    for package in "$@"; do
        case "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" in
            *"ok installed") ;;
            *) missing="$missing $package" ;;
        esac
    done
    if [ -n "$missing" ]; then
        local as_root=""
        if [ "$(id -u)" != 0 ]; then
            if ! command -v sudo >/dev/null; then
                say "these packages are missing and there is no sudo; as root, please run:"
                say "    apt-get install --no-install-recommends$missing"
                return 3
            fi
            as_root="sudo"
        fi
        say "installing$missing"
        # shellcheck disable=SC2086
        if ! { $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q update &&
            $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C \
                apt-get -q -y install --no-install-recommends $missing; } </dev/null >"$root/build/install.log" 2>&1; then
            say "the packages could not be installed; the end of $root/build/install.log:"
            tail -n 15 "$root/build/install.log" >&2
            return 3
        fi
        now="$* $(stat -c %Y /var/lib/dpkg/status)"
    fi
    printf '%s' "$now" >"$stamp"
}

# What `speclens get` fetches with, and nothing else here needs. Not from where the user stands: -m imports from there.
need_pip() { (cd / && python3 -m pip --version) >/dev/null 2>&1 || need_packages python3 python3-pip; }

configured_here() { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" 2>/dev/null; }

# configure FOLDER OPTION…: runs cmake when the options changed, or nothing was configured yet.
configure() {
    local folder="$1" wanted log
    shift
    log="$folder/configure.log"
    wanted="$root $*"
    [ -f "$folder/build.ninja" ] && [ "$(cat "$folder/.options" 2>/dev/null)" = "$wanted" ] && return 0
    # A tree that was copied or moved with its build folder cannot be reused.
    if [ -f "$folder/CMakeCache.txt" ] && ! configured_here "$folder"; then
        rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles" "$folder/build.ninja"
    fi
    if ! cmake -S "$root" -B "$folder" -G Ninja "$@" </dev/null >"$log" 2>&1; then
        say "cmake failed; the end of $log:"
        tail -n 25 "$log" >&2
        return 3
    fi
    printf '%s' "$wanted" >"$folder/.options"
}

# build FOLDER TARGET…
build() {
    local folder="$1" line status began=$SECONDS
    shift
    local log="$folder/build.log"
    if [ -t 2 ]; then
        NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" </dev/null 2>&1 | tee "$log" | while IFS= read -r line; do
            case "$line" in \[[0-9]*) printf '\r\033[Kbuilding %s]' "${line%%]*}" >&2 ;; esac
        done
        status="${PIPESTATUS[0]}"
        printf '\r\033[K' >&2
    else
        [ -f "$log" ] || say "building in $folder (the first time takes a few minutes)"
        NINJA_STATUS='[%f/%t] ' ninja -C "$folder" "$@" </dev/null >"$log" 2>&1
        status=$?
    fi
    [ $((SECONDS - began)) -lt 30 ] || say "that took $((SECONDS - began)) s"
    if [ "$status" != 0 ]; then
        say "the build failed; from $log:"
        grep -E -A 12 '(error|FAILED|undefined reference|No space)' "$log" | head -n 60 >&2 || tail -n 40 "$log" >&2
        return 3
    fi
}

# One set-up at a time in this folder: a second one waits.
lock_build() {
    mkdir -p "$root/build" || {
        say "cannot write to $root/build"
        exit 3
    }
    exec 9>"$root/build/.lock"
    flock -n 9 || { say "waiting for another ./run or ./test in this folder"; flock 9; }
}
unlock_build() { exec 9>&-; }
