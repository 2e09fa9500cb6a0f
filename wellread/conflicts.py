from __future__ import annotations

from collections.abc import Sequence

from wellread.bearing import Bearing
from wellread.delivery import Conflict


def find_conflicts(found: Sequence[Bearing]) -> list[Conflict]:
    return []
