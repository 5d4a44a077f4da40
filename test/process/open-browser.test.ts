import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openBrowser } from '../../src/process/open-browser.ts';

t.test(
  'the address is handed to the program of the desktop, as one word',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const folder = t.testdir();
    const seen = join(folder, 'seen');
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s|' "$@" > ${seen}.part\nmv ${seen}.part ${seen}\n`);
    chmodSync(join(folder, 'xdg-open'), 0o755);
    const variables = { PATH: `${folder}:/bin:/usr/bin`, DISPLAY: ':9' };
    const url = 'http://127.0.0.1:7700/oauth/authorize?a=1&b=$(id)';
    t.equal(await openBrowser({ platform: 'linux', variables }, url), true);
    for (let round = 0; round < 200 && !existsSync(seen); round += 1)
      await new Promise((resolve) => setTimeout(resolve, 10));
    t.equal(readFileSync(seen, 'utf8'), `${url}|`);
  },
);

t.test('without a desktop, without its program, or with another address nothing is started', async (t) => {
  const folder = t.testdir();
  const url = 'http://127.0.0.1:7700/';
  t.equal(await openBrowser({ platform: 'linux', variables: { PATH: folder } }, url), false);
  t.equal(await openBrowser({ platform: 'linux', variables: { PATH: folder, DISPLAY: ':9' } }, url), false);
  t.equal(
    await openBrowser({ platform: 'linux', variables: { PATH: folder, DISPLAY: ':9' } }, 'file:///etc/passwd'),
    false,
  );
});
