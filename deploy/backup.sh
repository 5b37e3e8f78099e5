#!/bin/sh
# Usage: backup.sh FOLDER [DAYS]
# Backs up to a new file in FOLDER, verifies the file, and then deletes backups older than DAYS (14).
# If any step fails, older backups are kept, and the exit code says so. Exit code 1 with a new file:
# the storage has lost images; everything else is in the backup, so older backups are deleted.
set -u
folder=$1
days=${2:-14}
file="$folder/visual-review-$(date -u +%Y-%m-%dT%H%M%SZ).tar"
visual-review backup "$file"
lost=$?
[ "$lost" -le 1 ] || exit "$lost"
[ -f "$file" ] || exit 2
checked=$(visual-review backup "$file" --check)
[ "$?" -eq "$lost" ] || exit 2
printf '%s\n' "$checked"
case $checked in *" undamaged: "*) ;; *) exit 2 ;; esac
find "$folder" -maxdepth 1 -name 'visual-review-*.tar' -mtime "+$days" -delete || exit 2
exit "$lost"
