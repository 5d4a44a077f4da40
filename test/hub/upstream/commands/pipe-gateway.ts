/** A gateway whose only connection is a program on standard streams. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { OperatorCommands } from '../../../../src/hub/upstream/commands/operator-commands.ts';
import { getSourceVariables, sourceOptions } from '../../../source-program.ts';
import { createConnection, modernClient, startTestGateway } from '../../fixtures/test-gateway.ts';

const folder = join(import.meta.dirname, '../../fixtures');
const createCommand = (program: string, ...args: string[]): string[] => [
  process.execPath,
  ...sourceOptions,
  join(folder, program),
  ...args,
];
export const runnerOptions = { engine: undefined, unsafe: true, path: process.env.PATH };

/** A program of `fixtures`; the usual one behaves as `behavior` says. */
export async function startPipeGateway(t: Test, behavior: string, noteFile = '', program = 'stdio-server.ts') {
  const commands: OperatorCommands = new Map([
    [
      'pipe',
      { command: createCommand(program, behavior, noteFile), variables: { GIVEN: 'yes', ...getSourceVariables() } },
    ],
  ]);
  const connection = createConnection('pipe', '', { kind: 'stdio', url: undefined, command: 'pipe' });
  const gateway = await startTestGateway(t, [connection], {
    commands,
    runnerOptions: runnerOptions,
    // A program that starts slowly on a busy machine must not be taken for one of the older era.
    probeMs: 60_000,
  });
  return { gateway, client: await gateway.client('ann', modernClient) };
}
