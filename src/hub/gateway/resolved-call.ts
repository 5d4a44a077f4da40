/** A resolved call: its options for the server, its owner, and the notifications for its caller. */
import { createHash } from 'node:crypto';
import {
  type CallToolRequest,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
} from '@modelcontextprotocol/server';
import { hasMembers, isObject } from '../../json/json-object.ts';
import { stringifyInPieces } from '../../json/json-pieces.ts';
import { SentJson } from '../../json/sent-json.ts';
import { takeTurnForText } from '../../timing/large-text-turn.ts';
import type { UpstreamItem } from '../connections/connection.ts';
import type { BudgetUse, CallLimits, DecideAnswer, PolicyCall } from '../policy/call-policy.ts';
import { withPublicRelation } from '../tasks/task-results.ts';
import { type CredentialMask, maskJson } from '../upstream/credential-masker.ts';
import {
  acceptsQuestions,
  canClientAnswer,
  type UpstreamCallOptions,
  type UpstreamQuestion,
} from '../upstream/upstream-call.ts';
import type { CallContext } from './call-context.ts';
import type { ConnectionRoute, ResolvedTool } from './catalogue.ts';
import type { CallerExchange, PendingCall, PendingCallOwner } from './pending-calls.ts';

/** A call of a tool by its public name. */
export type ToolRequest = Pick<CallToolRequest['params'], 'name' | 'arguments'> & {
  readonly task?: Readonly<Record<string, unknown>> | undefined;
  /** The tool of that name, where it was found before. */
  readonly resolved?: ResolvedTool | undefined;
};

/** A call with its route. */
export type ResolvedCall = Pick<ConnectionRoute, 'connection'> & {
  readonly upstream: Pick<ConnectionRoute['upstream'], 'send' | 'tokenSource'>;
  readonly method: string;
  /** The server's own name of the item. */
  readonly name: string;
  /** The prompt as its server lists it to the caller. */
  readonly original?: UpstreamItem | undefined;
  readonly params: Record<string, unknown>;
  /** False for a resource that its server does not offer; undefined for anything else. */
  readonly isListed?: boolean;
  readonly arguments: unknown;
  /** See `PolicyCall`. */
  readonly exactArguments?: unknown;
  /** See `PolicyCall`. */
  readonly ruleArguments?: PolicyCall['ruleArguments'];
  readonly headers?: Readonly<Record<string, string>>;
  /** Limits from the hub's policy. */
  readonly limits?: CallLimits | undefined;
  /** Applies the policy to an answer that the client gives during the call. */
  readonly decideAnswer?: DecideAnswer | undefined;
  /** Replaces ids of the server's tasks in its result, which is masked afterwards; `mask` is for what is remembered of it. */
  readonly mapResult?: ((result: Record<string, unknown>, mask: CredentialMask) => Record<string, unknown>) | undefined;
  /** The public id of the task that the call is about. */
  readonly publicTaskId?: string | undefined;
  /** Sends the call, where that takes more than one request. */
  readonly sendCall?:
    | ((params: Record<string, unknown>, options: UpstreamCallOptions) => Promise<Record<string, unknown>>)
    | undefined;
  /** True for a result of the hub itself, which has its public names. */
  readonly isPublic?: boolean;
  /** What the call uses of budgets; undefined without them. */
  readonly budget?: BudgetUse | undefined;
  /** Releases the rate limit; called once, when the server has finished. */
  readonly release?: (() => void) | undefined;
};

/** Per call; a server that floods is cut off. */
const maxNotifications = 2000;

/** Notifications to the caller, limited in number. */
export function createExchange(
  { signal, progressToken, notify, logLevel }: CallContext,
  mask: CredentialMask,
): CallerExchange {
  let remaining = maxNotifications;
  const sendNotification = (method: string, params: Record<string, unknown>): void => {
    remaining -= 1;
    if (remaining >= 0) notify(method, maskJson(mask, params));
  };
  return {
    signal,
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) => sendNotification('notifications/progress', { ...progress, progressToken }),
    onLog: logLevel === undefined ? undefined : (message) => sendNotification('notifications/message', message),
  };
}

/** The owner of a pending call: the same person, credential and item. */
export function getCallOwner(
  { principal }: CallContext,
  {
    connection,
    method,
    name,
    arguments: args,
  }: Pick<ResolvedCall, 'method' | 'name' | 'arguments'> & { readonly connection: { readonly id: string } },
): PendingCallOwner {
  const { hub, person, via } = principal;
  const credentialId = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  const { personId } = person;
  const key = JSON.stringify([hub.id, personId, via.kind, credentialId, connection.id, method, name]);
  let unread = args;
  let digest: string | undefined;
  return {
    personId,
    key,
    // Few calls need it, and of large arguments it takes long.
    get argumentsDigest() {
      digest ??= digestArguments(unread);
      unread = undefined;
      return digest;
    },
  };
}

/** Independent of the order of members: clients serialize a call again when they continue it. */
function digestArguments(args: unknown): string {
  const text = JSON.stringify(args, (_name, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest('base64url');
}

type AskCaller = (question: UpstreamQuestion) => Promise<Record<string, unknown>>;

/** The client receives no metadata of a question but the task that it belongs to. */
function pickRelation(meta: unknown): Record<string, unknown> | undefined {
  const relation = isObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
  return relation === undefined ? undefined : { [RELATED_TASK_META_KEY]: relation };
}

type QuestionListener = {
  /** Called with the parameters of each question before the client gets it. */
  onQuestion(params: Record<string, unknown>): void;
  /** Called with each answer, by the method of its question; throws if the server must not get it. */
  onAnswer(method: string, answer: Record<string, unknown>): Promise<void>;
};

/** The session of a client of an older revision; null without one. The header of a newest one was not checked, and says nothing. */
export function findSessionId({ era, headers }: Pick<CallContext, 'era' | 'headers'>): string | null {
  return era === 'older' ? headers.get('mcp-session-id') : null;
}

/** Asks a client of an older era on the stream of its call. */
export function createAskCaller(
  { ask }: CallContext,
  mask: CredentialMask,
  { publicTaskId }: ResolvedCall,
  { onQuestion, onAnswer }: QuestionListener,
): AskCaller | undefined {
  return (
    ask &&
    (async ({ method, params }) => {
      const { _meta, ...rest } = params;
      const relation =
        publicTaskId === undefined ? {} : withPublicRelation({ _meta: pickRelation(_meta) }, publicTaskId);
      const publicParams = { ...rest, ...relation };
      onQuestion(params);
      const answer = await ask(method, maskJson(mask, publicParams));
      await onAnswer(method, answer);
      return answer;
    })
  );
}

/** Options of a call for its server, which may ask questions with `ask`. */
export function toUpstreamCallOptions(
  context: CallContext,
  resolved: ResolvedCall,
  exchange: CallerExchange,
  ask: AskCaller | undefined,
  pendingCall?: PendingCall,
): UpstreamCallOptions {
  const { principal, capabilities, logLevel } = context;
  const current = pendingCall ?? { exchange };
  return {
    personId: principal.person.personId,
    sessionId: findSessionId(context) ?? undefined,
    hubPath: principal.hubPath,
    principal,
    capabilities,
    signal: pendingCall?.controller.signal ?? exchange.signal,
    onProgress: exchange.onProgress && ((progress) => current.exchange.onProgress?.(progress)),
    onLog: (message) => current.exchange.onLog?.(message),
    logLevel,
    prefersOlderEra: context.era === 'older' && acceptsQuestions(capabilities),
    timeoutMs: resolved.limits?.timeoutMs,
    maxResponseBytes: resolved.limits?.maxResponseBytes,
    askCaller:
      ask &&
      (async (question) => {
        if (canClientAnswer(capabilities, question.method)) return ask(question);
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller does not support this request');
      }),
    headers: resolved.headers && hasMembers(resolved.headers) ? resolved.headers : undefined,
  };
}

/** Of 64 KB each. */
const piecesPerTurn = 4;

/** Arguments of megabytes, written step by step; undefined where the text is known, and for a request without arguments. */
export async function writeLargeArguments(
  { arguments: args }: Readonly<Record<string, unknown>>,
  requestBytes: number,
): Promise<SentJson | undefined> {
  if (args === undefined || args instanceof SentJson) return undefined;
  const pieces: string[] = [];
  for (const piece of stringifyInPieces(args)) {
    pieces.push(piece);
    if (pieces.length % piecesPerTurn === 0) await takeTurnForText(requestBytes);
  }
  return new SentJson(pieces.join(''), args);
}
