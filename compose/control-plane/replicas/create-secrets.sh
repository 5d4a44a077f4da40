#!/bin/bash
# Creates what is missing: passwords of PostgreSQL, and for each replica the URL of the database and the master key, which
# is the same for all. Nothing is printed, and nothing that exists is changed.
set -euo pipefail
umask 077

random() { head --bytes=32 /dev/urandom | base64 --wrap=0 | tr '+/' '-_' | tr --delete '='; }

# place FILE OWNER: writes standard input to FILE, whole or not at all.
place() {
  cat > "$1.part"
  chown "$2" "$1.part"
  mv "$1.part" "$1"
}

for name in superuser-password vp-password; do
  [ -s "/secrets/$name" ] || random | place "/secrets/$name" postgres:postgres
done
chown postgres:postgres /secrets
chmod 700 /secrets

key=
for data in /data-*; do
  if [ -s "$data/master.key" ]; then key=$data/master.key; fi
done
for data in /data-*; do
  [ -s "$data/database.url" ] ||
    printf 'postgres://vp:%s@database:5432/vp\n' "$(< /secrets/vp-password)" | place "$data/database.url" 10001:10001
  if [ -z "$key" ]; then
    head --bytes=32 /dev/urandom | base64 --wrap=0 | place "$data/master.key" 10001:10001
    key=$data/master.key
  elif [ ! -s "$data/master.key" ]; then
    place "$data/master.key" 10001:10001 < "$key"
  fi
  chown 10001:10001 "$data"
  chmod 700 "$data"
done
