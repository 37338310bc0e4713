// Unpacking: the way back from the tables that packing.py made small: whole numbers, of which the second differences down the
// rows are there, lowest bytes first. What unzips stands in document.html, as the code itself comes zipped.

export const unzipped = (text) => window.unzipped(text);

// A table [row, column] of numbers that begins at a byte; it takes four bytes a number.
export function unpacked(bytes, at, rows, columns, coding) {
  const values = new Float32Array(rows * columns);
  const bits = new Uint32Array(values.buffer);
  const plane = rows * columns;
  const { quantum, dropped } = coding;
  for (let column = 0; column < columns; column += 1) {
    let [change, whole] = [0, 0];
    for (let row = 0; row < rows; row += 1) {
      const from = at + column * rows + row;
      const told = bytes[from] | (bytes[from + plane] << 8) | (bytes[from + 2 * plane] << 16) | (bytes[from + 3 * plane] << 24);
      change = (change + ((told >>> 1) ^ -(told & 1))) | 0;
      whole = (whole + change) | 0;
      const to = row * columns + column;
      if (quantum) values[to] = whole * quantum;
      else bits[to] = whole < 0 ? 0x80000000 | (-whole << dropped) : whole << dropped;
    }
  }
  return values;
}

// The frames of a run: their headers byte by byte (all first ones, then all second ones), then the blocks, each a table.
export function framesOf(bytes, layout, codings) {
  const headed = 8 * layout.header.length;
  const each = headed + 4 * Object.values(layout.blocks).reduce((sum, block) => sum + sizeOf(block), 0);
  const count = bytes.length / each;
  const frames = new Uint8Array(count * layout.size);
  for (let i = 0; i < headed; i += 1) for (let k = 0; k < count; k += 1) frames[k * layout.size + i] = bytes[i * count + k];
  let at = headed * count;
  for (const [name, block] of Object.entries(layout.blocks)) {
    const size = sizeOf(block);
    const table = new Uint8Array(unpacked(bytes, at, count, size, codings[name]).buffer);
    for (let k = 0; k < count; k += 1) frames.set(table.subarray(4 * size * k, 4 * size * (k + 1)), k * layout.size + block.offset);
    at += 4 * size * count;
  }
  return frames.buffer;
}

// Gives height fields their heights, which come as tables one after the other.
export function fillHeights(terrain, bytes) {
  let at = 0;
  for (const surface of terrain) {
    if (surface.kind !== "heights") continue;
    const { rows, columns, coding } = surface;
    surface.heights = unpacked(bytes, at, rows, columns, coding);
    at += 4 * rows * columns;
  }
}

function sizeOf({ shape }) {
  return shape.reduce((product, n) => product * n, 1);
}
