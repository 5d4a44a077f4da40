import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { createAnchorKey, readAnchorKey } from '../../hub/audit/signing/anchor-key.ts';
import { isExternalKey, openAnchorKey } from '../../hub/audit/signing/open-anchor-key.ts';

/** `vp audit key`. */
export const auditKeyCommand = command({
  name: 'audit key',
  summary: 'create the key that signs statements about the audit log, and print its public key',
  positionals: [
    {
      name: 'key',
      describe: 'its file, on another disk than the data folder; or `ssh-agent:<file.pub>` or `command:<program>`',
      required: true,
    },
  ],
  flags: {},
  examples: [
    ['vp audit key /mnt/keys/vp-audit.pem', 'then `vp serve --audit-key /mnt/keys/vp-audit.pem --audit-anchor log`'],
    ['vp audit key ssh-agent:/etc/vp/audit.pub', 'a key that the ssh-agent of SSH_AUTH_SOCK has: see whether it signs'],
    ['vp audit key command:/usr/local/bin/sign-audit', 'a key behind a program, such as that of a hardware module'],
  ],
  notes: `The file has mode 0600 (Ed25519, PKCS #8 in PEM). An existing key is kept, and its public key is printed again. Verify with the public key
only: \`vp audit verify --anchors <file> --audit-key <public key>\`. Of a key
in an ssh-agent (ssh-ed25519) or behind a command, the public key is printed after it has signed a test. With --json: {"file", "public_key", "created"}.`,
  async run({ args: [name = ''], json, environment }) {
    const { stdout } = environment.streams;
    if (isExternalKey(name)) {
      const { publicKey, sign } = await openAnchorKey(name, environment);
      // Not a statement: those are JSON.
      await sign('test');
      const document = { file: name, public_key: publicKey, created: false };
      stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : `it signs\npublic key ${publicKey}\n`);
      return exitCode.done;
    }
    const file = resolve(environment.cwd, name);
    const isNew = !existsSync(file);
    const { publicKey } = isNew ? createAnchorKey(file) : readAnchorKey(file);
    const document = { file, public_key: publicKey, created: isNew };
    const text = `${isNew ? 'created' : 'there is'} a key at ${file}${isNew ? '' : ', which is kept'}\npublic key ${publicKey}\n`;
    stdout.write(json ? `${JSON.stringify(document, null, 2)}\n` : text);
    return exitCode.done;
  },
});
