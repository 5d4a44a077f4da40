/** Flags of `vp serve` for its registry of MCP servers: who may publish, and which name servers are used for proofs. */
import { isIP } from 'node:net';
import type { RegistrySetup } from '../../assemble/control-plane/registry.ts';
import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseDomain } from '../../registry/dns-proof/domain.ts';

export const registryFlags = {
  'registry-domain': {
    type: 'strings',
    placeholder: '<name>',
    describe: 'only its owners may publish',
    variable: 'VP_REGISTRY_DOMAINS',
  },
  'registry-resolver': {
    type: 'strings',
    placeholder: '<ip>',
    describe: 'name server for domain proofs, such as 192.0.2.1 (default: the system’s)',
    variable: 'VP_REGISTRY_RESOLVERS',
  },
} as const satisfies FlagDefinitions;

/** Throws FLAG_INVALID. */
export function parseRegistryFlags(flags: FlagValues<typeof registryFlags>): RegistrySetup {
  const domains = flags['registry-domain'].map((text) => {
    const domain = parseDomain(text);
    if (domain !== undefined) return domain;
    throw vpError('FLAG_INVALID', {
      command: 'vp serve',
      flag: '--registry-domain',
      problem: `is not a domain such as example.com: ${text}`,
    });
  });
  return {
    settings: { domains },
    resolvers: parseResolvers(flags['registry-resolver'], 'vp serve', '--registry-resolver'),
  };
}

/** The URL of the registry and the domains that may publish in it. */
export type RegistryAnnouncement = { readonly servers_url: string; readonly domains: readonly string[] };

/** For the control plane that others reach at `address`. Undefined if publishing is closed. */
export function announceRegistry(address: string, { settings }: RegistrySetup): RegistryAnnouncement | undefined {
  const domains = settings?.domains ?? [];
  return domains.length === 0 ? undefined : { servers_url: new URL('/v0/servers', address).href, domains };
}

/** The line that `vp serve` prints, with the next step. */
export function formatRegistryLine({ servers_url: url, domains }: RegistryAnnouncement): string {
  const { origin, protocol } = new URL(url);
  const [domain = ''] = domains;
  const exampleOrigin = protocol === 'https:' ? origin : 'https://<host>';
  const command = `\`vp registry create hub --url ${exampleOrigin} --domain ${domain}\``;
  return `  registry   ${url} accepts servers of ${domains.join(', ')}; start with ${command}`;
}

/** Returns the addresses unchanged. Throws FLAG_INVALID for an invalid one. */
export function parseResolvers(texts: readonly string[], command: string, flag: string): readonly string[] {
  for (const text of texts) {
    const [, bracketed, plain, port = '53'] = /^(?:\[([\da-f:.%]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
    const isAddress = isIP(bracketed ?? plain ?? text) !== 0 && Number(port) > 0 && Number(port) < 65_536;
    if (!isAddress)
      throw vpError('FLAG_INVALID', { command, flag, problem: `is not an IP address of a name server: ${text}` });
  }
  return texts;
}
