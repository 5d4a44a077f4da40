/**
 * What came of a sign-in at a connection's server, as the address says that the browser came back with. Anybody may write
 * such an address: nothing of it is shown but what is known here, and success only where the connection says so too.
 */
import type { HubConnection } from '../../contract/hub-api.ts';
import { errorTable } from '../../errors/table.ts';

/** `connection` is undefined where nothing is known of it. */
export type SignInEnd =
  | { readonly signedIn: string }
  | { readonly connection: string | undefined; readonly code: string; readonly why: string; readonly cure: string };

/** Why it ended, and what to do. */
type Ending = readonly [why: string, cure: string];
const endings: ReadonlyMap<string, Ending> = new Map([
  [
    'CONNECTION_SIGN_IN_REFUSED',
    ['its page refused, or you did', 'Begin it again at the connection, and allow what its page asks for'],
  ],
  [
    'CONNECTION_SIGN_IN_OVER',
    [
      'it was finished before, took more than 10 minutes, or began in another browser',
      'Begin it again at the connection',
    ],
  ],
  [
    'CONNECTION_SIGN_IN_UNTRUSTED',
    ['what came back is not to be trusted', 'Do not sign in there; ask who runs that server'],
  ],
  [
    'CONNECTION_SIGN_IN_UNAVAILABLE',
    [
      'the server gave no way to finish it',
      'Ask who runs that server; where it does not let hubs register themselves, give the connection a client id',
    ],
  ],
]);
const other: Ending = ['it broke off', 'Begin it again at the connection'];

/** Undefined where the address says nothing, or nothing that is so. */
export function signInEndOf(
  search: URLSearchParams,
  connections: readonly Pick<HubConnection, 'name' | 'sign_in'>[],
): SignInEnd | undefined {
  const [code, signedIn] = [search.get('problem'), search.get('signed_in')];
  if (code !== null) {
    if (!Object.hasOwn(errorTable, code)) return undefined;
    const [why, cure] = endings.get(code) ?? other;
    return { connection: connections.find(({ name }) => name === search.get('connection'))?.name, code, why, cure };
  }
  const connection = connections.find(({ name }) => name === signedIn);
  return connection?.sign_in?.signed_in ? { signedIn: connection.name } : undefined;
}
