"""``python -m lookahead_viz``."""

import sys

from lookahead_viz.cli import main

sys.exit(main())
