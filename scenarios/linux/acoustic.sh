# Random reads with fast seeks, then with quiet ones. READS: of each, 1000 unless it is set.
set -e
export READS=${READS:-1000}
hdparm -M 254 /dev/sda
fio --eta=never --section=fast /scenario/acoustic.fio
hdparm -M 128 /dev/sda
fio --eta=never --section=quiet /scenario/acoustic.fio
