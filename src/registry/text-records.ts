/** TXT records of a domain, asked for as one asks a name server: bounded in time, in number and in length. */
import { Resolver } from 'node:dns/promises';
import { vpError } from '../errors/vp-error.ts';

/** Looks TXT records up; none where the domain has none, or does not exist. Throws REGISTRY_DNS_FAILED. */
export type TextRecords = (domain: string) => Promise<readonly string[]>;

const timeoutMs = 3_000;
const tries = 2;
const mostRecords = 100;
const longestRecord = 1_000;
/** What a resolver says where there is nothing. */
const nothing = ['ENODATA', 'ENOTFOUND'];

/** By the system's name servers, or by `servers`: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53`. */
export function textRecords(servers: readonly string[]): TextRecords {
  return async (domain) => {
    // A resolver each: what was set on one must not outlive its question.
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      // Absolute, so that no search list of this machine answers for another name.
      const found = await resolver.resolveTxt(`${domain}.`);
      const whole = found.slice(0, mostRecords).map((parts) => parts.join(''));
      return whole.filter(({ length }) => length <= longestRecord);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
      if (nothing.includes(code)) return [];
      throw vpError('REGISTRY_DNS_FAILED', { domain, problem: code }, { cause: error });
    }
  };
}
