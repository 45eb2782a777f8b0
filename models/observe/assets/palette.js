// Colours of all pages, seen on light and dark ground: the same mean the same in the report, comparisons, sweeps. The part
// between the brackets is JSON, which armature/page.py reads.
window.armaturePalette =
{
  "drives": ["#2f7fe0", "#d9622b", "#2b9a60", "#9a6fd0", "#b08a20", "#d6487f", "#17a0b4", "#7d8998"],
  "read": "#2f7fe0",
  "write": "#d9622b",
  "phases": {
    "host_queue": "#c3cad3", "link_command": "#bfe3cd", "firmware": "#f2c879", "drive_queue": "#97a2b0",
    "arbitration": "#d99a2b", "seek": "#2457a6", "write_settle": "#7a5fb3", "channel_wait": "#6f7b8a",
    "rotation": "#4d9af0", "transfer": "#8fc1ff", "buffer_fill": "#79c7c5", "write_back": "#b08ad9",
    "link_wait": "#8fd0a8", "link_data": "#3f9e68", "link_status": "#2a8255"
  },
  "modes": {
    "idle": "#c3cad3", "seek": "#2457a6", "rotational_wait": "#4d9af0", "transfer": "#8fc1ff", "spin_up": "#b08a20",
    "standby": "#d8cdb0", "active_idle": "#9fb3c4", "low_power_idle": "#7f93a8"
  }
}
;
