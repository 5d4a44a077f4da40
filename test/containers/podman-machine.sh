#!/bin/sh
# The first process of a machine in a private mount and process namespace, with Debian's rootless podman:
#   podman-machine.sh ROOT HOME FOLDER USER
# ROOT is a root file system that is not changed, HOME the user's, and FOLDER appears as /mnt/dist. Prints `ready`.
set -eu
root=$1 home=$2 folder=$3 user=$4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /dev dev
# podman counts with version 2 of control groups; the mounts of version 1 stay outside.
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder_in_memory in mnt run tmp dev/shm; do mount -t tmpfs tmpfs "$folder_in_memory"; done
chmod 1777 tmp dev/shm
# Networks of a user's containers need it with the mode that udev gives it; outside it stays as it is.
mknod -m 666 run/tun c 10 200
[ ! -e dev/net/tun ] || mount --bind run/tun dev/net/tun
mkdir -p mnt/old mnt/dist ".$home" "run/user/$user/podman" "$home/tmp"
mount --bind "$home" ".$home"
mount --bind "$folder" mnt/dist
# podman unpacks images here, which is too much for memory.
mount --bind "$home/tmp" var/tmp
pivot_root . mnt/old
umount -l /mnt/old
mount --make-rshared /
chown -R "$user:$user" "/run/user/$user" "$home"
as_user() { setpriv --reuid "$user" --regid "$user" --clear-groups env -i PATH=/usr/sbin:/usr/bin HOME="$home" XDG_RUNTIME_DIR="/run/user/$user" "$@"; }
# systemd would start the service, with this mode of its socket, and run the health checks.
socket=/run/user/$user/podman/podman.sock
as_user podman system service --time=0 "unix://$socket" &
while [ ! -S "$socket" ]; do sleep 0.1; done
chmod 660 "$socket"
# shellcheck disable=SC2016 # the inner shell expands them
as_user sh -c 'while sleep 1; do
  for id in $(podman ps --filter health=starting --filter health=healthy --filter health=unhealthy --format "{{.ID}}"); do
    podman healthcheck run "$id" >/dev/null 2>&1
  done
done' &
echo ready
exec catatonit -P
