# Random reads on one half of the addresses, on both, and everywhere, by each scheduler. READS: of each job, 400 unless set.
set -e
export READS=${READS:-400}
queue=/sys/block/sda/queue
for range in $queue/independent_access_ranges/*; do
  if [ -e "$range" ]; then echo "range ${range##*/}: sector $(cat "$range"/sector), $(cat "$range"/nr_sectors) sectors"; fi
done
export HALF=$(($(cat /sys/block/sda/size) / 2 * 512))
for scheduler in ${SCHEDULERS:-mq-deadline bfq}; do
  echo $scheduler >$queue/scheduler
  mkdir -p /share/$scheduler
  cd /share/$scheduler
  for jobs in one one_deep "lower upper" everywhere; do
    sections=
    for job in $jobs; do sections="$sections --section=$job"; done
    fio --eta=never --output="$jobs.txt" $sections /scenario/two_actuators.fio
    echo "$scheduler, $jobs:" $(grep -o 'IOPS=[0-9.k]*' "$jobs.txt")
  done
done
