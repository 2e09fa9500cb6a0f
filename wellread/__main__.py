"""``python -m wellread``: the command line."""

from __future__ import annotations

import sys

from wellread.cli import main

sys.exit(main())
