/** `vp notifications`, on a real control plane. */
import { Readable } from 'node:stream';
import t from 'tap';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, scenarioText } from '../test-workspace.ts';

t.test('channels are added, listed, edited, tested and removed', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  t.match(await vp(['notifications', 'list']), {
    code: 0,
    stdout: /^nobody is notified; add a channel with `vp notifications add team/,
  });
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
  t.match(await vp(['notifications', 'list']), { stdout: /ops +webhook +https:\/\/127.0.0.1:9 [^\n]*nothing waits/ });
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

t.test('an instance and a tag that nothing has are named, as a channel for them stays silent', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', { 'b.md': scenarioText('RT-b', { tags: 'smoke' }) });
  const { vp, registerInstance } = await startTestControlPlane(t, workspace);
  await registerInstance('shop');
  await vp(['scenarios', 'push', 'b.md']);
  const variables = { VP_CHANNEL_SECRET: 'https://a.example/hook' };
  const add = ['notifications', 'add'];
  const unknown = await vp([...add, 'ops', '--of', 'shpo', '--of', 'shop', '--tag', 'smok'], { variables });
  t.match(unknown, { code: 0, stdout: /\n {2}! there is no instance shpo, and no scenario with the tag smok\n/ });
  t.match(await vp(['notifications', 'list']), {
    stdout: /nothing waits; no instance shpo, and no scenario with the tag smok/,
  });
  const known = await vp([...add, 'team', '--of', 'shop', '--tag', 'smoke'], { variables });
  t.match(known, { code: 0, stderr: '' });
  t.notMatch(known.stdout, '!');
  t.match(await vp(['notifications', 'edit', 'team', '--of', 'shpo']), {
    code: 0,
    stdout: /! there is no instance shpo\n/,
  });
});

t.test('an edit changes something, or is refused', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  const mail = ['--kind', 'email', '--from', 'vp@a.example', '--to', 'ana@a.example', '--mail-server', 'a.example:587'];
  await vp(['notifications', 'add', 'mail', ...mail]);
  t.match(await vp(['notifications', 'edit', 'mail']), {
    code: 2,
    stderr: /--event or another flag must be given \(FLAG_INVALID\)/,
  });
  t.match(
    await vp(['notifications', 'edit', 'mail', '--secret-file', '-'], { stdin: Readable.from(['new-password\n']) }),
    {
      code: 2,
      stderr: /--secret-file can be used only with --mail-user \(FLAG_NEEDS_ANOTHER\)/,
    },
  );
  t.match(
    await vp(['notifications', 'add', 'b', ...mail, '--secret-file', '-'], { stdin: Readable.from(['a-password\n']) }),
    {
      code: 2,
      stderr: /--secret-file can be used only with --mail-user/,
    },
  );
  const variables = { VP_CHANNEL_SECRET: 'https://a.example/hook' };
  await vp(['notifications', 'add', 'team', '--kind', 'slack'], { variables });
  t.match(await vp(['notifications', 'edit', 'team'], { variables }), { code: 0 }, 'the variable has a new address');
  const digest = ['notifications', 'edit', 'team', '--digest', '30'];
  t.match(
    await vp([...digest, '--secret-file', 'missing'], { variables }),
    { code: 2, stderr: /--secret-file names missing, which does not exist/ },
    'the address would silently stay',
  );
  t.match(await vp([...digest, '--secret-file', '-'], { variables, stdin: Readable.from(['\n']) }), {
    code: 2,
    stderr: /standard input has no line with a secret/,
  });
});

t.test('a log that is empty says for which channel and state, and an unknown channel is refused', async (t) => {
  const { vp } = await startTestControlPlane(t, createWorkspace(t, 'http://127.0.0.1:9'));
  t.match(await vp(['notifications', 'log']), { code: 0, stdout: /^nothing was sent; / });
  t.match(await vp(['notifications', 'log', 'nope']), { code: 2, stderr: /no channel nope/ });
  await vp(['notifications', 'add', 'ops'], { variables: { VP_CHANNEL_SECRET: 'https://127.0.0.1:9/hook' } });
  t.match(await vp(['notifications', 'test', 'ops']), {
    code: 4,
    stderr: /loopback, which the control plane does not call .*--allow-private-upstreams/s,
  });
  t.match(await vp(['notifications', 'log', 'ops', '--state', 'failed']), {
    code: 0,
    stdout: /^no deliveries to ops in the state failed; /,
  });
  await vp(['notifications', 'remove', 'ops']);
  t.match(
    await vp(['notifications', 'log', 'ops']),
    { code: 0, stdout: /A test message/ },
    'the log of a removed channel',
  );
});
