#!/usr/bin/env python3
"""Figures for a paper, read by somebody else: a PDF has letters and curves and no picture of them, a PNG the size, the
resolution and the colours of the drawing; both hold no time, are on white paper, and are refused before a run where they
cannot be drawn."""

import os
import pathlib
import re
import struct
import subprocess
import tempfile
import zlib

BINARY = os.environ["RATTLEBACK_BINARY"]
RUN = ["run", "skate", "--step", "0.1", "--until", "10"]


def rattleback(*words, **variables):
    return subprocess.run([BINARY, *words], capture_output=True, text=True, env={**os.environ, **variables}, timeout=300)


def drawn(name):
    done = rattleback(*RUN, "--plot", name)
    assert done.returncode == 0 and f"Drawn in {name}" in done.stdout, done
    return pathlib.Path(name).read_bytes()


def streams(pdf):
    for begin in re.finditer(rb"stream\r?\n", pdf):
        data = zlib.decompressobj()
        try:
            yield data.decompress(pdf[begin.end() :])
        except zlib.error:
            continue


def test_pdf(svg):
    pdf = drawn("a.pdf")
    assert pdf == drawn("b.pdf"), "two drawings of one run differ"
    assert pdf.startswith(b"%PDF-1.") and pdf.rstrip().endswith(b"%%EOF")
    inside = list(streams(pdf))
    everything = pdf + b"\n".join(inside)
    assert b"CreationDate" not in everything and b"/Image" not in everything
    assert re.search(rb"/FontFile[23]?\b", everything) and b"/ToUnicode" in everything
    width, height = (float(x) * 0.75 for x in re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    box = [float(x) for x in re.search(rb"/MediaBox \[([^]]*)\]", everything)[1].split()]
    assert box == [0, 0, width, height], box
    page = max(inside, key=lambda text: len(re.findall(rb"\bl\b", text)))
    # The curves have their corners in the PDF, less those on a straight line, and each text is shown as one.
    points = sum(d.count("L") for d in re.findall(r'class="curve[^>]* d="([^"]*)"', svg))
    assert len(re.findall(rb"\bl\b", page)) >= 0.8 * points > 300, points
    assert len(re.findall(rb"\bT[jJ]\b", page)) >= len(re.findall("<text[^>]*>[^<]", svg)) > 20


def pixels(png):
    """Width, height, dots per metre, rows of (r, g, b)."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + data), name
        chunks[name] = chunks.get(name, b"") + data
        at += 12 + length
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, kind) == (8, 2), "three bytes per point, none for what shines through"
    raw, wide, before, rows = zlib.decompress(chunks[b"IDAT"]), 3 * width, bytes(3 * width), []
    for y in range(height):
        how, line = raw[y * (wide + 1)], bytearray(raw[y * (wide + 1) + 1 : (y + 1) * (wide + 1)])
        for i in range(wide) if how else ():
            a, b, c = (line[i - 3] if i >= 3 else 0), before[i], (before[i - 3] if i >= 3 else 0)
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, near)[how]) & 255
        before = bytes(line)
        rows.append(before)
    return width, height, struct.unpack(">IIB", chunks[b"pHYs"]), rows


def test_png(svg):
    png = drawn("a.png")
    assert png == drawn("b.png"), "two drawings of one run differ"
    width, height, dots, rows = pixels(png)
    drawing = [int(x) for x in re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups()]
    assert [width, height] == [-(-x * 300 // 96) for x in drawing], (width, height)
    assert dots == (11811, 11811, 1), "300 per inch are 11811 per metre"
    seen = {row[i : i + 3] for row in rows for i in range(0, 3 * width, 3)}
    assert rows[0][:3] == rows[-1][-3:] == b"\xff\xff\xff", "not on white paper"
    light, dark = re.findall(r"\.s0 \{ stroke: #(\w+)", svg)
    assert bytes.fromhex(light) in seen and bytes.fromhex(dark) not in seen


def test_refusal():
    """Where librsvg is not what it should be, nothing is computed and nothing is written."""
    os.mkdir("other")
    pathlib.Path("other/librsvg-2.so.2").touch()
    for ending in ("pdf", "png"):
        done = rattleback(*RUN, "--plot", f"c.{ending}", LD_LIBRARY_PATH=os.path.abspath("other"))
        assert done.returncode == 2 and done.stdout == "", done
        assert done.stderr.startswith(f"figure 'c.{ending}': .pdf and .png are drawn by librsvg, which was not found"), done.stderr
        assert "apt-get install librsvg2-2), or use .svg" in done.stderr
        assert not os.path.exists(f"c.{ending}")
    assert rattleback(*RUN, "--plot", "c.svg", LD_LIBRARY_PATH=os.path.abspath("other")).returncode == 0
    libraries = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    assert not re.search("librsvg|libcairo|libglib", libraries), "linked by programs that do not draw"


with tempfile.TemporaryDirectory(prefix="rattleback_paper_") as folder:
    os.chdir(folder)
    text = drawn("a.svg").decode()
    test_pdf(text)
    test_png(text)
    test_refusal()
print("figures for a paper are as they should be")
