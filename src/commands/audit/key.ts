import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { createAnchorKey, readAnchorKey } from '../../hub/audit/anchor-key.ts';

/** `vp audit key`. */
export const auditKeyCommand = command({
  name: 'audit key',
  summary: 'create the key that signs statements about the audit log, and print its public key',
  positionals: [
    { name: 'file', describe: 'file of the key; put it on another disk than the data folder', required: true },
  ],
  flags: {},
  examples: [
    ['vp audit key /mnt/keys/vp-audit.pem', 'then `vp serve --audit-key /mnt/keys/vp-audit.pem --audit-anchor log`'],
  ],
  notes: `The file has mode 0600 (Ed25519, PKCS #8 in PEM). An existing key is kept, and its public key is printed again. Verify with the public key
only: \`vp audit verify --anchors <file> --audit-key <public key>\`. With --json: {"file", "public_key", "created"}.`,
  async run({ args: [name = ''], json, environment }) {
    const file = resolve(environment.cwd, name);
    const isNew = !existsSync(file);
    const { publicKey } = isNew ? createAnchorKey(file) : readAnchorKey(file);
    const document = { file, public_key: publicKey, created: isNew };
    const text = `${isNew ? 'created' : 'there is'} a key at ${file}${isNew ? '' : ', which is kept'}\npublic key ${publicKey}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
