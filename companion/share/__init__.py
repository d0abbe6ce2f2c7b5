"""Screens around the table: a small server that shows the evening on televisions, streams, tablets
and phones. Off unless asked for."""
