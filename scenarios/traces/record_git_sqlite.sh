#!/bin/bash
# Record the block trace of a real ext4 + git + sqlite3 session.
#
# A QEMU guest (TCG, no KVM needed) with Debian's own kernel runs mkfs.ext4,
# git, sqlite3, e2fsck on an 8 GiB disk that nbdkit serves; nbdkit's `log`
# filter writes down every request; nbdkit_log_to_csv.py turns that into
# Armature's CSV.
#
# Debian 12 packages needed:
#   nbdkit qemu-system-x86 busybox-static cpio gzip kmod git sqlite3
#   e2fsprogs zstd python3 ca-certificates
# It also downloads, with `apt-get download`, and only unpacks (installs
# nothing): the kernel package and the packages whose files are the content
# that git is given. No root needed. About 2 GB in the temporary directory.
#
# Use:  ./record_git_sqlite.sh OUT.csv.zst
# Environment:
#   DELAY="rdelay=3ms wdelay=1ms"
#             make the served disk slow with nbdkit's `delay` filter, which waits
#             after `log` has noted the request (default: no delay)
#   KEEP=1    keep the temporary directory (logs, initramfs)
#   DEBS=DIR  keep the downloaded packages in DIR and use them again
#   TMPDIR    where the temporary directory is made
set -euo pipefail

out=$(realpath -m "${1:?usage: $0 OUT.csv.zst}")
here=$(cd "$(dirname "$0")" && pwd)
kernel_package=${KERNEL_PACKAGE:-$(apt-cache depends linux-image-amd64 |
    sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -1)}
tree_packages=${TREE_PACKAGES:-perl-modules-5.36 linux-libc-dev libpython3.11-stdlib}
export LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin

modules="ahci sd_mod ext4 crc32c_generic"

work=$(mktemp -d)
nbdkit_pid=
cleanup() {
    [ -z "$nbdkit_pid" ] || kill "$nbdkit_pid" 2>/dev/null || true
    if [ -n "${KEEP:-}" ]; then echo "kept: $work" >&2; else rm -rf "$work"; fi
}
trap cleanup EXIT
cd "$work"

# --- kernel and content, out of Debian packages ---------------------------
debs=${DEBS:-$work/debs}; mkdir -p "$debs"; debs=$(cd "$debs" && pwd)
for p in $kernel_package $tree_packages; do
    compgen -G "$debs/${p}_*.deb" >/dev/null || (cd "$debs" && apt-get -q download "$p")
done
mkdir kernel tree root
dpkg-deb -x "$debs/${kernel_package}"_*.deb kernel
for p in $tree_packages; do dpkg-deb -x "$debs/${p}"_*.deb tree; done
kver=$(ls kernel/lib/modules)
depmod -b kernel "$kver"

# --- initramfs -------------------------------------------------------------
mkdir -p root/{bin,sbin,dev,proc,sys,tmp,mnt,etc,root,lib/modules,usr/bin,usr/lib/git-core}
# busybox has its own `mkfs.*`; only the applets that init uses are linked.
cp "$(command -v busybox)" root/bin/busybox
for a in sh mount umount mkdir insmod tar cp rm cat dd find xargs grep awk sync \
         echo sleep ls wc sed poweroff head date md5sum sort uname; do
    ln -s busybox "root/bin/$a"
done
add_program() {          # a binary with the libraries it is linked with
    local f; f=$(command -v "$1")
    cp -L "$f" "root/$2/$(basename "$1")"
    ldd "$f" | grep -o '/[^ )]*' | while read -r l; do
        mkdir -p "root$(dirname "$l")"; cp -nL "$l" "root$l"
    done
}
add_program git usr/bin; ln -s ../../bin/git root/usr/lib/git-core/git
ln -s git root/usr/bin/git-upload-pack; mkdir -p root/usr/share/git-core/templates
add_program sqlite3 usr/bin
add_program mkfs.ext4 sbin
add_program e2fsck sbin
cp /etc/mke2fs.conf root/etc/
echo 'root:x:0:0:root:/root:/bin/sh' >root/etc/passwd
for m in $modules; do
    modprobe -d "$work/kernel" -S "$kver" --show-depends "$m" | awk '$1=="insmod"{print $2}'
done | awk '!seen[$0]++' | while read -r ko; do
    cp "$ko" root/lib/modules/; basename "$ko"
done >root/lib/modules/order
tar -C tree -cf root/tree.tar --sort=name --owner=0 --group=0 .

cat >root/init <<'INIT'
#!/bin/sh
export PATH=/bin:/sbin:/usr/bin HOME=/root GIT_PAGER=cat
mount -t devtmpfs dev /dev; mount -t proc proc /proc; mount -t sysfs sys /sys
exec </dev/console >/dev/console 2>&1
phase() { echo "PHASE $*"; sleep 0.2; }    # the pause lets the line get its time
stat() { echo "STAT" $(cat /sys/block/sda/stat); }
finish() { echo "RESULT $1"; sync; poweroff -f; }
while read m; do insmod /lib/modules/$m; done </lib/modules/order
n=0; while [ ! -b /dev/sda ]; do sleep 1; n=$((n+1)); [ $n -lt 60 ] || finish "no disk"; done
sleep 2
echo "KERNEL $(uname -r)"
for f in device/queue_depth queue/scheduler queue/write_cache queue/fua queue/max_sectors_kb queue/max_hw_sectors_kb queue/read_ahead_kb queue/max_segments; do
    echo "QUEUE ${f#*/} $(cat /sys/block/sda/$f)"
done
cat >/root/.gitconfig <<G
[user]
	name = trace
	email = trace@example.invalid
[init]
	defaultBranch = main
[pack]
	threads = 1
[gc]
	auto = 0
[safe]
	directory = *
G
cold() { umount /mnt && echo 3 >/proc/sys/vm/drop_caches && mount -t ext4 /dev/sda /mnt; }
set -e
trap 'finish "failed"' EXIT

stat
phase mkfs
mkfs.ext4 -q -F -L trace /dev/sda
mount -t ext4 /dev/sda /mnt

phase fill
for d in src repo db home var mail media0 media1 media2 media3 media4 media5; do mkdir /mnt/$d; done
tar -C /mnt/src -xf /tree.tar
for i in 0 1 2 3 4 5; do
    cat /tree.tar /tree.tar >/mnt/media$i/big; cp /tree.tar /mnt/media$i/one
done
rm /mnt/media1/one /mnt/media4/one

# nothing runs: write-back, journal and ext4's lazy initialisation only
phase idle
sleep 20

phase git-commit
git init -q /mnt/repo
cp -r /mnt/src/usr /mnt/repo/
cd /mnt/repo; git add -A; git commit -q -m first; cd /; sync

phase git-small-commits
cd /mnt/repo
find usr -type f | sort | awk 'NR%7==3' >/tmp/files
i=0
while [ $i -lt 40 ]; do
    awk -v i=$i 'NR%40==i' /tmp/files | head -6 | while read f; do echo "# change $i" >>$f; done
    git -c core.fsync=all commit -q -a -m "change $i"
    i=$((i+1))
done
cd /

phase git-gc
(cd /mnt/repo && git gc -q)
sync

# rows: a table of accounts with an index, and a history table.
phase sqlite-load
sqlite3 /mnt/db/bank.db <<Q
PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL;
CREATE TABLE account(id INTEGER PRIMARY KEY, owner TEXT, balance INTEGER, filler TEXT);
CREATE TABLE history(id INTEGER PRIMARY KEY, account INTEGER, delta INTEGER, note TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<120000)
 INSERT INTO account SELECT i, printf('owner-%08d',(i*7919)%120000), 1000, printf('%200d',i) FROM n;
CREATE INDEX account_owner ON account(owner);
Q
transactions() {    # COUNT SEED [PAUSE]
    echo "PRAGMA synchronous=FULL;"
    awk -v n=$1 -v s=$2 -v p=$3 'BEGIN{srand(s); for(i=0;i<n;i++){
        a=int(rand()*120000)+1; b=int(rand()*120000)+1; d=int(rand()*100);
        print "BEGIN IMMEDIATE;";
        print "SELECT balance FROM account WHERE owner=printf(\"owner-%08d\"," a%120000 ");";
        print "UPDATE account SET balance=balance-" d " WHERE id=" a ";";
        print "UPDATE account SET balance=balance+" d " WHERE id=" b ";";
        print "INSERT INTO history(account,delta,note) VALUES(" a ",-" d ",\"to " b "\"),(" b "," d ",\"from " a "\");";
        print "COMMIT;"; if(p) print ".shell sleep " p}}'
}
selects() {         # COUNT SEED
    awk -v n=$1 -v s=$2 'BEGIN{srand(s); for(i=0;i<n;i++)
        print "SELECT id,balance FROM account WHERE owner=printf(\"owner-%08d\"," int(rand()*120000) ");"}'
}

phase sqlite-rollback-journal
cold
transactions 400 1 | sqlite3 /mnt/db/bank.db >/dev/null

phase sqlite-wal
cold
(echo "PRAGMA journal_mode=WAL;"; transactions 800 2) | sqlite3 /mnt/db/bank.db >/dev/null

phase sqlite-paced
cold
transactions 150 5 0.2 | sqlite3 /mnt/db/bank.db >/dev/null

phase cold-sqlite-selects
cold
selects 1500 3 | sqlite3 /mnt/db/bank.db >/dev/null

phase cold-git-read
cold
cd /mnt/repo; git status -s; git log --stat >/dev/null; git fsck --no-progress 2>/dev/null; git blame usr/include/linux/fs.h >/dev/null; cd /
cold
grep -r -c zzzz /mnt/src >/dev/null 2>&1 || true      # some links lead nowhere

phase cold-big-read
cold
cat /mnt/media*/big >/dev/null

phase together
cold
(git clone -q --no-hardlinks /mnt/repo /mnt/home/clone; cd /mnt/home/clone; git checkout -q HEAD~20; sync) &
g=$!
(cat /mnt/media2/big /mnt/media5/one >/mnt/var/copy; rm -rf /mnt/src/usr/share) &
c=$!
transactions 500 4 | sqlite3 /mnt/db/bank.db >/dev/null
wait $g; wait $c

phase sqlite-check
cold
sqlite3 /mnt/db/bank.db "PRAGMA integrity_check; SELECT 'SUM', sum(balance), count(*) FROM account; SELECT 'HISTORY', count(*) FROM history;"

phase e2fsck
umount /mnt; echo 3 >/proc/sys/vm/drop_caches
e2fsck -f -n /dev/sda
phase end
stat; sleep 0.5
trap - EXIT
finish "ok"
INIT
chmod +x root/init
(cd root && find . | sort | cpio -o -H newc -R 0:0 --quiet | gzip -1) >initramfs.gz

# --- disk, guest -----------------------------------------------------------
truncate -s 8G disk.img
nbdkit -f -U "$work/nbd.sock" -P "$work/nbdkit.pid" --filter=log ${DELAY:+--filter=delay} file \
    file="$work/disk.img" logfile="$work/requests.log" ${DELAY:-} &
nbdkit_pid=$!
for _ in $(seq 100); do [ -s nbdkit.pid ] && break; sleep 0.1; done

timeout "${LIMIT:-1800}" qemu-system-x86_64 -accel tcg -smp 1 -m 768 \
    -nodefaults -no-user-config -display none -monitor none -serial stdio -no-reboot -nic none \
    -kernel kernel/boot/vmlinuz-"$kver" -initrd initramfs.gz \
    -append "console=ttyS0 quiet panic=-1 mitigations=off rdinit=/init" \
    -drive "file=nbd+unix:///?socket=$work/nbd.sock,format=raw,cache=none,if=none,id=d0" \
    -device ahci,id=ahci0 \
    -device ide-hd,drive=d0,bus=ahci0.0,discard_granularity=0 </dev/null |
while IFS= read -r line; do         # each console line with the host's clock
    line=${line%$'\r'}
    printf '%s %s\n' "$EPOCHREALTIME" "$line" | tee -a console.log >&2
done
grep -q ' RESULT ok$' console.log || { echo "the guest did not finish" >&2; exit 1; }
kill "$nbdkit_pid"; wait "$nbdkit_pid" || true; nbdkit_pid=

# --- trace -----------------------------------------------------------------
version() { dpkg-query -W -f '${Version}' "$1"; }
{
    echo "ext4, git and sqlite3 in a QEMU guest (TCG), on an 8 GiB disk served by nbdkit"
    echo "recorded on $(date +%Y-%m-%d) by: ${DELAY:+DELAY=\"$DELAY\" }./record_git_sqlite.sh"
    echo "guest kernel: $kver ($kernel_package $(dpkg-deb -f "$debs/${kernel_package}"_*.deb Version))"
    echo "qemu-system-x86 $(version qemu-system-x86), nbdkit $(version nbdkit), busybox-static $(version busybox-static)"
    echo "git $(version git), sqlite3 $(version sqlite3), e2fsprogs $(version e2fsprogs)"
    echo "content: $(for p in $tree_packages; do dpkg-deb -f "$debs/${p}"_*.deb Package Version | sed 's/^[A-Za-z]*: //' | paste -sd' '; done | paste -sd, | sed 's/,/, /g')"
    sed -n 's/^[0-9.,]* QUEUE //p' console.log | paste -sd, | sed 's/,/, /g; s/^/guest block queue: /'
    echo "disk: 16777216 sectors of 512 bytes; times are wall times of the emulated machine"
} >about.txt
python3 "$here/nbdkit_log_to_csv.py" --about about.txt --console console.log requests.log >trace.csv
zstd -q -f -19 trace.csv -o "$out"
ls -l "$out" >&2
