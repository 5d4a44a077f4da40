/** Commands as servers: one process each, bounded, restarted when they end, ended with their descendants. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { buildCommandProcess, readOperatorCommands } from '../../../../src/hub/upstream/commands/operator-commands.ts';
import { eventually } from '../../../eventually.ts';
import { createConnection, modernClient, startTestGateway } from '../../fixtures/test-gateway.ts';
import { runnerOptions, startPipeGateway } from './pipe-gateway.ts';

async function readText(call: Promise<{ content: unknown }>): Promise<string> {
  return String(Object(Object((await call).content)[0]).text);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

t.test('one process serves all callers, and is restarted after it ended', async (t) => {
  const { gateway, client } = await startPipeGateway(t, 'good');
  const otherClient = await gateway.client('bob', modernClient);
  const call = { name: 'pipe__pid', arguments: {} };
  const pid = await readText(client.callTool(call));
  t.equal(await readText(otherClient.callTool(call)), pid);
  await t.rejects(client.callTool({ name: 'pipe__die', arguments: {} }), /cannot be reached/);
  t.notOk(isRunning(Number(pid)));
  const nextPid = await readText(client.callTool(call));
  t.not(nextPid, pid);
  t.match(
    gateway.audit.map(({ outcome }) => outcome),
    ['ok', 'ok', 'failed', 'ok'],
  );
});

t.test('a process that exits on an unknown request is called in the older era', async (t) => {
  const { client } = await startPipeGateway(t, 'old');
  t.match(await readText(client.callTool({ name: 'pipe__pid', arguments: {} })), /^\d+$/);
});

t.test('a process gets the variables of the operator’s file and none of ours', async (t) => {
  process.env.VP_SECRET_OF_OURS = 'secret';
  const { client } = await startPipeGateway(t, 'good');
  const environment = await readText(client.callTool({ name: 'pipe__environment', arguments: {} }));
  t.match(environment, /"GIVEN":"yes"/);
  t.notMatch(environment, /VP_SECRET_OF_OURS/);
});

t.test('a process ends with its descendants', async (t) => {
  const noteFile = join(t.testdir(), 'pid');
  const { gateway, client } = await startPipeGateway(t, 'family', noteFile);
  const pid = Number(await readText(client.callTool({ name: 'pipe__pid', arguments: {} })));
  const grandchild = Number(readFileSync(noteFile, 'utf8'));
  t.ok(isRunning(pid) && isRunning(grandchild));
  await gateway.gateway.close();
  t.ok(await eventually(() => !isRunning(pid) && !isRunning(grandchild)));
});

t.test('a process that floods without a line break is ended', async (t) => {
  const { gateway, client } = await startPipeGateway(t, 'flood');
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'pipe' }] });
  t.ok(gateway.states.some((state) => state.startsWith('c-pipe failing')) || _meta);
});

t.test('unknown commands are not run', async (t) => {
  const connection = createConnection('pipe', '', { kind: 'stdio', url: undefined, command: 'rm' });
  const gateway = await startTestGateway(t, [connection], { runnerOptions: runnerOptions });
  const client = await gateway.client('ann', modernClient);
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'pipe', code: 'UPSTREAM_COMMAND_UNKNOWN' }] });
});

t.test('a command with an image runs confined, without values of its variables in arguments', async (t) => {
  const engine = { file: 'docker', variables: { PATH: '/bin' } };
  const command = { image: 'tool:1', command: ['serve'], variables: { KEY: 'secret' } };
  const containerProcess = buildCommandProcess(
    command,
    { engine, unsafe: false, path: undefined },
    { label: 'c1', name: 'n1' },
  );
  t.equal(containerProcess?.file, 'docker');
  t.match(containerProcess?.variables, { KEY: 'secret', PATH: '/bin' });
  const commandLine = containerProcess?.args.join(' ') ?? '';
  t.notMatch(commandLine, /secret/);
  for (const expectedPart of [
    '--rm',
    '--network none',
    '--cap-drop ALL',
    '--read-only',
    '--memory 512m',
    '--env KEY tool:1 serve',
  ]) {
    t.ok(commandLine.includes(expectedPart), expectedPart);
  }
  t.match(commandLine, /^run --name n1 /);
  t.same(containerProcess?.removeCommand?.args, ['rm', '--force', 'n1']);
  t.notMatch(JSON.stringify(containerProcess?.removeCommand), /secret/);
  t.notMatch(commandLine, /--volume|--mount|-v /);
  t.equal(
    buildCommandProcess({ command: ['sh'] }, { engine, unsafe: false, path: undefined }, { label: 'c1', name: 'n1' }),
    undefined,
  );
});

t.test('the operator’s file is read completely or not at all', async (t) => {
  const file = join(t.testdir(), 'commands.json');
  t.throws(() => readOperatorCommands(file), { code: 'UPSTREAM_COMMANDS_UNREADABLE' });
  writeFileSync(file, '{"commands": {"a": {"command": "sh -c x"}}}');
  t.throws(() => readOperatorCommands(file), { code: 'UPSTREAM_COMMANDS_UNREADABLE' });
  writeFileSync(file, '{"commands": {"a": {"image": "-v /:/x", "command": []}}}');
  t.throws(() => readOperatorCommands(file), { code: 'UPSTREAM_COMMANDS_UNREADABLE' });
  writeFileSync(file, '{"commands": {"a": {"image": "tool:1", "command": ["serve"]}}}');
  t.match(readOperatorCommands(file).get('a'), { image: 'tool:1', command: ['serve'] });
  t.ok(existsSync(file));
});
