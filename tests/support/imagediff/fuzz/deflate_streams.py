"""DEFLATE data written bit by bit, for what no compressor writes.

Source: RFC 1951, section 3.2.6.
"""


class BitWriter:
    """Collects bits; bytes are filled from their lowest bit."""

    def __init__(self) -> None:
        self._bits: list[int] = []

    def write(self, value: int, count: int) -> None:
        """Write a number, lowest bit first."""
        self._bits += [value >> at & 1 for at in range(count)]

    def write_code(self, code: int, count: int) -> None:
        """Write a Huffman code, highest bit first."""
        self._bits += [code >> at & 1 for at in reversed(range(count))]

    def finish(self) -> bytes:
        bits = self._bits + [0] * (-len(self._bits) % 8)
        octets = (bits[at : at + 8] for at in range(0, len(bits), 8))
        return bytes(sum(bit << at for at, bit in enumerate(octet)) for octet in octets)


def write_fixed_symbol(bits: BitWriter, symbol: int) -> None:
    """Write a literal or length in the fixed code; 286 and 287 are reserved."""
    if symbol < 144:
        bits.write_code(0x30 + symbol, 8)
    elif symbol < 256:
        bits.write_code(0x190 + symbol - 144, 9)
    elif symbol < 280:
        bits.write_code(symbol - 256, 7)
    else:
        bits.write_code(0xC0 + symbol - 280, 8)
