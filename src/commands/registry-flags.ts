/** Flags of `vp serve` about its registry of MCP servers: who may publish to it, and which name servers say so. */
import { isIP } from 'node:net';
import type { RegistryChoice } from '../assemble/registry.ts';
import { vpError } from '../errors/vp-error.ts';
import { domainOf } from '../registry/domain.ts';
import type { Flags, FlagValues } from './command.ts';

/** To be spread into the flags of `vp serve`. */
export const registryServeFlags = {
  'registry-domain': {
    type: 'strings',
    placeholder: '<domain>',
    describe: 'whoever proves this domain may publish in the registry here; nobody may unless named',
    variable: 'VP_REGISTRY_DOMAINS',
  },
  'registry-resolver': {
    type: 'strings',
    placeholder: '<address>',
    describe: 'name server that is asked for proofs, as 192.0.2.1 or 192.0.2.1:53; the system’s unless given',
    variable: 'VP_REGISTRY_RESOLVERS',
  },
} as const satisfies Flags;

/** What they say. Throws FLAG_INVALID. */
export function registryChoice(flags: FlagValues<typeof registryServeFlags>): RegistryChoice {
  const domains = flags['registry-domain'].map((text) => {
    const domain = domainOf(text);
    if (domain !== undefined) return domain;
    throw vpError('FLAG_INVALID', {
      command: 'vp serve',
      flag: '--registry-domain',
      problem: `names no domain such as example.com: ${text}`,
    });
  });
  return {
    settings: { domains },
    resolvers: resolversOf(flags['registry-resolver'], 'vp serve', '--registry-resolver'),
  };
}

/** Where the registry of a control plane answers and whose names it takes; undefined where nobody may publish. */
export type ToldRegistry = { readonly servers_url: string; readonly domains: readonly string[] };

/** The registry of the control plane that others reach at `address`. */
export function toldRegistry(address: string, { settings }: RegistryChoice): ToldRegistry | undefined {
  const domains = settings?.domains ?? [];
  return domains.length === 0 ? undefined : { servers_url: new URL('/v0/servers', address).href, domains };
}

/** The same as a line of `vp serve`, with the next step. */
export function registryLine({ servers_url: url, domains }: ToldRegistry): string {
  const { origin, protocol } = new URL(url);
  const [domain = ''] = domains;
  const at = protocol === 'https:' ? origin : 'https://<host>';
  const make = `\`vp registry make hub --url ${at} --domain ${domain}\``;
  return `  registry   ${url} takes names of ${domains.join(', ')}; begin with ${make}`;
}

/** Addresses of name servers as they are. Throws FLAG_INVALID for what is none. */
export function resolversOf(texts: readonly string[], command: string, flag: string): readonly string[] {
  for (const text of texts) {
    const [, bracketed, plain, port = '53'] = /^(?:\[([\da-f:.%]+)\]|([\d.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
    const isAddress = isIP(bracketed ?? plain ?? text) !== 0 && Number(port) > 0 && Number(port) < 65_536;
    if (!isAddress)
      throw vpError('FLAG_INVALID', { command, flag, problem: `is no address of a name server: ${text}` });
  }
  return texts;
}
