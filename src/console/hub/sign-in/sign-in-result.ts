/**
 * The result of a sign-in at the server of a connection, read from the URL that the browser returned with. Anyone can craft
 * such a URL, so none of its text is displayed, and success is reported only if the connection confirms it.
 */
import type { HubConnection } from '../../../contract/hubs/hubs-api.ts';
import { errorTable } from '../../../errors/table.ts';

/** `connection` is undefined if the hub has no connection of that name. */
export type ConnectionSignInResult =
  | { readonly signedInTo: string }
  | { readonly connection: string | undefined; readonly code: string; readonly reason: string; readonly cure: string };

type FailureText = readonly [reason: string, cure: string];
const failures: ReadonlyMap<string, FailureText> = new Map([
  [
    'CONNECTION_SIGN_IN_REFUSED',
    [
      'access was denied on its sign-in page, or its authorization server rejected the sign-in',
      'Start the sign-in again from the connection and allow the requested access. If you have allowed it, contact the operator of that server',
    ],
  ],
  [
    'CONNECTION_SIGN_IN_OVER',
    [
      'it was already completed, took more than 10 minutes, or was started in another browser',
      'Start the sign-in again from the connection',
    ],
  ],
  [
    'CONNECTION_SIGN_IN_UNANSWERED',
    [
      'its authorization server cannot sign anyone in now',
      'Check that it runs, then start the sign-in again from the connection',
    ],
  ],
  [
    'CONNECTION_UNKNOWN',
    ['the connection was removed in the meantime', 'Ask an owner of the hub to add it again if it is needed'],
  ],
  [
    'CONNECTION_SIGN_IN_NONE',
    ['the connection has no sign-in any more', 'Ask an owner of the hub which credential it has now'],
  ],
  [
    'HUB_ROLE_INSUFFICIENT',
    ['your role in the hub no longer allows it', 'Ask an owner of the hub to sign in, or to give you the role'],
  ],
  [
    'CONNECTION_SIGN_IN_UNTRUSTED',
    ['the response cannot be trusted', 'Do not sign in there. Contact the operator of that server'],
  ],
  [
    'CONNECTION_SIGN_IN_UNAVAILABLE',
    [
      'the server does not support completing it',
      'Contact the operator of that server. If hubs cannot register themselves there, give the connection a client id',
    ],
  ],
]);
const unknownFailure: FailureText = ['an unexpected error occurred', 'Start the sign-in again from the connection'];

/** Undefined if the URL has no result, or one that is not confirmed. */
export function parseConnectionSignInResult(
  search: URLSearchParams,
  connections: readonly Pick<HubConnection, 'name' | 'sign_in'>[],
): ConnectionSignInResult | undefined {
  const [code, connectionName] = [search.get('problem'), search.get('signed_in')];
  if (code !== null) {
    if (!Object.hasOwn(errorTable, code)) return undefined;
    const [reason, cure] = failures.get(code) ?? unknownFailure;
    return { connection: connections.find(({ name }) => name === search.get('connection'))?.name, code, reason, cure };
  }
  const connection = connections.find(({ name }) => name === connectionName);
  return connection?.sign_in?.signed_in ? { signedInTo: connection.name } : undefined;
}
