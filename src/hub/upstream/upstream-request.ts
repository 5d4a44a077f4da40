/** Requests to upstream servers and their responses as JSON-RPC, in every era and over every transport. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import {
  hasUnusualNumbers,
  hasUnusualNumbersInTurns,
  maxExactChars,
  parseExactJson,
  parseExactPart,
} from '../../json/exact-json.ts';
import { setExactValue, toExactValue } from '../../json/exact-values.ts';
import { isObject } from '../../json/json-object.ts';
import type { JsonPart } from '../../json/json-source.ts';
import { type LargeJson, parseLargeJson } from '../../json/large-json-reader.ts';
import { findSentMembers, hasIndexNames, joinMembers } from '../../json/sent-text.ts';
import { ShortenedJson } from '../../json/shortened-json.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import { throwProtocolError } from './http-errors.ts';
import { omitInvalidEntries, setExactEntries } from './lists/valid-lists.ts';
import { setLargeResult, setSentParts, type UpstreamCallOptions } from './upstream-call.ts';

/** A longer text is searched only where that is needed. */
const maxSearchedChars = 500_000;

/** What the server and the client agreed on; `sessionId` is undefined without a session. */
export type UpstreamSession = {
  readonly revision: string;
  readonly isModern: boolean;
  readonly sessionId: string | undefined;
  /** Called for a result of the newest era without its type. */
  onMissingType(): void;
};

export type UpstreamRpcRequest = {
  readonly method: string;
  /** Includes the caller's `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly session: UpstreamSession;
  readonly call: Pick<UpstreamCallOptions, 'headers' | 'maxResponseBytes' | 'onProgress' | 'onLog' | 'askCaller'> &
    Partial<Pick<UpstreamCallOptions, 'capabilities' | 'logLevel'>>;
};

/** The limits of a call; `touch` is called when the server makes progress. */
export type RequestDeadline = { readonly signal: AbortSignal; touch(): void; abort(reason: Error): void };

export type ServerNotification = { readonly method: string; readonly params: Record<string, unknown> };

/** Sends single requests and awaits their responses. */
export type UpstreamCaller = {
  /** Throws what the official client throws: the server's error, a transport error, or an invalid response. */
  send(request: UpstreamRpcRequest, deadline: RequestDeadline): Promise<Record<string, unknown>>;
  /** Ends the requests in flight. */
  close(): void;
};

/** Servers of the newest era get the caller's capabilities with each request. */
export function createRequestMessage(
  id: number,
  { method, params, session, call }: UpstreamRpcRequest,
  client: Implementation,
): Record<string, unknown> {
  if (!session.isModern && !call.onProgress) return { jsonrpc: '2.0', id, method, params };
  // Computed names in an object's literal, and two spreads in one, cost several times as much.
  const meta: Record<string, unknown> = isObject(params._meta) ? { ...params._meta } : {};
  if (session.isModern) {
    if (call.capabilities) meta[CLIENT_CAPABILITIES_META_KEY] = call.capabilities;
    if (call.logLevel) meta[LOG_LEVEL_META_KEY] = call.logLevel;
    meta[PROTOCOL_VERSION_META_KEY] = session.revision;
    meta[CLIENT_INFO_META_KEY] = client;
  }
  if (call.onProgress) meta.progressToken = id;
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

/** The answer to a request of a server, as members of the response. Never rejects. */
export async function answerQuestion(
  method: string,
  params: Record<string, unknown>,
  askCaller: UpstreamCallOptions['askCaller'],
): Promise<Record<string, unknown>> {
  if (method === 'ping') return { result: {} };
  try {
    if (askCaller) return { result: toExactValue(await askCaller({ method, params })) };
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
  } catch (error) {
    const { code, message, data } = Object(error);
    const rpcCode = Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError;
    return { error: { code: rpcCode, message: String(message ?? 'failed'), data } };
  }
}

type ResultRequest = Pick<UpstreamRpcRequest, 'method' | 'session'>;

/** `text` is that of the message. Throws the server's error, and an error for an invalid response. */
export function extractResult(
  id: number,
  request: ResultRequest,
  text: string,
  message: unknown,
): Record<string, unknown> {
  const isUnusual = hasUnusualNumbers(text);
  const result = extractExactResult(id, request, message, isUnusual ? parseExactJson(text) : undefined);
  if (!isUnusual && !hasIndexNames(text)) return result;
  const sentText = findResultText(text, result);
  if (sentText !== undefined) setSentParts(result, [sentText]);
  return result;
}

/** Lists are looked at character by character, and everything else is sent on. */
export function isListMethod(method: string): boolean {
  return method.endsWith('/list');
}

/**
 * Parses a text of megabytes in steps; undefined for one that is not that large. Rejects with a SyntaxError. `isSentOn`: nobody reads its
 * long strings.
 */
export function readLargeMessage(text: JsonPart, isSentOn: boolean): Promise<LargeJson> | undefined {
  const { length } = text;
  const options = { sharesText: isSentOn };
  return takeTurnForText(length)?.then(() => parseLargeJson(text, async () => takeTurnForText(length), options));
}

/** As {@link extractResult}, in steps. */
export async function extractLargeResult(
  id: number,
  request: ResultRequest,
  { source, value, longTexts, hasLongNames }: LargeJson,
): Promise<Record<string, unknown>> {
  const takeTurn = async (): Promise<unknown> => takeTurnForText(source.length);
  const shortened = new ShortenedJson(source, hasLongNames ? [] : longTexts, crypto.randomUUID());
  await takeTurn();
  const isUnusual = await hasUnusualNumbersInTurns(shortened.text, takeTurn);
  const isExact = isUnusual && source.length <= maxExactChars;
  const exact = isExact
    ? (await parseLargeJson(source.text, takeTurn, { parsePart: parseExactPart })).value
    : undefined;
  const result = extractExactResult(id, request, value, exact);
  setLargeResult(result, source);
  // Where little is left to search, the result does not have to be written again.
  if (!isUnusual && shortened.text.length > maxSearchedChars && !hasIndexNames(shortened.text)) return result;
  const sentText = findResultText(shortened.text, result);
  if (sentText !== undefined) setSentParts(result, shortened.expandParts(sentText));
  return result;
}

function extractExactResult(
  id: number,
  request: ResultRequest,
  message: unknown,
  exactMessage: unknown,
): Record<string, unknown> {
  throwProtocolError(message, id, exactMessage);
  const result = readResult(id, request, message);
  const exact = toObjectOrEmpty(exactMessage).result;
  if (isObject(exact)) {
    setExactEntries(request.method, toObjectOrEmpty(toObjectOrEmpty(message).result), exact);
    const { resultType, ...rest } = exact;
    setExactValue(result, result.resultType === undefined ? rest : { ...rest, resultType: result.resultType });
  }
  return result;
}

/** The text of the result in that of its message; the type that the revision adds is as in `result`. */
function findResultText(text: string, { resultType }: Record<string, unknown>): string | undefined {
  const members = findSentMembers(text, ['result'])?.filter(({ name }) => name !== 'resultType');
  if (!members || resultType === undefined) return members && joinMembers(members);
  const json = JSON.stringify(resultType);
  return joinMembers([...members, { name: 'resultType', text: `"resultType":${json}`, value: json }]);
}

function readResult(
  id: number,
  { method, session }: Pick<UpstreamRpcRequest, 'method' | 'session'>,
  message: unknown,
): Record<string, unknown> {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.id !== id || !isObject(message.result)) {
    throw invalidResultError(`no valid response to ${method}`);
  }
  const { resultType: receivedType, ...result } = message.result;
  if (session.isModern && receivedType === undefined) session.onMissingType();
  const { inputRequests, requestState } = result;
  const hasRequests = Object.keys(toObjectOrEmpty(inputRequests)).length > 0 || typeof requestState === 'string';
  const resultType = receivedType ?? (hasRequests ? 'input_required' : 'complete');
  if (!session.isModern || resultType === 'complete') return omitInvalidEntries(method, result);
  if (resultType === 'task' && method === 'tools/call') return { resultType, ...result };
  if (resultType !== 'input_required')
    throw new SdkError(SdkErrorCode.UnsupportedResultType, 'unsupported result type');
  if (hasRequests) return { resultType, ...result };
  throw invalidResultError('the input request is empty');
}

function invalidResultError(problem: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, problem);
}

/** The params of a message of a server, with their numbers as they were sent: only to be sent on. `text` is that of the message. */
export function readExactParams(message: Record<string, unknown>, text: string): Record<string, unknown> {
  return toObjectOrEmpty(toObjectOrEmpty(parseExactJson(text) ?? message).params);
}

export function toObjectOrEmpty(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
