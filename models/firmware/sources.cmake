# Firmware's files, for the native library and for an ELF of the controller's processor.
set(ARMATURE_FIRMWARE_SOURCES
    src/entry.c
    src/reset.c
    src/command.c
    src/lines.c
    src/media.c
    src/hits.c
    src/power.c
    src/segment.c
    src/stream.c
    src/ata_pages.c
    src/error.c
    src/console.c
    src/timer.c
    src/defect.c
    src/delay.c
    src/destage.c)
