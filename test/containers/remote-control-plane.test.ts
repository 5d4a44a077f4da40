/** A control plane on another address, over TLS with a certificate of the team's own authority: `VP_CA` is all that is needed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import { resolve } from 'node:path';
import t from 'tap';
import { eventually } from '../eventually.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { createTestMachine, image } from './test-machine.ts';

const program = resolve(process.env.VP_PROGRAM ?? 'dist/vp');
const name = 'vp-test-tls';
/** Of `vp serve` on loopback, and of the TLS proxy in front of it. */
const [port, tlsPort] = [23_794, 23_795];
const testMachine = createTestMachine({ name, appPort: 23_793 });
const { call, docker, pathTo, variables, home } = testMachine;

t.before(async () => {
  await testMachine.clear();
  await testMachine.startTarget();
  testMachine.writeFolders();
});

t.teardown(async () => {
  await testMachine.clear();
  testMachine.removeHome();
});

t.test('an application is onboarded at a remote control plane', { timeout: 240_000 }, async (t) => {
  // The address of this machine on the engine's own network, which containers of every network reach.
  const gateway = '{{(index .IPAM.Config 0).Gateway}}';
  const address = (await docker('network', 'inspect', '--format', gateway, 'bridge')).trim();
  const origin = `https://${address}:${tlsPort}`;
  mkdirSync(pathTo('tls'));
  const root = createRootCertificate(pathTo('tls'));
  const server = createServer({ ...root.leaf(address) }, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(tlsPort, '0.0.0.0');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const serveArgs = [
    'serve',
    '--port',
    String(port),
    '--public-url',
    origin,
    '--no-executor-socket',
    '--log-level',
    'error',
  ];
  const child = spawn(program, serveArgs, { env: variables, cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  t.teardown(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  const readKey = (): string => readFileSync(pathTo('.local/share/vp/owner.key'), 'utf8').trim();
  await eventually(readKey, { description: 'the owner key of the control plane', until: (key) => key !== '' });

  const args = ['--instance-id', name, '--control-plane', origin, '--image', image];
  const untrusted = await call(program, ['onboard', ...args], { VP_TOKEN: readKey() });
  t.equal(untrusted.code, 4, `${untrusted.stdout}${untrusted.stderr}`);
  t.match(untrusted.stderr, /--ca|VP_CA|certificate/, 'the fix for a certificate that is not trusted');

  const trusted = { VP_TOKEN: readKey(), VP_CA: root.file };
  const onboarded = await call(program, ['onboard', ...args], trusted);
  t.equal(onboarded.code, 0, `${onboarded.stdout}${onboarded.stderr}`);
  t.match(onboarded.stdout, /^ALL SET$/m);
  t.match(onboarded.stdout, new RegExp(`connection from the target.*: ${origin}`));
  const runArgs = ['run', '--instance', name, '--control-plane', origin, 'RT-GET-document'];
  const run = await call(program, runArgs, trusted);
  t.equal(run.code, 0, `${run.stdout}${run.stderr}`);
  const direct = await call(program, [...runArgs, '--direct'], trusted);
  t.equal(direct.code, 0, `the executor is reached directly: ${direct.stdout}${direct.stderr}`);
  const doctor = await call(program, ['doctor', '--instance', name, '--control-plane', origin], trusted);
  t.equal(doctor.code, 0, `${doctor.stdout}${doctor.stderr}`);
});
