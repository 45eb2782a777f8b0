# Each setting, a pause in which it works, and a read that wakes the drive.
set -e
read_at() { dd if=/dev/sda of=/dev/null bs=4k count=1 skip=$1 iflag=direct 2>/dev/null; }
write_at() { dd if=/dev/zero of=/dev/sda bs=4k count=8 seek=$1 oflag=direct 2>/dev/null; }

hdparm -q -B 254 /dev/sda    # no deeper than active idle
read_at 100
sleep 20
hdparm -q -B 128 /dev/sda    # no deeper than low-power idle: the heads are unloaded
read_at 200
sleep 20
hdparm -q -B 127 /dev/sda    # standby, too
hdparm -q -S 2 /dev/sda      # after 10 s
read_at 300
sleep 30
hdparm -C /dev/sda
read_at 400
hdparm -q -S 0 /dev/sda      # without a time
hdparm -q -y /dev/sda        # but at once
hdparm -C /dev/sda
sleep 20
read_at 500
hdparm -q -W0 /dev/sda       # each write goes to the medium
write_at 1000
hdparm -q -W1 /dev/sda       # into the cache
write_at 2000
