/** Time stamps of statements: made by `openssl ts`, verified here, and refused in every way in which they can be wrong. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTimeStamper } from '../../../../src/assemble/control-plane/audit-time-stamper.ts';
import { systemRandom } from '../../../../src/environment/random.ts';
import { type AnchorStatement, createStatement, serializeStamped } from '../../../../src/hub/audit/anchor-statement.ts';
import { defaultAuditSettings } from '../../../../src/hub/audit/audit-settings.ts';
import { verifyTimeStamps } from '../../../../src/hub/audit/time-stamps/statement-time-stamps.ts';
import {
  createNonce,
  encodeTimeStampRequest,
  readTimeStampResponse,
} from '../../../../src/hub/audit/time-stamps/time-stamp-messages.ts';
import { verifyTimeStamp } from '../../../../src/hub/audit/time-stamps/time-stamp-token.ts';
import { fakeClock } from '../../../environment/fake-clock.ts';
import { eventually } from '../../../eventually.ts';
import {
  type Authority,
  createAuthority,
  createCertificate,
  createReply,
  signAgain,
  startTimeStampServer,
} from './time-stamp-server.ts';

const folder = t.testdir({ good: {}, other: {} });
const authority = createAuthority(join(folder, 'good'));
const roots = [new X509Certificate(authority.root)];
const ends = [{ hub_id: 'h1', seq: 5, mac: Buffer.alloc(32, 1), at_ms: 1000, before_seq: 0, erased_seq: 0 }];
const state = (atMs = Date.now()) => createStatement(ends, atMs, defaultAuditSettings, undefined);

/** Verifies the response to a request for `text`. */
async function check(reply: Buffer, text = 'statement', nonce?: Uint8Array) {
  return await verifyTimeStamp(readTimeStampResponse(reply), { text, roots, nonce });
}

function ask(
  text = 'statement',
  nonce = createNonce(systemRandom.bytes(8)),
  from: Authority = authority,
  name = 'tsa',
) {
  const request = Buffer.from(encodeTimeStampRequest(text, nonce));
  return { nonce, request, reply: createReply(from, request, name) };
}

t.test('a time stamp of a real server is verified, with its nonce and its chain', async (t) => {
  const { reply, nonce } = ask();
  const stamp = await check(reply, 'statement', nonce);
  t.equal(stamp.signer, 'CN=vp test tsa');
  t.ok(Math.abs(stamp.atMs - Date.now()) < 60_000);
  await t.rejects(check(reply, 'another', nonce), /of another statement/);
  await t.rejects(check(reply, 'statement', createNonce(systemRandom.bytes(8))), /another nonce/);
  const firstBytes = Array.from({ length: 40 }, () => createNonce(systemRandom.bytes(8))[0] ?? 0);
  t.ok(
    firstBytes.every((byte) => byte >= 0x40 && byte < 0x80),
    'a nonce is a positive number of its full length',
  );
});

t.test('no byte of a time stamp can be changed', async (t) => {
  const { reply, nonce } = ask();
  const token = Buffer.from(readTimeStampResponse(reply), 'base64');
  let accepted = 0;
  for (let position = 0; position < token.length; position += 17) {
    const changed = Buffer.from(token);
    changed[position] = (changed[position] ?? 0) ^ 0x01;
    await verifyTimeStamp(changed.toString('base64'), { text: 'statement', roots, nonce }).then(
      (stamp) => {
        accepted += 1;
        t.ok(Math.abs(stamp.atMs - Date.now()) < 60_000, `position ${position} is not of the content`);
      },
      (error) => t.match(error, { name: 'TimeStampError' }, `position ${position}`),
    );
  }
  t.ok(accepted < 20, `${accepted} changes outside of what is signed`);
});

t.test('a certificate that is expired, for something else or of another root is refused', async (t) => {
  const { folder: files } = authority;
  createCertificate(files, 'expired', { dates: ['200101000000Z', '200102000000Z'] });
  createCertificate(files, 'pages', { extensions: 'pages' });
  createCertificate(files, 'several', { extensions: 'several' });
  const { reply, nonce } = ask();
  await t.rejects(check(signAgain(authority, reply, 'expired'), 'statement', nonce), /had expired/);
  for (const name of ['pages', 'several'])
    await t.rejects(check(signAgain(authority, reply, name), 'statement', nonce), /not for time stamps alone/);
  await t.resolves(check(signAgain(authority, reply, 'tsa'), 'statement', nonce), 'the same with the right one');
  const other = createAuthority(join(folder, 'other'));
  await t.rejects(check(ask('statement', nonce, other).reply, 'statement', nonce), /none of the trusted roots/);
});

t.test('a certificate below one that may not issue any is refused', async (t) => {
  createCertificate(authority.folder, 'below', { issuer: 'tsa' });
  createCertificate(authority.folder, 'third', { issuer: 'between', extensions: 'between' });
  createCertificate(authority.folder, 'deep', { issuer: 'third' });
  const { reply, nonce } = ask();
  const withIssuer = (name: string): string[] => {
    const bundle = [name, 'between'].map((each) => readFileSync(join(authority.folder, `${each}.pem`)));
    writeFileSync(join(authority.folder, `${name}-bundle.pem`), Buffer.concat(bundle));
    return ['-cades', '-certfile', `${name}-bundle.pem`];
  };
  await t.rejects(check(signAgain(authority, reply, 'below', withIssuer('tsa')), 'statement', nonce), {
    name: 'TimeStampError',
    message: /none of the trusted roots/,
  });
  await t.rejects(check(signAgain(authority, reply, 'deep', withIssuer('third')), 'statement', nonce), {
    name: 'TimeStampError',
    message: /not valid/,
  });
});

t.test('a signature that does not name its certificate is refused', async (t) => {
  const { reply, nonce } = ask();
  await t.rejects(check(signAgain(authority, reply, 'tsa', []), 'statement', nonce), /does not name its certificate/);
  await t.rejects(check(signAgain(authority, reply, 'tsa', ['-noattr']), 'statement', nonce), /not of a time stamp/);
});

t.test('a refusal, a malformed response and one without a time stamp are told apart', async (t) => {
  t.throws(() => readTimeStampResponse(Buffer.from('3003020102', 'hex')), /malformed|refused/);
  t.throws(() => readTimeStampResponse(Buffer.from('30053003020102', 'hex')), /refused, with the status 2/);
  t.throws(() => readTimeStampResponse(Buffer.from('30053003020100', 'hex')), /no time stamp/);
  t.throws(() => readTimeStampResponse(Buffer.from('not DER')), /malformed/);
  await t.rejects(verifyTimeStamp('MAA=', { text: 'statement', roots }), /malformed/);
});

function openStamper(url: URL, clock = fakeClock(Date.now())) {
  const dependencies = { clock, random: systemRandom, variables: {}, extraRoots: [] };
  return { clock, stamper: createTimeStamper({ url, roots: [authority.root] }, dependencies) };
}

t.test('a statement is time-stamped over HTTP', async (t) => {
  const server = await startTimeStampServer(t, (request) => createReply(authority, request));
  const statement = await state();
  const token = await openStamper(server.url).stamper.stamp(statement);
  await t.resolves(verifyTimeStamp(token, { text: serializeStamped(statement), roots }));
  t.equal(server.requests.length, 1);
});

t.test(
  'a server that refuses, lies, repeats or has another time is a failure without the secret of its address',
  async (t) => {
    const old = ask('old').reply;
    const answers: [RegExp, (request: Buffer) => Buffer | number][] = [
      [/it answered 500/, () => 500],
      [/it answered 302/, () => 302],
      [/refused/, () => Buffer.from('30053003020102', 'hex')],
      [/too large/, () => Buffer.alloc(70_000)],
      [/another statement/, () => old],
      [/another nonce/, () => ask(serializeStamped(statement)).reply],
    ];
    const statement = await state();
    const server = await startTimeStampServer(t, () => 500);
    for (const [message, respond] of answers) {
      server.respond = respond;
      const error: Error = await openStamper(server.url)
        .stamper.stamp(statement)
        .then(
          () => t.fail('it was accepted'),
          (thrown) => thrown,
        );
      t.match(error, { code: 'AUDIT_TIMESTAMP_FAILED', message });
      t.notMatch(String(error), 'hidden');
    }
    server.respond = (request) => createReply(authority, request);
    const late = openStamper(server.url, fakeClock(Date.now() + 3_600_000));
    await t.rejects(late.stamper.stamp(statement), { code: 'AUDIT_TIMESTAMP_FAILED', message: /its time is/ });
    const closed = openStamper(new URL('http://127.0.0.1:9/'));
    await t.rejects(closed.stamper.stamp(statement), { code: 'AUDIT_TIMESTAMP_FAILED', message: /cannot be reached/ });
  },
);

t.test('a server that does not answer is given up', async (t) => {
  const server = await startTimeStampServer(t, () => undefined);
  const { clock, stamper } = openStamper(server.url);
  let isSettled = false;
  const stamping = t.rejects(stamper.stamp(await state()), { message: /no answer within 10 s/ }).then(() => {
    isSettled = true;
  });
  await eventually(() => {
    clock.advance(10_000);
    return isSettled;
  });
  await stamping;
});

const hourMs = 3_600_000;

/** With a time stamp, made now; the statement says `atMs`. */
async function stamped(atMs = Date.now()): Promise<AnchorStatement> {
  const statement = await state(atMs);
  return { ...statement, time_stamp: readTimeStampResponse(ask(serializeStamped(statement)).reply) };
}

async function findProblems(statements: readonly AnchorStatement[], nowMs = Date.now()) {
  const lines = statements.map((statement, index) => ({ line: index + 1, statement }));
  return await verifyTimeStamps(lines, roots, nowMs);
}

t.test('statements without a time stamp are accepted until a day has passed', async (t) => {
  const nowMs = Date.now();
  const good = await stamped();
  t.match(await findProblems([good, await state()]), { stampedCount: 1, unstampedCount: 1, problems: [] });
  t.same((await findProblems([await state(nowMs - 20 * hourMs), good])).problems, []);
  t.same((await findProblems([await state(nowMs - 30 * hourMs), good])).problems, [
    'line 1 has no time stamp, and none followed within 24 hours',
  ]);
  t.same((await findProblems([good, await state(nowMs + 1000)], nowMs + 30 * hourMs)).problems, [
    'line 2 has no time stamp, and none followed within 24 hours',
  ]);
  t.same((await findProblems([await state()])).problems, ['no statement has a time stamp']);
});

t.test('the last statement of a process that ended needs no time stamp while nothing runs', async (t) => {
  const nowMs = Date.now();
  const good = await stamped();
  const closing = await createStatement(ends, nowMs - 72 * hourMs, defaultAuditSettings, undefined, true);
  t.same((await findProblems([closing, good])).problems, [], 'off for three days');
  t.same((await findProblems([good, closing], nowMs + 72 * hourMs)).problems, [], 'still off');
  const later = await state(nowMs - 30 * hourMs);
  t.same((await findProblems([closing, later, good])).problems, [
    'line 1 has no time stamp, and none followed within 24 hours',
    'line 2 has no time stamp, and none followed within 24 hours',
  ]);
  const { is_closing: _closing, ...forged } = closing;
  t.not(serializeStamped(closing), serializeStamped(forged), 'it is signed');
});

t.test('a statement that is dated in the future is found', async (t) => {
  const nowMs = Date.now();
  const good = await stamped();
  t.match((await findProblems([await state(nowMs + 72 * hourMs), good], nowMs)).problems, [
    /line 1 is dated .* in the future/,
    'line 1 has no time stamp, and none followed within 24 hours',
  ]);
  t.match((await findProblems([good, await state(nowMs + hourMs)], nowMs)).problems, [/line 2 is dated/]);
});

t.test('a statement that was dated back, changed, or has the time stamp of another one is found', async (t) => {
  const good = await stamped();
  t.match((await findProblems([await stamped(Date.now() - hourMs)])).problems, [/not when the statement says/]);
  t.match((await findProblems([{ ...good, at_ms: good.at_ms - 1 }])).problems, [/of another statement/]);
  t.match((await findProblems([{ ...good, signature: 'x' }])).problems, [/of another statement/]);
  const other = { ...(await state()), time_stamp: good.time_stamp ?? '' };
  t.match((await findProblems([good, { ...other, at_ms: good.at_ms + 1 }])).problems, [
    /line 2 .* of another statement/,
  ]);
});
