/**
 * Removes a connection's credential from what its server returns: a server that echoes requests must not reveal it to
 * callers.
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import type { UpstreamTokenSource } from '../sign-in/token-source.ts';

/** Returns JSON text without the credential. */
export type CredentialMask = (json: string) => string;

/** `tokenSource` knows the tokens that were sent. */
export type MaskTarget = {
  readonly connection: UpstreamConnection;
  readonly upstream: { readonly tokenSource?: Pick<UpstreamTokenSource, 'sentTokens'> | undefined };
};

/** Masking shorter texts would hide unrelated words. */
const minSecretLength = 6;
/** Of a connection without a credential. */
export const noMask: CredentialMask = (json) => json;

/** Reads the credential of a connection once per revision. */
export class CredentialMasker {
  readonly #secrets: Pick<ConnectionSecrets, 'header'>;
  readonly #masks = new WeakMap<UpstreamConnection, Promise<CredentialMask>>();

  constructor(secrets: Pick<ConnectionSecrets, 'header'>) {
    this.#secrets = secrets;
  }

  /** Rejects if the credential cannot be read. */
  getMask({ connection, upstream }: MaskTarget): Promise<CredentialMask> | CredentialMask {
    // The access token that a call used is known only after it returns.
    if (connection.credential.kind === 'oauth')
      return (json) => removeSecrets(upstream.tokenSource?.sentTokens ?? [], json);
    if (connection.credential.kind !== 'header') return noMask;
    const cached = this.#masks.get(connection);
    if (cached) return cached;
    const reading = this.#secrets.header(connection.id).then((header) => createMask(header?.value));
    this.#masks.set(connection, reading);
    reading.catch(() => this.#masks.delete(connection));
    return reading;
  }
}

/** In `Bearer abc` the last word is the secret. */
function createMask(value: string | undefined): CredentialMask {
  const secret = value?.trim().split(/\s+/).at(-1) ?? '';
  return secret.length < minSecretLength ? noMask : (json) => removeSecrets([secret], json);
}

function removeSecrets(secrets: readonly string[], json: string): string {
  return secrets.reduce((masked, secret) => {
    const asJson = JSON.stringify(secret).slice(1, -1);
    return secret.length >= minSecretLength && masked.includes(asJson) ? masked.replaceAll(asJson, '[hidden]') : masked;
  }, json);
}

export function maskJson<T extends object>(mask: CredentialMask, value: T): T {
  if (mask === noMask) return value;
  const json = JSON.stringify(value);
  const masked = mask(json);
  return masked === json ? value : JSON.parse(masked);
}

/** Masks a server's protocol error. Other errors contain no text of a server and stay as they are. */
export function maskError(mask: CredentialMask, error: unknown): unknown {
  if (mask === noMask || !(error instanceof ProtocolError)) return error;
  const { code, message, data } = error;
  const masked = maskJson(mask, { message, data });
  return masked.message === message && masked.data === data
    ? error
    : new ProtocolError(code, masked.message, masked.data);
}
