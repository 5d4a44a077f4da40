/** Codes of errors of sockets, name resolution and TLS, by what src/errors/connection-problems.ts says of them. */
import { findConnectionProblem } from '../errors/connection-problems.ts';

/** True when a certificate's authority is not trusted here. */
export function isUntrustedCode(code: string): boolean {
  return findConnectionProblem(code)?.kind === 'untrusted';
}

/** True when a certificate has expired, or is not valid yet. */
export function isExpiryCode(code: string): boolean {
  return findConnectionProblem(code)?.kind === 'expired';
}

const tlsKinds: ReadonlySet<string> = new Set(['untrusted', 'expired', 'certificate', 'tls', 'tls-not-spoken']);

/** True for codes of Node's TLS errors. */
export function isTlsCode(code: string): boolean {
  return tlsKinds.has(findConnectionProblem(code)?.kind ?? '');
}

/** The code of a system, TLS or undici error; that of the first attempt when several addresses were tried. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? getErrorCode(error.errors[0]) : '';
}

/** True when the host name has no address, or its name server does not answer. */
export function isUnresolvedCode(code: string): boolean {
  return findConnectionProblem(code)?.kind === 'unresolved';
}
