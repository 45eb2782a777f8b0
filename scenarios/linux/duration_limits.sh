# Twenty urgent reads a second among 28 others at a time, without and with limit 1 of the drive. READS: urgent ones of each, 1000 unless set.
# A request takes its limit from the priority of its process: class best effort, level 4, hint 1 is 1 * 8 + 4.
set -e
export READS=${READS:-1000}
limit() {  # microseconds from arrival to grant, of reads with limit 1; what is later is served all the same
  dd if=/dev/zero of=/tmp/limits bs=512 count=1 2>/dev/null
  printf "\\$(printf %o $(($1 & 255)))\\$(printf %o $(($1 >> 8 & 255)))\\$(printf %o $(($1 >> 16)))" |
    dd of=/tmp/limits bs=1 seek=72 conv=notrunc 2>/dev/null
  sg_raw -s 512 -i /tmp/limits /dev/sda 85 0b 06 00 00 00 01 00 18 00 00 00 00 00 3f 00 2>/dev/null # WRITE LOG EXT
}
echo "duration limits supported: $(cat /sys/block/sda/device/cdl_supported)"
limit 30000
for on in 0 1; do
  echo $on >/sys/block/sda/device/cdl_enable
  mkdir -p /share/limits-$on
  cd /share/limits-$on
  fio --eta=never --output=others.txt --section=others /scenario/duration_limits.fio &
  ionice -c 2 -n 12 fio --eta=never --output=urgent.txt --section=urgent /scenario/duration_limits.fio
  kill -INT $!
  wait || true
  for job in urgent others; do
    echo "limits $on, $job:" $(grep -o 'IOPS=[0-9.k]*' $job.txt) $(grep ' lat (.*avg' $job.txt)
    grep -E '99.00th|99.90th|99.95th' $job.txt
  done
done
