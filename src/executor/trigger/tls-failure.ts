/** Explains why a TLS connection failed. */

import { findConnectionProblem } from '../../errors/connection-problems.ts';
import { isExpiryCode, isUntrustedCode } from '../../outbound/connection-error-codes.ts';
import type { ExecutionFailure } from '../../run/evidence.ts';
import { createFailure } from '../execution-failure.ts';
import type { AddressHints } from './target-address.ts';

export function createTlsFailure(
  error: Error,
  code: string,
  address: string,
  { setting }: AddressHints,
): ExecutionFailure {
  const reason = readReason(error, code);
  if (isUntrustedCode(code)) return createFailure('EXECUTOR_TLS_UNTRUSTED', { address, reason });
  if (isExpiryCode(code)) return createFailure('EXECUTOR_TLS_EXPIRED', { address, reason });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return createFailure('EXECUTOR_TLS_NAME', { address, reason, setting });
  if (findConnectionProblem(code, error.message)?.kind === 'tls-not-spoken')
    return createFailure('EXECUTOR_TLS_NOT_SPOKEN', { address, reason, setting });
  return createFailure('EXECUTOR_TLS_FAILED', { address, reason });
}

/**
 * OpenSSL wraps its reason in thread ids and file names: `C0:error:0A00010B:SSL routines:f:wrong version
 * number:…:354:`.
 */
function readReason(error: Error, code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' && 'reason' in error) return String(error.reason);
  const openssl = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  // Node appends advice for its own command line after a semicolon.
  return openssl ?? error.message.split(/[\n;]/, 1)[0] ?? code;
}
