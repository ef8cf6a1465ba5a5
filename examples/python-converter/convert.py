#!/usr/bin/env python3
"""A converter in another language. It reads blocks as a GGUF file holds them, writes them in the order
that packed kernels read, and is proved from outside by the packed-weights command line.

    convert.py IN OUT --out ROWS --block-bytes BYTES [--forget]
"""
import argparse


def relayout(blocks: bytes, out: int, block_bytes: int) -> bytes:
    """Block (o, b) from place o * blocks_per_row + b to place b * out + o."""
    blocks_per_row = len(blocks) // block_bytes // out
    kernel = bytearray(len(blocks))
    for o in range(out):
        for b in range(blocks_per_row):
            source = (o * blocks_per_row + b) * block_bytes
            target = (b * out + o) * block_bytes
            kernel[target : target + block_bytes] = blocks[source : source + block_bytes]
    return bytes(kernel)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--out", type=int, required=True)
    parser.add_argument("--block-bytes", type=int, required=True)
    parser.add_argument("--forget", action="store_true", help="the mistake: leave the file's order")
    words = parser.parse_args()
    with open(words.source, "rb") as file:
        blocks = file.read()
    with open(words.target, "wb") as file:
        file.write(blocks if words.forget else relayout(blocks, words.out, words.block_bytes))


if __name__ == "__main__":
    main()
