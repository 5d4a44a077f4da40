/** Whom TLS connections trust: the roots of the runtime and, with `--ca`, more. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { vpError } from '../errors/vp-error.ts';

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, one text each. Throws EXECUTOR_CA_UNREADABLE. */
export function readCertificates(file: string): string[] {
  try {
    const certificates = readFileSync(file, 'utf8').match(block) ?? [];
    for (const certificate of certificates) new X509Certificate(certificate);
    if (certificates.length > 0) return certificates;
  } catch (cause) {
    throw vpError('EXECUTOR_CA_UNREADABLE', { file }, { cause, detail: String(cause) });
  }
  throw vpError('EXECUTOR_CA_UNREADABLE', { file });
}

/** The runtime's roots with `extraRoots` added; undefined when there are none to add, which means the same roots. */
export function resolveTrustedRoots(extraRoots: readonly string[]): string[] | undefined {
  return extraRoots.length === 0 ? undefined : [...getCACertificates('default'), ...extraRoots];
}

/** Makes the context at its first use and keeps it: parsing some 140 roots costs about 10 ms. */
export function createLazySecureContext(extraRoots: readonly string[]): () => SecureContext {
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext({ ca: resolveTrustedRoots(extraRoots) });
    return context;
  };
}
