import t from 'tap';
import { createClient } from '../../../src/client/client.ts';
import { pullScenario } from '../../../src/commands/scenarios/pull-scenario.ts';
import { openPulledVersions } from '../../../src/commands/scenarios/pulled-versions.ts';
import { resolvePaths } from '../../../src/environment/paths.ts';
import { systemRandom as random } from '../../../src/environment/random.ts';

t.test('an ID that is not a file name writes no file', async (t) => {
  const cwd = t.testdir();
  const url = 'http://127.0.0.1:9';
  const client = createClient({ baseUrl: url, token: undefined, fetch: () => Promise.reject(new Error('not asked')) });
  const versions = openPulledVersions({ paths: resolvePaths({}, 'linux', cwd), cwd, random }, url, 'shop');
  const context = { client, instance: 'shop', versions, force: true, folder: '.', cwd, random };
  const facts = { title: '', layer: '', tags: [], revision: 1, sha256: '', updated_at: '', updated_by: '' };
  for (const id of ['../outside', '/etc/passwd', '..', '.hidden', 'a/b', 'a\u0000b', '']) {
    const entry = { scenario_id: id, ...facts };
    await t.rejects(pullScenario(context, { id, entry, file: undefined }, entry), { code: 'SCENARIO_ID_UNSAFE' }, id);
  }
});
