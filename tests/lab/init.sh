#!/bin/busybox sh
# The guest's first program: puts the host's files, read-only, under an overlay and goes there.
# machine.py writes the settings.
# shellcheck shell=dash disable=SC1091,SC2154
/bin/busybox --install -s /bin
export PATH=/bin
mkdir -p /proc /sys /dev /host /upper /root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module.ko"; done </modules/order
how=trans=virtio,version=9p2000.L,msize=262144
mount -t 9p -o $how,ro,cache=loose host /host
mount -t tmpfs tmp /upper
mkdir /upper/files /upper/work
overlay=lowerdir=/host,upperdir=/upper/files,workdir=/upper/work
mount -t overlay -o $overlay overlay /root || poweroff -f
mkdir -p /root/lab /root/tmp /root/run /dev/shm /dev/pts /root/lib/modules
mount -t 9p -o $how share /root/lab
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t devpts devpts /dev/pts
for folder in proc sys dev; do mount --move /$folder /root/$folder; done
hostname lab
# The kernel asks for modules by itself too, wherever this machine keeps its modprobe.
. /root/lab/settings
version=$(uname -r)
ln -sfn "$modules" "/root/lib/modules/$version"
ln -sf /usr/bin/busybox /root/run/modprobe
echo /run/modprobe >/root/proc/sys/kernel/modprobe
for module in crc32_generic rdma_rxe rdma_ucm ib_umad veth; do
  chroot /root /run/modprobe $module
done
exec switch_root /root /bin/bash /lab/guest.sh
