"""Run the command line as `python -m tailc`."""

from tailc.cli import main

if __name__ == "__main__":
    main()
