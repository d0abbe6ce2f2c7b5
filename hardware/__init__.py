"""Everything to build the card reader from: the circuit, and what is drawn, printed and written
from it."""
