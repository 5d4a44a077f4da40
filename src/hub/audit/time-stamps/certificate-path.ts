/**
 * Finds the path from the certificate of a time stamp to a trusted root. The certificates come from the server: each is used
 * once, and there are few, because certificates that have signed each other would be searched without end.
 */
import type { X509Certificate } from 'node:crypto';
import { TimeStampError } from './time-stamp-error.ts';

const maxCertificates = 10;
const maxPathLength = 6;

/** `certificates` may contain the leaf. Returns the leaf, those between, and the root. Throws TimeStampError. */
export function findCertificatePath(
  leaf: X509Certificate,
  certificates: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): X509Certificate[] {
  if (certificates.length > maxCertificates) throw new TimeStampError(`it has over ${maxCertificates} certificates`);
  const path = [leaf];
  for (let current = leaf; path.length <= maxPathLength; ) {
    const root = roots.find((candidate) => isIssuer(candidate, current));
    if (root) return [...path, root];
    const next = certificates.find((candidate) => !path.includes(candidate) && isIssuer(candidate, current));
    if (!next) break;
    path.push(next);
    current = next;
  }
  throw new TimeStampError('its certificate leads to none of the trusted roots');
}

function isIssuer(issuer: X509Certificate, subject: X509Certificate): boolean {
  return issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}
