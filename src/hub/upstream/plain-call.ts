/**
 * One call of the newest era posted as it is: servers of that era keep nothing between requests, so nothing but the one answer
 * has to be waited for, and a client's machinery of ids, handlers and timers costs more than all the rest of the way.
 */
import {
  CLIENT_INFO_META_KEY,
  type Implementation,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import type { Answer } from '../../outbound/answer-reader.ts';
import type { UpstreamCall } from './call.ts';
import { eventsIn } from './event-lines.ts';

/** Posts a JSON-RPC message to the server of a connection, with the connection's credential. */
export type Post = (body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Answer>;

/** What a plain call is made of. */
export type PlainCall = {
  readonly method: string;
  /** With the caller's `_meta`. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly revision: string;
};

/** What ends a call before its answer. */
export type Flying = { readonly signal: AbortSignal; stop(reason: Error): void };

type Told = { readonly method: string; readonly params: Record<string, unknown> };

const nameHeader = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** True where nobody wants to hear anything before the answer, and the name can stand in a header as it is. */
export function isPlain(method: string, { name }: Readonly<Record<string, unknown>>, call: UpstreamCall): boolean {
  if (method !== 'tools/call' || call.onProgress !== undefined || call.logLevel !== undefined) return false;
  return typeof name === 'string' && nameHeader.test(name) && !name.startsWith('=?');
}

/** Plain calls of one server, ended with its client. */
export class PlainCalls {
  readonly #post: Post;
  readonly #client: Implementation;
  readonly #onTold: (told: Told) => void;
  readonly #flying = new Set<Flying>();

  /** `onTold` hears what stands before an answer on its stream. */
  constructor(post: Post, client: Implementation, onTold: (told: Told) => void) {
    this.#post = post;
    this.#client = client;
    this.#onTold = onTold;
  }

  /** Calls. Throws what the official client throws: the server's own refusal, HTTP's, or what is no answer. */
  async send(call: PlainCall, flying: Flying): Promise<Record<string, unknown>> {
    this.#flying.add(flying);
    try {
      return await this.#answered(call, flying.signal);
    } finally {
      this.#flying.delete(flying);
    }
  }

  close(): void {
    for (const flying of this.#flying) flying.stop(new Error('the connection was closed'));
  }

  async #answered(call: PlainCall, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { method, params, revision, headers } = call;
    const meta = { [PROTOCOL_VERSION_META_KEY]: revision, [CLIENT_INFO_META_KEY]: this.#client };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...members(params._meta), ...meta } } };
    const own = { ...fixed, 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': String(params.name) };
    const answer = await this.#post(JSON.stringify(message), headers ? { ...headers, ...own } : own, signal);
    const { status, headers: told, body } = answer;
    if (status < 200 || status > 299) return refused(answer);
    if (typeof body === 'object' && body !== null) return this.#resultOn(body, method);
    if (body !== null && told['content-type']?.startsWith('application/json'))
      return resultIn(JSON.parse(body), method);
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, 'the answer is neither JSON nor a stream of events');
  }

  async #resultOn(events: ReadableStream<Uint8Array>, method: string): Promise<Record<string, unknown>> {
    for await (const data of eventsIn(events)) {
      const message: unknown = JSON.parse(data);
      if (!isMembers(message)) continue;
      if (typeof message.method === 'string') this.#onTold({ method: message.method, params: members(message.params) });
      else if (message.id === id) return resultIn(message, method);
    }
    throw new Error('the stream ended without an answer');
  }
}

/** Each request has a connection of its own kind, and one answer: the same id will do for all. */
const id = 1;
const fixed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function members(value: unknown): Record<string, unknown> {
  return isMembers(value) ? value : {};
}

function invalid(problem: string): SdkError {
  return new SdkError(SdkErrorCode.InvalidResult, problem);
}

/** Servers of this era refuse what is wrong with a request with status 400 and an error in the protocol's form. */
async function refused(answer: Answer): Promise<never> {
  const { status, body } = answer;
  await unread(answer);
  const text = typeof body === 'string' ? body : '';
  if (status === 400) throwError(parsed(text));
  const told = { status, statusText: '', text };
  throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `the server answered ${status}`, told);
}

/** Ends an answer that goes on although nobody reads it. */
export async function unread({ body }: Answer): Promise<void> {
  if (typeof body === 'object') await body?.cancel();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function throwError(message: unknown): void {
  if (!isMembers(message) || message.jsonrpc !== '2.0' || message.id !== id || !isMembers(message.error)) return;
  const { code, message: words, data } = message.error;
  if (!Number.isInteger(code) || typeof words !== 'string') return;
  throw ProtocolError.fromError(Number(code), words, data);
}

function resultIn(message: unknown, method: string): Record<string, unknown> {
  throwError(message);
  if (!isMembers(message) || message.jsonrpc !== '2.0' || message.id !== id || !isMembers(message.result)) {
    throw invalid(`no answer to ${method}`);
  }
  const { resultType, ...result } = message.result;
  if (resultType === 'complete') return result;
  if (resultType !== 'input_required')
    throw new SdkError(SdkErrorCode.UnsupportedResultType, 'no known kind of result');
  const { inputRequests, requestState } = result;
  const asks = Object.keys(members(inputRequests)).length > 0 || typeof requestState === 'string';
  if (asks) return { resultType, ...result };
  throw invalid('asks for nothing');
}
