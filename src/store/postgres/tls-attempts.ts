/** `sslmode` with the meaning that it has in libpq (PostgreSQL documentation, 34.19), as TLS options in order. */
import type { ConnectionOptions } from 'node:tls';
import { vpError } from '../../errors/vp-error.ts';
import { readConnectionFile } from './connection-files.ts';
import type { ConnectionParameters, SslMode } from './connection-parameters.ts';

/** PEM texts. Without `ca`, the roots of the runtime are trusted. */
export type TlsFiles = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** One attempt to connect: without TLS, or with these options. */
export type PostgresTls = false | ConnectionOptions;

/** Reads `sslrootcert`, `sslcert` and `sslkey`. Throws STORE_DATABASE_FILE, and `fail` for parts that do not go together. */
export function readTlsFiles(parameters: ConnectionParameters, fail: (problem: string) => Error): TlsFiles {
  const { sslmode, sslrootcert, sslcert, sslkey } = parameters;
  if ((sslcert === undefined) !== (sslkey === undefined)) throw fail('`sslcert` and `sslkey` need each other');
  const usesSystemRoots = sslrootcert === undefined || sslrootcert === 'system';
  // Anyone gets a certificate of a public authority: only its name says whose it is.
  if (sslmode === 'verify-ca' && usesSystemRoots)
    throw fail('`sslmode=verify-ca` needs `sslrootcert=<file.pem>`; use `sslmode=verify-full` for public authorities');
  return {
    ...(usesSystemRoots ? {} : { ca: readPem(sslrootcert, '`sslrootcert`', 'public') }),
    ...(sslcert === undefined ? {} : { cert: readPem(sslcert, '`sslcert`', 'public') }),
    ...(sslkey === undefined ? {} : { key: readPem(sslkey, '`sslkey`', 'key') }),
  };
}

function readPem(file: string, source: string, access: 'public' | 'key'): string {
  const text = readConnectionFile(file, source, access);
  if (/-----BEGIN [A-Z ]+-----[\s\S]+-----END [A-Z ]+-----/.test(text)) return text;
  const instead = 'name a file in PEM form';
  throw vpError('STORE_DATABASE_FILE', { file, source, problem: 'it has no PEM block', instead });
}

/** A later attempt is for servers that refuse the one before. TLS is not spoken on Unix sockets. */
export function listTlsAttempts(sslmode: SslMode, files: TlsFiles, host: string): readonly PostgresTls[] {
  if (host.startsWith('/')) return [false];
  const { ca, ...identity } = files;
  const unverified = { ...identity, rejectUnauthorized: false };
  const verified = { ...identity, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const withoutName = { ...verified, checkServerIdentity: () => undefined };
  switch (sslmode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, unverified];
    case 'prefer':
      return [unverified, false];
    case 'require':
      // As in libpq, a named authority is verified.
      return [ca === undefined ? unverified : withoutName];
    case 'verify-ca':
      return [withoutName];
    case 'verify-full':
      return [verified];
  }
}
