import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { signatureAlgorithms } from '../../registry/dns-proof/signature.ts';
import { createSigningKey, readSigningKey } from '../../registry/publishing/signing-key.ts';
import { keyFlags, resolveKeyFile, resolveRegistryUrl } from './registry-target.ts';

const name = 'registry key';

/** `vp registry key`. */
export const registryKeyCommand = command({
  name,
  summary: 'create the signing key for a registry, and print its TXT record',
  positionals: [],
  flags: {
    ...keyFlags,
    type: {
      type: 'string',
      placeholder: '<type>',
      choices: signatureAlgorithms,
      default: 'ed25519',
      describe: 'type of a new key: Ed25519, or ECDSA on P-384',
    },
    replace: { type: 'boolean', default: false, describe: 'replace the existing key' },
  },
  examples: [
    ['vp registry key', 'for the registry of the control plane in use'],
    ['vp registry key --registry https://registry.example.net --type ecdsap384', 'for another registry'],
  ],
  notes: `An existing key is kept, and its record is printed again. Each registry has its own key, because the signature does not name the registry. The file has mode 0600; only the public key is printed. With --json: {"file", "type", "registry", "record", "made"}.`,
  async run({ flags, json, environment }) {
    const address = await resolveRegistryUrl(flags.registry, environment, `vp ${name}`);
    const { origin } = new URL(address);
    const file = resolveKeyFile(flags.key, address, environment);
    const existing = flags.replace ? undefined : readSigningKey(file, origin);
    const type = signatureAlgorithms.find((candidate) => candidate === flags.type) ?? 'ed25519';
    const key = existing ?? createSigningKey(file, origin, type);
    const isNew = existing === undefined;
    const document = { file, type: key.algorithm, registry: address, record: key.record, made: isNew };
    const text = `${isNew ? 'created' : 'there is'} an ${key.algorithm} key for ${address}${isNew ? '' : ', which is kept'}
  file    ${file}
  record  ${key.record}

Add it as a TXT record to your domain itself, not to a subdomain, in addition to existing records. In a zone file:
  example.com. 3600 IN TXT "${key.record}"
next: \`vp registry check example.com${flags.registry === undefined ? '' : ` --registry ${address}`}\` checks whether it is visible
`;
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
