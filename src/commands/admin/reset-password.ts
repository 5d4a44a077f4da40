/** `vp reset-password`: creates a link that sets a new password. Requires write access to the data folder or database. */
import { resolve } from 'node:path';
import { command, type Invocation } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import {
  buildPasswordLinkUrl,
  createPasswordLinkSecret,
  getPasswordLinkPath,
} from '../../identity/passwords/password-links.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { deliverLink, formatLink } from './deliver-link.ts';
import { createLinkInStore } from './store-link.ts';

const definitions = {
  ...storeFolderFlag,
  database: databaseFlags.database,
  'database-file': databaseFlags['database-file'],
  email: { type: 'string', placeholder: '<email>', describe: 'account whose password is reset' },
} as const;

async function createLink({ flags, environment }: Invocation<typeof definitions>, folder: string): Promise<string> {
  const { email } = flags;
  if (email === undefined)
    throw vpError('FLAG_INVALID', { flag: '--email', problem: 'is needed', command: 'vp reset-password' });
  const settings = parseDatabase(flags, environment, 'vp reset-password')?.main;
  return await createLinkInStore(
    environment,
    { folder, settings },
    {
      createSecret: (dependencies) => createPasswordLinkSecret(dependencies, email),
      buildUrl: buildPasswordLinkUrl,
    },
  );
}

export const resetPasswordCommand = command({
  name: 'reset-password',
  summary: 'create a link for setting a new password',
  positionals: [],
  flags: definitions,
  examples: [
    [
      'vp reset-password --email ana@example.com',
      'works while `vp serve` is running or stopped; revokes earlier links',
    ],
  ],
  notes:
    'The link is printed on a terminal, and otherwise written to a file of mode 0600 whose name is printed. ' +
    'Setting the new password revokes the person’s sessions and apps; the control plane logs it.',
  async run(invocation) {
    const { flags, environment, json } = invocation;
    const folder = resolve(environment.cwd, flags.data ?? environment.paths.data);
    const delivered = deliverLink(invocation, await createLink(invocation, folder), getPasswordLinkPath(folder));
    const text = `open ${formatLink(delivered)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ password_link_file: delivered.file })}\n` : text);
    return exitCode.done;
  },
});
