#!/bin/sh
# make_run.sh ARCHIVE.tar.gz [FOLDER]: makes one file of a portable archive that runs (speclens-VERSION-linux-MACHINE.tar.gz becomes
# speclens-VERSION-MACHINE.run), in FOLDER or beside it. cpack calls it for the archive that it has made.
set -eu
here=$(dirname "$(readlink -f "$0")")
archive=$(readlink -f "$1")
name=$(basename "$archive" .tar.gz)
file=${2:-$(dirname "$archive")}/$(printf '%s' "$name" | sed 's/-linux-/-/').run
sed -e "s/@NAME@/$name/" -e "s/@SUM@/$(sha256sum "$archive" | cut -c 1-12)/" \
    -e "s/@LINES@/$(($(wc -l <"$here/run_head.sh") + 1))/" "$here/run_head.sh" >"$file.part"
cat "$archive" >>"$file.part"
chmod 755 "$file.part"
mv "$file.part" "$file"
printf '%s\n' "$file"
