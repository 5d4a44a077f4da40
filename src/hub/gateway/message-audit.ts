/**
 * Rows for messages that are not calls: lists, `initialize`, subscriptions, and whatever is refused. Only with `audit.lists` in
 * the policy of the hub. A row is written before its answer leaves, as that of a call is.
 */
import { CLIENT_INFO_META_KEY, isSpecType } from '@modelcontextprotocol/server';
import type { Clock } from '../../environment/clock.ts';
import { isObject } from '../../json/json-object.ts';
import { createRateLimiter, type RateLimiter } from '../../limits/rate-limiter.ts';
import { parseEvents } from '../../streams/event-reader.ts';
import type { HubPrincipal, HubRefusal } from '../access/principal.ts';
import { createMessageRefusal } from '../access/refusals.ts';
import type { AuditEntry, AuditSink } from '../audit/audit-entry.ts';
import { JsonReply, type McpReply, StreamReply } from '../downstream/mcp-http.ts';
import { type CallPolicy, digestOnly } from '../policy/call-policy.ts';
import { truncateClientInfo } from './call-context.ts';
import type { HubRequest } from './gateway.ts';
import { getCallTarget, isCall, isCallMethod, maxBatchSize } from './refusal-audit.ts';
import { parseRpcRequest, type RpcRequest } from './rpc-request.ts';

export type MessageAuditDependencies = {
  readonly policy: Pick<CallPolicy, 'recordsLists'>;
  readonly audit: Pick<AuditSink, 'record'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
};

export type AuditedRequest = Pick<HubRequest, 'requestId' | 'body' | 'bodyBytes'> & {
  readonly request: Pick<HubRequest['request'], 'method'>;
};

const recordedMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'tasks/list',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
]);

/** Rows of a person in a hub per minute. Further messages are refused: their rows would displace those of calls. */
const maxRecorded = 1200;
const windowMs = 60_000;

export class MessageAudit {
  readonly #dependencies: MessageAuditDependencies;
  readonly #counts: RateLimiter;
  /** One row for all refusals of a person in a window. */
  readonly #refusals: RateLimiter;

  constructor(dependencies: MessageAuditDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#counts = createRateLimiter(clock, { maxCount: maxRecorded, windowMs });
    this.#refusals = createRateLimiter(clock, { maxCount: 1, windowMs });
  }

  /** False for requests of which no row can be written here, which are most. */
  concerns({ body }: Pick<AuditedRequest, 'body'>): boolean {
    return !isCall(body);
  }

  /** The refusal of a caller who sends more than is recorded. Rejects with AUDIT_UNAVAILABLE. */
  async findRefusal(principal: HubPrincipal, request: AuditedRequest): Promise<HubRefusal | undefined> {
    const messages = listMessages(request.body).filter(({ method }) => recordedMethods.has(method));
    if (messages.length === 0 || !(await this.#isOn(principal))) return undefined;
    const key = JSON.stringify([principal.hub.id, principal.person.personId]);
    const waitSeconds = this.#counts.tryTake(key, messages.length);
    if (waitSeconds === undefined) return undefined;
    const refusal = createMessageRefusal(waitSeconds);
    if (this.#refusals.tryTake(key) === undefined)
      await this.#record(principal, request, messages.slice(0, 1), { outcome: 'denied', reason: refusal.message });
    return refusal;
  }

  /** `reply` is unread when this resolves. Rejects with AUDIT_UNAVAILABLE; the reply must not be sent then. */
  async record(principal: HubPrincipal, request: AuditedRequest, reply: McpReply): Promise<void> {
    if (!this.concerns(request) || isStreamOnly(request, reply) || !(await this.#isOn(principal))) return;
    const result = await findResult(reply, request.body);
    const isRefused = result.outcome === 'denied';
    // Calls have rows of their own.
    const messages = listMessages(request.body).filter(
      ({ method }) => !isCallMethod(method) && (isRefused || recordedMethods.has(method)),
    );
    await this.#record(principal, request, messages, result);
  }

  async #isOn({ hub }: HubPrincipal): Promise<boolean> {
    return (await this.#dependencies.policy.recordsLists?.(hub.id)) ?? false;
  }

  async #record(
    principal: HubPrincipal,
    { request, requestId, bodyBytes }: AuditedRequest,
    messages: readonly RpcRequest[],
    { outcome, reason, bytes = 0 }: MessageResult,
  ): Promise<void> {
    const { audit, clock } = this.#dependencies;
    const entries = messages.map(
      (message): AuditEntry => ({
        atMs: clock.nowMs(),
        principal: withClient(principal, message),
        method: message.method === '' ? `HTTP ${request.method}` : message.method.slice(0, maxMethodLength),
        connection: undefined,
        tool: getCallTarget(principal, message.params).tool,
        arguments: undefined,
        redact: digestOnly,
        outcome,
        reason,
        durationMs: 0,
        requestBytes: bodyBytes,
        responseBytes: bytes,
        requestId,
      }),
    );
    await Promise.all(entries.map((entry) => audit.record(entry)));
  }
}

const maxMethodLength = 100;

type MessageResult = Pick<AuditEntry, 'outcome' | 'reason'> & { readonly bytes?: number };

function listMessages(body: unknown): RpcRequest[] {
  return (Array.isArray(body) ? body.slice(0, maxBatchSize) : [body]).map(parseRpcRequest);
}

/** GET and DELETE have no message: only their refusals are recorded, and a stream must not be read here. */
function isStreamOnly({ body }: AuditedRequest, { status }: McpReply): boolean {
  return body === undefined && status < 400;
}

/** Answers within a batch are not read. */
async function findResult(reply: McpReply, body: unknown): Promise<MessageResult> {
  const { status } = reply;
  if (status >= 400) return { outcome: 'denied', reason: `refused with HTTP ${status}` };
  if (Array.isArray(body)) return { outcome: 'ok', reason: 'part of a batch' };
  const text = await readJsonText(reply);
  const code = text === undefined ? undefined : findErrorCode(text);
  const bytes = Buffer.byteLength(text ?? '');
  if (code !== undefined) return { outcome: 'denied', reason: `error ${code}`, bytes };
  return { outcome: 'ok', reason: undefined, bytes };
}

/** Undefined for a stream that lasts until the client leaves. */
async function readJsonText(reply: McpReply): Promise<string | undefined> {
  if (reply instanceof JsonReply) return reply.json;
  if (reply instanceof StreamReply) return undefined;
  const text = await reply.clone().text();
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream');
  return isStream ? parseEvents(text).at(-1)?.data : text;
}

function findErrorCode(text: string): number | undefined {
  const message: unknown = text === '' ? undefined : JSON.parse(text);
  if (!isObject(message) || !isObject(message.error)) return undefined;
  return typeof message.error.code === 'number' ? message.error.code : 0;
}

/** What the client says about itself in `initialize`, or in `_meta`. */
function withClient(principal: HubPrincipal, { method, params }: RpcRequest): HubPrincipal {
  const { clientInfo, _meta: meta } = params;
  const client = method === 'initialize' ? clientInfo : isObject(meta) ? meta[CLIENT_INFO_META_KEY] : undefined;
  return isSpecType.Implementation(client) ? { ...principal, client: truncateClientInfo(client) } : principal;
}
