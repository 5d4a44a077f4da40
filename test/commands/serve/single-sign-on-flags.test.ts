/** The single sign-on flags. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createWorkspace } from '../test-workspace.ts';

const secret = 'a secret of the provider, of a test';

t.test('unsafe or incomplete flags are refused: FLAG_INVALID', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const file = join(testWorkspace.folder, 'client-secret');
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  const issuer = ['--sso-issuer', 'https://login.example.com'];
  const allFlags = [...issuer, '--sso-client-id', 'vp', '--sso-secret-file', file];
  for (const [args, message] of [
    [['--sso-issuer', 'http://login.example.com', '--sso-client-id', 'vp'], /must be an https address/],
    [['--sso-issuer', 'login.example.com', '--sso-client-id', 'vp'], /must be an https address/],
    [issuer, /needs --sso-client-id/],
    [[...issuer, '--sso-client-id', 'vp'], /needs the client secret, in VP_SSO_CLIENT_SECRET/],
    [[...allFlags.slice(0, 5), `${file}-absent`], /is not a file with a secret/],
    [[...allFlags, '--sso-role', 'viewer'], /--sso-role needs --sso-domain/],
    [[...allFlags, '--sso-role', 'owner', '--sso-domain', 'example.com'], /must be one of member, viewer/],
    [['--sso-domain', 'example.com'], /--sso-domain needs --sso-issuer/],
    [['--sso-name', 'Corp'], /--sso-name needs --sso-issuer/],
  ] as const) {
    const { code, stderr } = await testWorkspace.vp(['serve', '--port', '0', ...args]);
    t.equal(code, 2, args.join(' '));
    t.match(stderr, message);
    t.notMatch(stderr, secret);
  }
  chmodSync(file, 0o644);
  const { stdout } = await testWorkspace.vp(['serve', '--port', '0', '--json', ...allFlags]);
  t.match(JSON.parse(stdout), { error: { code: 'STORE_KEY_EXPOSED' } });
});
