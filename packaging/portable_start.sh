#!/bin/sh
# Starts SpecLens where it was unpacked. On a desktop bin/speclens can be started just as well; this helps where there is none.
here=$(dirname "$(readlink -f "$0")")
program="$here/bin/speclens"

# A server or a container may have no X11 and no OpenGL: all but the window works with those that were brought along. Where
# the system has them, its own are taken, as they belong to its drivers.
if LD_TRACE_LOADED_OBJECTS=1 "$program" 2>/dev/null | grep -q 'not found'; then
    LD_LIBRARY_PATH="$here/lib/speclens/without-desktop${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    export LD_LIBRARY_PATH
fi

# The OpenSSL that was brought along looks for certificates where Debian keeps them.
if [ -z "${SSL_CERT_FILE:-}${SSL_CERT_DIR:-}" ] && [ ! -e /usr/lib/ssl/certs ]; then
    for file in /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem; do
        if [ -r "$file" ]; then
            SSL_CERT_FILE="$file"
            export SSL_CERT_FILE
            break
        fi
    done
fi
exec "$program" "$@"
