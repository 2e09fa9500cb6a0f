from __future__ import annotations

import os
from pathlib import Path

import pytest

from wellread import mounts
from wellread.mounts import Mount, network_kind, parse_macos_mount, parse_mountinfo

LINUX = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/team\\040files rw,relatime shared:9 master:2 - cifs //server/team rw
31 22 0:41 / /mnt/code rw - fuse.sshfs ann@example.com: rw
32 31 8:2 / /mnt/code/local rw - xfs /dev/sdb1 rw
33 22 0:42 / /home rw - nfs4 server:/home rw
34 22 0:43 / /mnt/encrypted rw - fuse.gocryptfs /x rw
35 22 0:44 / /srv rw - ext4 /dev/sdc1 rw
36 22 0:45 / /srv rw - 9p host rw
a line of another shape
"""

MACOS = """\
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//ann@server/Team%20Files on /Volumes/Team Files (smbfs, nodev, nosuid, mounted by ann)
server:/export on /Volumes/export (nfs, nodev)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc/hosts", None),
        ("/mnt/team files/a.md", "cifs"),
        ("/mnt/team files", "cifs"),
        ("/mnt/team filesystem/a.md", None),
        ("/mnt/code/a.md", "fuse.sshfs"),
        ("/mnt/code/local/a.md", None),
        ("/home/ann/docs", "nfs4"),
        ("/mnt/encrypted/a.md", None),
        ("/srv/docs", "9p"),
    ],
)
def test_the_innermost_linux_mount_decides(path: str, kind: str | None) -> None:
    assert network_kind(parse_mountinfo(LINUX), path) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/Users/ann/docs", None),
        ("/Volumes/Team Files/docs", "smbfs"),
        ("/Volumes/export/docs", "nfs"),
        ("/System/Volumes/Data/home/ann", None),
    ],
)
def test_macos_mounts_are_understood(path: str, kind: str | None) -> None:
    assert network_kind(parse_macos_mount(MACOS), path) == kind


def test_lines_of_another_shape_are_left_out() -> None:
    assert parse_mountinfo("nonsense\n\n1 2 - \n") == ()
    assert parse_macos_mount("nonsense\n") == ()


def test_no_mounts_means_no_network() -> None:
    assert network_kind((), "/any") is None


def test_a_link_to_a_share_is_on_the_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "link").symlink_to(share)
    table = (Mount(point="/", kind="ext4"), Mount(point=os.path.realpath(share), kind="nfs"))
    monkeypatch.setattr(mounts, "_mounts", lambda: table)
    assert mounts.network_filesystem(tmp_path / "link" / "not-yet-there") == "nfs"
    assert mounts.network_filesystem(tmp_path) is None


def test_the_real_mount_table_can_be_read() -> None:
    assert mounts._mounts()
