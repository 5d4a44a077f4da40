/** Records calls that were refused before they were resolved. */

import { isObject } from '../../json/json-object.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { digestOnly } from '../policy/call-policy.ts';
import { taskMethods } from '../tasks/task-results.ts';
import type { IncomingRequest } from './call-context.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { parseRpcRequest, type RpcRequest } from './rpc-request.ts';
import { parseWrappedCall } from './unwrapped-call.ts';

const callMethods: readonly string[] = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
  ...taskMethods,
];

export function isCallMethod(method: string): boolean {
  return callMethods.includes(method);
}

/** True for one call, outside of a batch. */
export function isCall(body: unknown): boolean {
  return isObject(body) && typeof body.method === 'string' && isCallMethod(body.method);
}

/** True for one call that a handler has received. */
export function isHandled({ handledIds }: Pick<IncomingRequest, 'handledIds'>, body: unknown): boolean {
  if (!isObject(body)) return false;
  const { id } = body;
  return (typeof id === 'string' || typeof id === 'number') && handledIds.has(id);
}

/** Longer batches are refused as a whole. */
export const maxBatchSize = 100;

/** The calls in a message, or in a batch of an older era. */
export function findCalls(body: unknown): readonly RpcRequest[] {
  const messages = Array.isArray(body) ? body.slice(0, maxBatchSize) : [body];
  return messages.map(parseRpcRequest).filter(({ method }) => isCallMethod(method));
}

type AuditDependencies = Pick<GatewayOptions, 'audit' | 'clock'>;

/** Throws AUDIT_UNAVAILABLE. */
export async function auditRefusedCalls(
  { audit, clock }: AuditDependencies,
  { principal, requestId, requestBytes }: Pick<IncomingRequest, 'principal' | 'requestId' | 'requestBytes'>,
  calls: readonly RpcRequest[],
  reason: string,
): Promise<void> {
  const refusalDetails = {
    connection: undefined,
    redact: digestOnly,
    outcome: 'denied',
    reason,
  } as const;
  const sizes = { durationMs: 0, requestBytes, responseBytes: 0 };
  const rows = calls.map(({ method, params }) =>
    audit.record({
      ...refusalDetails,
      ...sizes,
      ...getCallTarget(principal, params),
      atMs: clock.nowMs(),
      principal,
      method,
      requestId,
    }),
  );
  await Promise.all(rows);
}

export function getCallTarget(
  principal: HubPrincipal,
  { name, uri, arguments: args }: RpcRequest['params'],
): { tool: string | undefined; arguments: unknown } {
  const wrapped = parseWrappedCall(principal, name, args);
  if (wrapped) return { tool: wrapped.name, arguments: wrapped.arguments };
  const tool = [name, uri].find((value) => typeof value === 'string');
  return { tool: typeof tool === 'string' ? tool : undefined, arguments: args };
}

/** Records the calls that no handler received. */
export async function auditUnhandledCalls(
  dependencies: AuditDependencies,
  incoming: IncomingRequest,
  body: unknown,
  { status }: Pick<Response, 'status'>,
): Promise<void> {
  const findUnhandled = (): readonly RpcRequest[] =>
    findCalls(body).filter(({ id }) => id === null || !incoming.handledIds.has(id));
  if (findUnhandled().length === 0) return;
  // Handlers start within this turn, even if the response is an open stream.
  await new Promise((resolve) => setImmediate(resolve));
  const reason = status === 200 ? 'not a valid request' : `refused with HTTP ${status} before it was handled`;
  await auditRefusedCalls(dependencies, incoming, findUnhandled(), reason);
}
