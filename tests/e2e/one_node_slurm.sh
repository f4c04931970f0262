#!/bin/sh
# A Slurm of one node and two GPUs that are none, for the tests; needs root, and Debian's slurm-wlm.
#
#   one_node_slurm.sh start FOLDER PORT   configuration, keys, state and logs below FOLDER, which no other user need see;
#                                         PORT and the next one are taken. SLURM_CONF=FOLDER/slurm.conf uses it
#   one_node_slurm.sh stop FOLDER
set -eu
folder=$2
if [ "$1" = stop ]; then
  for daemon in slurmd slurmctld munged; do
    [ ! -e "$folder/$daemon.pid" ] || kill "$(cat "$folder/$daemon.pid")" 2>/dev/null || true
  done
  exit 0
fi
port=$3
mkdir -p "$folder/munge" "$folder/state" "$folder/spool"
chmod 711 "$folder"
chmod 755 "$folder/munge"
dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
chmod 400 "$folder/munge.key"
printf 'NodeName=vm Name=gpu File=/dev/null\nNodeName=vm Name=gpu File=/dev/zero\n' >"$folder/gres.conf"
cat >"$folder/slurm.conf" <<CONF
ClusterName=autokernel
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
ReturnToService=2
KillWait=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmctldPort=$port
SlurmdPort=$((port + 1))
GresTypes=gpu
NodeName=vm NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=1000 Gres=gpu:2 State=UNKNOWN
PartitionName=test Nodes=vm Default=YES MaxTime=INFINITE State=UP
CONF
munged --force --key-file="$folder/munge.key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" 2>"$folder/munged.err"
slurmctld -f "$folder/slurm.conf"
slurmd -f "$folder/slurm.conf" -N vm
tries=0
until SLURM_CONF=$folder/slurm.conf sinfo -h -o %T 2>/dev/null | grep -q idle; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { tail -n 5 "$folder"/*.log >&2; exit 1; }
  sleep 0.2
done
