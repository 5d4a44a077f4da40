import { command } from '../../command-line/command.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseDomain } from '../../registry/dns-proof/domain.ts';
import { findPublishedKeys, type PublishedKeys } from '../../registry/publishing/publish.ts';
import { createRecordLookup, keyFlags, loadSigningKey, resolveRegistryUrl, resolverFlags } from './registry-target.ts';

const name = 'registry check';
const codes: Readonly<Record<PublishedKeys['state'], ExitCode>> = {
  this_key: exitCode.done,
  other_keys: exitCode.checkFailed,
  none: exitCode.notReady,
};

function formatResult(
  { state, records, keys }: PublishedKeys,
  domain: string,
  record: string,
  registryFlag: string,
): string {
  if (state === 'this_key') {
    const othersNote = keys.length > 1 ? `, and ${keys.length - 1} more` : '';
    return `${domain} has the key${othersNote}\nnext: \`vp registry publish <file>${registryFlag}\`\n`;
  }
  const reason =
    state === 'none' && records.length > 0
      ? `${domain} has TXT records that start like a key record (${records.length}), but none is valid`
      : state === 'none'
        ? `${domain} has no TXT record with a key`
        : `${domain} has other keys: ${keys.join(', ')}`;
  return `${reason}\nadd this record to ${domain} itself, not to a subdomain:\n  ${record}\n`;
}

/** `vp registry check`. */
export const registryCheckCommand = command({
  name,
  summary: 'check whether a domain has the TXT record of your signing key',
  positionals: [{ name: 'domain', describe: 'such as example.com', required: true }],
  flags: { ...keyFlags, ...resolverFlags },
  examples: [
    ['vp registry check example.com', 'with the name servers of this machine'],
    ['vp registry check example.com --resolver 192.0.2.53', 'with another name server'],
  ],
  notes: `Exit code 0: it has. 1: it has other keys. 3: it has no key yet. 2: there is no signing key, or the domain is invalid.
With --json: {"domain", "state", "record", "found"}.`,
  async run({ flags, args: [word = ''], json, environment }) {
    const domain = parseDomain(word.replace(/\.$/, ''));
    if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: word });
    const address = await resolveRegistryUrl(flags.registry, environment, `vp ${name}`);
    const key = loadSigningKey(flags, address, environment);
    const publishedKeys = await findPublishedKeys(createRecordLookup(flags, `vp ${name}`), domain, key);
    const document = { domain, state: publishedKeys.state, record: key.record, found: publishedKeys.records };
    const text = formatResult(
      publishedKeys,
      domain,
      key.record,
      flags.registry === undefined ? '' : ` --registry ${address}`,
    );
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return codes[publishedKeys.state];
  },
});
