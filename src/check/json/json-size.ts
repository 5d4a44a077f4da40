/** How much memory a JSON text takes once it is parsed: three bytes can be an object, so 10 MiB of text took more than 1 GiB. */
import { findStringEnd } from './read-json.ts';

/** More of a response is not parsed. A text of 10 MiB with objects of three short members stays below. */
export const maxParsedBytes = 24 * 1024 * 1024;
/** Of an empty object or list, and of the reference to a value, in V8 on 64 bits. */
const compositeBytes = 56;
const valueBytes = 8;

const quote = 34;
const comma = 44;
const openingBracket = 91;
const openingBrace = 123;

/** Whether the estimate is more than `maxBytes`. No character counts more than an object, so that short texts need not be read. */
export function exceedsParsedBytes(text: string, maxBytes: number): boolean {
  return text.length * compositeBytes > maxBytes && estimateParsedBytes(text) > maxBytes;
}

/** An estimate for objects, lists and references; strings are as large as in the text. `text` may be no JSON. */
export function estimateParsedBytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === comma) bytes += valueBytes;
    else if (code === openingBrace || code === openingBracket) bytes += compositeBytes;
    else if (code === quote) {
      const end = findStringEnd(text, index);
      if (end < 0) break;
      index = end;
    }
  }
  return bytes;
}

export function formatMaxParsed(maxBytes = maxParsedBytes): string {
  return `its values would take more than ${maxBytes / 1_048_576} MiB of memory`;
}
