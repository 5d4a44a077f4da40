/** Exit code 3 of an onboarding means exactly: registered, something was not ready, do not tear down. */
import t from 'tap';
import { exitCode } from '../../src/errors/exit-code.ts';
import { errorTable } from '../../src/errors/table.ts';
import { type VpError, vpError } from '../../src/errors/vp-error.ts';
import type { OnboardingContext } from '../../src/onboarding/context.ts';
import { onboard } from '../../src/onboarding/onboard.ts';
import { configStep } from '../../src/onboarding/steps/config.ts';
import { instanceIdStep } from '../../src/onboarding/steps/instance-id.ts';
import { registrationStep } from '../../src/onboarding/steps/registration.ts';
import { upToDate, type WorkflowStep } from '../../src/onboarding/workflow/step.ts';
import { createTestMachine } from './onboarding-machine.ts';

type Step = WorkflowStep<OnboardingContext>;

async function stopWith(
  error: VpError,
  machine: Awaited<ReturnType<typeof createTestMachine>>,
  before: readonly Step[],
) {
  const failing: Step = { id: 'failing', title: 'failing', check: () => Promise.reject(error) };
  const { request, ports } = machine.run();
  const steps = [...before, failing];
  const { signal } = new AbortController();
  return onboard({ request, ports, steps, signal, onEvent: () => undefined }).then(
    () => t.fail('it did not stop'),
    (thrown: unknown) => thrown,
  );
}

const busy = vpError('RATE_LIMITED', { retry_after_s: 3 });
const refused = vpError('IMAGE_FORBIDDEN', { image: 'r.example/vp:v1', program: 'docker', registry: 'r.example' });

t.test('no error that says that nothing was registered has exit code 3', async (t) => {
  for (const code of ['CONTROL_PLANE_NO_WAY', 'IMAGE_FORBIDDEN', 'IMAGE_UNREACHABLE', 'ENGINE_STOPPED'] as const)
    t.equal(errorTable[code].exit, exitCode.broken, code);
});

t.test('before the registration, an error that passes has another exit code', async (t) => {
  const machine = await createTestMachine(t);
  t.match(await stopWith(busy, machine, []), {
    code: 'ONBOARDING_STOPPED',
    row: { exit: 4 },
    message: 'too many requests; nothing was registered',
  });
  t.match(await stopWith(refused, machine, [configStep]), { code: 'IMAGE_FORBIDDEN', row: { exit: 4 } });
});

t.test('after the registration it is 3, and the fix of the error comes first', async (t) => {
  const machine = await createTestMachine(t);
  const signIn: Step = {
    id: 'sign-in',
    title: 'sign-in',
    async check(context) {
      context.state.client = machine.client;
      context.state.port = 8765;
      return upToDate('Ana');
    },
  };
  const steps = [signIn, configStep, instanceIdStep, registrationStep];
  t.match(await stopWith(refused, machine, steps), {
    code: 'INSTANCE_NOT_READY',
    row: { exit: 3 },
    message: /shop is registered but something was not ready: the registry refused/,
    cure: /^sign in with an account .*; do not tear down; wait a few minutes and check Settings → Environments/,
  });
});
