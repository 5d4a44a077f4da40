import { readFileSync } from 'node:fs';
import t from 'tap';
import { version } from '../../src/environment/version.ts';

t.test('the version told is the version of the package', async (t) => {
  const { version: packaged } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  t.equal(version, packaged);
});
