"""Makes the top-level directory ``formal``, which no package contains, importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
