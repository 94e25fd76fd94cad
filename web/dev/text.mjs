// Readers for the two kinds of text that the command works with: JSON with comments, and CSV.

/** JSON with // and block comments, which may not stand inside strings. */
export function parseJsonWithComments(text) {
  const token = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
  return JSON.parse(text.replace(token, (part) => (part[0] === '"' ? part : ' ')));
}

/** Fields of one line after RFC 4180: quoted where needed, a quote inside doubled. */
export function splitCsvLine(line) {
  const fields = [];
  let at = 0;
  for (;;) {
    if (line[at] === '"') {
      let field = '';
      for (at++; ; at++) {
        if (at >= line.length) throw new Error('a quoted CSV field does not end');
        if (line[at] !== '"') field += line[at];
        else if (line[at + 1] === '"') field += line[at++];
        else break;
      }
      fields.push(field);
      at++;
    } else {
      const end = line.indexOf(',', at);
      fields.push(line.slice(at, end < 0 ? line.length : end));
      at = end < 0 ? line.length : end;
    }
    if (at >= line.length) return fields;
    if (line[at] !== ',') throw new Error('text after a quoted CSV field');
    at++;
  }
}

/** A table of numbers under names. Names hold no line breaks, so lines can be split first. */
export function parseCsv(text) {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const names = splitCsvLine(lines[0]);
  const rows = lines.slice(1).map((line, i) => {
    const row = line.split(',').map(toNumber);
    if (row.length !== names.length) throw new Error(`row ${i + 1} has ${row.length} of ${names.length} columns`);
    return row;
  });
  return { names, rows };
}

/** Number('') is 0, Number('nan') is NaN as it should be, Number('inf') is not. */
function toNumber(text) {
  if (text === '') return NaN;
  if (/^[+-]?inf/.test(text)) return text[0] === '-' ? -Infinity : Infinity;
  return Number(text);
}
