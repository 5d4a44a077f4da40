/** `vp reset-password`: a link that sets a new password, for whoever may write the data folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { openKeyring } from '../control/keyring.ts';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { makePasswordSecret, passwordLinkFile, passwordUrl } from '../identity/password-links.ts';
import { keptAddress } from '../store/control/identity-links.ts';
import { controlStoreFile } from '../store/control/open.ts';
import { controlStoreKind } from '../store/control/schema.ts';
import { openDatabase } from '../store/database.ts';
import { command, type Invocation } from './command.ts';
import { handOver, linkText } from './setup/tell-link.ts';

const flags = {
  data: {
    type: 'string',
    placeholder: '<folder>',
    describe: 'data folder of the control plane',
    variable: 'VP_DATA',
  },
  email: { type: 'string', placeholder: '<email>', describe: 'whose password is to be set anew' },
} as const;

/** Beside a control plane that runs: it looks the link up in its store. */
async function makeLink(invocation: Invocation<typeof flags>, folder: string): Promise<string> {
  const { clock, random, variables } = invocation.environment;
  const { email } = invocation.flags;
  if (email === undefined)
    throw vpError('FLAG_INVALID', { flag: '--email', problem: 'is needed', command: 'vp reset-password' });
  const file = controlStoreFile(folder);
  if (!existsSync(file)) throw vpError('STORE_ABSENT', { file });
  const database = openDatabase({ file, kind: controlStoreKind });
  try {
    const { tokenHashKey } = await openKeyring(database, { folder, variable: variables.VP_MASTER_KEY, clock, random });
    const secret = await makePasswordSecret({ database, tokenHashKey, random, nowMs: clock.nowMs() }, email);
    return passwordUrl((await database.read(keptAddress)) ?? 'http://127.0.0.1:7700', secret);
  } finally {
    await database.close();
  }
}

/** The command. */
export const resetPasswordCommand = command({
  name: 'reset-password',
  summary: 'make a link that sets a new password for somebody who forgot theirs',
  positionals: [],
  flags,
  examples: [
    ['vp reset-password --email ana@example.com', 'while `vp serve` runs or before it does; earlier links end'],
  ],
  notes:
    'Printed to a terminal; otherwise written to a file of mode 0600 whose name is printed. ' +
    'With the new password the person’s sessions and programs end; the log of the control plane tells it.',
  async run(invocation) {
    const { flags, environment, json } = invocation;
    const folder = resolve(environment.cwd, flags.data ?? environment.paths.data);
    const told = handOver(invocation, await makeLink(invocation, folder), passwordLinkFile(folder));
    const text = `open ${linkText(told)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ password_link_file: told.file })}\n` : text);
    return exitCode.done;
  },
});
