/** Programs of the operator's file in real containers: what they may reach, and that none is left behind. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { planeOf } from '../../src/assemble/hub-gateway.ts';
import { type OperatorCommand, type OperatorCommands, planeLabel } from '../../src/hub/upstream/operator-commands.ts';
import { connected } from '../hub/connected.ts';
import { connectionTo, house, newest } from '../hub/gateway/house.ts';
import { json } from '../hub/hub-people.ts';

const run = promisify(execFile);
const docker = async (...words: string[]): Promise<string> =>
  (await run('docker', words, { timeout: 120_000 })).stdout.trim();
const image = 'debian:bookworm-slim';

/** An MCP server in a shell: one tool, which runs what it is told. It ends with its input, unless `stubborn`. */
const program = String.raw`
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) answer "$id" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer "$id" '{"tools":[{"name":"run","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      command=$(printf '%s' "$line" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
      told=$(sh -c "$command" 2>&1 | tr '\n\t"\\' '   /' | head -c 2000)
      answer "$id" "{\"content\":[{\"type\":\"text\",\"text\":\"$told\"}]}" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id" ;;
  esac
done
`;
const stubborn = `trap '' TERM INT HUP\n${program}\nwhile :; do sleep 1; done`;

async function homeOf(t: Test, name: string, more: Partial<OperatorCommand> = {}, text = program) {
  const command: OperatorCommand = { image, command: ['sh', '-c', text], ...more };
  const commands: OperatorCommands = new Map([['shell', command]]);
  const connection = connectionTo(name, '', { kind: 'stdio', url: undefined, command: 'shell', id: `test-${name}` });
  const variables = { PATH: process.env.PATH, HOME: process.env.HOME, OURS: 'secret of ours' };
  const running = { engine: { file: 'docker', variables }, unsafe: false, path: undefined };
  const limits = { silenceMs: 60_000, wholeMs: 90_000 };
  const home = await house(t, [connection], { commands, running, connectMs: 60_000, limits }, 60_000);
  const client = await home.client('ann', newest);
  const call = async (command: string): Promise<string> => {
    const { content } = await client.callTool({ name: `${name}__run`, arguments: { command } });
    return String(Object(Object(content)[0]).text).trim();
  };
  const containers = () => docker('ps', '--all', '--quiet', '--filter', `label=vp.hub.connection=test-${name}`);
  return { home, client, call, containers };
}

async function until(what: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (await what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

t.test('a program answers from its container, which reaches nothing and holds nothing of ours', async (t) => {
  const { client, call, containers } = await homeOf(t, 'plain', { variables: { GIVEN: 'by the operator' } });
  t.ok((await client.listTools()).tools.some(({ name }) => name === 'plain__run'));
  t.equal((await containers()).split('\n').length, 1);
  t.equal(await call('echo $GIVEN'), 'by the operator');
  t.notMatch(await call('env'), /secret of ours|OURS=/);
  t.match(
    await call('cat /sys/class/net/*/address | sort -u'),
    /^00:00:00:00:00:00$/,
    'no network but its own loopback',
  );
  t.match(await call('touch /here'), /Read-only file system/);
  t.equal(await call('touch /tmp/here && echo written'), 'written');
  t.match(await call('grep CapEff /proc/self/status'), /0000000000000000/);
  t.match(await call('grep NoNewPrivs /proc/self/status'), /1/);
  t.notMatch(await call('cat /proc/self/mounts'), / \/(home|root|work|var\/run)/);
  const [id = ''] = (await containers()).split('\n');
  t.notMatch(await docker('top', id, '-eo', 'pid,args'), /by the operator/, 'values stand in no argument');
  const bounds = '{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.PidsLimit}}';
  t.equal(await docker('inspect', '--format', bounds, id), '536870912 536870912 256');
});

t.test('it ends with its connection, and with it its container', async (t) => {
  const { home, call, containers } = await homeOf(t, 'ends');
  t.equal(await call('echo one'), 'one');
  t.not(await containers(), '');
  home.connections.splice(0);
  home.changed();
  t.ok(await until(async () => (await containers()) === ''));
});

t.test('one that neither its input nor a signal ends is removed all the same', async (t) => {
  const { home, call, containers } = await homeOf(t, 'stays', {}, stubborn);
  t.equal(await call('echo one'), 'one');
  t.not(await containers(), '');
  home.connections.splice(0);
  home.changed();
  t.ok(await until(async () => (await containers()) === ''));
});

t.test('an owner connects one over the API; what an earlier start left behind is gone by then', async (t) => {
  const folder = t.testdir();
  const left = await docker('run', '--detach', '--label', planeLabel(planeOf(folder)), image, 'sleep', '1000');
  t.teardown(() => docker('rm', '--force', left).catch(() => {}));
  const commands: OperatorCommands = new Map([['shell', { image, command: ['sh', '-c', program] }]]);
  const home = await connected(t, { commands });
  const path = '/api/v1/hubs/acme';
  const probe = { kind: 'stdio', command: 'shell' };
  t.match(await json(home.ana.ask('POST', `${path}/connections/probe`, probe)), {
    server: { name: 'shell' },
    problem: null,
  });
  t.notMatch(await docker('ps', '--quiet', '--no-trunc'), left);
  const made = await home.ana.ask('POST', `${path}/connections`, { ...probe, name: 'shell' });
  t.equal(made.status, 201);
  const call = { name: 'shell__run', arguments: { command: 'echo over the API' } };
  t.match(await json(home.ana.ask('POST', `${path}/tools/call`, call)), {
    result: { content: [{ text: /over the API/ }] },
  });
  await home.ana.ask('DELETE', `${path}/connections/shell`);
  const ours = () => docker('ps', '--all', '--quiet', '--filter', `label=${planeLabel(planeOf(folder))}`);
  t.ok(await until(async () => (await ours()) === ''));
});

t.test('one that ends by itself is started anew at the next call', async (t) => {
  const { call, containers } = await homeOf(t, 'again');
  const first = await call('hostname');
  await docker('kill', (await containers()).split('\n')[0] ?? '');
  let second = '';
  await until(async () => {
    second = await call('hostname').catch(() => '');
    return second !== '';
  });
  t.match(second, /^[0-9a-f]{12}$/);
  t.not(second, first);
});

t.test('one that takes more memory than it has is ended, and nothing else with it', async (t) => {
  const { call } = await homeOf(t, 'hungry', { memory_mb: 32 });
  const fate = await call('head -c 200000000 /dev/zero | tail -c 150000000 | wc -c; echo over').catch(() => 'gone');
  t.notMatch(fate, /150000000/);
  let after = '';
  await until(async () => {
    after = await call('echo here').catch(() => '');
    return after !== '';
  });
  t.equal(after, 'here');
});
