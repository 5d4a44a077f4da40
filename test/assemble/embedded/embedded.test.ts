import t from 'tap';
import { type EmbeddedOptions, startEmbedded } from '../../../src/assemble/embedded/embedded.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';
import { createTestProject } from '../../executor/test-project.ts';

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

function createOptions(folder: string): EmbeddedOptions {
  const { environment } = memoryEnvironment();
  const project = createTestProject({ baseUrl: 'http://127.0.0.1:1', token: 'a-token-of-the-target' });
  return { environment, folder, host: '127.0.0.1', port: 0, log: silent, instance: 'shop', project, scenarios: [] };
}

t.test('nothing is left open after a failed start', async (t) => {
  const options = createOptions(t.testdir());
  const broken: EmbeddedOptions = {
    ...options,
    get scenarios(): never {
      throw new TypeError('no scenarios');
    },
  };
  await t.rejects(startEmbedded({ ...options, instance: 'No Id' }), { code: 'INSTANCE_ID_INVALID' });
  await t.rejects(startEmbedded(broken), /no scenarios/);
  const embedded = await startEmbedded(options);
  t.equal(embedded.imported, 0);
  await embedded.close();
});

t.test('the end of its executor is reported', async (t) => {
  const embedded = await startEmbedded(createOptions(t.testdir()));
  await embedded.close();
  t.equal(await embedded.executorCompletion, 'stopped');
});
