import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { domainOf } from '../registry/domain.ts';
import { type Shown, shownKeys } from '../registry/publisher.ts';
import { command } from './command.ts';
import { keyFlags, keyFor, recordsFor, registryAddress, resolverFlags } from './registry/target.ts';

const name = 'registry check';
const codes: Readonly<Record<Shown['state'], ExitCode>> = {
  this_key: exitCode.done,
  other_keys: exitCode.checkFailed,
  none: exitCode.notReady,
};

function textOf({ state, records, keys }: Shown, domain: string, record: string, at: string): string {
  if (state === 'this_key') {
    const others = keys.length > 1 ? `, beside ${keys.length - 1} more` : '';
    return `${domain} shows the key${others}\nnext: \`vp registry publish <file>${at}\`\n`;
  }
  const why =
    state === 'none' && records.length > 0
      ? `${domain} has TXT records that begin as one that shows a key (${records.length}), and none can be read`
      : state === 'none'
        ? `${domain} has no TXT record that shows a key`
        : `${domain} shows other keys: ${keys.join(', ')}`;
  return `${why}\nadd this one to ${domain} itself, not below it:\n  ${record}\n`;
}

/** `vp registry check`. */
export const registryCheckCommand = command({
  name,
  summary: 'look up whether a domain shows the key that signs for a registry',
  positionals: [{ name: 'domain', describe: 'such as example.com', required: true }],
  flags: { ...keyFlags, ...resolverFlags },
  examples: [
    ['vp registry check example.com', 'as the name servers of this machine see it'],
    ['vp registry check example.com --resolver 192.0.2.53', 'as another name server sees it'],
  ],
  notes: `Exit code 0: it does. 1: it shows other keys. 3: it shows none yet. 2: there is no key, or no such domain.
With --json: {"domain", "state", "record", "found"}.`,
  async run({ flags, words: [word = ''], json, environment }) {
    const domain = domainOf(word.replace(/\.$/, ''));
    if (domain === undefined) throw vpError('REGISTRY_DOMAIN_INVALID', { domain: word });
    const address = registryAddress(flags.registry, environment, `vp ${name}`);
    const key = keyFor(flags, address, environment);
    const shown = await shownKeys(recordsFor(flags, `vp ${name}`), domain, key);
    const told = { domain, state: shown.state, record: key.record, found: shown.records };
    const text = textOf(shown, domain, key.record, flags.registry === undefined ? '' : ` --registry ${address}`);
    environment.streams.stdout.write(json ? `${JSON.stringify(told, null, 2)}\n` : text);
    return codes[shown.state];
  },
});
