/** Bytes of a response body → what checks see and what people read. */
import { isUtf8 } from 'node:buffer';
import type { ObservedBody } from '../check/observed.ts';
import { readJson } from '../check/read-json.ts';

/** `text` is undefined where the bytes are not text. */
export type ReadBody = { readonly observed: ObservedBody; readonly text: string | undefined };

/** Longest beginning of a body that is no JSON, in UTF-16 units. */
const excerptLength = 400;
const hexBytes = 24;

const byteOrderMark = '\ufeff';

/** Reads a decoded body; JSON is parsed whatever the content type says, once. */
export function readBody(bytes: Buffer, contentType: string | undefined): ReadBody {
  if (bytes.length === 0) return { observed: { kind: 'empty' }, text: '' };
  const text = textOf(bytes, contentType);
  if (text === undefined) return { observed: opaqueBody(bytes, 'it is not text in UTF-8'), text };
  const plain = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  return { observed: parsed(plain), text: plain };
}

/** The beginning of a body that broke off; a last character may be cut in two. */
export function readBeginning(bytes: Buffer, problem: string): ReadBody {
  if (bytes.length === 0) return { observed: { kind: 'not_json', problem, excerpt: '' }, text: '' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return { observed: { kind: 'not_json', problem, excerpt: text.slice(0, excerptLength) }, text };
  } catch {
    return { observed: opaqueBody(bytes, problem), text: undefined };
  }
}

/** A body whose bytes nobody here can read, and why; its beginning is shown in hexadecimal. */
export function opaqueBody(bytes: Buffer, problem: string): ObservedBody {
  const start = bytes.toString('hex', 0, hexBytes).replaceAll(/..(?!$)/g, '$& ');
  return { kind: 'not_json', problem, excerpt: `bytes ${start}${bytes.length > hexBytes ? ' …' : ''}` };
}

/** The text of `bytes` in the charset that `contentType` names, UTF-8 otherwise; undefined where it is not that. */
function textOf(bytes: Buffer, contentType: string | undefined): string | undefined {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType ?? '')?.[1];
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(text: string): ObservedBody {
  try {
    return { kind: 'json', value: readJson(text) };
  } catch (error) {
    const problem = error instanceof SyntaxError ? wordsOfParser(error.message) : 'it is nested too deeply';
    return { kind: 'not_json', problem, excerpt: text.slice(0, excerptLength) };
  }
}

/** The parser's sentence without the excerpt that it repeats from the body. */
function wordsOfParser(message: string): string {
  const words = message.replace(/, (?:\.\.\.)?".*$/s, '').replace(/(?: in JSON)? at position \d+ \((.+)\)$/, ' at $1');
  return words.charAt(0).toLowerCase() + words.slice(1);
}
