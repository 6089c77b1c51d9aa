# SPDX-License-Identifier: GPL-3.0-or-later
"""The DATA chunks of SCTP in a capture, in the order of the frames."""

import collections
import struct

Chunk = collections.namedtuple("Chunk", "tsn stream ssn data")
HEADERS = 14 + 20 + 12  # Ethernet, IPv4, SCTP's common header
SENT = 2


def frames(path, sent_only=True):
    """The frames of a pcapng file; those that the card has sent, or all."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:  # an enhanced packet block
            captured, = struct.unpack_from("<I", data, at + 20)
            options = at + 28 + (captured + 3) // 4 * 4
            if not sent_only or direction(data, options, at + length - 4) == SENT:
                yield data[at + 28:at + 28 + captured]
        at += length


def direction(data, at, end):
    """The flags option's direction, 0 if there is none."""
    while at + 4 <= end:
        code, length = struct.unpack_from("<HH", data, at)
        if code == 2:
            return struct.unpack_from("<I", data, at + 4)[0] & 3
        if code == 0:
            return 0
        at += 4 + (length + 3) // 4 * 4
    return 0


def chunks(path):
    """The DATA chunks that a card has sent for the first time."""
    seen = set()
    for frame in frames(path):
        at = HEADERS
        while at + 4 <= len(frame):
            kind, length = frame[at], struct.unpack_from(">H", frame, at + 2)[0]
            if length < 4:
                break
            if kind == 0:
                tsn, stream, ssn = struct.unpack_from(">IHH", frame, at + 4)
                if tsn not in seen:
                    seen.add(tsn)
                    yield Chunk(tsn, stream, ssn, frame[at + 16:at + length])
            at += (length + 3) // 4 * 4


def messages(path):
    """The user messages that a card has sent, in the order of their first chunks: [(stream, data), ...]."""
    found = {}
    for chunk in chunks(path):
        found.setdefault((chunk.stream, chunk.ssn), []).append(chunk)
    return [(stream, b"".join(chunk.data for chunk in sorted(parts, key=lambda part: part.tsn)))
            for (stream, _), parts in found.items()]
