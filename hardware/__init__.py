"""Everything to build the card reader: the circuit, and the drawings, prints and texts made from
it."""
