"""Some calls of each kind fail; all of them in faults_long_test.py. (Sanitizers have functions for memory of their own.)"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faults import Faults

faults = Faults()
faults.all(most=4, mallocs=6)
faults.finish()
