"""``python -m lookahead_viz``."""

import sys

try:
    from lookahead_viz.cli import main

    sys.exit(main())
except KeyboardInterrupt:  # before the command itself began
    print("error: stopped by user", file=sys.stderr)
    sys.exit(130)
