import t from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { type Heard, trigger } from '../../src/executor/trigger.ts';
import { targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { readCertificates } from '../../src/outbound/tls-roots.ts';
import { makeRoot } from '../targets/certificates.ts';
import { httpTarget, json } from '../targets/http-target.ts';
import { answering, rawTarget } from '../targets/raw-target.ts';
import { codeOfFault } from './told.ts';

const root = makeRoot(t.testdir());

async function get(origin: string, extraRoots: readonly string[] = []): Promise<Heard> {
  const dispatcher = targetDispatcher({ extraRoots });
  const request = { origin, method: 'GET', path: '/', headers: [], body: undefined };
  const takenUpMs = systemClock.monotonicMs();
  const heard = await trigger(request, {
    dispatcher,
    clock: systemClock,
    takenUpMs,
    timeoutMs: 5000,
    baseUrlFrom: 'config',
  });
  dispatcher.close();
  return heard;
}

t.test('a root given with --ca is trusted, over HTTP/1.1', async (t) => {
  const target = await httpTarget(json({ ok: true }), { ...root.leaf('localhost'), ALPNProtocols: ['h2', 'http/1.1'] });
  const heard = await get(target.origin, readCertificates(root.file));
  t.equal(heard.fault, undefined);
  t.equal(heard.bytes.toString(), '{"ok":true}');
  await target.close();
});

t.test('an unknown root is told with the cure', async (t) => {
  const target = await httpTarget(json({}), root.leaf('localhost'));
  const { fault } = await get(target.origin);
  t.equal(fault?.kind, 'protocol_error');
  t.match(fault?.message, /the certificate of localhost:\d+ is not signed by a root known here/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_UNTRUSTED');
  t.match(fault?.cure, /--ca/);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('a certificate for another name is told with both names', async (t) => {
  const target = await httpTarget(json({}), root.leaf('app.example'));
  const { fault } = await get(target.origin, [root.cert]);
  t.match(fault?.message, /the certificate of localhost:\d+ is for another name: .*app\.example/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_NAME');
  await target.close();
});

t.test('a certificate that has expired is told', async (t) => {
  const target = await httpTarget(json({}), root.leaf('localhost', { expired: true }));
  const { fault } = await get(target.origin, [root.cert]);
  t.match(fault?.message, /is not valid today \(certificate has expired\)/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_EXPIRED');
  await target.close();
});

t.test('a port that speaks plain HTTP where https:// is written is told', async (t) => {
  const target = await httpTarget(json({}));
  const { fault } = await get(target.origin.replace('http:', 'https:'));
  t.equal(fault?.kind, 'protocol_error');
  t.match(fault?.message, /127\.0\.0\.1:\d+ does not speak TLS/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_NOT_SPOKEN');
  t.match(fault?.cure, /http:\/\//);
  await target.close();
});

t.test('a port that closes during the handshake is told', async (t) => {
  const target = await rawTarget((socket) => socket.once('data', () => socket.end()));
  const { fault } = await get(target.origin.replace('http:', 'https:'));
  t.equal(fault?.kind, 'protocol_error');
  t.match(fault?.message, /no TLS connection with 127\.0\.0\.1:\d+ \(/);
  await target.close();
});

t.test('a handshake that is refused is told', async (t) => {
  const handshakeFailure = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);
  const target = await rawTarget(answering(handshakeFailure));
  const { fault } = await get(target.origin.replace('http:', 'https:'));
  t.match(fault?.message, /no TLS connection with 127\.0\.0\.1:\d+ \(.*handshake failure\)/);
  t.equal(codeOfFault(fault), 'EXECUTOR_TLS_FAILED');
  await target.close();
});

t.test('a target that wants a certificate of ours is told', async (t) => {
  const tls = { ...root.leaf('localhost'), requestCert: true, rejectUnauthorized: true, ca: root.cert };
  const target = await httpTarget(json({}), tls);
  const { fault } = await get(target.origin, [root.cert]);
  t.equal(fault?.kind, 'protocol_error');
  t.match(fault?.message, /no TLS connection|closed the connection without an answer/);
  await target.close();
});
