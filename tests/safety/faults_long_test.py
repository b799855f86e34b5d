"""Every call of each kind fails once; of those for memory the first 500 and 500 drawn."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faults import Faults

faults = Faults()
faults.all(most=10_000, mallocs=500)
faults.finish()
