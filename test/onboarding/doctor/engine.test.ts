/** Whether doctor misses a container engine. */
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { runDoctor } from '../../../src/onboarding/doctor/doctor.ts';
import { createOnboardedContext, registeredInstance } from './onboarded-context.ts';

const stoppedEngine = () => Promise.reject(vpError('ENGINE_STOPPED', { reason: 'no socket' }));

async function inspectEngine(executorStatus: 'REGISTERED' | 'AWAY', engine = stoppedEngine) {
  const registered = { ...registeredInstance, executor_status: executorStatus };
  const findInstance = async () => ({ id: 'shop', registered });
  const { checks } = await runDoctor(createOnboardedContext({ engine, findInstance }), { fix: false });
  return checks.find(({ id }) => id === 'runtime');
}

t.test('an executor that calls without onboarding needs no engine here', async (t) => {
  t.match(await inspectEngine('REGISTERED'), { outcome: 'skipped', problems: [], facts: [/calls without it/] });
});

t.test('without an executor, an engine that does not answer is a problem', async (t) => {
  t.match(await inspectEngine('AWAY'), { outcome: 'problem', problems: [{ code: 'ENGINE_STOPPED' }] });
});

t.test('an engine that this user may not use is a problem, whoever calls', async (t) => {
  const forbidden = () => Promise.reject(vpError('ENGINE_FORBIDDEN', { reason: 'EACCES' }));
  t.match(await inspectEngine('REGISTERED', forbidden), {
    outcome: 'problem',
    problems: [{ code: 'ENGINE_FORBIDDEN' }],
  });
});
