import t from 'tap';
import { tellGreeting } from '../../src/commands/executor-greeting.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

const welcome = { instance: 'shop', epoch: 1, lease_ms: 1, heartbeat_ms: 1, control_plane_version: '0.4.0' };

async function told(json: boolean) {
  const { environment, written } = memoryEnvironment();
  tellGreeting({ welcomed: Promise.resolve(welcome) }, { json, environment });
  await new Promise((resolve) => setImmediate(resolve));
  return written;
}

t.test('in words', async (t) => {
  t.match(await told(false), { stdout: 'registered as shop\n', stderr: '' });
});

t.test('for programs', async (t) => {
  const { stdout } = await told(true);
  t.same(JSON.parse(stdout), { event: 'registered', instance: 'shop', control_plane_version: '0.4.0' });
});
