"""``python -m littlestone``."""

from littlestone.cli import main

if __name__ == "__main__":
    main()
