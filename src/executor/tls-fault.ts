/** Why no TLS connection came about. */
import type { Fault } from '../run/evidence.ts';
import type { AddressWords } from './address-words.ts';
import { faultOf } from './fault.ts';

const untrusted = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const outOfDate = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const notSpoken = /wrong.version.number|packet.length.too.long|http.request|unexpected.message|record.layer.failure/i;
const otherCertificateCodes = /^(CERT_|CRL_|ERROR_IN_CERT|PATH_LENGTH|HOSTNAME_MISMATCH)/;

/** True for codes that Node's TLS raises. */
export function isTlsCode(code: string): boolean {
  return (
    /^(ERR_SSL_|ERR_TLS_|EPROTO$)/.test(code) ||
    untrusted.has(code) ||
    outOfDate.has(code) ||
    otherCertificateCodes.test(code)
  );
}

/** The fault that a TLS error with `code` is. */
export function tlsFault(error: Error, code: string, address: string, { setting }: AddressWords): Fault {
  const reason = reasonOf(error, code);
  if (untrusted.has(code)) return faultOf('EXECUTOR_TLS_UNTRUSTED', { address, reason });
  if (outOfDate.has(code)) return faultOf('EXECUTOR_TLS_EXPIRED', { address, reason });
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return faultOf('EXECUTOR_TLS_NAME', { address, reason, setting });
  if (notSpoken.test(code) || notSpoken.test(error.message))
    return faultOf('EXECUTOR_TLS_NOT_SPOKEN', { address, reason, setting });
  return faultOf('EXECUTOR_TLS_FAILED', { address, reason });
}

/** OpenSSL wraps its reason in thread ids and file names: `C0:error:0A00010B:SSL routines:f:wrong version number:…:354:`. */
function reasonOf(error: Error, code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' && 'reason' in error) return String(error.reason);
  const openssl = /:SSL routines:[^:]*:([^:]+):/.exec(error.message)?.[1];
  return openssl ?? error.message.split('\n', 1)[0] ?? code;
}
