/**
 * JSON text → lines as people read them, each with the JSON pointer (RFC 6901) of the value that begins on it. Works on tokens,
 * so that numbers stay as they were sent and a text that was cut off is shown as far as it goes.
 */

/** A piece of a line; `kind` gives its colour. */
export type Piece = { readonly text: string; readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark' };
/** A line; `pointer` is undefined for closing brackets. */
export type JsonLine = {
  readonly depth: number;
  readonly pieces: readonly Piece[];
  readonly pointer: string | undefined;
};

type Level = { readonly pointer: string; readonly list: boolean; index: number; key: string };

const tokens = /"(?:\\.|[^"\\])*"?|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1);
  }
}

function kindOf(token: string): Piece['kind'] {
  if (token.startsWith('"')) return 'text';
  return /^[-\d]/.test(token) ? 'number' : 'word';
}

/** True for what looks like the beginning of a JSON object or list. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** The lines of a JSON text. */
export function jsonLines(text: string): JsonLine[] {
  const all = text.match(tokens) ?? [];
  const lines: { depth: number; pieces: Piece[]; pointer: string | undefined }[] = [];
  const levels: Level[] = [];
  let line: { depth: number; pieces: Piece[]; pointer: string | undefined } = { depth: 0, pieces: [], pointer: '' };
  const end = (): void => {
    if (line.pieces.length > 0) lines.push(line);
    line = { depth: levels.length, pieces: [], pointer: undefined };
  };
  const pointerHere = (): string => {
    const level = levels.at(-1);
    if (!level) return '';
    return `${level.pointer}/${level.list ? level.index : escaped(level.key)}`;
  };
  all.forEach((token, index) => {
    const level = levels.at(-1);
    const mark = (text: string): unknown => line.pieces.push({ text, kind: 'mark' });
    switch (token) {
      case '{':
      case '[': {
        const pointer = pointerHere();
        line.pointer ??= pointer;
        const closing = all[index + 1];
        mark(token);
        levels.push({ pointer, list: token === '[', index: 0, key: '' });
        if (closing !== '}' && closing !== ']') end();
        return;
      }
      case '}':
      case ']':
        levels.pop();
        if (all[index - 1] !== '{' && all[index - 1] !== '[') end();
        line.depth = lines.length === 0 || line.pieces.length === 0 ? levels.length : line.depth;
        mark(token);
        return;
      case ',':
        mark(token);
        if (level) level.index += 1;
        end();
        return;
      case ':':
        mark(': ');
        return;
    }
    const isKey = level?.list === false && all[index + 1] === ':';
    if (isKey) level.key = unquoted(token);
    line.pointer ??= pointerHere();
    line.pieces.push({ text: token, kind: isKey ? 'key' : kindOf(token) });
  });
  end();
  return lines;
}

/** The line on which the value of a pointer begins; -1 when it is not there (cut off, or another body). */
export function lineOfPointer(lines: readonly JsonLine[], pointer: string): number {
  return lines.findIndex((line) => line.pointer === pointer);
}
