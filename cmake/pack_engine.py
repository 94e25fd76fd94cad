#!/usr/bin/env python3
"""Packs a WebAssembly module as text for a page: base64 of gzip, the same bytes every time.

    pack_engine.py MODULE TEXT
"""
import base64
import gzip
import pathlib
import sys

module, text = map(pathlib.Path, sys.argv[1:3])
text.write_bytes(base64.b64encode(gzip.compress(module.read_bytes(), compresslevel=9, mtime=0)))
