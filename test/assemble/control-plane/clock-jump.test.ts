/** Every part of a control plane uses the clock that does not follow a jump. */
import t from 'tap';
import { startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import { openHubGateway } from '../../../src/assemble/control-plane/hub-gateway.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { createIdentity } from '../../../src/identity/identity.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createMemoryLog } from '../../http/memory-log.ts';
import { createEntry } from '../../hub/audit/test-audit.ts';
import { cheapIdentitySettings, origin, startTestServer } from '../../server/test-server.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

function createTestLog() {
  const { log, lines } = createMemoryLog();
  return { log: { ...log, info: () => undefined, debug: () => undefined }, lines };
}

t.test('a jump is logged, deletes nothing, and is over when the clock is back', async (t) => {
  const clock = fakeClock();
  const { log, lines } = createTestLog();
  const environment = { ...processEnvironment(), clock, random: systemRandom, variables: {} };
  const listen = { host: '127.0.0.1', port: 0 };
  const plane = await startControlPlane({ environment, folder: t.testdir(), ...listen, log });
  t.teardown(() => plane.close());
  const getReadiness = async () => (await fetch(`${plane.url}/readyz`)).json();
  t.same(await getReadiness(), { status: 'ready', clock: 'settled', store: { engine: 'sqlite' }, audit: 'recording' });

  clock.jump(500 * dayMs);
  t.same(await getReadiness(), { status: 'ready', clock: 'jumped', store: { engine: 'sqlite' }, audit: 'recording' });
  t.match(
    lines.filter(({ fields }) => fields.code === 'CLOCK_JUMPED'),
    [{ message: /jumped by 500 days ahead; its time is not used/, fields: { cure: /--trust-clock/ } }],
  );
  clock.jump(-500 * dayMs);
  t.same(await getReadiness(), { status: 'ready', clock: 'settled', store: { engine: 'sqlite' }, audit: 'recording' });
});

t.test('no part deletes by age until the clock has settled', async (t) => {
  const clock = fakeClock();
  const { log } = createTestLog();
  const server = await startTestServer(t, { clock });
  const { control, identity, hub } = server;
  const environment = { ...processEnvironment(), clock, random: systemRandom, variables: {} };
  const gateway = await openHubGateway({
    ...{ folder: t.testdirName, control, identity, hub, environment, log },
    auditSettings: { maxAgeMs: 5 * dayMs, minFreeBytes: 0 },
    address: () => origin,
  });
  t.teardown(() => gateway.close());
  await gateway.audit.record(createEntry({ atMs: control.clock.nowMs() }));
  clock.jump(10 * dayMs);
  t.equal(await gateway.audit.applyRetention(), 0);
  t.match(await gateway.audit.state('id-of-acme'), { first_seq: 1 });
  control.clock.nowMs();
  clock.advance(31 * minuteMs);
  await gateway.audit.applyRetention();
  t.match(await gateway.audit.state('id-of-acme'), { first_seq: null });
});

t.test('sessions and links outlive a jump', async (t) => {
  const clock = fakeClock();
  let isSettled = false;
  const { control } = await startTestServer(t, { clock });
  const identity = createIdentity({
    onWritten: control.forgetCredentials,
    ...{ database: control.database, keys: control.keyring, clock, random: systemRandom, issuer: () => origin },
    settings: { ...cheapIdentitySettings, setupLinkMs: 1000 },
    mayDeleteByAge: () => isSettled,
    logSecurityEvent: () => undefined,
    onError: (error) => t.fail(String(error)),
  });
  t.teardown(() => identity.close());
  const secret = await identity.setup.createSecret();
  clock.jump(5000);
  await identity.deleteExpired();
  clock.jump(-5000);
  t.equal(await identity.setup.isSecretValid(secret), true);
  isSettled = true;
  clock.jump(5000);
  await identity.deleteExpired();
  clock.jump(-5000);
  t.equal(await identity.setup.isSecretValid(secret), false);
});
