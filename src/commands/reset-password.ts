/** `vp reset-password`: a link that sets a new password, for whoever may write the data folder. */
import { resolve } from 'node:path';
import { exitCode } from '../errors/exit-code.ts';
import { vpError } from '../errors/vp-error.ts';
import { makePasswordSecret, passwordLinkFile, passwordUrl } from '../identity/password-links.ts';
import { command, type Invocation } from './command.ts';
import { storeFolderFlag } from './common-flags.ts';
import { linkBesideStore } from './setup/beside-store.ts';
import { handOver, linkText } from './setup/tell-link.ts';

const flags = {
  ...storeFolderFlag,
  email: { type: 'string', placeholder: '<email>', describe: 'whose password is to be set anew' },
} as const;

async function makeLink({ flags: { email }, environment }: Invocation<typeof flags>, folder: string): Promise<string> {
  if (email === undefined)
    throw vpError('FLAG_INVALID', { flag: '--email', problem: 'is needed', command: 'vp reset-password' });
  return linkBesideStore(environment, folder, (parts) => makePasswordSecret(parts, email), passwordUrl);
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
