/** `sslmode`, `ssl` and `sslrootcert` of a JDBC URL (jdbc.postgresql.org/documentation/ssl) → what is tried, in order. */
import type { ConnectionOptions } from 'node:tls';
import { vpError } from '../../errors/vp-error.ts';
import { readCertificates, rootsWith } from '../../outbound/tls-roots.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import { addressOfDatabase } from './words.ts';

/** One way to connect: without TLS, or with these options. */
export type TlsAttempt = false | ConnectionOptions;

const unverified: ConnectionOptions = { rejectUnauthorized: false };

/** The attempts; a later one is for servers that do not take the one before. Throws DATABASE_TLS and EXECUTOR_CA_UNREADABLE. */
export function tlsAttempts(target: DatabaseTarget, extraRoots: readonly string[]): readonly TlsAttempt[] {
  const mode = modeOf(target.parameters);
  switch (mode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, unverified];
    case 'prefer':
      return [unverified, false];
    case 'require':
      return [unverified];
    case 'verify-ca':
      return [{ ...verified(target, extraRoots), checkServerIdentity: () => undefined }];
    case 'verify-full':
      return [verified(target, extraRoots)];
    default:
      throw vpError('DATABASE_TLS', {
        address: addressOfDatabase(target),
        reason: `sslmode \`${mode}\` is none of disable, allow, prefer, require, verify-ca, verify-full`,
      });
  }
}

function modeOf({ sslmode, ssl }: DatabaseTarget['parameters']): string {
  if (sslmode !== undefined) return sslmode.toLowerCase();
  return ssl === '' || ssl?.toLowerCase() === 'true' ? 'verify-full' : 'prefer';
}

function verified({ parameters: { sslrootcert } }: DatabaseTarget, extraRoots: readonly string[]): ConnectionOptions {
  const ca = sslrootcert === undefined ? rootsWith(extraRoots) : readCertificates(sslrootcert);
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}
