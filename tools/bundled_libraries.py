"""List the native libraries inside installed wheels, which a list of Python packages leaves out.

A wheel for many systems carries what it needs: OpenCV's has FFmpeg and OpenSSL in `*.libs`, and
libjpeg-turbo, libtiff and others in its own binary. What the wheels themselves declare
(`*.dist-info/sboms`, PEP 770) is taken over, files are named by their names, and OpenCV's static
libraries by its own report of how it was built.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, TypeAlias

Component: TypeAlias = dict[str, Any]
"""A component of CycloneDX (https://cyclonedx.org/docs/1.6/json/)."""

_LIBRARY = re.compile(r"(lib.+?)(?:-[0-9a-f]{8})*(?:\.([\d.]+))?\.(?:so|dylib)\.?(.*)")
"""Name and version of a file in `*.libs` or `.dylibs`: `libssl-8248cfc9.so.1.1.1k`."""
_FOLDERS = re.compile(r"[^/]+\.libs|\.dylibs")
_STATIC = (
    *("ZLib", "JPEG", "WEBP", "PNG", "TIFF", "JPEG 2000", "OpenEXR"),
    *("Protobuf", "Flatbuffers", "Intel IPP"),
)
"""Lines of OpenCV's report that name libraries in its binary."""
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w-]*")


def add_bundled_libraries(bom: Path, python: Path) -> None:
    """Add to each package of a CycloneDX file what it carries in the environment of `python`."""
    site = next(python.parent.parent.glob("lib/python*/site-packages"))
    content = json.loads(bom.read_text(encoding="utf-8"))
    bundled = {_normalize(one.name): list_components(one) for one in distributions(path=[str(site)])}
    report = "import cv2; print(cv2.getBuildInformation())"
    done = subprocess.run([str(python), "-c", report], capture_output=True, text=True, check=True)
    bundled.setdefault("opencv-python-headless", []).extend(list_static_libraries(done.stdout))
    for component in content["components"]:
        if found := bundled.get(_normalize(component["name"])):
            component["components"] = found
    bom.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def list_components(package: Distribution) -> list[Component]:
    """List the libraries that a package declares, and the shared libraries among its files."""
    found: list[Component] = []
    for file in package.files or ():
        if file.parent.name == "sboms" and file.suffix == ".json":
            found += _read_declared(Path(str(file.locate())), package.name)
        elif _FOLDERS.fullmatch(file.parent.name) and (named := _LIBRARY.fullmatch(file.name)):
            data = Path(str(file.locate())).read_bytes()
            found.append(
                {
                    "type": "library",
                    "name": named[1],
                    **({"version": version} if (version := named[2] or named[3]) else {}),
                    "description": "a shared library; the version is that of its file name",
                    "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
                    "properties": [{"name": "file", "value": str(file)}],
                }
            )
    return found


def _read_declared(file: Path, package: str) -> list[Component]:
    """Return name, version, address and licences of the components in a wheel's own list."""
    parts = json.loads(file.read_text(encoding="utf-8")).get("components", [])
    fields = ("type", "name", "version", "purl", "licenses")
    declared = [{field: part[field] for field in fields if field in part} for part in parts]
    unique = {json.dumps(one, sort_keys=True): one for one in declared}
    return [one for one in unique.values() if _normalize(one["name"]) != _normalize(package)]


def list_static_libraries(report: str) -> list[Component]:
    """List the libraries in OpenCV's binary, by `cv2.getBuildInformation()`."""
    found = []
    for name in _STATIC:
        line = re.search(rf"^ +{name}: +(.*\d.*)$", report, re.MULTILINE)
        if line is not None:
            versions = _VERSION.findall(line[1])
            found.append(
                {
                    "type": "library",
                    "name": name,
                    **({"version": versions[-1]} if versions else {}),
                    "description": f"in OpenCV's binary: {line[1].strip()}",
                }
            )
    return found


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
