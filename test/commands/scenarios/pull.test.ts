import t from 'tap';
import { createClient } from '../../../src/client/client.ts';
import { pullScenario } from '../../../src/commands/scenarios/pull.ts';
import { seenFiles } from '../../../src/commands/scenarios/seen.ts';
import { pathsOf } from '../../../src/environment/paths.ts';
import { systemRandom as random } from '../../../src/environment/random.ts';

t.test('an ID that is no file name writes no file, whatever a control plane says', async (t) => {
  const cwd = t.testdir();
  const url = 'http://127.0.0.1:9';
  const client = createClient({ baseUrl: url, token: undefined, fetch: () => Promise.reject(new Error('not asked')) });
  const seen = seenFiles({ paths: pathsOf({}, 'linux', cwd), cwd, random }, url, 'shop');
  const pull = { client, instance: 'shop', seen, force: true, folder: '.', cwd, random };
  const facts = { title: '', layer: '', tags: [], revision: 1, sha256: '', updated_at: '', updated_by: '' };
  for (const id of ['../outside', '/etc/passwd', '..', '.hidden', 'a/b', 'a\u0000b', '']) {
    const entry = { scenario_id: id, ...facts };
    await t.rejects(pullScenario(pull, { id, entry, file: undefined }, entry), { code: 'SCENARIO_ID_UNSAFE' }, id);
  }
});
