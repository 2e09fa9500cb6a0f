"""Which paths lie on a network file system: no change events there, and no safe SQLite WAL."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Network protocols, and the shared folders of virtual machines, which behave like them: changes
# made on the other side send no event to this one, and memory maps are not shared with it.
# Names as Linux and macOS report them (Documentation/filesystems of the kernel; mount(8)).
_NETWORK = frozenset(
    {
        "9p",
        "afpfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "ftp",
        "gpfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",
        "smb",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "webdav",
    }
)

# "fuse" says nothing about where the data is, so its known network programs are named.
_NETWORK_FUSE = frozenset(
    {
        "blobfuse",
        "blobfuse2",
        "ceph",
        "ceph-fuse",
        "curlftpfs",
        "davfs",
        "gcsfuse",
        "glusterfs",
        "goofys",
        "grpcfuse",
        "mount-s3",
        "osxfs",
        "rclone",
        "s3fs",
        "smbnetfs",
        "sshfs",
        "vmhgfs-fuse",
    }
)

_OCTAL = re.compile(r"\\([0-7]{3})")
_MACOS_LINE = re.compile(r"^.+? on (?P<point>/.*) \((?P<kind>[^,)]+)[^()]*\)$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """A mounted file system: where, and its type as the system names it."""

    point: str
    kind: str


def network_filesystem(path: Path) -> str | None:
    """The type of the network file system that ``path`` lies on, or ``None`` for a local disk.

    A path that does not exist yet is judged by where it would be. ``None``, too, where the
    system does not say what is mounted.
    """
    return network_kind(_mounts(), os.path.realpath(path))


def network_kind(mounts: tuple[Mount, ...], path: str) -> str | None:
    """The network type among ``mounts`` that holds the absolute ``path``, or ``None``."""
    best: Mount | None = None
    for mount in mounts:
        point = mount.point.rstrip("/")
        inside = path == point or path.startswith(point + "/")
        # A later mount on the same point hides the earlier one, hence >=.
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    if best is None:
        return None
    kind = best.kind.lower()
    if kind in _NETWORK or kind.removeprefix("fuse.") in _NETWORK_FUSE:
        return kind
    return None


def parse_mountinfo(text: str) -> tuple[Mount, ...]:
    """The mounts of ``/proc/self/mountinfo`` (proc(5)); lines of another shape are left out."""
    mounts = []
    for line in text.splitlines():
        fields, separator, tail = line.partition(" - ")
        parts, kinds = fields.split(" "), tail.split(" ")
        if separator and len(parts) > 4 and kinds[0]:
            point = _OCTAL.sub(lambda match: chr(int(match[1], 8)), parts[4])
            mounts.append(Mount(point=point, kind=kinds[0]))
    return tuple(mounts)


def parse_macos_mount(text: str) -> tuple[Mount, ...]:
    """The mounts that macOS's ``mount`` prints; lines of another shape are left out."""
    found = (_MACOS_LINE.match(line) for line in text.splitlines())
    return tuple(Mount(point=match["point"], kind=match["kind"]) for match in found if match)


def _mounts() -> tuple[Mount, ...]:
    if sys.platform == "darwin":
        import subprocess

        try:
            done = subprocess.run(
                ["/sbin/mount"], capture_output=True, text=True, timeout=5, check=True
            )
        except (OSError, subprocess.SubprocessError):
            return ()
        return parse_macos_mount(done.stdout)
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            return parse_mountinfo(file.read())
    except OSError:
        return ()
