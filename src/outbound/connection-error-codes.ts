/** Codes of errors of sockets, name resolution and TLS. */

export const untrustedCodes: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
export const certificateExpiryCodes: ReadonlySet<string> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const otherCertificateCodePattern = /^(CERT_|CRL_|ERROR_IN_CERT|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** True for codes of Node's TLS errors. */
export function isTlsCode(code: string): boolean {
  return (
    /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ||
    untrustedCodes.has(code) ||
    certificateExpiryCodes.has(code) ||
    otherCertificateCodePattern.test(code)
  );
}

/** The code of a system, TLS or undici error; that of the first attempt when several addresses were tried. */
export function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? getErrorCode(error.errors[0]) : '';
}

/** True when the host name has no address, or its name server does not answer. */
export function isUnresolvedCode(code: string): boolean {
  return /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_.*)$/.test(code);
}
