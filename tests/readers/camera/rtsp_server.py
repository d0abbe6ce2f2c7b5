"""GStreamer's RTSP server with one film: a program for the system's Python, which has its bindings.

/usr/bin/python3 tests/readers/camera/rtsp_server.py film.mp4 PORT: serves
rtsp://me:secret@127.0.0.1:PORT/film; 0 is any port, told.
"""

import sys

import gi

for library in ("Gst", "GstRtsp", "GstRtspServer"):
    gi.require_version(library, "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

Gst.init(None)
film, port = sys.argv[1:]

auth = GstRtspServer.RTSPAuth.new()
auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
looking = GstRtspServer.RTSPToken.new()
looking.set_string("media.factory.role", "guest")
auth.add_digest("me", "secret", looking)

may = GstRtspServer.RTSPPermissions.new()
may.add_role("guest")
for what in ("access", "construct"):
    may.add_permission_for_role("guest", f"media.factory.{what}", True)

served = GstRtspServer.RTSPMediaFactory.new()
served.set_launch(f"( filesrc location={film} ! qtdemux ! rtph264pay name=pay0 pt=96 )")
served.set_permissions(may)

server = GstRtspServer.RTSPServer.new()
server.set_address("127.0.0.1")
server.set_service(port)
server.set_auth(auth)
server.get_mount_points().add_factory("/film", served)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
