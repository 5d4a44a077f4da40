/** Looks up TXT records of a domain; bounded in time, number and length. */
import { Resolver } from 'node:dns/promises';
import { vpError } from '../../errors/vp-error.ts';

/** Empty when the domain has no TXT records or does not exist. Throws REGISTRY_DNS_FAILED. */
export type TextRecordLookup = (domain: string) => Promise<readonly string[]>;

const timeoutMs = 3_000;
const maxAttempts = 2;
const maxRecords = 100;
const maxRecordLength = 1_000;
/** Error codes of a resolver for names without TXT records. */
const absentCodes = ['ENODATA', 'ENOTFOUND'];

/** Uses the system's name servers, or `servers`: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53`. */
export function createTextRecordLookup(servers: readonly string[]): TextRecordLookup {
  return async (domain) => {
    // A resolver per lookup, because its servers and timeout must apply to this lookup only.
    const resolver = new Resolver({ timeout: timeoutMs, tries: maxAttempts });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      // Absolute, so that this machine's search list is not applied.
      const records = await resolver.resolveTxt(`${domain}.`);
      const texts = records.slice(0, maxRecords).map((chunks) => chunks.join(''));
      return texts.filter(({ length }) => length <= maxRecordLength);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
      if (absentCodes.includes(code)) return [];
      throw vpError('REGISTRY_DNS_FAILED', { domain, problem: code }, { cause: error });
    }
  };
}
