/**
 * A JSON text without its long strings, in whose place marks stand: it is searched and cut in little time, and what is cut out of it gets
 * the strings again as they were sent.
 */
import { type JsonParts, joinParts } from './json-parts.ts';
import type { JsonTextRange } from './large-json-reader.ts';

export class ShortenedJson {
  readonly text: string;
  readonly #marks: RegExp;
  readonly #strings: readonly string[];

  /** `ranges` are strings of the text, in their order; `mark` is a random text of letters, digits and dashes, which nobody can have written into it. */
  constructor(text: string, ranges: readonly JsonTextRange[], mark: string) {
    const parts: string[] = [];
    let end = 0;
    for (const [index, range] of ranges.entries()) {
      parts.push(text.slice(end, range.start), `"${mark} ${index}"`);
      end = range.end;
    }
    this.text = [...parts, text.slice(end)].join('');
    this.#marks = new RegExp(`"${mark} (\\d+)"`, 'g');
    this.#strings = ranges.map((range) => text.slice(range.start, range.end));
  }

  /** `part` was cut out of `text`. */
  expand(part: string): string {
    return joinParts(this.expandParts(part));
  }

  /** The same without another copy of the long strings. */
  expandParts(part: string): JsonParts {
    if (this.#strings.length === 0) return [part];
    const pieces: string[] = [];
    let end = 0;
    for (const { 0: mark, 1: index, index: start } of part.matchAll(this.#marks)) {
      pieces.push(part.slice(end, start), this.#strings[Number(index)] ?? '');
      end = start + mark.length;
    }
    return [...pieces, part.slice(end)];
  }
}
