"""`python -m xlaviz` is `xlaviz`."""

from xlaviz.cli.main import main

if __name__ == "__main__":
    main()
