/** What the system's files say about names: the hosts file (hosts(5)), and search domains (resolv.conf(5)). */
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { type } from 'node:os';
import { join } from 'node:path';

export type ResolvedAddress = { readonly address: string; readonly family: 4 | 6 };

export type SystemNames = {
  /** The addresses of `name` (lower case, no dot at its end) in the hosts file, in its order. */
  findInHostsFile(name: string): readonly ResolvedAddress[];
  /** The absolute names to query for `name`, in this order. */
  listCandidates(name: string): readonly string[];
  /** True where the system resolves names by more than its hosts file and DNS, such as mDNS. */
  hasOtherSources(): boolean;
};

export type SystemNameFiles = { readonly hosts: string; readonly resolver: string; readonly sources: string };

const systemFiles: SystemNameFiles = {
  hosts: type() === 'Windows_NT' ? join('C:', 'Windows', 'System32', 'drivers', 'etc', 'hosts') : '/etc/hosts',
  resolver: '/etc/resolv.conf',
  sources: '/etc/nsswitch.conf',
};

/** Files are read again when they have changed. */
export function createSystemNames(files: SystemNameFiles = systemFiles): SystemNames {
  const hosts = cacheFile(files.hosts, parseHosts);
  const search = cacheFile(files.resolver, parseSearch);
  const otherSources = cacheFile(files.sources, parseOtherSources);
  return {
    findInHostsFile: (name) => hosts().get(name) ?? [],
    listCandidates: (name) => listSearchCandidates(name, search()),
    hasOtherSources: () => type() !== 'Linux' || otherSources(),
  };
}

/** The parsed file; a missing or unreadable one counts as empty. */
function cacheFile<T>(path: string, parse: (text: string) => T): () => T {
  let version: string | undefined;
  let parsed = parse('');
  return () => {
    const current = readVersion(path);
    if (current === version) return parsed;
    version = current;
    parsed = parse(readText(path));
    return parsed;
  };
}

function readVersion(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs}` : '';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function parseHosts(text: string): ReadonlyMap<string, readonly ResolvedAddress[]> {
  const addressesByName = new Map<string, ResolvedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    // Without an address nothing is asked: the first question costs milliseconds, and a run may need no answer.
    const family = address === '' ? 0 : isIP(address);
    if (family !== 4 && family !== 6) continue;
    for (const name of names.map((it) => it.toLowerCase().replace(/\.$/, ''))) {
      const addresses = addressesByName.get(name) ?? [];
      addresses.push({ address, family });
      addressesByName.set(name, addresses);
    }
  }
  return addressesByName;
}

type SearchSettings = { readonly domains: readonly string[]; readonly minDots: number };

const maxMinDots = 15;
const maxDomains = 16;

/** The last `search` or `domain` line counts; `options ndots` says how many dots make a name absolute at first. */
function parseSearch(text: string): SearchSettings {
  let domains: readonly string[] = [];
  let minDots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'search') domains = values;
    else if (keyword === 'domain') domains = values.slice(0, 1);
    else if (keyword === 'options')
      minDots = values.reduce((dots, it) => Number(/^ndots:(\d+)$/.exec(it)?.[1] ?? dots), minDots);
  }
  const names = domains.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '');
  return { domains: names.slice(0, maxDomains), minDots: Math.min(minDots, maxMinDots) };
}

function listSearchCandidates(name: string, { domains, minDots }: SearchSettings): readonly string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= minDots ? [name, ...searched] : [...searched, name];
}

const filesAndDns = ['files', 'dns'];

/** Without the file, or its line `hosts`, only the hosts file and DNS count. */
function parseOtherSources(text: string): boolean {
  const sources = /^\s*hosts:(.*)$/m.exec(text)?.[1]?.replace(/#.*$|\[[^\]]*\]/g, '') ?? '';
  return sources.split(/\s+/).some((source) => source !== '' && !filesAndDns.includes(source));
}
