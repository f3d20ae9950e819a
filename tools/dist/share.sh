#!/usr/bin/env bash
# Writes manual pages, completions and documents into a folder, laid out as /usr/share.
# usage: share.sh CURT FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
curt=$1 share=$2
rm -rf "$share"
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions} \
    "$share"/{fish/vendor_completions.d,doc/curt}
"$curt" man >"$share/man/man1/curt.1"
for name in $("$curt" --help | sed '1,/^Commands:$/d; /^$/,$d' | sed -n 's/^  \([a-z]*\).*/\1/p'); do
    [[ $name == help ]] || "$curt" man "$name" >"$share/man/man1/curt-$name.1"
done
"$curt" completions bash >"$share/bash-completion/completions/curt"
"$curt" completions zsh >"$share/zsh/site-functions/_curt"
"$curt" completions fish >"$share/fish/vendor_completions.d/curt.fish"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$share/doc/curt"
