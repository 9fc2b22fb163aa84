# Shared by ./run web and ./test --web (sourced after cmake/setup.sh): the compiler for WebAssembly, the libraries of others
# compiled with it, and our own programs. Everything comes from the distribution and stays in build/web.

# libzip, OpenSSL and httplib stay out; the libraries that stay in come as source packages.
web_packages="emscripten nodejs cmake ninja-build pkg-config dpkg-dev nlohmann-json3-dev libtomlplusplus-dev libstb-dev googletest
    fonts-inter fonts-jetbrains-mono fonts-dejavu-core"
web_sources="highway libonig utf8proc giflib imgui"
web="$root/build/web"
web_toolchain=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake

emscripten_candidate() { apt-cache policy emscripten 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { print $2 }'; }

# need_emscripten: Debian 12's is too old (its C++ library has no ranges); 3.1.69 is Debian 13's.
need_emscripten() {
    local release=""
    command -v dpkg-query >/dev/null || { say "a page is built with Debian 13's packages only, see docs/web.md"; return 3; }
    if ! command -v emcc >/dev/null; then
        release="$(emscripten_candidate)"
        if [ -z "$release" ]; then # a system that has not read its lists yet reads them for these
            need_packages cmake ninja-build dpkg-dev || return
            release="$(emscripten_candidate)"
        fi
    else
        release="$(dpkg-query -W -f '${Version}' emscripten 2>/dev/null)"
    fi
    if ! dpkg --compare-versions "${release:-0}" ge 3.1.69; then
        say "a page needs emscripten 3.1.69, which Debian 13 has; here it is ${release:-missing}."
        say "    docs/web.md says how to build it in a Debian 13 beside this system."
        return 3
    fi
}

# web_source_packages: unpacks the newest of each that is not there into build/web/sources, with lists of its own: /etc/apt stays as it is.
web_source_packages() {
    local sources="$web/sources" apt="$web/apt" stamp name missing=""
    stamp="$web_sources $(. /etc/os-release && printf '%s' "$ID $VERSION_ID")"
    [ "$(cat "$sources/.ready" 2>/dev/null)" = "$stamp" ] && return 0
    [ ! -e "$sources/.ready" ] || rm -rf "$sources" # of another release
    mkdir -p "$sources" "$apt/lists/partial" "$apt/cache/archives/partial"
    apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$3 == "main" { print "deb-src " $1 " " $2 " main" }' | sort -u >"$apt/sources.list"
    local options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=)
    : >"$web/sources.log"
    for name in $web_sources; do
        ! compgen -G "$sources/$name-[0-9]*/" >/dev/null || continue
        if [ ! -s "$web/sources.log" ]; then
            say "fetching the sources of $web_sources"
            apt-get "${options[@]}" update </dev/null >"$web/sources.log" 2>&1
        fi
        (cd "$sources" && apt-get "${options[@]}" source "$name") </dev/null >>"$web/sources.log" 2>&1 || missing="$missing $name"
    done
    rm -f "$sources"/*.dsc "$sources"/*.tar.* "$sources"/*.asc
    if [ -n "$missing" ]; then
        say "these sources could not be fetched:$missing; from $web/sources.log:"
        grep '^E' "$web/sources.log" | tail -n 15 >&2
        say "    What you unpack into $sources yourself (a folder NAME-VERSION each) is taken as well."
        return 3
    fi
    printf '%s' "$stamp" >"$sources/.ready"
}

# web_cmake FOLDER OPTION…: cmake for WebAssembly, when the options changed.
web_cmake() {
    local folder="$1"
    shift
    mkdir -p "$folder"
    configure "$folder" "-DCMAKE_TOOLCHAIN_FILE=$web_toolchain" -DCMAKE_BUILD_TYPE=Release \
        "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG" "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" "$@"
}

# web_libraries: theirs, into build/web/usr.
web_libraries() {
    local folder="$web/libraries"
    [ -f "$web/usr/.ready" ] && [ "$web/usr/.ready" -nt "$web/sources/.ready" ] && return 0
    local flags="-pthread -msimd128 -fwasm-exceptions"
    (
        root="$root/cmake/web/libraries"
        web_cmake "$folder" "-DSPEC_SOURCES=$web/sources" "-DCMAKE_INSTALL_PREFIX=$web/usr" -DCMAKE_INSTALL_LIBDIR=lib \
            "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags"
    ) || return
    build "$folder" || return
    cmake --install "$folder" >"$web/install.log" 2>&1 || { tail -n 15 "$web/install.log" >&2; return 3; }
    touch "$web/usr/.ready"
}

# need_web: all of it, ready for `build "$web/programs" TARGET…`.
need_web() {
    need_emscripten || return
    mkdir -p "$web"
    # shellcheck disable=SC2086
    need_packages $web_packages || return
    web_source_packages || return
    web_libraries || return
    PKG_CONFIG_LIBDIR="$web/usr/lib/pkgconfig" web_cmake "$web/programs" -DSPEC_TESTS=OFF -DSPEC_NETWORK=OFF -DSPEC_CUDA=OFF -DSPEC_UNITY=all \
        "-DSPEC_WEB_SOURCES=$web/sources" "-DCMAKE_FIND_ROOT_PATH=$web/usr" "-DCMAKE_PREFIX_PATH=$web/usr" "-DCMAKE_CXX_FLAGS=-isystem $web/usr/include"
}

# make_page: into build/web/programs/page.
make_page() {
    need_web || return
    build "$web/programs" page || return
}

# leave_page DIR: a folder for any host of static files.
leave_page() {
    mkdir -p "$1" && cp -R "$web/programs/page/." "$1/" || return 3
    say "$1 has the page, $(du -sh "$1" | cut -f1): put it on any host of static files (docs/web.md)"
}

# serve_page OPTION…: the program serves it; opens a browser where there is one.
serve_page() {
    local line
    "$speclens" serve --page "$web/programs/page" "$@" | while IFS= read -r line; do
        printf '%s\n' "$line"
        case "$line" in *" at http"*)
            [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || ! command -v xdg-open >/dev/null || xdg-open "${line##* at }" >/dev/null 2>&1 &
            ;;
        esac
    done
    return "${PIPESTATUS[0]}"
}
