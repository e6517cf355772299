"""`python -m eyechart`: the same as the command `eyechart`."""

import sys

from eyechart.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
