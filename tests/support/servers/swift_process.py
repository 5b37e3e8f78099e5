"""OpenStack Swift with its S3 layer in one process: ``python -m ... FOLDER PORT``.

All four of Swift's servers as green threads, images in memory, lists in SQLite below FOLDER. Swift
verifies signatures (version 4, headers and links) like a large installation.
"""

import os
import sys
from array import array
from pathlib import Path

import eventlet

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402 - Sockets must be replaced first.
from swift.common.ring import RingData  # noqa: E402
from swift.common.utils import set_swift_dir  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

COMMON = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
bind_ip = 127.0.0.1
log_level = ERROR
"""
STORAGE = """
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{entry}
"""
PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
[filter:tempauth]
use = egg:swift#tempauth
user_{user} = {secret} .admin
[filter:slo]
use = egg:swift#slo
"""
ENTRIES = {"account": "account", "container": "container", "object": "mem_object"}


def serve(folder: Path, port: int) -> None:
    (folder / "devices" / "d1").mkdir(parents=True)
    (folder / "swift.conf").write_text(
        "[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n"
        "[storage-policy:0]\nname = memory\ndefault = yes\n"
    )
    set_swift_dir(str(folder))
    sockets = {kind: eventlet.listen(("127.0.0.1", 0)) for kind in ENTRIES}
    for kind, socket in sockets.items():
        _write_ring(folder / f"{kind}.ring.gz", socket.getsockname()[1])
    for kind, socket in sockets.items():
        text = (COMMON + STORAGE).format(folder=folder, kind=kind, entry=ENTRIES[kind])
        eventlet.spawn(wsgi.server, socket, _load(folder / f"{kind}.conf", text), log_output=False)
    user = os.environ["S3_ACCESS_KEY"].replace(":", "_")
    secret = os.environ["S3_SECRET_KEY"]
    text = (COMMON + PROXY).format(folder=folder, user=user, secret=secret)
    proxy = _load(folder / "proxy.conf", text)
    wsgi.server(eventlet.listen(("127.0.0.1", port)), proxy, log_output=False)


def _load(file: Path, text: str) -> object:
    file.write_text(text)
    return loadapp(str(file), global_conf={})


def _write_ring(file: Path, port: int) -> None:
    device = {
        "id": 0,
        "region": 1,
        "zone": 1,
        "weight": 1.0,
        "ip": "127.0.0.1",
        "port": port,
        "replication_ip": "127.0.0.1",
        "replication_port": port,
        "device": "d1",
        "meta": "",
    }
    RingData([array("H", [0, 0])], [device], 31).save(str(file))


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
