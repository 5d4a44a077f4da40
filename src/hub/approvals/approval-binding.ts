/**
 * The call that an approval is for: the bytes that would be sent, and everything that decides what they mean. Two calls are the same only
 * if all of it is the same. The order of members counts, because some servers give it a meaning, and so does the text of numbers.
 */
import { hash } from 'node:crypto';
import { isObject } from '../../json/json-object.ts';
import type { DefinitionPinRow } from '../../store/control/hubs/definition-pins.ts';
import type { HubPrincipal } from '../access/principal.ts';
import type { ApprovalRequirement, PolicyCall } from '../policy/call-policy.ts';

/** The parts of a call that its server gets. `arguments` have their numbers as they were sent. */
export type ApprovalCall = {
  readonly arguments: unknown;
  readonly meta?: unknown;
  readonly answers?: unknown;
  readonly requestState?: string | undefined;
  /** How the call runs as a task. */
  readonly task?: unknown;
};

/** As it is stored for the approvers. */
export function serializeCall({ arguments: args, meta, answers, requestState, task }: ApprovalCall): string {
  return JSON.stringify({
    arguments: args ?? {},
    ...(isObject(meta) ? withoutTrace(meta) : {}),
    ...(answers === undefined ? {} : { answers }),
    ...(requestState === undefined ? {} : { requestState }),
    ...(task === undefined ? {} : { task }),
  });
}

const traceParent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A trace id differs with each attempt and can carry nothing else. */
function withoutTrace({ traceparent, ...meta }: Record<string, unknown>): { readonly _meta?: unknown } {
  const isTrace = typeof traceparent === 'string' && traceParent.test(traceparent);
  const members = isTrace || traceparent === undefined ? meta : { traceparent, ...meta };
  return Object.keys(members).length === 0 ? {} : { _meta: members };
}

/** The prefix keeps it from looking like a flag. */
export function digestCall(callText: string): string {
  return `c.${hash('sha256', callText, 'base64url')}`;
}

/** Digest of the definition that a call is for: the approved one, or the waiting one that an owner tries. */
export function digestPinned({ approved, waiting }: Pick<DefinitionPinRow, 'approved' | 'waiting'>): string {
  return hash('sha256', waiting ?? approved ?? '', 'base64url');
}

type BoundCall = Pick<PolicyCall, 'principal' | 'connection' | 'tool'>;

/** The same person with the same credential calls the same tool, server, definition and arguments under the same policy. */
export function digestBinding(
  { principal, connection, tool }: BoundCall,
  { policyRevision, pin }: Pick<ApprovalRequirement, 'policyRevision' | 'pin'>,
  callDigest: string,
): string {
  const { hub, person, via } = principal;
  const parts = [hub.id, person.personId, via.kind, getCredentialId(via)];
  const server = [connection.id, connection.revision, connection.url ?? connection.command ?? '', tool];
  return hash('sha256', JSON.stringify([...parts, ...server, pin, policyRevision, callDigest]), 'base64url');
}

function getCredentialId(via: HubPrincipal['via']): string {
  if (via.kind === 'token') return via.tokenId;
  return via.kind === 'grant' ? via.clientId : '';
}
