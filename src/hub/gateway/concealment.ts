/** The credential of a connection in what its server says: a server that echoes its requests must not tell it to callers. */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { ConnectedServer } from '../upstream/connected-server.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';

/** Gives JSON text without the credential; the same text where it is not there. */
export type Conceal = (json: string) => string;

type Told = { readonly connection: Connection; readonly upstream: Pick<ConnectedServer, 'grant'> };

/** Shorter ones would hide words that mean something else. */
const shortest = 6;
const nothing: Conceal = (json) => json;

/** The credentials of connections, read once for each state of their record. */
export class Concealment {
  readonly #secrets: Pick<ConnectionSecrets, 'header'>;
  readonly #known = new WeakMap<Connection, Promise<Conceal>>();

  constructor(secrets: Pick<ConnectionSecrets, 'header'>) {
    this.#secrets = secrets;
  }

  /** Rejects where the credential cannot be read. */
  of({ connection, upstream }: Told): Promise<Conceal> | Conceal {
    // Which token a call goes out with is known once it is back.
    if (connection.credential.kind === 'oauth') return (json) => without(upstream.grant?.tokensSent ?? [], json);
    if (connection.credential.kind !== 'header') return nothing;
    const known = this.#known.get(connection);
    if (known) return known;
    const reading = this.#secrets.header(connection.id).then((header) => concealing(header?.value));
    this.#known.set(connection, reading);
    reading.catch(() => this.#known.delete(connection));
    return reading;
  }
}

/** Of `Bearer abc` the second word is the secret, of `abc` the whole. */
function concealing(value: string | undefined): Conceal {
  const secret = value?.trim().split(/\s+/).at(-1) ?? '';
  return secret.length < shortest ? nothing : (json) => without([secret], json);
}

function without(secrets: readonly string[], json: string): string {
  return secrets.reduce((told, secret) => {
    const asJson = JSON.stringify(secret).slice(1, -1);
    return secret.length >= shortest && told.includes(asJson) ? told.replaceAll(asJson, '[hidden]') : told;
  }, json);
}

/** The same for a value that is JSON. */
export function concealedIn<T extends object>(conceal: Conceal, value: T): T {
  if (conceal === nothing) return value;
  const json = JSON.stringify(value);
  const told = conceal(json);
  return told === json ? value : JSON.parse(told);
}

/** The same for a server's refusal; any other error as it is, since it holds no text of a server. */
export function concealedError(conceal: Conceal, error: unknown): unknown {
  if (conceal === nothing || !(error instanceof ProtocolError)) return error;
  const { code, message, data } = error;
  const told = concealedIn(conceal, { message, data });
  return told.message === message && told.data === data ? error : new ProtocolError(code, told.message, told.data);
}
