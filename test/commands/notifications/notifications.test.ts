/** `vp notifications`, on a real control plane. */
import t from 'tap';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';

t.test('channels are added, listed, edited, tested and removed', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  t.match(await vp(['notifications', 'list']), { code: 0, stdout: /^nobody is notified; `vp notifications add team/ });
  const url = 'https://127.0.0.1:9/hooks/secret-4711';
  const added = await vp(
    [
      'notifications',
      'add',
      'ops',
      '--event',
      'newly_failing',
      '--tag',
      'smoke',
      '--quiet',
      '22:00-07:00',
      '--time-zone',
      'Europe/Berlin',
    ],
    { variables: { VP_CHANNEL_SECRET: url } },
  );
  t.match(added, {
    code: 0,
    stdout:
      /^channel ops: newly failing; tag smoke; quiet 22:00-07:00 Europe\/Berlin to https:\/\/127.0.0.1:9\n {2}secret whsec_/,
  });
  t.notMatch(added.stdout, /4711/);
  t.match(await vp(['notifications', 'list']), { stdout: /ops +webhook +https:\/\/127.0.0.1:9 .* all sent/ });
  const edited = await vp([
    'notifications',
    'edit',
    'ops',
    '--clear',
    'quiet',
    '--clear',
    'events',
    '--digest',
    '30',
    '--of',
    'shop',
    '--json',
  ]);
  t.same(JSON.parse(edited.stdout).channel.routing, { tags: ['smoke'], instances: ['shop'], digest_minutes: 30 });
  const refused = await vp(['notifications', 'test', 'ops']);
  t.match(refused, { code: 4, stderr: /127.0.0.1/ }, 'loopback is refused unless the operator allows it');
  t.notMatch(refused.stderr, /4711/);
  t.match(await vp(['notifications', 'log', 'ops']), { code: 0, stdout: /A test message of vp +dropped/ });
  t.match(await vp(['notifications', 'retry', 'ops', 'ntf_0']), {
    code: 2,
    stderr: /NOTIFICATION_DELIVERY_UNKNOWN|no delivery/,
  });
  t.match(await vp(['notifications', 'remove', 'ops']), { code: 0, stdout: 'channel ops is removed\n' });
  t.match(await vp(['notifications', 'edit', 'ops', '--digest', '5']), { code: 2, stderr: /no channel ops/ });
});

t.test('a channel of email takes its server from flags and its password from the environment', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  const mail = ['notifications', 'add', 'mail', '--kind', 'email', '--from', 'vp@a.example', '--to', 'ana@a.example'];
  t.match(await vp(mail), { code: 2, stderr: /--mail-server/ });
  const server = [...mail, '--mail-server', 'smtp.a.example:587'];
  t.match(await vp([...server, '--mail-user', 'ana']), { code: 2, stderr: /VP_CHANNEL_SECRET/ });
  const added = await vp([...server, '--mail-user', 'ana', '--json'], { variables: { VP_CHANNEL_SECRET: 'pw-4712' } });
  t.match(JSON.parse(added.stdout), { channel: { kind: 'email', destination: 'ana@a.example by smtp.a.example' } });
  t.notMatch(added.stdout, /4712/);
  t.match(await vp(['notifications', 'add', 'b', '--kind', 'slack', '--to', 'a@b.example']), {
    code: 2,
    stderr: /--kind email/,
  });
  t.match(await vp(['notifications', 'add', 'b', '--kind', 'slack']), { code: 2, stderr: /--secret-file/ });
  t.match(
    await vp(['notifications', 'add', 'b', '--quiet', 'nights'], {
      variables: { VP_CHANNEL_SECRET: 'https://a.example/1' },
    }),
    {
      ...{ code: 2, stderr: /22:00-07:00/ },
    },
  );
});
