/** What a program that somebody let in may do, by the scopes that they allowed. Whoever holds a token of their own has all. */
import { hubScopes } from '../identity/oauth/resources.ts';
import { insufficientScope } from './door-refusals.ts';
import type { HubPrincipal, HubRefusal } from './words.ts';

/** Methods of MCP that use what a hub has; all others tell what there is. */
const using = ['tools/call', 'prompts/get', 'resources/read', 'resources/subscribe', 'completion/complete', 'tasks/'];

function isUse(message: unknown): boolean {
  const method = typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined;
  return (
    typeof method === 'string' && using.some((one) => method === one || (one.endsWith('/') && method.startsWith(one)))
  );
}

/** The scopes that a client had best ask for at once. */
export const allHubScopes = hubScopes.join(' ');

/** The refusal of a request (a message, or several) that needs more than was allowed; undefined where it may go on. */
export function scopeRefusal({ via }: HubPrincipal, body: unknown): HubRefusal | undefined {
  if (via.kind !== 'grant') return undefined;
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const [read, call] = hubScopes;
  const isEnough = messages.every(
    (message) => via.scopes.includes(isUse(message) ? call : read) || (!isUse(message) && via.scopes.includes(call)),
  );
  return isEnough ? undefined : insufficientScope(allHubScopes);
}
