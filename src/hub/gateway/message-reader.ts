/**
 * Reads the body of an MCP request within bounds of bytes, time, values and depth, so that no caller can hold the process:
 * the bounds are checked while the bytes arrive, before anything is parsed or validated. A caller without a token gets much
 * smaller ones.
 *
 * Length: the steps from the bytes of a body to its message are read in their order.
 */
import type { Clock } from '../../environment/clock.ts';
import { hasUnusualNumbersInTurns, parseExactJson, parseExactPart } from '../../json/exact-json.ts';
import { setExactValue } from '../../json/exact-values.ts';
import { exceedsValueCount, type JsonBounds, JsonBoundsScanner } from '../../json/json-bounds.ts';
import { isObject } from '../../json/json-object.ts';
import { parseLargeJson } from '../../json/large-json-reader.ts';
import { SentJson } from '../../json/sent-json.ts';
import { findSentMembers, hasIndexNames, joinMembers } from '../../json/sent-text.ts';
import { ShortenedJson } from '../../json/shortened-json.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { limitTime } from '../../timing/timeout.ts';
import type { McpRequest, UnreadBody } from '../downstream/mcp-http.ts';

export type MessageLimits = JsonBounds & {
  readonly maxBytes: number;
  /** Outside of arguments, which no schema of the protocol describes. */
  readonly maxEnvelopeValues: number;
  /** Time limit for the whole body. */
  readonly timeoutMs: number;
};

/** For `/mcp`, which needs no token. */
export const anonymousMessageLimits: MessageLimits = {
  maxBytes: 8192,
  maxValues: 300,
  maxDepth: 16,
  maxEnvelopeValues: 250,
  timeoutMs: 10_000,
};
/** For callers with a token: parsing and forwarding as many values takes a few milliseconds. */
export const callerMessageLimits: MessageLimits = {
  maxBytes: 4 * 1024 * 1024,
  maxValues: 20_000,
  maxDepth: 100,
  maxEnvelopeValues: 250,
  timeoutMs: 30_000,
};
/** For the memory service: an import of memories of maximum size. */
export const importLimits: MessageLimits = { ...callerMessageLimits, maxBytes: 16 * 1024 * 1024, maxValues: 40_000 };

export type ParsedMessage = {
  readonly body: unknown;
  /** The body with its numbers as they were sent, if these would change. */
  readonly exactBody: unknown;
  /** The arguments of a single call as they were sent, if writing them again would change them. */
  readonly sentArguments: SentJson | undefined;
  readonly bodyBytes: number;
  /** As {@link JsonBounds} counts them. */
  readonly values: number;
};

/** A text that is searched in no more than a millisecond. */
const longTextLength = 500_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

type MessageRequest = Pick<McpRequest, 'headers'> & UnreadBody;

/** A refusal that becomes a response. */
class MessageError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Returns the message, or the response for one that is not acceptable. */
export async function readMessage(
  request: MessageRequest,
  limits: MessageLimits,
  clock: Pick<Clock, 'after'>,
): Promise<ParsedMessage | Response> {
  try {
    return await readWithin(request, limits, clock);
  } catch (error) {
    if (error instanceof MessageError) return createRefusedResponse(error);
    return createRefusedResponse(new MessageError(400, -32700, 'Parse error'));
  }
}

async function readWithin(
  request: MessageRequest,
  limits: MessageLimits,
  clock: Pick<Clock, 'after'>,
): Promise<ParsedMessage> {
  const contentEncoding = request.headers.get('content-encoding') ?? 'identity';
  if (contentEncoding.trim().toLowerCase() !== 'identity')
    throw new MessageError(415, -32000, 'send the body without a content coding');
  const { timeoutMs } = limits;
  const createError = () => new MessageError(408, -32000, `the body did not arrive within ${timeoutMs / 1000} s`);
  const scanner = new JsonBoundsScanner(limits);
  const reading = readSmallBody(request, limits, scanner) ?? readBytes(request, limits, scanner);
  const bytes = reading instanceof Promise ? await limitTime({ clock, timeoutMs, createError }, reading) : reading;
  const { length } = bytes;
  const decodeTurn = takeTurnForText(length);
  if (decodeTurn) await decodeTurn;
  const text = utf8.decode(bytes);
  const turn = takeTurnForText(length);
  const { values } = scanner;
  if (turn) await turn;
  const takeTurn = async (): Promise<unknown> => takeTurnForText(length);
  const { body, exactBody, searched } = turn ? await parseLarge(text, takeTurn) : parseAtOnce(text);
  assertSmallEnvelope(body, values, limits);
  rememberExactParts(body, exactBody);
  if (turn) await takeTurn();
  const isSearched = mayHaveSentArguments(searched, body, exactBody);
  const sentArguments = isSearched ? await findSentArguments(searched, body, exactBody) : undefined;
  // What decides about the message takes as long again.
  if (turn) await takeTurn();
  return { body, exactBody, sentArguments, bodyBytes: length, values };
}

/** `values` are those of the whole message. */
function assertSmallEnvelope(body: unknown, values: number, { maxEnvelopeValues }: MessageLimits): void {
  if (values <= maxEnvelopeValues) return;
  const envelope = Array.isArray(body) ? body.map(withoutArguments) : withoutArguments(body);
  if (exceedsValueCount(envelope, maxEnvelopeValues))
    throw tooLarge(`more than ${maxEnvelopeValues} values outside of its arguments`);
}

/** What a client sends beside arguments: answers to questions of a server, and `_meta`. */
function rememberExactParts(body: unknown, exactBody: unknown): void {
  if (exactBody === undefined) return;
  if (!Array.isArray(body)) rememberMessage(body, exactBody);
  else if (Array.isArray(exactBody))
    for (const [index, message] of body.entries()) rememberMessage(message, exactBody[index]);
}

function rememberMessage(message: unknown, exact: unknown): void {
  if (!isObject(message) || !isObject(exact)) return;
  setExactValue(message.result, exact.result);
  const { params } = message;
  if (!isObject(params) || !isObject(exact.params)) return;
  setExactValue(params._meta, exact.params._meta);
  const { inputResponses } = params;
  if (!isObject(inputResponses) || !isObject(exact.params.inputResponses)) return;
  for (const [key, answer] of Object.entries(inputResponses)) setExactValue(answer, exact.params.inputResponses[key]);
}

/** `text` is that of the message, or one that stands for it, of which `expand` makes what was sent. */
type SearchedText = { readonly text: string; expand(part: string): string; readonly isLarge: boolean };

type ParsedText = Pick<ParsedMessage, 'body' | 'exactBody'> & { readonly searched: SearchedText };

function parseAtOnce(text: string): ParsedText {
  const searched = { text, expand: (part: string) => part, isLarge: false };
  return { body: JSON.parse(text), exactBody: parseExactJson(text), searched };
}

/** Parses in steps, between which other work has a turn. */
async function parseLarge(text: string, takeTurn: () => Promise<unknown>): Promise<ParsedText> {
  const { source, value, longTexts, hasLongNames } = await parseLargeJson(text, takeTurn);
  // Long names are compared with one another.
  const shortened = new ShortenedJson(source, hasLongNames ? [] : longTexts, crypto.randomUUID());
  await takeTurn();
  const isExact = !(await hasUnusualNumbersInTurns(shortened.text, takeTurn));
  const exact = isExact ? undefined : await parseLargeJson(text, takeTurn, { parsePart: parseExactPart });
  const searched = { text: shortened.text, expand: (part: string) => shortened.expand(part), isLarge: true };
  return { body: value, exactBody: exact?.value, searched };
}

function mayHaveSentArguments({ text, isLarge }: SearchedText, body: unknown, exactBody: unknown): boolean {
  if (!isObject(body) || !isObject(body.params) || !isObject(body.params.arguments)) return false;
  // A text that is known does not have to be written again.
  const isWorthwhile = isLarge && text.length < longTextLength;
  return exactBody !== undefined || isWorthwhile || hasIndexNames(text);
}

async function findSentArguments(
  searched: SearchedText,
  body: unknown,
  exactBody: unknown,
): Promise<SentJson | undefined> {
  if (!isObject(body) || !isObject(body.params)) return undefined;
  const { text, expand } = searched;
  await takeTurnForText(text.length);
  // Without names that are there twice, the policy has seen what the server will see.
  const members = findSentMembers(text, ['params', 'arguments']);
  if (!members) return undefined;
  await takeTurnForText(text.length);
  const exact = isObject(exactBody) && isObject(exactBody.params) ? exactBody.params.arguments : undefined;
  return new SentJson(expand(joinMembers(members)), exact ?? body.params.arguments);
}

function withoutArguments(message: unknown): unknown {
  if (!isObject(message) || !isObject(message.params)) return message;
  return { ...message, params: { ...message.params, arguments: undefined } };
}

async function readBytes(
  request: MessageRequest,
  limits: MessageLimits,
  scanner: JsonBoundsScanner,
): Promise<Uint8Array> {
  const { maxBytes } = limits;
  const declaredLength = request.headers.get('content-length');
  if (declaredLength !== null && Number(declaredLength) > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
  const bytes = new GrowingBuffer();
  for await (const chunk of request.body ?? []) {
    bytes.append(chunk);
    if (bytes.length > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
    for (let start = 0; start < chunk.length; start += scannedBytes) {
      if (start > 0) await takeTurnForText(chunk.length);
      scan(scanner, limits, chunk.subarray(start, start + scannedBytes));
    }
  }
  return bytes.takeAll();
}

/**
 * Small bodies arrive in one piece, nearly always with their head; reading them as a stream would cost more than the rest.
 * Undefined for others.
 */
function readSmallBody(
  request: MessageRequest,
  limits: MessageLimits,
  scanner: JsonBoundsScanner,
): Promise<Uint8Array> | Uint8Array | undefined {
  const declaredLength = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(declaredLength <= Math.min(smallBytes, limits.maxBytes))) return undefined;
  const scanAll = (bytes: Uint8Array): Uint8Array => scan(scanner, limits, bytes);
  if (request.arrivedBytes) return scanAll(request.arrivedBytes);
  if (request.readBytes) return request.readBytes().then(scanAll);
  return request.arrayBuffer().then((buffer) => scanAll(new Uint8Array(buffer)));
}

const smallBytes = 65_536;
/** In one turn; connections deliver less at once. */
const scannedBytes = 1_000_000;

function scan(scanner: JsonBoundsScanner, limits: MessageLimits, bytes: Uint8Array): Uint8Array {
  const exceeded = scanner.scan(bytes);
  if (exceeded === 'maxValues') throw tooLarge(`more than ${limits.maxValues} values`);
  if (exceeded === 'maxDepth') throw tooLarge(`more than ${limits.maxDepth} levels`);
  return bytes;
}

function tooLarge(amount: string): MessageError {
  return new MessageError(413, -32000, `the message has ${amount}`);
}

/** In the form whose message MCP clients display. */
function createRefusedResponse({ status, code, message }: MessageError): Response {
  // The rest of a body that is not read must not be taken for the next request.
  const headers = status === 400 ? undefined : { Connection: 'close' };
  const init = headers ? { status, headers } : { status };
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, init);
}
