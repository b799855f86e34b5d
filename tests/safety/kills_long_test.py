"""200 kills at random times (tests/safety/kills.py)."""
import kills

if __name__ == "__main__":
    kills.Player(seed=2).play(200)
