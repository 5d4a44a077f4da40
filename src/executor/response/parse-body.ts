/** Parses the bytes of a response body for checks and for people. */
import { isUtf8 } from 'node:buffer';
import { maxBodyExcerptLength, observeJson } from '../../check/json/observe-json.ts';
import type { ObservedBody } from '../../check/observation.ts';

/** `text` is undefined when the bytes are not text. */
export type ParsedBody = { readonly observed: ObservedBody; readonly text: string | undefined };

const maxHexBytes = 24;

const byteOrderMark = '\ufeff';

/** Parses a decoded body; JSON is recognized whatever the content type says. */
export function parseBody(bytes: Buffer, contentType: string | undefined): ParsedBody {
  if (bytes.length === 0) return { observed: { kind: 'empty' }, text: '' };
  const text = decodeText(bytes, contentType);
  if (text === undefined) return { observed: toOpaqueBody(bytes, 'it is not text in UTF-8'), text };
  const unmarkedText = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  return { observed: observeJson(unmarkedText), text: unmarkedText };
}

/** The beginning of a body that broke off; its last character may be incomplete. */
export function parseTruncatedBody(bytes: Buffer, problem: string): ParsedBody {
  if (bytes.length === 0) return { observed: { kind: 'not_json', problem, excerpt: '' }, text: '' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return { observed: { kind: 'not_json', problem, excerpt: text.slice(0, maxBodyExcerptLength) }, text };
  } catch {
    return { observed: toOpaqueBody(bytes, problem), text: undefined };
  }
}

/** A body that cannot be decoded, and why; the excerpt shows its first bytes in hexadecimal. */
export function toOpaqueBody(bytes: Buffer, problem: string): ObservedBody {
  const start = bytes.toString('hex', 0, maxHexBytes).replaceAll(/..(?!$)/g, '$& ');
  return { kind: 'not_json', problem, excerpt: `bytes ${start}${bytes.length > maxHexBytes ? ' …' : ''}` };
}

/**
 * The text of `bytes` in the charset of `contentType`, UTF-8 by default; undefined when the bytes are not valid in it. JSON is UTF-8
 * whatever the header says (RFC 8259 section 8.1), and a byte order mark outweighs the header, as for browsers.
 */
function decodeText(bytes: Buffer, contentType: string | undefined): string | undefined {
  const charset = findCharset(contentType);
  const mayBeUtf8 = charset === undefined || jsonType.test(contentType ?? '') || bytes.indexOf(utf8Mark) === 0;
  if (mayBeUtf8 && isUtf8(bytes)) return bytes.toString('utf8');
  if (charset === undefined) return undefined;
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const utf8Mark = Buffer.from(byteOrderMark);
const jsonType = /^[^;]*[/+]json\b/i;

/** Undefined for UTF-8, of which US-ASCII is a part, and where the header names no charset that is known. */
function findCharset(contentType = ''): string | undefined {
  const name = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1];
  if (name === undefined || /^(?:utf-?8|us-ascii|ascii)$/i.test(name)) return undefined;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
