// Where one is in the text of a scene: the path of a line, the line of a path, by indentation; and what could stand there.

const ENTRY = /^(\s*)((?:- )*)(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#:'"{[\]}][^:#]*?))\s*:(?:\s+(.*))?$/;

// The lines that hold something: { line, indent, path }; items of lists are counted.
export function outline(text) {
  const found = [];
  const open = []; // { indent, step } from the top to here; a list's item has its number as step
  const counts = new Map(); // of items, by the path of their list
  text.split("\n").forEach((line, i) => {
    const content = line.trim();
    if (!content || content.startsWith("#")) return;
    let indent = line.length - line.trimStart().length;
    let rest = line.slice(indent);
    while (open.length && (open.at(-1).indent > indent || (open.at(-1).indent === indent && (open.at(-1).isItem || !rest.startsWith("-"))))) open.pop();
    while (/^-(\s|$)/.test(rest)) {
      const list = pathOfOpen(open);
      const number = counts.get(list) ?? 0;
      counts.set(list, number + 1);
      open.push({ indent, step: String(number), isItem: true });
      const gap = rest.length - rest.slice(1).trimStart().length;
      indent += gap;
      rest = rest.slice(gap);
      if (!rest) break;
    }
    const entry = ENTRY.exec(rest);
    if (entry) {
      const key = entry[3] ?? entry[4]?.replaceAll("''", "'") ?? entry[5];
      while (open.length && open.at(-1).indent >= indent && !open.at(-1).isItem) open.pop();
      open.push({ indent, step: key });
    }
    found.push({ line: i + 1, indent, path: open.map(({ step }) => step) });
  });
  return found;
}

const pathOfOpen = (open) => JSON.stringify(open.map(({ step }) => step));

// The line that says a path, or the nearest thing above it; numbers from 1.
export function lineOf(lines, steps) {
  let best = { line: 1, depth: 0 };
  for (const { line, path } of lines) {
    let depth = 0;
    while (depth < path.length && depth < steps.length && path[depth] === steps[depth]) depth += 1;
    if (depth === path.length && depth > best.depth) best = { line, depth };
  }
  return best.line;
}

// The path that a new entry at a line and an indent would be inside of, and what is written of it so far.
// In braces on one line it is inside the entry of that line.
export function placeAt(text, position) {
  const before = text.slice(0, position);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.slice(lineStart);
  const number = before.split("\n").length;
  const lines = outline(text.slice(0, lineStart));
  const own = outline(text).find((one) => one.line === number);
  const braces = openBraces(line);
  if (braces.length) {
    const inside = line.slice(braces.at(-1) + 1);
    const part = inside.slice(inside.lastIndexOf(",") + 1);
    const pair = /^\s*([\w ]+?)\s*:\s*(.*)$/.exec(part);
    const keys = braces.slice(1).flatMap((brace) => /([\w ]+?)\s*:\s*$/.exec(line.slice(0, brace))?.[1].trim() ?? []);
    const above = [...(own ? own.path : []), ...keys];
    return pair ? { path: [...above, pair[1]], value: pair[2], isValue: true } : { path: above, value: part.trimStart(), isValue: false };
  }
  const entry = /^(\s*(?:- )*)([^:#]*?):\s+(.*)$/.exec(line);
  if (entry && own) return { path: own.path, value: entry[3], isValue: true };
  const indent = line.length - line.trimStart().length;
  const dash = /^\s*- /.test(line);
  const written = line.trimStart().replace(/^(- )+/, "");
  const above = lines.filter((one) => one.indent < indent || (dash && one.indent <= indent)).at(-1);
  const same = lines.at(-1);
  const sibling = same && same.indent === indent && !dash ? same.path.slice(0, -1) : above && nearestAbove(lines, indent);
  return { path: sibling ?? [], value: written, isValue: false };
}

// The last entry that is less far in than a new one, seen from below.
function nearestAbove(lines, indent) {
  for (const one of lines.toReversed()) {
    if (one.indent === indent) return one.path.slice(0, -1);
    if (one.indent < indent) return one.path;
  }
  return [];
}

// The braces of a line that are not closed.
function openBraces(line) {
  const open = [];
  for (let i = 0; i < line.length; i += 1) {
    if (line[i] === "{") open.push(i);
    else if (line[i] === "}") open.pop();
    else if (line[i] === "#" && (i === 0 || line[i - 1] === " ")) return [];
  }
  return open;
}
