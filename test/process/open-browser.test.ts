import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openBrowser } from '../../src/process/open-browser.ts';
import { eventually } from '../eventually.ts';

t.test(
  'the address is passed to the desktop’s command as one argument',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const folder = t.testdir();
    const argsFile = join(folder, 'seen');
    writeFileSync(
      join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf '%s|' "$@" > ${argsFile}.part\nmv ${argsFile}.part ${argsFile}\n`,
    );
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const variables = { PATH: `${folder}:/bin:/usr/bin`, DISPLAY: ':9' };
    const url = 'http://127.0.0.1:7700/oauth/authorize?a=1&b=$(id)';
    t.equal(await openBrowser({ platform: 'linux', variables }, url), true);
    await eventually(() => existsSync(argsFile));
    t.equal(readFileSync(argsFile, 'utf8'), `${url}|`);
  },
);

t.test('nothing is started without a desktop, without its command, or for other addresses', async (t) => {
  const folder = t.testdir();
  const url = 'http://127.0.0.1:7700/';
  t.equal(await openBrowser({ platform: 'linux', variables: { PATH: folder } }, url), false);
  t.equal(await openBrowser({ platform: 'linux', variables: { PATH: folder, DISPLAY: ':9' } }, url), false);
  t.equal(
    await openBrowser({ platform: 'linux', variables: { PATH: folder, DISPLAY: ':9' } }, 'file:///etc/passwd'),
    false,
  );
});
