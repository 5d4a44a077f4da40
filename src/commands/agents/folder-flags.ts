/** Flags of commands that work on the folders of agents. */
import { resolve } from 'node:path';
import type { AgentRole } from '../../contract/agent-token.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { Flags } from '../command.ts';

/** To be spread into a command's own. */
export const agentFolderFlags = {
  instance: {
    type: 'string',
    placeholder: '<id>',
    describe: 'the instance; may be left out where there is only one',
    variable: 'VP_INSTANCE',
  },
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'where the agent is started that writes and runs scenarios',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'where the agent is started that changes the application',
  },
} as const satisfies Flags;

/** A folder and what its agent is for. */
export type AgentFolder = { readonly folder: string; readonly role: AgentRole };

/** The folders that flags name. Throws FLAG_INVALID without any. */
export function agentFolders(
  flags: { readonly 'test-dir': string | undefined; readonly 'product-dir': string | undefined },
  { cwd }: Pick<Environment, 'cwd'>,
  command: string,
): readonly AgentFolder[] {
  const named = [
    { folder: flags['test-dir'], role: 'test' },
    { folder: flags['product-dir'], role: 'product' },
  ] as const;
  const folders = named.flatMap(({ folder, role }) =>
    folder === undefined ? [] : { folder: resolve(cwd, folder), role },
  );
  if (folders.length > 0) return folders;
  const problem = 'or --product-dir must name a folder';
  throw vpError('FLAG_INVALID', { command, flag: '--test-dir', problem });
}
