#!/usr/bin/env bash
# Runs in the guest, on the host's files: brings up two Soft-RoCE devices, then what was asked for.
# /lab is the folder that guest and host share: command, settings, status, set-up's messages.
# Starting a program is what takes time here, so there are few. machine.py writes the settings.
# shellcheck disable=SC1091,SC2154
exec >/lab/setup.log 2>&1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
source /lab/settings
ulimit -l unlimited

# The ends of one cable in one network space: the kernel would carry what goes from one to the
# other inside itself, past the cable, where Soft-RoCE does not look. So the rules say: what is
# sent to an address leaves by the other end, and only what came in by an end is local.
ip -batch - <<'RULES'
link set lo up
link add roce0 mtu 4200 type veth peer name roce1 mtu 4200
link set roce0 up
link set roce1 up
address add 10.9.0.1/24 dev roce0
address add 10.9.0.2/24 dev roce1
rule add pref 10 iif roce0 lookup local
rule add pref 11 iif roce1 lookup local
rule add pref 20 from 10.9.0.2 to 10.9.0.1 lookup 100
rule add pref 21 from 10.9.0.1 to 10.9.0.2 lookup 101
route add 10.9.0.1 dev roce1 table 100
route add 10.9.0.2 dev roce0 table 101
rule add pref 30 lookup local
rule del pref 0
RULES
for end in all roce0 roce1; do
  echo 0 >/proc/sys/net/ipv4/conf/$end/rp_filter
  echo 1 >/proc/sys/net/ipv4/conf/$end/accept_local
done
printf 'link add rxe%d type rxe netdev roce%d\n' 0 0 1 1 | rdma -b -
read -r now _ </proc/uptime
echo "set-up took $now s from the kernel's start"

cd "$folder_of_caller" || exit 1
if [ "$shell" = yes ]; then
  stty -F /dev/ttyS0 rows "$rows" cols "$columns"
  setsid --ctty --wait bash -i </dev/ttyS0 >/dev/ttyS0 2>&1
else
  ports=(/dev/vport*p[12])
  (source /lab/command) >"${ports[0]}" 2>"${ports[1]}" </dev/null
fi
echo $? >/lab/status
busybox sync
busybox poweroff -f
