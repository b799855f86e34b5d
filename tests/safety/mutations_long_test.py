"""10 000 damaged files: each gives the undamaged result or is refused with a reason (tests/safety/mutate.py)."""
import sys

import mutate

if __name__ == "__main__":
    sys.exit(0 if mutate.play(10_000, seed=2) else 1)
