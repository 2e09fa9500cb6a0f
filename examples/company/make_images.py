"""Draw the two images that the on-call runbook carries. Standard library only.

Usage: python make_images.py [FOLDER]      (FOLDER defaults to docs/engineering/on-call beside this script)
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

# A 5 x 7 font: seven rows per character, five bits per row, the left pixel is the highest bit.
FONT = {
    "A": "0E11111F111111",
    "B": "1E11111E11111E",
    "C": "0E11101010110E",
    "D": "1E11111111111E",
    "E": "1F10101E10101F",
    "F": "1F10101E101010",
    "G": "0E11101711110F",
    "H": "1111111F111111",
    "I": "0E04040404040E",
    "K": "11121418141211",
    "L": "1010101010101F",
    "M": "111B1515111111",
    "N": "11191513111111",
    "O": "0E11111111110E",
    "P": "1E11111E101010",
    "R": "1E11111E141211",
    "S": "0F10100E01011E",
    "T": "1F040404040404",
    "U": "1111111111110E",
    "V": "11111111110A04",
    "W": "1111111515150A",
    "X": "11110A040A1111",
    "Y": "11110A04040404",
    "Z": "1F01020408101F",
    "0": "0E11131519110E",
    "1": "040C040404040E",
    "2": "0E11010204081F",
    "3": "1F02040201110E",
    "4": "02060A121F0202",
    "5": "1F101E0101110E",
    "6": "0608101E11110E",
    "7": "1F010204080808",
    "8": "0E11110E11110E",
    "9": "0E11110F01020C",
    ".": "00000000000C0C",
    ":": "000C0C000C0C00",
    "-": "0000001F000000",
    "_": "0000000000001F",
    "%": "18190204081303",
    ">": "08040201020408",
    "/": "01010204081010",
}

SCREEN = (246, 247, 249)
INK = (34, 40, 49)
GREY = (122, 130, 142)
RED = (200, 38, 48)
GREEN = (38, 140, 84)
WHITE = (255, 255, 255)

Colour = tuple[int, int, int]


class Canvas:
    """A picture of `width` x `height` pixels in RGB."""

    def __init__(self, width: int, height: int, colour: Colour) -> None:
        self.width, self.height = width, height
        self.rows = [bytearray(bytes(colour) * width) for _ in range(height)]

    def box(self, x: int, y: int, width: int, height: int, colour: Colour) -> None:
        for row in self.rows[y : y + height]:
            row[3 * x : 3 * (x + width)] = bytes(colour) * width

    def text(self, x: int, y: int, text: str, colour: Colour, size: int = 2) -> None:
        for character in text.upper():
            bits = bytes.fromhex(FONT.get(character, "00" * 7))
            for down, row in enumerate(bits):
                for right in range(5):
                    if row >> (4 - right) & 1:
                        self.box(x + right * size, y + down * size, size, size, colour)
            x += 6 * size

    def png(self) -> bytes:
        def chunk(kind: bytes, data: bytes) -> bytes:
            return (
                struct.pack(">I", len(data))
                + kind
                + data
                + struct.pack(">I", zlib.crc32(kind + data))
            )

        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        pixels = b"".join(b"\0" + bytes(row) for row in self.rows)
        return (
            b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(pixels, 9))
            + chunk(b"IEND", b"")
        )


def alert_screen() -> bytes:
    """The alert screen at 14:11 on 19 May 2026: one alert fires, two are quiet."""
    picture = Canvas(640, 260, SCREEN)
    picture.box(0, 0, 640, 36, INK)
    picture.text(16, 11, "Alerts", WHITE)
    picture.text(424, 11, "2026-05-19 14:11", WHITE)
    lines = [
        ("firing", "payment_errors_high", "31 %  > 2 %", RED),
        ("ok", "payment_pool_low", "not wired", GREEN),
        ("ok", "ingest_lag_high", "4 s  / 600 s", GREEN),
    ]
    for number, (state, name, value, colour) in enumerate(lines):
        top = 52 + 52 * number
        picture.box(16, top, 608, 42, WHITE)
        picture.box(16, top, 8, 42, colour)
        picture.text(36, top + 14, state, colour)
        picture.text(124, top + 14, name, INK)
        picture.text(456, top + 14, value, INK)
    picture.text(16, 216, "payment-api  release V2.13.0  9 min ago", GREY)
    picture.text(16, 238, "first error code  ERR-4412", GREY)
    return picture.png()


# Median answer of the payment service in milliseconds, every five minutes from 13:50.
LATENCY = [210, 220, 215, 240, 4900, 5000, 5000, 5000, 5000, 5000, 5000, 5000, 4800, 1900, 260, 220]


def latency_chart() -> str:
    """A line chart of LATENCY with its axes named."""
    left, top, width, height, most = 70, 40, 520, 200, 5000
    step = width / (len(LATENCY) - 1)
    points = " ".join(
        f"{left + number * step:.1f},{top + height - value * height / most:.1f}"
        for number, value in enumerate(LATENCY)
    )
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 300" font-family="sans-serif" font-size="12">',
        "<title>Payment service, median latency on 19 May 2026</title>",
        '<rect width="640" height="300" fill="#fff"/>',
        '<text x="70" y="24" font-size="14">Payment service, median latency, 19 May 2026</text>',
    ]
    for value in range(0, most + 1, 1000):
        y = top + height - value * height / most
        parts.append(
            f'<line x1="{left}" y1="{y:.0f}" x2="{left + width}" y2="{y:.0f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{value}</text>')
    for number in range(0, len(LATENCY), 3):
        minutes = 13 * 60 + 50 + 5 * number
        label = f"{minutes // 60}:{minutes % 60:02}"
        parts.append(
            f'<text x="{left + number * step:.0f}" y="{top + height + 20}" text-anchor="middle">{label}</text>'
        )
    parts.append(f'<polyline points="{points}" fill="none" stroke="#c82630" stroke-width="2"/>')
    parts.append(
        f'<text x="{left + width / 2:.0f}" y="288" text-anchor="middle">time (Almaty)</text>'
    )
    parts.append(
        '<text x="18" y="140" text-anchor="middle" transform="rotate(-90 18 140)">milliseconds</text>'
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def main() -> None:
    folder = (
        Path(sys.argv[1])
        if len(sys.argv) > 1
        else Path(__file__).parent / "docs" / "engineering" / "on-call"
    )
    (folder / "alert-screen.png").write_bytes(alert_screen())
    (folder / "payment-latency-2026-05-19.svg").write_text(
        latency_chart(), encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
