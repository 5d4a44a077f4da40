/** Calls that were refused before anybody looked for what they name: the audit has them too. */
import type { Arrived } from './caller.ts';
import type { GatewayPorts } from './ports.ts';
import { type Asked, askedOf } from './rpc-answers.ts';

const callMethods: readonly string[] = ['tools/call', 'prompts/get', 'resources/read', 'completion/complete'];
/** Of one batch; it is refused as a whole where it is longer. */
const mostOfBatch = 100;

/** The calls of a body: a message, or a batch of an older era. */
export function callsIn(body: unknown): readonly Asked[] {
  const messages = Array.isArray(body) ? body.slice(0, mostOfBatch) : [body];
  return messages.map(askedOf).filter(({ method }) => callMethods.includes(method));
}

type Parts = Pick<GatewayPorts, 'audit' | 'clock'>;

/** Tells the audit of `calls` which nobody has begun. Throws AUDIT_UNAVAILABLE. */
export async function tellRefused(
  { audit, clock }: Parts,
  { principal, requestId, requestBytes }: Pick<Arrived, 'principal' | 'requestId' | 'requestBytes'>,
  calls: readonly Asked[],
  reason: string,
): Promise<void> {
  const told = { connection: undefined, redact: { keep: false, hide: [] }, outcome: 'denied', reason } as const;
  const sizes = { durationMs: 0, requestBytes, answerBytes: 0 };
  const rows = calls.map(({ method, params }) =>
    audit.record({ ...told, ...sizes, ...namedIn(params), atMs: clock.nowMs(), principal, method, requestId }),
  );
  await Promise.all(rows);
}

function namedIn({ name, uri, arguments: args }: Asked['params']): { tool: string | undefined; arguments: unknown } {
  const tool = [name, uri].find((value) => typeof value === 'string');
  return { tool: typeof tool === 'string' ? tool : undefined, arguments: args };
}

/** Tells the audit of the calls that an answer refused although none of them was begun. */
export async function tellUnbegun(
  parts: Parts,
  arrived: Arrived,
  body: unknown,
  { status }: Pick<Response, 'status'>,
): Promise<void> {
  const unbegun = (): readonly Asked[] => callsIn(body).filter(({ id }) => id === null || !arrived.begun.has(id));
  if (unbegun().length === 0) return;
  // Handlers begin within this turn, also where the answer is a stream that is open already.
  await new Promise((resolve) => setImmediate(resolve));
  const reason = status === 200 ? 'not a valid request' : `refused with HTTP ${status} before it was looked at`;
  await tellRefused(parts, arrived, unbegun(), reason);
}
