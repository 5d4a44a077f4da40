/** Mails, against a real SMTP server. */
import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import t, { type Test } from 'tap';
import { completeRun } from '../control/runs/run-history.ts';
import { eventually } from '../eventually.ts';
import { createRootCertificate } from '../targets/certificates.ts';
import { ana, openTestNotifications } from './notification-fixture.ts';

type ReceivedMail = { readonly from: string; readonly to: string[]; readonly text: string; readonly secure: boolean };

async function startMailServer(t: Test, options: SMTPServerOptions = {}) {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    onData(stream, { envelope, secure }, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, text: Buffer.concat(chunks).toString(), secure });
        callback();
      });
    },
    ...options,
  });
  // A client that does not trust the certificate ends the handshake.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)));
  return { mails, port: (server.server.address() as AddressInfo).port };
}

const sender = { from: 'vp@vp.example', to: ['ana@vp.example', 'ben@vp.example'] };

/** Fails a run, and waits until its mail is sent. */
async function sendFailure(t: Test, port: number) {
  const { control, notifications, pass } = await openTestNotifications(t);
  const email = { ...sender, server: '127.0.0.1', port, security: 'none' as const };
  await notifications.create({ channel: 'mail', kind: 'email', email }, ana);
  await completeRun(control, { result: 'failed' });
  await pass(
    async () => (await notifications.listDeliveries({ state: 'sent' }, { limit: 1 })).items.length === 1,
    'sent',
  );
  return notifications;
}

t.test('a change is sent as a mail, whose Message-ID is that of the change', async (t) => {
  const { mails, port } = await startMailServer(t, { disabledCommands: ['STARTTLS', 'AUTH'] });
  const notifications = await sendFailure(t, port);
  const [delivery] = (await notifications.listDeliveries({}, { limit: 1 })).items;
  t.match(mails, [{ from: 'vp@vp.example', to: sender.to, secure: false }]);
  const [mail] = mails;
  t.match(mail?.text, /^Subject: \[vp\] RT-GET-document fails in app\r$/m);
  t.match(mail?.text, new RegExp(`^Message-ID: <${delivery?.message_id}@vp.example>\r$`, 'm'));
  t.match(mail?.text, /^Auto-Submitted: auto-generated\r$/m);
  t.match(mail?.text, /https:\/\/vp.example\/runs\//);
});

t.test('a mail server is signed in to only over TLS that is trusted', async (t) => {
  const root = createRootCertificate(t.testdir());
  const { key, cert } = root.leaf('localhost');
  const signIns: string[] = [];
  const { mails, port } = await startMailServer(t, {
    ...{ key, cert, authOptional: false },
    onAuth({ username = '', password = '' }, _session, callback) {
      signIns.push(`${username}:${password}`);
      if (password === 'pw-4712') callback(null, { user: username });
      else {
        const line = Buffer.from(`\0${username}\0${password}`).toString('base64');
        callback(new Error(`535 wrong password ${password} in AUTH PLAIN ${line}`));
      }
    },
  });
  const email = {
    ...sender,
    server: 'localhost',
    port,
    security: 'starttls' as const,
    user: 'vp',
    password: 'pw-4712',
  };
  const untrusting = await openTestNotifications(t);
  await untrusting.notifications.create({ channel: 'mail', kind: 'email', email }, ana);
  await t.rejects(untrusting.notifications.test('mail'), { code: 'NOTIFICATION_NOT_SENT' });
  t.same(signIns, [], 'nothing was said to a server that could be another one');
  const { notifications } = await openTestNotifications(t, {}, { extraRoots: [root.cert] });
  await notifications.create({ channel: 'mail', kind: 'email', email }, ana);
  await notifications.test('mail');
  t.match(mails, [{ secure: true, text: /A test message of vp/ }]);
  t.same(signIns, ['vp:pw-4712']);
  await notifications.change('mail', { email: { ...email, password: 'wrong-4713' } }, ana);
  const refusal = await notifications.test('mail').catch((error: Error) => error.message);
  t.match(refusal, /535/);
  t.notMatch(refusal, /4713/, 'the password is not in the reason');
  t.notMatch(refusal, Buffer.from('\0vp\0wrong-4713').toString('base64').slice(8, 16), 'as it was sent neither');
});

t.test('a server without STARTTLS gets nothing where the channel demands it', async (t) => {
  const { mails, port } = await startMailServer(t, { disabledCommands: ['STARTTLS', 'AUTH'] });
  const { notifications } = await openTestNotifications(t);
  const email = { ...sender, server: '127.0.0.1', port, security: 'starttls' as const };
  await notifications.create({ channel: 'mail', kind: 'email', email }, ana);
  await t.rejects(notifications.test('mail'), { code: 'NOTIFICATION_NOT_SENT' });
  t.same(mails, []);
});

t.test('a mail that some recipients have is not sent again', async (t) => {
  const { mails, port } = await startMailServer(t, {
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: ({ address }, _session, callback) =>
      address.startsWith('ben') ? callback(new Error('550 no such person')) : callback(),
  });
  const notifications = await sendFailure(t, port);
  t.match(mails, [{ to: ['ana@vp.example'] }]);
  t.match((await notifications.listDeliveries({}, { limit: 1 })).items, [{ problem: 'it refused 1 of 2 recipients' }]);
});

t.test('a server that never comes to an end is left when the time of an attempt is over', async (t) => {
  const state = { opened: 0, open: 0 };
  const server = createServer((socket) => {
    state.opened += 1;
    state.open += 1;
    socket.write('220 mail.example\r\n');
    const timer = setInterval(() => socket.write('250-wait\r\n'), 20);
    socket
      .on('error', () => undefined)
      .once('close', () => {
        state.open -= 1;
        clearInterval(timer);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { clock, notifications } = await openTestNotifications(t);
  const { port } = server.address() as AddressInfo;
  const email = { ...sender, server: '127.0.0.1', port, security: 'none' as const };
  await notifications.create({ channel: 'mail', kind: 'email', email }, ana);
  const refusal = t.rejects(notifications.test('mail'), { code: 'NOTIFICATION_NOT_SENT', message: /within 10 s/ });
  await eventually(() => state.opened === 1, { description: 'a connection' });
  clock.advance(10_000);
  await refusal;
  // Earlier than the driver's own time limits.
  await eventually(() => state.open === 0, { timeoutMs: 5_000, description: 'the connection is closed' });
});

t.test('addresses of this machine and of private networks are refused unless they are allowed', async (t) => {
  const { mails, port } = await startMailServer(t, { disabledCommands: ['STARTTLS', 'AUTH'] });
  const { notifications } = await openTestNotifications(t, {}, { allowPrivate: false });
  for (const server of ['127.0.0.1', 'localhost', '169.254.169.254']) {
    const channel = server.replaceAll('.', '-');
    const email = { ...sender, server, port, security: 'starttls' as const };
    await notifications.create({ channel: `m-${channel}`, kind: 'email', email }, ana);
    await t.rejects(notifications.test(`m-${channel}`), { code: 'NOTIFICATION_NOT_SENT' }, server);
    await notifications.create({ channel: `w-${channel}`, kind: 'webhook', url: `https://${server}:${port}/` }, ana);
    await t.rejects(notifications.test(`w-${channel}`), { code: 'NOTIFICATION_NOT_SENT', message: /address/ }, server);
  }
  t.same(mails, []);
  const plain = { channel: 'plain', kind: 'webhook' as const, url: 'http://hooks.example/1' };
  await t.rejects(notifications.create(plain, ana), { code: 'NOTIFICATION_CHANNEL_INVALID' });
});
