/** Keys outside of this process: a real ssh-agent, and a command. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { AnchorPublisher } from '../../../../src/hub/audit/anchor-publisher.ts';
import { type AnchorStatement, serializeSigned } from '../../../../src/hub/audit/anchor-statement.ts';
import { defaultAuditSettings } from '../../../../src/hub/audit/audit-settings.ts';
import { type AnchorKey, isSignedByAnchorKey } from '../../../../src/hub/audit/signing/anchor-key.ts';
import { openAnchorKey } from '../../../../src/hub/audit/signing/open-anchor-key.ts';
import { fakeClock } from '../../../environment/fake-clock.ts';
import { eventually } from '../../../eventually.ts';

const { env } = process;

function hasProgram(name: string): boolean {
  return (env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)));
}
const skip = hasProgram('ssh-agent') ? false : 'no ssh-agent (apt-get install openssh-client)';

/** Paths of sockets are short: the folder of the test may be too deep. */
function createFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-agent-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const keyTypes = { key: 'ed25519', other: 'ed25519', rsa: 'rsa' };
let createdKeyFiles: ReadonlyMap<string, Buffer> | undefined;

/** The files of one key of each name, which all tests share: an RSA key alone takes half a second of processor time. */
function keyFiles(): ReadonlyMap<string, Buffer> {
  if (createdKeyFiles !== undefined) return createdKeyFiles;
  const folder = mkdtempSync(join(tmpdir(), 'vp-keys-'));
  for (const [name, type] of Object.entries(keyTypes))
    execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', name], { cwd: folder, stdio: 'pipe' });
  createdKeyFiles = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  rmSync(folder, { recursive: true });
  return createdKeyFiles;
}

/** False before the socket is there, and between its creation and the moment when the agent listens. */
async function canConnect(path: string): Promise<boolean> {
  const socket = connect(path);
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}

/** An agent with the key of `key`, and that of `other` in its folder. */
async function startAgent(t: Test, folder = createFolder(t)) {
  const socket = join(folder, 'agent.sock');
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    if (agent.exitCode !== null || agent.signalCode !== null) return;
    const exited = once(agent, 'exit');
    agent.kill('SIGTERM');
    await exited;
    rmSync(socket, { force: true });
  };
  t.teardown(stop);
  await eventually(() => canConnect(socket), { description: 'the agent' });
  const run = (program: string, ...args: string[]): void => {
    const askPass = { DISPLAY: ':0', SSH_ASKPASS: join(folder, 'askpass'), SSH_ASKPASS_REQUIRE: 'force' };
    execFileSync(program, args, { cwd: folder, stdio: 'pipe', env: { ...env, SSH_AUTH_SOCK: socket, ...askPass } });
  };
  writeFileSync(join(folder, 'askpass'), '#!/bin/sh\necho secret\n', { mode: 0o700 });
  if (!existsSync(join(folder, 'key')))
    for (const [name, content] of keyFiles()) writeFileSync(join(folder, name), content, { mode: 0o600 });
  const open = (name = 'key', variables = { SSH_AUTH_SOCK: socket }, clock = fakeClock()) =>
    openAnchorKey(`ssh-agent:${name}.pub`, { cwd: folder, clock, variables });
  return { folder, socket, run, open, stop };
}

async function assertSigns(t: Test, key: AnchorKey): Promise<void> {
  t.ok(isSignedByAnchorKey(key.publicKey, 'text', await key.sign('text')));
}

t.test('a key signs in the ssh-agent, without ever being read', { skip }, async (t) => {
  const { run, open, folder } = await startAgent(t);
  run('ssh-add', '-q', 'key');
  rmSync(join(folder, 'key'));
  await assertSigns(t, await open());
});

t.test('an agent that is locked, lacks the key or is gone says so, and is used again', { skip }, async (t) => {
  const { run, open, stop, folder } = await startAgent(t);
  const key = await open();
  const refusal = (problem: RegExp) => t.rejects(key.sign('text'), { code: 'AUDIT_KEY_UNAVAILABLE', message: problem });
  await refusal(/has no keys: it is locked, or they were removed/);
  run('ssh-add', '-q', 'other');
  await refusal(/does not have the key; it has 1 other$/m);
  run('ssh-add', '-q', 'key');
  await assertSigns(t, key);
  run('ssh-add', '-x');
  await refusal(/locked/);
  run('ssh-add', '-X');
  await assertSigns(t, key);
  run('ssh-add', '-q', '-d', 'key');
  await refusal(/does not have the key/);
  await stop();
  await refusal(/cannot be reached: ENOENT/);
  const again = await startAgent(t, folder);
  again.run('ssh-add', '-q', 'key');
  await assertSigns(t, key);
});

t.test('statements that an agent did not sign are contained in the next one', { skip }, async (t) => {
  const { run, open } = await startAgent(t);
  const clock = fakeClock();
  const key = await open();
  const sent: AnchorStatement[] = [];
  const states: string[] = [];
  let seq = 1;
  const publisher = new AnchorPublisher({
    readUsedBytes: async () => 4096,
    readEnds: async () => [{ hub_id: 'h1', seq, mac: Buffer.alloc(32), at_ms: 0, before_seq: 0, erased_seq: 0 }],
    targets: [{ name: 'file', send: async (statement) => void sent.push(statement) }],
    key,
    limits: defaultAuditSettings,
    clock,
    intervalMs: 60_000,
    onTargetState: (target, error) => states.push(`${target} ${error instanceof Error ? error.message : 'works'}`),
  });
  t.teardown(() => publisher.close());
  await publisher.publish();
  seq = 2;
  await publisher.publish();
  t.same(sent, [], 'nothing is published without its signature');
  t.match(states, [/^file the audit key ssh-agent:key.pub does not sign: .*locked/]);
  run('ssh-add', '-q', 'key');
  await publisher.publish();
  t.match(sent, [{ chains: [{ seq: 2 }] }]);
  t.ok(sent.every((each) => isSignedByAnchorKey(key.publicKey, serializeSigned(each), each.signature ?? '')));
  t.match(states, [/./, 'file works']);
});

t.test('a socket that answers nonsense, too much, another signature or nothing is refused', { skip }, async (t) => {
  const { open, folder } = await startAgent(t);
  const frame = (...bytes: number[]) => Buffer.from([0, 0, 0, bytes.length, ...bytes]);
  const signature = (type: string, size: number): Buffer => {
    const inner = Buffer.concat([Buffer.from([0, 0, 0, type.length]), Buffer.from(type), Buffer.from([0, 0, 0, size])]);
    const content = Buffer.concat([inner, Buffer.alloc(size)]);
    return frame(14, 0, 0, 0, content.length, ...content);
  };
  const answers: [RegExp, Buffer][] = [
    [/malformed/, frame(99)],
    [/malformed/, frame(14, 0, 0, 1, 0)],
    [/malformed/, signature('ssh-ed25519', 63)],
    [/malformed/, signature('ssh-rsa', 64)],
    [/no signature of this key/, signature('ssh-ed25519', 64)],
    [/is not one/, Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    [/is not one/, Buffer.alloc(3)],
    [/is not one/, Buffer.alloc(0)],
  ];
  let reply: Buffer | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (reply === undefined ? undefined : socket.end(reply)));
  });
  const path = join(folder, 'liar.sock');
  server.listen(path);
  await once(server, 'listening');
  t.teardown(() => void server.close());
  const clock = fakeClock();
  const key = await open('key', { SSH_AUTH_SOCK: path }, clock);
  for (const [message, bytes] of answers) {
    reply = bytes;
    await t.rejects(key.sign('text'), { code: 'AUDIT_KEY_UNAVAILABLE', message });
  }
  reply = undefined;
  let isSettled = false;
  const signing = t.rejects(key.sign('text'), { message: /did not answer within 15 s/ }).then(() => {
    isSettled = true;
  });
  await eventually(() => {
    clock.advance(15_000);
    return isSettled;
  });
  await signing;
});

t.test('a key of another type, a missing file and a missing agent are refused at the start', { skip }, async (t) => {
  const { open, folder, socket } = await startAgent(t);
  await t.rejects(open('rsa'), { code: 'AUDIT_KEY_UNUSABLE', message: /of the type ssh-rsa/ });
  await t.rejects(open('missing'), { code: 'AUDIT_KEY_UNUSABLE', message: /cannot be read: ENOENT/ });
  await t.rejects(open('key', { SSH_AUTH_SOCK: '' }), { code: 'AUDIT_KEY_UNUSABLE', message: /SSH_AUTH_SOCK/ });
  writeFileSync(join(folder, 'cut.pub'), readFileSync(join(folder, 'key.pub'), 'utf8').slice(0, 40));
  await t.rejects(open('cut'), { code: 'AUDIT_KEY_UNUSABLE', message: /damaged/ });
  const environment = { cwd: folder, clock: fakeClock(), variables: { SSH_AUTH_SOCK: socket } };
  await t.rejects(openAnchorKey('ssh-agent:', environment), { code: 'AUDIT_KEY_UNUSABLE' });
});

/** A program that signs with the key of its folder, as one of a hardware module would. */
function writeCommand(folder: string, script: string): string {
  const file = join(folder, 'sign-audit');
  writeFileSync(file, `#!${process.execPath}\nconst { readFileSync } = require('node:fs');\n${script}`);
  chmodSync(file, 0o755);
  return file;
}

const signScript = `
const { createPrivateKey, createPublicKey, sign } = require('node:crypto');
const key = createPrivateKey(readFileSync(__dirname + '/key.pem'));
if (process.env.VP_MASTER_KEY) process.exit(9);
if (process.argv[2] === 'public-key') process.stdout.write(createPublicKey(key).export({ type: 'spki', format: 'pem' }));
else process.stdout.write(sign(null, readFileSync(0), key).toString('base64') + '\\n');
`;

t.test('a key signs behind a command, which gets no variable of vp', async (t) => {
  const folder = createFolder(t);
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')], { stdio: 'ignore' });
  writeCommand(folder, signScript);
  const variables = { ...env, VP_MASTER_KEY: 'secret' };
  const key = await openAnchorKey('command:sign-audit', { cwd: folder, clock: fakeClock(), variables });
  await assertSigns(t, key);
  writeCommand(folder, 'process.exit(4);');
  await t.rejects(key.sign('text'), { code: 'AUDIT_KEY_UNAVAILABLE', message: /ended with exit code 4/ });
  writeCommand(folder, "process.stdout.write('AAAA');");
  await t.rejects(key.sign('text'), { code: 'AUDIT_KEY_UNAVAILABLE', message: /no signature of this key/ });
  rmSync(join(folder, 'sign-audit'));
  await t.rejects(key.sign('text'), { code: 'AUDIT_KEY_UNAVAILABLE', message: /is not there/ });
  writeCommand(folder, signScript);
  await assertSigns(t, key);
});
