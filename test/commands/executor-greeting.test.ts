import t from 'tap';
import { tellGreeting } from '../../src/commands/executor-greeting.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import { NoAnswer } from '../../src/executor/within.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

const url = 'http://127.0.0.1:7700';
const welcome = { instance: 'shop', epoch: 1, lease_ms: 1, heartbeat_ms: 1, control_plane_version: '0.4.0' };
const never = new Promise<never>(() => {});

async function told(json: boolean, error: unknown) {
  const { environment, written } = memoryEnvironment();
  const logged: unknown[] = [];
  const unused = (): void => {};
  const warn = (fields: object, message: string): unknown => logged.push({ ...fields, message });
  const log = { error: unused, warn, info: unused, debug: unused };
  const troubled = error === undefined ? never : Promise.resolve(error);
  tellGreeting({ welcomed: Promise.resolve(welcome), troubled }, { json, environment, log, url });
  await new Promise((resolve) => setImmediate(resolve));
  return { ...written, logged };
}

t.test('in words', async (t) => {
  t.same(await told(false, undefined), { stdout: 'registered as shop\n', stderr: '', logged: [] });
  const { stderr } = await told(false, new NoAnswer('no answer within 20 s'));
  t.match(stderr, /^vp: the control plane at .*7700 cannot be reached: no answer within 20 s \(/);
  t.match(stderr, /`vp serve`.*\n {4}trying until it answers\n$/);
});

t.test('for programs', async (t) => {
  const { stdout, stderr, logged } = await told(true, vpError('CONTROL_PLANE_FAULT', { url, request_id: 'r' }));
  t.same(JSON.parse(stdout), { event: 'registered', instance: 'shop', control_plane_version: '0.4.0' });
  t.equal(stderr, '');
  t.match(logged, [{ code: 'CONTROL_PLANE_FAULT', cure: /its log/, message: /trying until it answers$/ }]);
});

t.test('what trying again does not mend is not promised, nor an end told as trouble', async (t) => {
  for (const error of [vpError('CREDENTIAL_INVALID', {}), new Error('the executor is stopping')])
    t.match(await told(false, error), { stderr: '', logged: [] });
});
