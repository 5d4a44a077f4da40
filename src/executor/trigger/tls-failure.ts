/** Explains why a TLS connection failed. */
import type { ExecutionFailure } from '../../run/evidence.ts';
import { createFailure } from '../execution-failure.ts';
import type { AddressHints } from './target-address.ts';

const untrustedCodes = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const expiredCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const notTlsPattern =
  /wrong.version.number|packet.length.too.long|http.request|unexpected.message|record.layer.failure/i;
const otherCertificateCodePattern = /^(CERT_|CRL_|ERROR_IN_CERT|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** True for codes of Node's TLS errors. */
export function isTlsCode(code: string): boolean {
  return (
    /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ||
    untrustedCodes.has(code) ||
    expiredCodes.has(code) ||
    otherCertificateCodePattern.test(code)
  );
}

export function createTlsFailure(
  error: Error,
  code: string,
  address: string,
  { setting }: AddressHints,
): ExecutionFailure {
  const reason = readReason(error, code);
  if (untrustedCodes.has(code)) return createFailure('EXECUTOR_TLS_UNTRUSTED', { address, reason });
  if (expiredCodes.has(code)) return createFailure('EXECUTOR_TLS_EXPIRED', { address, reason });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return createFailure('EXECUTOR_TLS_NAME', { address, reason, setting });
  if (notTlsPattern.test(code) || notTlsPattern.test(error.message))
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
