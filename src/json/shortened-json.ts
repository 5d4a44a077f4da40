/**
 * A JSON text without its long strings, in whose place marks stand: it is searched and cut in little time, and what is cut out of it gets
 * the strings again as they were sent.
 */
import { type JsonParts, joinParts } from './json-parts.ts';
import type { JsonPart, JsonSource } from './json-source.ts';
import type { JsonTextRange } from './large-json-reader.ts';

/** Parts keep the whole source in memory, also where somebody counts them alone: with a smaller share they are copies. */
const minSharedShare = 0.8;

export class ShortenedJson {
  readonly text: string;
  readonly #source: JsonSource;
  readonly #ranges: readonly JsonTextRange[];
  readonly #marks: RegExp;

  /** `ranges` are strings of the text, in their order; `mark` is a random text of letters, digits and dashes, which nobody can have written into it. */
  constructor(source: JsonSource, ranges: readonly JsonTextRange[], mark: string) {
    const parts: string[] = [];
    let end = 0;
    for (const [index, range] of ranges.entries()) {
      parts.push(source.slice(end, range.start), `"${mark} ${index}"`);
      end = range.end;
    }
    this.text = [...parts, source.slice(end, source.length)].join('');
    this.#source = source;
    this.#ranges = ranges;
    this.#marks = new RegExp(`"${mark} (\\d+)"`, 'g');
  }

  /** `part` was cut out of `text`. */
  expand(part: string): string {
    return joinParts(this.expandParts(part));
  }

  /** The same without another copy of the long strings, if they are most of the source. */
  expandParts(part: string): JsonParts {
    const source = this.#source;
    const matches = this.#ranges.length === 0 ? [] : [...part.matchAll(this.#marks)];
    const strings = matches.map(({ 0: mark, 1: index, index: start }) => {
      return { markStart: start, markEnd: start + mark.length, ...(this.#ranges[Number(index)] ?? noRange) };
    });
    const sentLength = strings.reduce((sum, { start, end }) => sum + end - start, 0);
    const isShared = sentLength >= source.length * minSharedShare;
    const pieces: JsonPart[] = [];
    let partEnd = 0;
    for (const { markStart, markEnd, start, end } of strings) {
      pieces.push(part.slice(partEnd, markStart), isShared ? source.part(start, end) : source.slice(start, end));
      partEnd = markEnd;
    }
    return [...pieces, part.slice(partEnd)];
  }
}

const noRange: JsonTextRange = { start: 0, end: 0 };
