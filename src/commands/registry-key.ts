import { exitCode } from '../errors/exit-code.ts';
import { algorithms } from '../registry/signature.ts';
import { makeSigningKey, readSigningKey } from '../registry/signing-key.ts';
import { command } from './command.ts';
import { keyFileFor, keyFlags, registryAddress } from './registry/target.ts';

const name = 'registry key';

/** `vp registry key`. */
export const registryKeyCommand = command({
  name,
  summary: 'make the key that signs for a registry, and print the TXT record that shows it',
  positionals: [],
  flags: {
    ...keyFlags,
    type: {
      type: 'string',
      placeholder: '<type>',
      choices: algorithms,
      default: 'ed25519',
      describe: 'of a new key: Ed25519, or ECDSA on P-384',
    },
    replace: { type: 'boolean', default: false, describe: 'make another key in the place of the one that is there' },
  },
  examples: [
    ['vp registry key', 'for the registry of your own control plane'],
    ['vp registry key --registry https://registry.example.net --type ecdsap384', 'for another one'],
  ],
  notes: `A key that is there already is kept, and its record printed again. Each registry has a key of its own: what is signed says nothing of whom it is for. The file has mode 0600; only its public half is printed. With --json: {"file", "type", "registry", "record", "made"}.`,
  async run({ flags, json, environment }) {
    const address = registryAddress(flags.registry, environment, `vp ${name}`);
    const { origin } = new URL(address);
    const file = keyFileFor(flags.key, address, environment);
    const known = flags.replace ? undefined : readSigningKey(file, origin);
    const type = algorithms.find((one) => one === flags.type) ?? 'ed25519';
    const key = known ?? makeSigningKey(file, origin, type);
    const made = known === undefined;
    const told = { file, type: key.algorithm, registry: address, record: key.record, made };
    const text = `${made ? 'made' : 'there is'} an ${key.algorithm} key for ${address}${made ? '' : ', which is kept'}
  file    ${file}
  record  ${key.record}

Add the record as a TXT record to your domain itself, not below it, beside what is there. In a zone file:
  example.com. 3600 IN TXT "${key.record}"
next: \`vp registry check example.com${flags.registry === undefined ? '' : ` --registry ${address}`}\` says when it is seen
`;
    environment.streams.stdout.write(json ? `${JSON.stringify(told, null, 2)}\n` : text);
    return exitCode.done;
  },
});
