import { resolve } from 'node:path';
import type { FlagDefinitions } from '../../command-line/command.ts';
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { instanceFlag } from '../control-plane/control-plane-flags.ts';

export const agentFolderFlags = {
  instance: instanceFlag,
  'test-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of the agent that writes and runs scenarios',
  },
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of the agent that changes the application',
  },
} as const satisfies FlagDefinitions;

export type AgentFolder = { readonly folder: string; readonly role: AgentRole };

/** Throws FLAG_INVALID if neither flag is given. */
export function parseAgentFolders(
  flags: { readonly 'test-dir': string | undefined; readonly 'product-dir': string | undefined },
  { cwd }: Pick<Environment, 'cwd'>,
  command: string,
): readonly AgentFolder[] {
  const candidates = [
    { folder: flags['test-dir'], role: 'test' },
    { folder: flags['product-dir'], role: 'product' },
  ] as const;
  const folders = candidates.flatMap(({ folder, role }) =>
    folder === undefined ? [] : { folder: resolve(cwd, folder), role },
  );
  if (folders.length > 0) return folders;
  const problem = 'or --product-dir must name a folder';
  throw vpError('FLAG_INVALID', { command, flag: '--test-dir', problem });
}
