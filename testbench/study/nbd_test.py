"""Programs that nobody here wrote use the drives of a run through NBD: fio with verification, nbdcopy, nbdinfo, qemu-img.
Their data come back, and each of their requests stands in requests.csv."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ["ARMATURE_BINARY"])
DRIVE = '[drives.d]\nmodel = "drives/quantum_atlas_10k.toml"\nmedia.contents = "memory"\n'
ARMS = DRIVE + 'arms.count = 4\narms.design = "MC"\n'
STORE = '[drives.d]\nmodel = "drives/mems/g2.toml"\nmedia.contents = "memory"\n'
RAID5 = "".join(
    f'[drives.m{i}]\nmodel = "drives/quantum_atlas_10k.toml"\nmedia.contents = "memory"\n' for i in range(4)
) + '[array]\nlevel = "raid5"\nmembers = ["m0", "m1", "m2", "m3"]\n'


def needs(program: str):
    return pytest.mark.skipif(not shutil.which(program), reason=f"no {program}")


class Served:
    """`armature serve`, until the end of the test."""

    def __init__(self, place: Path, drives: str, *options: str):
        self.place = place
        (place / "s.toml").write_text(drives)
        self.socket = place / "nbd"
        self.uri = f"nbd+unix:///?socket={self.socket}"
        words = [PROGRAM, "serve", "s.toml", "--quiet", "--out", "out", "--nbd", f"unix:{self.socket}", *options]
        environment = dict(os.environ, SC_COPYRIGHT_MESSAGE="DISABLE")
        self.process = subprocess.Popen(words, cwd=place, text=True, stderr=subprocess.PIPE, env=environment)
        for _ in range(600):
            if self.socket.exists() or self.process.poll() is not None:
                break
            time.sleep(0.05)

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.errors = self.process.communicate(timeout=60)[1]
        finally:
            self.process.kill()

    def requests(self) -> list[dict[str, str]]:
        file = next((self.place / "out").rglob("requests.csv"))
        with open(file, newline="") as lines:
            return list(csv.DictReader(lines))


def done(words: list[str], **options) -> str:
    told = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False, **options
    )
    assert told.returncode == 0, told.stdout
    return told.stdout


@needs("fio")
@pytest.mark.parametrize("depth", [1, 32])
@pytest.mark.parametrize("drives", [ARMS, STORE, RAID5], ids=["four_arms", "mems", "raid5"])
def test_fio_finds_its_data_again(tmp_path: Path, drives: str, depth: int) -> None:
    with Served(tmp_path, drives) as served:
        told = done(
            ["fio", "--name=v", "--ioengine=nbd", f"--uri={served.uri}", "--rw=randrw", "--bs=4k", "--size=32m"]
            + ["--io_size=4m", f"--iodepth={depth}", "--verify=crc32c", "--verify_fatal=1", "--output-format=json"],
            cwd=tmp_path,
        )
    assert served.process.returncode == 0, served.errors
    job = json.loads(told[told.index("{") :])["jobs"][0]
    assert job["error"] == 0
    rows = served.requests()
    assert sum(row["op"] == "read" for row in rows) == job["read"]["total_ios"]
    assert sum(row["op"] == "write" for row in rows) == job["write"]["total_ios"]
    assert all(row["status"] == "ok" for row in rows)


@needs("nbdcopy")
@needs("qemu-img")
def test_images_come_back_as_they_went(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(os.urandom(1_500_000) + bytes(72_864))
    with Served(tmp_path, DRIVE) as served:
        assert "export-size: 9184760832" in done(["nbdinfo", served.uri])
        done(["nbdcopy", "--flush", image, served.uri])
        assert [line.split() for line in done(["nbdinfo", "--map", served.uri]).splitlines()] == [
            ["0", "9184760832", "0", "data"]
        ], "a drive knows no holes"
        back = done(["qemu-io", "-f", "raw", "-c", "read 0 512", f"nbd:unix:{served.socket}"])
        assert "512 bytes" in back
        copy = tmp_path / "copy"
        done(["qemu-img", "dd", "-f", "raw", "-O", "raw", "bs=4096", "count=384", f"if=nbd:unix:{served.socket}", f"of={copy}"])
    assert copy.read_bytes()[: image.stat().st_size] == image.read_bytes()
    assert served.process.returncode == 0, served.errors
    assert any(row["op"] == "flush" for row in served.requests())


@needs("qemu-io")
def test_a_write_with_fua_waits_for_the_medium_and_another_does_not(tmp_path: Path) -> None:
    with Served(tmp_path, DRIVE + "cache.write = true\n") as served:
        words = [word for write in ("write 0 4096", "write -f 4096 4096") for word in ("-c", write)]
        done(["qemu-io", "-f", "raw", "-t", "writeback", *words, f"nbd:unix:{served.socket}"])
    writes = [row for row in served.requests() if row["op"] == "write"]
    assert [row["lbn"] for row in writes] == ["0", "8"]
    assert float(writes[0]["response_us"]) < 1000 < float(writes[1]["response_us"])


@needs("qemu-io")
def test_an_unreadable_sector_is_an_error_of_the_client(tmp_path: Path) -> None:
    defect = DRIVE + "media.defects = [[1000, 0]]\n"
    with Served(tmp_path, defect) as served:
        words = ["qemu-io", "-f", "raw", "-c", "read 512000 4096", f"nbd:unix:{served.socket}"]
        told = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        assert "Input/output error" in told.stdout
        done(["qemu-io", "-f", "raw", "-c", "read 0 4096", f"nbd:unix:{served.socket}"])


@needs("qemu-io")
def test_two_exports_are_two_disks(tmp_path: Path) -> None:
    with Served(tmp_path, DRIVE + DRIVE.replace("drives.d", "drives.e")) as served:
        at = f"nbd+unix:///{{}}?socket={served.socket}"
        done(["qemu-io", "-f", "raw", "-c", "write -P 1 0 4096", at.format("d")])
        done(["qemu-io", "-f", "raw", "-c", "write -P 2 0 4096", at.format("e")])
        assert "failed" not in done(["qemu-io", "-f", "raw", "-c", "read -P 1 0 4096", at.format("d")])
        assert "failed" not in done(["qemu-io", "-f", "raw", "-c", "read -P 2 0 4096", at.format("e")])


@needs("qemu-io")
def test_by_wall_time_a_client_waits_as_long_as_the_drive_takes(tmp_path: Path) -> None:
    """Only from below: a busy machine may add any time."""
    with Served(tmp_path, DRIVE, "--pace", "wall") as served:
        reads = [word for i in range(20) for word in ("-c", f"read {i * 400_000_000} 4096")]
        begin = time.monotonic()
        done(["qemu-io", "-f", "raw", *reads, f"nbd:unix:{served.socket}"])
        taken = time.monotonic() - begin
    simulated = sum(float(row["response_us"]) for row in served.requests()) * 1e-6
    assert simulated > 0.1
    assert taken > simulated


@needs("qemu-io")
def test_once_ends_after_the_last_client(tmp_path: Path) -> None:
    with Served(tmp_path, DRIVE, "--once") as served:
        done(["qemu-io", "-f", "raw", "-c", "read 0 4096", f"nbd:unix:{served.socket}"])
        assert served.process.wait(timeout=60) == 0
    assert not served.socket.exists()


def test_a_client_that_speaks_nonsense_harms_nobody(tmp_path: Path) -> None:
    with Served(tmp_path, DRIVE) as served:
        for nonsense in (b"GET / HTTP/1.0\r\n\r\n", b"\0\0\0\3" + b"x" * 100, bytes(3)):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(served.socket))
                client.sendall(nonsense)
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(served.socket))
            assert client.recv(18) == b"NBDMAGICIHAVEOPT\0\3"
    assert served.process.returncode == 0, served.errors


@pytest.mark.parametrize(
    "drives, options, told",
    [
        (DRIVE.replace('"memory"', '"none"'), [], 'media.contents of drive d is "none"'),
        (DRIVE + "host.verify = true\n", [], "host.verify checks the data of our own loads"),
        (DRIVE, ["--nbd", "here"], "--nbd"),
    ],
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, drives: str, options: list[str], told: str) -> None:
    (tmp_path / "s.toml").write_text(drives)
    words = [PROGRAM, "serve", "s.toml", *(options or ["--nbd", f"unix:{tmp_path}/nbd"])]
    refused = subprocess.run(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert told in refused.stderr
    assert not (tmp_path / "out").exists()
