/**
 * Converts `sslmode`, `ssl` and `sslrootcert` of a JDBC URL (jdbc.postgresql.org/documentation/ssl) to TLS attempts, in
 * order.
 */
import type { ConnectionOptions } from 'node:tls';
import { vpError } from '../../errors/vp-error.ts';
import { readCertificates, resolveTrustedRoots } from '../../outbound/tls-roots.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { formatDatabaseAddress } from './format.ts';

/** One attempt to connect: without TLS, or with these options. */
export type TlsAttempt = false | ConnectionOptions;

const unverifiedOptions: ConnectionOptions = { rejectUnauthorized: false };

/** A later attempt is for servers that refuse the one before. Throws DATABASE_TLS and EXECUTOR_CA_UNREADABLE. */
export function tlsAttempts(target: DatabaseTarget, extraRoots: readonly string[]): readonly TlsAttempt[] {
  const mode = readSslMode(target.parameters);
  switch (mode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, unverifiedOptions];
    case 'prefer':
      return [unverifiedOptions, false];
    case 'require':
      return [unverifiedOptions];
    case 'verify-ca':
      return [{ ...createVerifiedOptions(target, extraRoots), checkServerIdentity: () => undefined }];
    case 'verify-full':
      return [createVerifiedOptions(target, extraRoots)];
    default:
      throw vpError('DATABASE_TLS', {
        address: formatDatabaseAddress(target),
        reason: `sslmode \`${mode}\` is not one of disable, allow, prefer, require, verify-ca, verify-full`,
      });
  }
}

function readSslMode({ sslmode, ssl }: DatabaseTarget['parameters']): string {
  if (sslmode !== undefined) return sslmode.toLowerCase();
  return ssl === '' || ssl?.toLowerCase() === 'true' ? 'verify-full' : 'prefer';
}

function createVerifiedOptions(
  { parameters: { sslrootcert } }: DatabaseTarget,
  extraRoots: readonly string[],
): ConnectionOptions {
  const ca = sslrootcert === undefined ? resolveTrustedRoots(extraRoots) : readCertificates(sslrootcert);
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}
