/** One exchange with a caller: what its server is given, whose it is, and what is heard of it before the answer. */
import { createHash } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { UpstreamCall } from '../upstream/call.ts';
import type { CallLimits } from '../words.ts';
import type { Caller } from './caller.ts';
import type { Place } from './catalogue.ts';
import { type Conceal, concealedIn } from './concealment.ts';
import type { HeldCall, HeldOwner, Leg } from './held-calls.ts';

/** A call that has found its place. */
export type Placed = Place & {
  readonly method: string;
  /** As the server calls it. */
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly arguments: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the policy of the hub grants this call. */
  readonly limits?: CallLimits | undefined;
  /** Frees the place of the call; called once, when its server is done with it. */
  readonly done?: (() => void) | undefined;
};

/** Of one call to its caller; a server that floods is cut off there. */
const mostNotifications = 2000;

/** What the caller hears before the answer, cut off where a server floods. */
export function legOf({ signal, progressToken, notify, logLevel }: Caller, conceal: Conceal): Leg {
  let left = mostNotifications;
  const sent = (method: string, params: Record<string, unknown>): void => {
    left -= 1;
    if (left >= 0) notify(method, concealedIn(conceal, params));
  };
  return {
    signal,
    onProgress:
      progressToken === undefined
        ? undefined
        : (progress) => sent('notifications/progress', { ...progress, progressToken }),
    onLog: logLevel === undefined ? undefined : (message) => sent('notifications/message', message),
  };
}

/** Whose held call it is: the same person, by the same way, for the same thing. */
export function ownerOf({ principal }: Caller, { connection, method, name, arguments: args }: Placed): HeldOwner {
  const { hub, person, via } = principal;
  const way = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  const { personId } = person;
  const key = JSON.stringify([hub.id, personId, via.kind, way, connection.id, method, name]);
  return { personId, key, argumentsDigest: digestOf(args) };
}

/** The same for the same members in another order: clients write a call anew to go on with it. */
function digestOf(args: unknown): string {
  const text = JSON.stringify(args, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256')
    .update(text ?? '')
    .digest('base64url');
}

/** The call as its server gets it; `held` where the server may ask something. */
export function upstreamCall(caller: Caller, placed: Placed, leg: Leg, held: HeldCall | undefined): UpstreamCall {
  const { principal, capabilities, logLevel } = caller;
  const heard = held ?? { leg };
  return {
    personId: principal.person.personId,
    principal,
    capabilities,
    signal: held?.abort.signal ?? leg.signal,
    onProgress: leg.onProgress && ((progress) => heard.leg.onProgress?.(progress)),
    onLog: (message) => heard.leg.onLog?.(message),
    logLevel,
    timeoutMs: placed.limits?.timeoutMs,
    answerBytes: placed.limits?.answerBytes,
    ask:
      held &&
      (async (question) => {
        if (canAnswer(capabilities, question.method)) return held.ask(question);
        throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the caller cannot be asked that');
      }),
    ...(placed.headers && Object.keys(placed.headers).length > 0 ? { headers: placed.headers } : {}),
  };
}

function canAnswer({ sampling, elicitation, roots }: Caller['capabilities'], method: string): boolean {
  if (method === 'sampling/createMessage') return sampling !== undefined;
  if (method === 'elicitation/create') return elicitation !== undefined;
  return method === 'roots/list' && roots !== undefined;
}
