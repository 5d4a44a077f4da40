/** Converts a received response to evidence: decoded, parsed once for judging, redacted and shortened for people. */
import {
  type DisplayedBody,
  type ExecutionFailure,
  findHeaderValue,
  type ReceivedResponse,
} from '../../run/evidence.ts';
import { createFailure } from '../execution-failure.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { StreamMessages } from '../streams/message-list.ts';
import { bodyLimitBytes, createTooLargeFailure, type TriggerResult } from '../trigger/send-request.ts';
import { formatAddress } from '../trigger/target-address.ts';
import { decodeContent } from './content-encoding.ts';
import { type ParsedBody, parseBody, parseTruncatedBody, toOpaqueBody } from './parse-body.ts';

/** In UTF-16 units. */
const maxDisplayedBodyLength = 65_536;

/** The response and the failure, if any. */
export type RequestResult = {
  readonly response: ReceivedResponse | undefined;
  readonly failure: ExecutionFailure | undefined;
};

type BodyContent = {
  readonly bytes: Buffer;
  /** Where `bytes` are the beginning of it. */
  readonly sizeBytes?: number | undefined;
  readonly body: ParsedBody;
  readonly failure: ExecutionFailure | undefined;
};

/** Returns a promise only when a Content-Encoding has to be decoded. */
export function readResponse(
  result: TriggerResult,
  origin: string,
  redactor: Redactor,
): RequestResult | Promise<RequestResult> {
  const { head, failure } = result;
  if (!head) return { response: undefined, failure };
  if (result.messages) return toRequestResult(head, readMessages(result, result.messages), redactor);
  const encoding = findHeaderValue(head.headers, 'content-encoding');
  if (failure) return toRequestResult(head, { ...parseTruncated(result, encoding), failure }, redactor);
  if (encoding !== undefined) return decodeResponse(result, head, encoding, origin, redactor);
  const body = parseBody(result.bytes, findHeaderValue(head.headers, 'content-type'));
  return toRequestResult(head, { bytes: result.bytes, body, failure }, redactor);
}

const incomplete = 'it did not arrive completely';

type ResponseHead = NonNullable<TriggerResult['head']>;

async function decodeResponse(
  result: TriggerResult,
  head: ResponseHead,
  encoding: string,
  origin: string,
  redactor: Redactor,
): Promise<RequestResult> {
  const decoded = await decodeContent(result.bytes, encoding, bodyLimitBytes);
  if (decoded.kind === 'decoded') {
    const body = parseBody(decoded.bytes, findHeaderValue(head.headers, 'content-type'));
    return toRequestResult(head, { bytes: decoded.bytes, body, failure: undefined }, redactor);
  }
  const { bytes } = result;
  const problem = `its Content-Encoding is ${encoding}`;
  const body = { observed: toOpaqueBody(bytes, problem), text: undefined };
  if (decoded.kind === 'unknown') return toRequestResult(head, { bytes, body, failure: undefined }, redactor);
  const failure =
    decoded.kind === 'too_large'
      ? createTooLargeFailure(origin, `${bytes.length} bytes encoded as ${encoding}`)
      : createFailure('EXECUTOR_BODY_UNDECODABLE', {
          address: formatAddress(origin),
          encoding,
          reason: decoded.reason,
        });
  return toRequestResult(head, { bytes, body, failure }, redactor);
}

function readMessages({ bytes, failure }: TriggerResult, { values, sizeBytes }: StreamMessages): BodyContent {
  const cut = parseTruncatedBody(bytes, incomplete);
  const body = failure ? cut : { observed: { kind: 'json', value: values } as const, text: cut.text };
  return { bytes, sizeBytes, body, failure };
}

/** The beginning of a truncated body is for people only; judging does not use it. */
function parseTruncated({ bytes }: TriggerResult, encoding: string | undefined): Omit<BodyContent, 'failure'> {
  if (encoding !== undefined) return { bytes, body: { observed: toOpaqueBody(bytes, incomplete), text: undefined } };
  return { bytes, body: parseTruncatedBody(bytes, incomplete) };
}

function toRequestResult(
  head: ResponseHead,
  { bytes, sizeBytes = bytes.length, body, failure }: BodyContent,
  redactor: Redactor,
): RequestResult {
  const { status, headers } = head;
  const displayedBody = toDisplayedBody(body.text, sizeBytes, failure !== undefined, redactor);
  const observed = redactExcerpt(body, bytes, redactor);
  const setCookies = headers.flatMap(([name, value]) => (name.toLowerCase() === 'set-cookie' ? [value] : []));
  return {
    response: { status, headers: redactor.redactHeaders(headers), setCookies, body: observed, displayedBody },
    failure,
  };
}

/** The excerpt of a body that is not JSON goes into messages that are cut, so it must not contain a secret. */
function redactExcerpt({ observed, text }: ParsedBody, bytes: Buffer, redactor: Redactor): ParsedBody['observed'] {
  if (observed.kind !== 'not_json') return observed;
  if (text !== undefined) return { ...observed, excerpt: redactor.truncate(text, observed.excerpt.length) };
  const beginning = bytes.toString('latin1', 0, maxDisplayedBodyLength);
  const isPlain = redactor.redactText(beginning) === beginning;
  return isPlain ? observed : { ...observed, excerpt: 'bytes that contain a secret' };
}

function toDisplayedBody(
  text: string | undefined,
  sizeBytes: number,
  isBrokenOff: boolean,
  redactor: Redactor,
): DisplayedBody {
  const truncated = isBrokenOff || (text !== undefined && text.length > maxDisplayedBodyLength);
  return {
    text: text === undefined ? undefined : redactor.truncate(text, maxDisplayedBodyLength),
    sizeBytes,
    truncated,
  };
}
