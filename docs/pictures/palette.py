"""Makes a screenshot small: a PNG of at most 256 colours instead of millions, without any library for pictures.

Screenshots of text are a few colours and their shades against the background, so that nothing is seen to be missing.
"""

import struct
import zlib
from collections import Counter
from collections.abc import Iterator

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}  # colour types RGB and RGBA
_COLOURS = 256


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        yield kind, png[at + 8 : at + 8 + length]
        at += 12 + length


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    near = (abs(guess - left), abs(guess - up), abs(guess - corner))
    return (left, up, corner)[near.index(min(near))]


def _unfilter(kind: int, line: bytearray, above: bytes, step: int) -> None:
    """Undo one line's filter in place (PNG specification, section 9)."""
    for index in range(len(line)):
        left = line[index - step] if index >= step else 0
        corner = above[index - step] if index >= step else 0
        up = above[index]
        add = (0, left, up, (left + up) // 2, 0)[kind] if kind < 4 else _paeth(left, up, corner)
        line[index] = (line[index] + add) & 0xFF


def _pixels(png: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and the pixels as three bytes each, line by line. Raises ValueError for another kind of PNG."""
    chunks = list(_chunks(png))
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
    if depth != 8 or colour not in _CHANNELS or interlace != 0:
        raise ValueError("only PNGs with 8 bits a channel, RGB or RGBA, not interlaced")
    step = _CHANNELS[colour]
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT"))
    above = bytes(width * step)
    pixels: list[bytes] = []
    for row in range(height):
        start = row * (width * step + 1)
        line = bytearray(data[start + 1 : start + 1 + width * step])
        if data[start] != 0:
            _unfilter(data[start], line, above, step)
        above = bytes(line)
        pixels += [above[at : at + 3] for at in range(0, len(above), step)]
    return width, height, pixels


def _palette(pixels: list[bytes]) -> tuple[list[bytes], dict[bytes, int]]:
    """The commonest colour of each of the commonest families, and for every colour the place of the nearest.

    A family is all colours alike in the upper five bits: else the many shades of grey would push out the one red.
    """
    counted = Counter(pixels)
    families: dict[bytes, list[bytes]] = {}
    for colour, _ in counted.most_common():
        families.setdefault(bytes(part >> 3 for part in colour), []).append(colour)
    largest = sorted(families.values(), key=lambda family: -sum(counted[colour] for colour in family))
    colours = [family[0] for family in largest[:_COLOURS]]
    places: dict[bytes, int] = {}
    for colour in counted:
        far = [sum((a - b) ** 2 for a, b in zip(colour, other, strict=True)) for other in colours]
        places[colour] = far.index(min(far))
    return colours, places


def shrink(png: bytes) -> bytes:
    """The same picture with at most 256 colours. Raises ValueError for a kind of PNG that no screenshot is."""
    width, height, pixels = _pixels(png)
    colours, places = _palette(pixels)
    lines = (pixels[row * width : (row + 1) * width] for row in range(height))
    data = b"".join(b"\x00" + bytes(places[pixel] for pixel in line) for line in lines)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", b"".join(colours)), (b"IDAT", zlib.compress(data, 9)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return _SIGNATURE + b"".join(chunks)
