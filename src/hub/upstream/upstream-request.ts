/** Requests to upstream servers and their responses as JSON-RPC, in every era and over every transport. */
import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client';
import { hasUnusualNumbers, parseExactJson } from '../../json/exact-json.ts';
import { setExactValue, toExactValue } from '../../json/exact-values.ts';
import { isObject } from '../../json/json-object.ts';
import { findSentMembers, hasIndexNames, joinMembers } from '../../json/sent-text.ts';
import { throwProtocolError } from './http-errors.ts';
import { omitInvalidEntries } from './lists/valid-lists.ts';
import { setLargeResult, setSentText, type UpstreamCallOptions } from './upstream-call.ts';

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
  readonly call: Pick<UpstreamCallOptions, 'headers' | 'maxResponseBytes' | 'onProgress' | 'onLog' | 'askCaller'>;
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

export function createRequestMessage(
  id: number,
  { method, params, session, call }: UpstreamRpcRequest,
  client: Implementation,
): Record<string, unknown> {
  const ownMeta = {
    ...(session.isModern ? { [PROTOCOL_VERSION_META_KEY]: session.revision, [CLIENT_INFO_META_KEY]: client } : {}),
    ...(call.onProgress ? { progressToken: id } : {}),
  };
  const meta = { ...toObjectOrEmpty(params._meta), ...ownMeta };
  const fullParams = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
  return { jsonrpc: '2.0', id, method, params: fullParams };
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

/** `text` is that of the message. Throws the server's error, and an error for an invalid response. */
export function extractResult(
  id: number,
  request: Pick<UpstreamRpcRequest, 'method' | 'session'>,
  text: string,
  message: unknown,
): Record<string, unknown> {
  const exactMessage = parseExactJson(text);
  throwProtocolError(message, id, exactMessage);
  const result = readResult(id, request, message);
  setLargeResult(result, text);
  const sentText = findResultText(text, result);
  if (sentText !== undefined) setSentText(result, sentText);
  const exact = toObjectOrEmpty(exactMessage).result;
  if (isObject(exact)) {
    const { resultType, ...rest } = exact;
    setExactValue(result, result.resultType === undefined ? rest : { ...rest, resultType: result.resultType });
  }
  return result;
}

/** Undefined where it can be written again as it was; the type that the revision adds is as in `result`. */
function findResultText(text: string, { resultType }: Record<string, unknown>): string | undefined {
  if (!hasUnusualNumbers(text) && !hasIndexNames(text)) return undefined;
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
