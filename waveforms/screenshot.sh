#!/bin/sh
# A picture of a dump as GTKWave shows it with a save file, without a display.
#   waveforms/screenshot.sh waves.fst waves.gtkw waves.png [WIDTHxHEIGHT]
# Needs gtkwave and xvfb.
set -eu
if [ $# -lt 3 ]; then
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
fi
fst=$(realpath "$1") gtkw=$(realpath "$2") png=$(realpath -m "$3") size=${4:-1400x1000}
for program in gtkwave Xvfb; do
  command -v $program >/dev/null || { echo "$0: $program is not installed (apt-get install gtkwave xvfb)" >&2; exit 2; }
done
work=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

# GTKWave takes the window's size from the save file.
sed "s/^\[size\] .*/[size] $(echo "$size" | tr x ' ')/" "$gtkw" >"$work/view.gtkw"
cat >"$work/gtkwaverc" <<RC
fontname_signals Sans 10
fontname_waves Monospace 9
fill_waveform 1
hide_sst 1
enable_vert_grid 0
RC
cat >"$work/shot.tcl" <<TCL
after 1500 {
  gtkwave::/File/Grab_To_File $work/shot.png
  exit
}
vwait forever
TCL

# Xvfb finds a free display number itself and writes it to the file.
Xvfb -displayfd 3 -screen 0 1920x1600x24 -nolisten tcp 3>"$work/display" 2>"$work/xvfb.log" &
server=$!
tries=0
while [ ! -s "$work/display" ]; do
  tries=$((tries + 1))
  [ $tries -le 100 ] || { echo "$0: Xvfb did not start:" >&2; cat "$work/xvfb.log" >&2; exit 1; }
  sleep 0.1
done
# The window's title is the name that GTKWave is given.
(cd "$(dirname "$fst")" &&
  DISPLAY=:$(cat "$work/display") timeout 60 gtkwave --rcfile "$work/gtkwaverc" -a "$work/view.gtkw" \
    -S "$work/shot.tcl" "$(basename "$fst")" >"$work/gtkwave.log" 2>&1) || true
[ -s "$work/shot.png" ] || { echo "$0: GTKWave made no picture:" >&2; cat "$work/gtkwave.log" >&2; exit 1; }
mv "$work/shot.png" "$png"
