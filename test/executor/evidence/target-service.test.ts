import t from 'tap';
import { findTargetService } from '../../../src/executor/evidence/evidence-sources.ts';
import type { LogStoreConfig } from '../../../src/project/project-config.ts';
import { createTestProject } from '../test-project.ts';

const find = (baseUrl: string, services: readonly string[] = []) => {
  const logstore: LogStoreConfig = {
    ...{ logFormat: 'json', correlationField: 'reqId', levelField: undefined, errorMatch: undefined },
    ...{ sagaEvent: undefined, services },
  };
  return findTargetService({ ...createTestProject({ baseUrl }), logstore });
};

t.test('the service of the target is the host of its address', async (t) => {
  t.equal(find('http://app:3100'), 'app');
  t.equal(find('http://app:3100', ['worker']), 'app', 'whatever else is read');
  t.equal(findTargetService(createTestProject({ baseUrl: 'http://app' })), 'app');
});

t.test('where the address names no service, it is the only one whose log is read', async (t) => {
  for (const address of ['http://localhost:3100', 'http://127.0.0.1:3100', 'http://[::1]:3100', 'https://shop.example'])
    t.equal(find(address, ['app']), 'app', address);
  t.equal(find('http://localhost:3100', ['app', 'worker']), undefined, 'which of both is not known');
  t.equal(find('http://localhost:3100'), undefined);
});
