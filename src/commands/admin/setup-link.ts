/** `vp setup-link`: creates a link for the first owner. Requires write access to the data folder or database. */
import { resolve } from 'node:path';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { buildSetupUrl, createSetupSecret, getSetupLinkPath } from '../../identity/accounts/setup-link.ts';
import { databaseFlags, parseDatabase } from '../database-flags.ts';
import { storeFolderFlag } from '../role-flags.ts';
import { deliverLink, formatLink } from './deliver-link.ts';
import { createLinkInStore } from './store-link.ts';

export const setupLinkCommand = command({
  name: 'setup-link',
  summary: 'create a new link for the first owner of a control plane',
  positionals: [],
  flags: {
    ...storeFolderFlag,
    database: databaseFlags.database,
    'database-file': databaseFlags['database-file'],
  },
  examples: [['vp setup-link', 'works while `vp serve` is running or stopped; revokes earlier links']],
  notes:
    'The link is printed on a terminal, and otherwise written to a file of mode 0600 whose name is printed. ' +
    'Fails if there is an owner: invite further people instead.',
  async run(invocation) {
    const { flags, environment, json } = invocation;
    const folder = resolve(environment.cwd, flags.data ?? environment.paths.data);
    const settings = parseDatabase(flags, environment, 'vp setup-link')?.main;
    const link = { createSecret: createSetupSecret, buildUrl: buildSetupUrl };
    const url = await createLinkInStore(environment, { folder, settings }, link);
    const delivered = deliverLink(invocation, url, getSetupLinkPath(folder));
    const text = `open ${formatLink(delivered)}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ setup_link_file: delivered.file })}\n` : text);
    return exitCode.done;
  },
});
