/**
 * Formats JSON text as indented lines, each with the JSON pointer (RFC 6901) of the value that begins on it. Works on tokens
 * instead of values, so that numbers are not changed and a truncated text is formatted up to its end.
 */

/** `kind` determines the colour. */
export type JsonToken = { readonly text: string; readonly kind: 'key' | 'text' | 'number' | 'word' | 'mark' };
/** `pointer` is undefined for closing brackets. */
export type JsonLine = {
  readonly depth: number;
  readonly tokens: readonly JsonToken[];
  readonly pointer: string | undefined;
};

type NestingLevel = { readonly pointer: string; readonly isArray: boolean; index: number; key: string };

const tokenPattern = /"(?:\\.|[^"\\])*"?|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

function escapePointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unquote(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token.slice(1);
  }
}

function getTokenKind(token: string): JsonToken['kind'] {
  if (token.startsWith('"')) return 'text';
  return /^[-\d]/.test(token) ? 'number' : 'word';
}

/** Returns true if the text starts like a JSON object or array. */
export function isJsonLike(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

export function formatJsonLines(text: string): JsonLine[] {
  const rawTokens = text.match(tokenPattern) ?? [];
  const lines: { depth: number; tokens: JsonToken[]; pointer: string | undefined }[] = [];
  const levels: NestingLevel[] = [];
  let line: { depth: number; tokens: JsonToken[]; pointer: string | undefined } = { depth: 0, tokens: [], pointer: '' };
  const finishLine = (): void => {
    if (line.tokens.length > 0) lines.push(line);
    line = { depth: levels.length, tokens: [], pointer: undefined };
  };
  const getCurrentPointer = (): string => {
    const level = levels.at(-1);
    if (!level) return '';
    return `${level.pointer}/${level.isArray ? level.index : escapePointerKey(level.key)}`;
  };
  rawTokens.forEach((token, index) => {
    const level = levels.at(-1);
    const addPunctuation = (text: string): unknown => line.tokens.push({ text, kind: 'mark' });
    switch (token) {
      case '{':
      case '[': {
        const pointer = getCurrentPointer();
        line.pointer ??= pointer;
        const closing = rawTokens[index + 1];
        addPunctuation(token);
        levels.push({ pointer, isArray: token === '[', index: 0, key: '' });
        if (closing !== '}' && closing !== ']') finishLine();
        return;
      }
      case '}':
      case ']':
        levels.pop();
        if (rawTokens[index - 1] !== '{' && rawTokens[index - 1] !== '[') finishLine();
        line.depth = lines.length === 0 || line.tokens.length === 0 ? levels.length : line.depth;
        addPunctuation(token);
        return;
      case ',':
        addPunctuation(token);
        if (level) level.index += 1;
        finishLine();
        return;
      case ':':
        addPunctuation(': ');
        return;
    }
    const isKey = level?.isArray === false && rawTokens[index + 1] === ':';
    if (isKey) level.key = unquote(token);
    line.pointer ??= getCurrentPointer();
    line.tokens.push({ text: token, kind: isKey ? 'key' : getTokenKind(token) });
  });
  finishLine();
  return lines;
}

/** Returns the index of the line on which the value of a pointer begins, or -1 if there is no such value. */
export function findLineOfPointer(lines: readonly JsonLine[], pointer: string): number {
  return lines.findIndex((line) => line.pointer === pointer);
}
