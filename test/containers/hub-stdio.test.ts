/** The operator's stdio commands in real containers: what they can reach, and that none is left behind. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { getControlPlaneId } from '../../src/assemble/control-plane/command-containers.ts';
import {
  getControlPlaneLabel,
  type OperatorCommand,
  type OperatorCommands,
} from '../../src/hub/upstream/commands/operator-commands.ts';
import { eventually } from '../eventually.ts';
import { readJson } from '../hub/fixtures/hub-people.ts';
import { createConnection, modernClient, startTestGateway } from '../hub/fixtures/test-gateway.ts';
import { startTestHub } from '../hub/fixtures/test-hub.ts';

const run = promisify(execFile);
const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { timeout: 120_000 })).stdout.trim();
const image = 'debian:bookworm-slim';

/** An MCP server as a shell script with one tool, which runs a command. It exits with its input, except the stubborn one. */
const serverScript = String.raw`
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) answer "$id" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}' ;;
    *'"method":"tools/list"'*) answer "$id" '{"tools":[{"name":"run","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      command=$(printf '%s' "$line" | sed -n 's/.*"command":"\([^"]*\)".*/\1/p')
      output=$(sh -c "$command" 2>&1 | tr '\n\t"\\' '   /' | head -c 2000)
      answer "$id" "{\"content\":[{\"type\":\"text\",\"text\":\"$output\"}]}" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id" ;;
  esac
done
`;
const stubbornScript = `trap '' TERM INT HUP\n${serverScript}\nwhile :; do sleep 1; done`;

async function startCommandGateway(t: Test, name: string, more: Partial<OperatorCommand> = {}, text = serverScript) {
  const command: OperatorCommand = { image, command: ['sh', '-c', text], ...more };
  const commands: OperatorCommands = new Map([['shell', command]]);
  const connection = createConnection(name, '', {
    kind: 'stdio',
    url: undefined,
    command: 'shell',
    id: `test-${name}`,
  });
  const variables = { PATH: process.env.PATH, HOME: process.env.HOME, HOST_SECRET: 'secret of ours' };
  const runnerOptions = { engine: { file: 'docker', variables }, unsafe: false, path: undefined };
  const limits = { idleMs: 60_000, totalMs: 90_000 };
  const gateway = await startTestGateway(
    t,
    [connection],
    { commands, runnerOptions: runnerOptions, connectMs: 60_000, timeouts: limits },
    60_000,
  );
  const client = await gateway.client('ann', modernClient);
  const call = async (command: string): Promise<string> => {
    const { content } = await client.callTool({ name: `${name}__run`, arguments: { command } });
    return String(Object(Object(content)[0]).text).trim();
  };
  const containers = () => docker('ps', '--all', '--quiet', '--filter', `label=vp.hub.connection=test-${name}`);
  return { gateway, client, call, containers };
}

t.test('a command serves from its container, which has no network and none of our secrets', async (t) => {
  const { client, call, containers } = await startCommandGateway(t, 'plain', {
    variables: { OPERATOR_VALUE: 'by the operator' },
  });
  t.ok((await client.listTools()).tools.some(({ name }) => name === 'plain__run'));
  t.equal((await containers()).split('\n').length, 1);
  t.equal(await call('echo $OPERATOR_VALUE'), 'by the operator');
  t.notMatch(await call('env'), /secret of ours|HOST_SECRET=/);
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
  const limitsFormat = '{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.PidsLimit}}';
  t.equal(await docker('inspect', '--format', limitsFormat, id), '536870912 536870912 256');
});

t.test('its container is removed with the connection', async (t) => {
  const { gateway, call, containers } = await startCommandGateway(t, 'ends');
  t.equal(await call('echo one'), 'one');
  t.not(await containers(), '');
  gateway.connections.splice(0);
  gateway.emitChange();
  t.ok(await eventually(async () => (await containers()) === ''));
});

t.test('a container that ignores its input and signals is removed too', async (t) => {
  const { gateway, call, containers } = await startCommandGateway(t, 'stays', {}, stubbornScript);
  t.equal(await call('echo one'), 'one');
  t.not(await containers(), '');
  gateway.connections.splice(0);
  gateway.emitChange();
  t.ok(await eventually(async () => (await containers()) === ''));
});

t.test('an owner connects a command over the API, and leftovers of an earlier start are removed by then', async (t) => {
  const folder = t.testdir();
  const leftoverId = await docker(
    'run',
    '--detach',
    '--label',
    getControlPlaneLabel(getControlPlaneId(folder)),
    image,
    'sleep',
    '1000',
  );
  t.teardown(() => docker('rm', '--force', leftoverId).catch(() => {}));
  const commands: OperatorCommands = new Map([['shell', { image, command: ['sh', '-c', serverScript] }]]);
  const gateway = await startTestHub(t, { commands });
  const path = '/api/v1/hubs/acme';
  const probe = { kind: 'stdio', command: 'shell' };
  t.match(await readJson(gateway.ana.ask('POST', `${path}/connections/probe`, probe)), {
    server: { name: 'shell' },
    problem: null,
  });
  t.notMatch(await docker('ps', '--quiet', '--no-trunc'), leftoverId);
  const created = await gateway.ana.ask('POST', `${path}/connections`, { ...probe, name: 'shell' });
  t.equal(created.status, 201);
  const call = { name: 'shell__run', arguments: { command: 'echo over the API' } };
  t.match(await readJson(gateway.ana.ask('POST', `${path}/tools/call`, call)), {
    result: { content: [{ text: /over the API/ }] },
  });
  await gateway.ana.ask('DELETE', `${path}/connections/shell`);
  const listOwnContainers = () =>
    docker('ps', '--all', '--quiet', '--filter', `label=${getControlPlaneLabel(getControlPlaneId(folder))}`);
  t.ok(await eventually(async () => (await listOwnContainers()) === ''));
});

t.test('a command that exits is restarted at the next call', async (t) => {
  const { call, containers } = await startCommandGateway(t, 'again');
  const first = await call('hostname');
  await docker('kill', (await containers()).split('\n')[0] ?? '');
  const second = await eventually(() => call('hostname'));
  t.match(second, /^[0-9a-f]{12}$/);
  t.not(second, first);
});

t.test('a command that exceeds its memory is killed, and nothing else', async (t) => {
  const { call } = await startCommandGateway(t, 'hungry', { memory_mb: 32 });
  const fate = await call('head -c 200000000 /dev/zero | tail -c 150000000 | wc -c; echo over').catch(() => 'gone');
  t.notMatch(fate, /150000000/);
  t.equal(await eventually(() => call('echo here')), 'here');
});
