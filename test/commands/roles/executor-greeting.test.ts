import t from 'tap';
import { printRegistration } from '../../../src/commands/roles/executor.ts';
import { memoryEnvironment } from '../../environment/memory-environment.ts';

const welcome = { instance: 'shop', epoch: 1, lease_ms: 1, heartbeat_ms: 1, control_plane_version: '0.4.0' };

async function printed(json: boolean) {
  const { environment, written } = memoryEnvironment();
  printRegistration({ helloResponse: Promise.resolve(welcome) }, { json, environment });
  await new Promise((resolve) => setImmediate(resolve));
  return written;
}

t.test('a registration is one line of text', async (t) => {
  t.match(await printed(false), { stdout: 'registered as shop\n', stderr: '' });
});

t.test('a registration is one JSON document', async (t) => {
  const { stdout } = await printed(true);
  t.same(JSON.parse(stdout), { event: 'registered', instance: 'shop', control_plane_version: '0.4.0' });
});
