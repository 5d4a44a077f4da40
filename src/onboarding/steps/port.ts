/** A port of this machine for the executor. */
import { vpError } from '../../errors/vp-error.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { executorPortRange } from '../platform/host-ports.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

/** An instance keeps its previous port unless something else holds it now. */
export const portStep: WorkflowStep<OnboardingContext> = {
  id: 'port',
  title: 'port of the executor',
  async check(context) {
    const { ports, state, journal } = context;
    const { platform } = ports;
    const instanceId = requireState(context, 'instanceId');
    const previousPort = journal.facts?.executor_port;
    const holder = previousPort === undefined ? undefined : await platform.findPortHolder(previousPort);
    const isStillOwn = previousPort !== undefined && (!holder || holder.instanceId === instanceId);
    if (previousPort !== undefined && holder && !isStillOwn) {
      ports.warn(`port ${previousPort} is now held by ${holder.description}`, 'the executor gets another one');
    }
    const choice = isStillOwn ? { port: previousPort } : await platform.chooseExecutorPort(instanceId);
    if (!('port' in choice)) {
      const { first, last } = executorPortRange;
      throw vpError('EXECUTOR_PORTS_TAKEN', { first, last, holders: choice.holders.join('; ') });
    }
    state.port = choice.port;
    return upToDate(`${choice.port} on 127.0.0.1`);
  },
};
