/** What was heard → evidence: decoded, parsed once for judging, redacted and shortened for people. */
import type { Fault, HeaderList, ReceivedResponse, ShownBody } from '../run/evidence.ts';
import { addressOf } from './address.ts';
import { opaqueBody, type ReadBody, readBeginning, readBody } from './body.ts';
import { undoEncoding } from './body-encoding.ts';
import { faultOf } from './fault.ts';
import type { Redactor } from './redact.ts';
import { bodyLimitBytes, type Heard, headerOf, tooLarge } from './trigger.ts';

/** Longest text of a body in a report, in UTF-16 units. */
export const shownBodyLength = 65_536;

/** The answer and what was wrong with it. */
export type Received = { readonly response: ReceivedResponse | undefined; readonly fault: Fault | undefined };

type Bytes = { readonly bytes: Buffer; readonly body: ReadBody; readonly fault: Fault | undefined };

/** The answer that was heard. Waits only where a Content-Encoding has to be undone. */
export function received(heard: Heard, origin: string, redactor: Redactor): Received | Promise<Received> {
  const { head, fault } = heard;
  if (!head) return { response: undefined, fault };
  const encoding = headerOf(head.headers, 'content-encoding');
  if (fault) return responseOf(head, { ...beginning(heard, encoding), fault }, redactor);
  if (encoding !== undefined) return decoded(heard, head, encoding, origin, redactor);
  const body = readBody(heard.bytes, headerOf(head.headers, 'content-type'));
  return responseOf(head, { bytes: heard.bytes, body, fault }, redactor);
}

type Head = NonNullable<Heard['head']>;

async function decoded(
  heard: Heard,
  head: Head,
  encoding: string,
  origin: string,
  redactor: Redactor,
): Promise<Received> {
  const undone = await undoEncoding(heard.bytes, encoding, bodyLimitBytes);
  if (undone.kind === 'decoded') {
    const body = readBody(undone.bytes, headerOf(head.headers, 'content-type'));
    return responseOf(head, { bytes: undone.bytes, body, fault: undefined }, redactor);
  }
  const { bytes } = heard;
  const problem = `its Content-Encoding is ${encoding}`;
  const body = { observed: opaqueBody(bytes, problem), text: undefined };
  if (undone.kind === 'unknown') return responseOf(head, { bytes, body, fault: undefined }, redactor);
  const fault =
    undone.kind === 'too_large'
      ? tooLarge(origin, `${bytes.length} bytes encoded as ${encoding}`)
      : faultOf('EXECUTOR_BODY_UNDECODABLE', { address: addressOf(origin), encoding, reason: undone.reason });
  return responseOf(head, { bytes, body, fault }, redactor);
}

/** A body that broke off: its beginning is for people, judging gets none of it. */
function beginning({ bytes }: Heard, encoding: string | undefined): Omit<Bytes, 'fault'> {
  const problem = 'it did not arrive whole';
  if (encoding !== undefined) return { bytes, body: { observed: opaqueBody(bytes, problem), text: undefined } };
  return { bytes, body: readBeginning(bytes, problem) };
}

function responseOf(head: Head, { bytes, body, fault }: Bytes, redactor: Redactor): Received {
  const { status, headers } = head;
  const shownBody = shown(body.text, bytes, fault !== undefined, redactor);
  const observed = withoutSecrets(body, bytes, redactor);
  return { response: { status, headers: shownHeaders(headers, redactor), body: observed, shownBody }, fault };
}

/** The beginning of a body that is no JSON goes into sentences that are cut, so it holds no secret from the first. */
function withoutSecrets({ observed, text }: ReadBody, bytes: Buffer, redactor: Redactor): ReadBody['observed'] {
  if (observed.kind !== 'not_json') return observed;
  if (text !== undefined) return { ...observed, excerpt: redactor.start(text, observed.excerpt.length) };
  const begins = bytes.toString('latin1', 0, shownBodyLength);
  const isPlain = redactor.text(begins) === begins;
  return isPlain ? observed : { ...observed, excerpt: 'bytes that hold a secret' };
}

/** Header lines told at most. */
const headersTold = 1000;

function shownHeaders(headers: HeaderList, redactor: Redactor): HeaderList {
  return redactor.headers(headers.length > headersTold ? headers.slice(0, headersTold) : headers);
}

function shown(text: string | undefined, bytes: Buffer, brokenOff: boolean, redactor: Redactor): ShownBody {
  const truncated = brokenOff || (text !== undefined && text.length > shownBodyLength);
  return {
    text: text === undefined ? undefined : redactor.start(text, shownBodyLength),
    sizeBytes: bytes.length,
    truncated,
  };
}
