/** Programs as servers: one each, bounded, started anew when they end, ended with all that they started. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type OperatorCommands, programOf, readOperatorCommands } from '../../../src/hub/upstream/operator-commands.ts';
import { connectionTo, house, newest } from '../gateway/house.ts';

const program = join(import.meta.dirname, '../hostile/stdio-server.ts');
const words = (...more: string[]): string[] => [process.execPath, '--import', './test/tsx-hook.mjs', program, ...more];
const running = { engine: undefined, unsafe: true, path: process.env.PATH };

async function homeOf(t: Test, how: string, note = '') {
  const commands: OperatorCommands = new Map([['pipe', { command: words(how, note), variables: { GIVEN: 'yes' } }]]);
  const connection = connectionTo('pipe', '', { kind: 'stdio', url: undefined, command: 'pipe' });
  const home = await house(t, [connection], { commands, running, connectMs: 10_000 });
  return { home, client: await home.client('ann', newest) };
}

async function textOf(call: Promise<{ content: unknown }>): Promise<string> {
  return String(Object(Object((await call).content)[0]).text);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let round = 0; round < 500 && !holds(); round += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  return holds();
}

t.test('one program serves all callers, and is started anew when it has ended', async (t) => {
  const { home, client } = await homeOf(t, 'good');
  const other = await home.client('bob', newest);
  const call = { name: 'pipe__pid', arguments: {} };
  const pid = await textOf(client.callTool(call));
  t.equal(await textOf(other.callTool(call)), pid);
  await t.rejects(client.callTool({ name: 'pipe__die', arguments: {} }), /cannot be reached/);
  t.notOk(lives(Number(pid)));
  const next = await textOf(client.callTool(call));
  t.not(next, pid);
  t.match(
    home.audit.map(({ outcome }) => outcome),
    ['ok', 'ok', 'failed', 'ok'],
  );
});

t.test('a program that ends when asked what it does not know is asked the older way', async (t) => {
  const { client } = await homeOf(t, 'old');
  t.match(await textOf(client.callTool({ name: 'pipe__pid', arguments: {} })), /^\d+$/);
});

t.test('it gets the variables of the operator’s file and none of ours', async (t) => {
  process.env.VP_SECRET_OF_OURS = 'secret';
  const { client } = await homeOf(t, 'good');
  const given = await textOf(client.callTool({ name: 'pipe__environment', arguments: {} }));
  t.match(given, /"GIVEN":"yes"/);
  t.notMatch(given, /VP_SECRET_OF_OURS/);
});

t.test('it ends with all that it started', async (t) => {
  const note = join(t.testdir(), 'pid');
  const { home, client } = await homeOf(t, 'family', note);
  const pid = Number(await textOf(client.callTool({ name: 'pipe__pid', arguments: {} })));
  const grandchild = Number(readFileSync(note, 'utf8'));
  t.ok(lives(pid) && lives(grandchild));
  await home.gateway.close();
  t.ok(await until(() => !lives(pid) && !lives(grandchild)));
});

t.test('one that floods without an end of line is ended', async (t) => {
  const { home, client } = await homeOf(t, 'flood');
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'pipe' }] });
  t.ok(home.states.some((state) => state.startsWith('c-pipe failing')) || _meta);
});

t.test('commands that the operator does not offer are not run', async (t) => {
  const connection = connectionTo('pipe', '', { kind: 'stdio', url: undefined, command: 'rm' });
  const home = await house(t, [connection], { running });
  const client = await home.client('ann', newest);
  const { _meta } = await client.listTools();
  t.match(_meta, { 'vp/missing_connections': [{ connection: 'pipe', code: 'UPSTREAM_COMMAND_UNKNOWN' }] });
});

t.test('with an image it runs confined, with the values of its variables in no argument', async (t) => {
  const engine = { file: 'docker', variables: { PATH: '/bin' } };
  const command = { image: 'tool:1', command: ['serve'], variables: { KEY: 'secret' } };
  const made = programOf(command, { engine, unsafe: false, path: undefined }, { label: 'c1', name: 'n1' });
  t.equal(made?.file, 'docker');
  t.match(made?.variables, { KEY: 'secret', PATH: '/bin' });
  const line = made?.words.join(' ') ?? '';
  t.notMatch(line, /secret/);
  for (const part of [
    '--rm',
    '--network none',
    '--cap-drop ALL',
    '--read-only',
    '--memory 512m',
    '--env KEY tool:1 serve',
  ]) {
    t.ok(line.includes(part), part);
  }
  t.match(line, /^run --name n1 /);
  t.same(made?.removal?.words, ['rm', '--force', 'n1']);
  t.notMatch(JSON.stringify(made?.removal), /secret/);
  t.notMatch(line, /--volume|--mount|-v /);
  t.equal(
    programOf({ command: ['sh'] }, { engine, unsafe: false, path: undefined }, { label: 'c1', name: 'n1' }),
    undefined,
  );
});

t.test('the operator’s file is read whole or not at all', async (t) => {
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
