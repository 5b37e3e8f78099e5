#!/bin/sh
# Usage: rehearse-restore.sh FILE [PORT]
# Restores a backup into a temporary data folder, starts the service there, waits until it is ready,
# and deletes all of it. The copy has another secret key, so it can neither sign in to a Git provider
# nor send messages.
set -eu
file=$1
port=${2:-8001}
folder=$(mktemp -d)
chmod 711 "$folder"
# Nothing of the real service: neither its database nor its keys, mail server or payment provider.
for name in $(env | sed -n 's/^\(VISUAL_REVIEW_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
service=
finish() {
	if [ -n "$service" ]; then kill "$service" 2>/dev/null && wait "$service" || true; fi
	rm -rf "$folder"
}
trap finish EXIT
visual-review restore "$file" --data "$folder/data"
VISUAL_REVIEW_PUBLIC_URL="http://127.0.0.1:$port" \
	visual-review up --data "$folder/data" --port "$port" &
service=$!
curl --silent --show-error --fail --retry 60 --retry-all-errors --retry-delay 1 --retry-max-time 120 \
	"http://127.0.0.1:$port/readyz"
echo
visual-review organizations list --data "$folder/data"
