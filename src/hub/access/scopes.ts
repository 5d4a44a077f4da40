/** What an OAuth client may do, by its granted scopes. Personal access tokens have all scopes. */
import { hubScopes } from '../../identity/oauth/resources/resources.ts';
import { isObject } from '../../json/json-object.ts';
import type { HubPrincipal, HubRefusal } from './principal.ts';
import { createScopeRefusal } from './refusals.ts';

/** MCP methods that need the call scope; all others need the read scope. */
const callMethods = [
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'tasks/',
];

function needsCallScope(message: unknown): boolean {
  const method = isObject(message) && 'method' in message ? message.method : undefined;
  return (
    typeof method === 'string' &&
    callMethods.some(
      (callMethod) => method === callMethod || (callMethod.endsWith('/') && method.startsWith(callMethod)),
    )
  );
}

/** The scopes that a client should request. */
export const allHubScopes = hubScopes.join(' ');

/** Returns the refusal of a message or batch that needs more scopes than were granted, otherwise undefined. */
export function findScopeRefusal({ via }: HubPrincipal, body: unknown): HubRefusal | undefined {
  if (via.kind !== 'grant') return undefined;
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  const [read, call] = hubScopes;
  const isSufficient = messages.every(
    (message) =>
      via.scopes.includes(needsCallScope(message) ? call : read) ||
      (!needsCallScope(message) && via.scopes.includes(call)),
  );
  return isSufficient ? undefined : createScopeRefusal(allHubScopes);
}
