"""What both web servers of the program (the shared table and the league) are built on: sockets,
limits per address, checks of each request, certificates."""
