"""What every web server of the program is built on: sockets, limits per address, checks of
each request, certificates."""
