import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { sendRequest, type TriggerResult } from '../../../src/executor/trigger/send-request.ts';
import { createTargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import { readCertificates } from '../../../src/outbound/tls-roots.ts';
import { createRootCertificate } from '../../targets/certificates.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { respondWith, startRawTarget } from '../../targets/raw-target.ts';
import { findFailureCode } from '../failure-code.ts';

const root = createRootCertificate(t.testdir());

async function get(origin: string, extraRoots: readonly string[] = []): Promise<TriggerResult> {
  const dispatcher = createTargetDispatcher({ extraRoots });
  const request = { origin, method: 'GET', path: '/', headers: [], body: undefined };
  const startMonotonicMs = systemClock.monotonicMs();
  const result = await sendRequest(request, {
    dispatcher,
    clock: systemClock,
    startMonotonicMs: startMonotonicMs,
    timeoutMs: 5000,
    baseUrlSource: 'config',
  });
  dispatcher.close();
  return result;
}

t.test('a root certificate from --ca is trusted, over HTTP/1.1', async (t) => {
  const target = await startHttpTarget(respondWithJson({ ok: true }), {
    ...root.leaf('localhost'),
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  const result = await get(target.origin, readCertificates(root.file));
  t.equal(result.failure, undefined);
  t.equal(result.bytes.toString(), '{"ok":true}');
  await target.close();
});

t.test('an unknown root certificate is reported with a fix', async (t) => {
  const target = await startHttpTarget(respondWithJson({}), root.leaf('localhost'));
  const { failure } = await get(target.origin);
  t.equal(failure?.kind, 'protocol_error');
  t.match(failure?.message, /the certificate of localhost:\d+ is not signed by a root known here/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_UNTRUSTED');
  t.match(failure?.cure, /--ca/);
  t.equal(target.arrived.length, 0);
  await target.close();
});

t.test('a certificate for another name is reported with both names', async (t) => {
  const target = await startHttpTarget(respondWithJson({}), root.leaf('app.example'));
  const { failure } = await get(target.origin, [root.cert]);
  t.match(failure?.message, /the certificate of localhost:\d+ is for another name: .*app\.example/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_NAME');
  await target.close();
});

t.test('an expired certificate is reported', async (t) => {
  const target = await startHttpTarget(respondWithJson({}), root.leaf('localhost', { expired: true }));
  const { failure } = await get(target.origin, [root.cert]);
  t.match(failure?.message, /is not valid today \(certificate has expired\)/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_EXPIRED');
  await target.close();
});

t.test('a target that speaks plain HTTP at an https:// address is reported', async (t) => {
  const target = await startHttpTarget(respondWithJson({}));
  const { failure } = await get(target.origin.replace('http:', 'https:'));
  t.equal(failure?.kind, 'protocol_error');
  t.match(failure?.message, /127\.0\.0\.1:\d+ does not speak TLS/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_NOT_SPOKEN');
  t.match(failure?.cure, /http:\/\//);
  await target.close();
});

t.test('a connection closed during the handshake is reported', async (t) => {
  const target = await startRawTarget((socket) => socket.once('data', () => socket.end()));
  const { failure } = await get(target.origin.replace('http:', 'https:'));
  t.equal(failure?.kind, 'protocol_error');
  t.match(failure?.message, /the TLS connection to 127\.0\.0\.1:\d+ failed \(/);
  await target.close();
});

t.test('a refused handshake is reported', async (t) => {
  const handshakeFailure = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);
  const target = await startRawTarget(respondWith(handshakeFailure));
  const { failure } = await get(target.origin.replace('http:', 'https:'));
  t.match(failure?.message, /the TLS connection to 127\.0\.0\.1:\d+ failed \(.*handshake failure\)/);
  t.equal(findFailureCode(failure), 'EXECUTOR_TLS_FAILED');
  await target.close();
});

t.test('a target that requires a client certificate is reported', async (t) => {
  const tls = { ...root.leaf('localhost'), requestCert: true, rejectUnauthorized: true, ca: root.cert };
  const target = await startHttpTarget(respondWithJson({}), tls);
  const { failure } = await get(target.origin, [root.cert]);
  t.equal(failure?.kind, 'protocol_error');
  t.match(failure?.message, /the TLS connection to \S+ failed|closed the connection without a response/);
  await target.close();
});
