/** A gateway whose only connection is a program on standard streams. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { OperatorCommands } from '../../../../src/hub/upstream/commands/operator-commands.ts';
import { createConnection, modernClient, startTestGateway } from '../../fixtures/test-gateway.ts';

const program = join(import.meta.dirname, '../../fixtures/stdio-server.ts');
const createCommand = (...args: string[]): string[] => [
  process.execPath,
  '--import',
  './test/tsx-hook.mjs',
  program,
  ...args,
];
export const runnerOptions = { engine: undefined, unsafe: true, path: process.env.PATH };

/** The program of `fixtures/stdio-server.ts`, which behaves as `behavior` says. */
export async function startPipeGateway(t: Test, behavior: string, noteFile = '') {
  const commands: OperatorCommands = new Map([
    ['pipe', { command: createCommand(behavior, noteFile), variables: { GIVEN: 'yes' } }],
  ]);
  const connection = createConnection('pipe', '', { kind: 'stdio', url: undefined, command: 'pipe' });
  const gateway = await startTestGateway(t, [connection], {
    commands,
    runnerOptions: runnerOptions,
    connectMs: 10_000,
  });
  return { gateway, client: await gateway.client('ann', modernClient) };
}
