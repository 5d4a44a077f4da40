/**
 * JSON of values that hold texts of megabytes: pictures, files, logs. `JSON.stringify` looks at each of their characters and
 * copies them again whenever its buffer is full; of a call with a result of 10 MB that is the longest step. So such texts are put
 * between the members as they are, or escaped in pieces.
 */

const minTextLength = 65_536;
/** Values with more members are written as usual: there is no gain in looking for long texts among them. */
const maxMembers = 1000;
const pieceLength = 16_384;
const mark = '[a text of vp]';

/**
 * The text that `JSON.stringify(value)` returns, for a value that was parsed from JSON. With `hasEscapes` false, the JSON had no
 * backslash: so no text in the value needs an escape.
 */
export function stringifyLargeJson(value: unknown, hasEscapes: boolean): string {
  const texts: string[] = [];
  const parts = JSON.stringify(extractTexts(value, texts, { left: maxMembers })).split(JSON.stringify(mark));
  // Another text of the value is equal to the mark.
  if (parts.length !== texts.length + 1) return JSON.stringify(value);
  const [first = ''] = parts;
  return texts.reduce(
    (json, text, index) => `${json}${hasEscapes ? escapeInPieces(text) : `"${text}"`}${parts[index + 1]}`,
    first,
  );
}

/** The value with the mark in place of each long text. */
function extractTexts(value: unknown, texts: string[], members: { left: number }): unknown {
  if (typeof value === 'string') {
    if (value.length < minTextLength) return value;
    texts.push(value);
    return mark;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  members.left -= entries.length;
  if (members.left < 0) return value;
  const extracted = entries.map(([name, member]) => [name, extractTexts(member, texts, members)] as const);
  return Array.isArray(value) ? extracted.map(([, member]) => member) : Object.fromEntries(extracted);
}

/** No piece ends between the two halves of a character: alone, they would be escaped. */
function escapeInPieces(text: string): string {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + pieceLength - 1);
    const end = start + pieceLength - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    pieces.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
    start = end;
  }
  return `"${pieces.join('')}"`;
}
