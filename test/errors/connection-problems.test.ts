/** Each defect of a server is said in words, with the next step: real servers with that defect, called by both kinds of `fetch` and by `node:http`. */
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import t, { type Test } from 'tap';
import { createNetworkError } from '../../src/client/transport/network-error.ts';
import { describeConnectionError, findConnectionProblem } from '../../src/errors/connection-problems.ts';
import { describeLastError, toUpstreamError } from '../../src/hub/upstream/upstream-error.ts';
import { isTlsCode } from '../../src/outbound/connection-error-codes.ts';
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { requestLocal } from '../../src/outbound/local-request.ts';
import { findFreePort } from '../free-port.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { respondWithJson, startHttpTarget } from '../targets/http-target.ts';
import { startRawTarget } from '../targets/raw-target.ts';

const folder = t.testdir({ trusted: {}, other: {} });
const root = createRootCertificate(join(folder, 'trusted'));
const other = createRootCertificate(join(folder, 'other'));

async function startTls(t: Test, tls: TlsOptions): Promise<string> {
  const target = await startHttpTarget(respondWithJson({}), tls);
  t.teardown(() => target.close());
  return target.origin;
}

async function startPlain(t: Test): Promise<string> {
  const target = await startHttpTarget(respondWithJson({}));
  t.teardown(() => target.close());
  return target.origin;
}

async function fail(t: Test, url: string, extraRoots: readonly string[] = [root.cert]): Promise<unknown> {
  const guarded = createGuardedFetch({ allowPrivate: true, extraRoots, variables: {}, answerLimitBytes: 100_000 });
  t.teardown(() => guarded.close());
  try {
    await guarded.fetch(url);
  } catch (thrown) {
    return thrown;
  }
  throw new Error(`${url} was reached`);
}

/** As commands call a control plane on this machine. */
async function failLocal(url: string): Promise<unknown> {
  const init = { method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000) };
  if (url.startsWith('http:')) return requestLocal(url, init, 1000).catch((error: unknown) => error);
}

type Server = (t: Test) => Promise<string>;
const trust = /--ca <file\.pem>/;
const oldVersions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

const defects: readonly [string, Server, meaning: RegExp, step?: RegExp][] = [
  [
    'a certificate of an unknown authority',
    (t) => startTls(t, other.leaf('localhost')),
    /its certificate is signed by an authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/,
    trust,
  ],
  [
    'the same with the authority in its chain',
    (t) => startTls(t, chain(other.leaf('localhost'))),
    /not trusted here \(SELF_SIGNED_CERT_IN_CHAIN\)/,
    trust,
  ],
  [
    'a self-signed certificate',
    (t) => startTls(t, { cert: other.cert, key: other.key }),
    /its certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    trust,
  ],
  [
    'an expired certificate',
    (t) => startTls(t, root.leaf('localhost', { expired: true })),
    /its certificate has expired \(CERT_HAS_EXPIRED\)/,
    /renew the certificate/,
  ],
  [
    'a certificate for another host name',
    (t) => startTls(t, root.leaf('app.example')),
    /its certificate is for another host name \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
    /use a host name that the certificate has/,
  ],
  [
    'old versions of TLS only',
    (t) => startTls(t, { ...root.leaf('localhost'), ...oldVersions }),
    /it has no version of TLS that is accepted here/,
    /allow TLS 1\.2 or 1\.3/,
  ],
  [
    'plain HTTP at an https:// address',
    async (t) => (await startPlain(t)).replace('http:', 'https:'),
    /it does not speak TLS/,
    /write http:\/\/ in the address/,
  ],
  [
    'TLS at an http:// address, where the server closes',
    async (t) => (await startTls(t, root.leaf('localhost'))).replace('https:', 'http:'),
    /the connection (broke|ended before the response was complete)/,
    /if the port speaks TLS, write https:\/\/ in the address/,
  ],
  [
    'TLS at an http:// address, where the server sends an alert',
    (t) => startRaw(t, Buffer.from([21, 3, 1, 0, 2, 2, 70])),
    /it speaks TLS \((HTTPParserError|HPE_\w+)\)/,
    /write https:\/\/ in the address/,
  ],
  [
    'another protocol',
    (t) => startRaw(t, Buffer.from('SSH-2.0-OpenSSH_9.9\r\n')),
    /its response is not valid HTTP \((HTTPParserError|HPE_\w+)\)/,
    /the port is that of an HTTP server/,
  ],
  [
    'nothing that listens',
    async () => `http://127.0.0.1:${await findFreePort()}`,
    /nothing listens there \(ECONNREFUSED\)/,
  ],
];

function chain({ key, cert }: { key: string; cert: string }): TlsOptions {
  return { key, cert: `${cert}${other.cert}` };
}

async function startRaw(t: Test, bytes: Buffer): Promise<string> {
  const target = await startRawTarget((socket) => socket.end(bytes));
  t.teardown(() => target.close());
  return target.origin;
}

for (const [name, start, meaning, step] of defects)
  t.test(`${name} is said in words`, async (t) => {
    const url = await start(t);
    const thrown = await fail(t, url);
    const upstreamError = toUpstreamError({ name: 'notes', url }, thrown);
    t.match(upstreamError, { code: 'UPSTREAM_UNREACHABLE', message: meaning });
    t.match(upstreamError.cure, step ?? /^check that its server runs/);
    t.match(describeLastError(upstreamError), step ?? /\)$/);
    const localError = await failLocal(url);
    if (localError) {
      const { values, cure } = createNetworkError(localError, url);
      t.match(values.problem, meaning);
      t.match(cure, step ?? /vp serve/);
    }
    for (const error of [thrown, await fetch(url).catch((error: unknown) => error)]) {
      const { values, cure } = createNetworkError(error, url);
      // The runtime's fetch has no other roots.
      if (error === thrown || step === undefined || !/certificate/.test(meaning.source))
        t.match(values.problem, meaning);
      t.match(cure, error === thrown ? (step ?? /vp serve/) : /./);
    }
  });

t.test('codes that no server of a test gives', async (t) => {
  const context = { url: 'https://a.example', trustStep: 'trust it' };
  const cases: readonly [string, RegExp][] = [
    ['ENOTFOUND', /^the host name is unknown \(ENOTFOUND\)$/],
    ['EAI_AGAIN', /^the host name cannot be resolved now \(EAI_AGAIN\); check the name servers/],
    ['EHOSTUNREACH', /^the host cannot be reached \(EHOSTUNREACH\); check the address, the route/],
    ['ENETUNREACH', /^this machine has no route to its network/],
    ['ETIMEDOUT', /^no response \(ETIMEDOUT\)/],
    ['UND_ERR_CONNECT_TIMEOUT', /^no response/],
    ['UND_ERR_HEADERS_TIMEOUT', /did not respond in time/],
    ['UND_ERR_BODY_TIMEOUT', /stopped half-way/],
    ['CERT_NOT_YET_VALID', /is not valid yet/],
    ['CERT_REVOKED', /is revoked/],
    ['CERT_SIGNATURE_FAILURE', /its certificate is not valid \(CERT_SIGNATURE_FAILURE\)/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /not trusted here.*; trust it$/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /it wants a client certificate/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /it refused the TLS handshake/],
    ['ERR_SSL_DECRYPTION_FAILED', /the TLS handshake failed/],
    ['HPE_HEADER_OVERFLOW', /header lines of its response are too large/],
  ];
  for (const [code, text] of cases) {
    const thrown = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    t.match(describeConnectionError(thrown, context), text, code);
  }
  const epro = Object.assign(new Error('write EPROTO 00:error:0A00010B:SSL routines:f:wrong version number:'), {
    code: 'EPROTO',
  });
  const local = { ...context, url: 'https://127.0.0.1:7700' };
  t.match(describeConnectionError(epro, local), /it does not speak TLS \(EPROTO\); write http:\/\/ in the address$/);
  const remote = { ...context, url: 'https://hub.example.com' };
  t.match(describeConnectionError(epro, remote), /name the port that speaks TLS.*in the clear, credentials too/);
  t.equal(describeConnectionError(Object.assign(new Error('x'), { code: 'ESOMETHING' }), context), undefined);
  t.equal(describeConnectionError('a text', context), undefined);
});

t.test('codes of files mean a socket only at the address of one', async (t) => {
  const missing = Object.assign(new Error('x'), { code: 'ENOENT' });
  t.equal(describeConnectionError(missing, { url: 'http://a', trustStep: '' }), undefined);
  t.match(describeConnectionError(missing, { url: 'unix:/run/vp.sock', trustStep: '' }), /the socket does not exist/);
});

t.test('TLS codes are recognized by the table', async (t) => {
  for (const code of ['EPROTO', 'CERT_REVOKED', 'CRL_HAS_EXPIRED', 'INVALID_CA', 'ERR_SSL_X', 'ERR_TLS_X'])
    t.ok(isTlsCode(code), code);
  for (const code of ['ECONNRESET', 'ENOTFOUND', 'HPE_INVALID_CONSTANT', '']) t.notOk(isTlsCode(code), code);
  t.equal(findConnectionProblem('constructor'), undefined);
});
