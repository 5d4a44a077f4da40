/** A port of this machine for the executor. */

import { holderText, portHolder } from '../../containers/port-holders.ts';
import { vpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step } from '../engine/step.ts';
import { executorPortFor, executorPorts } from '../preflight/executor-port.ts';
import { instanceProject } from '../stacks/instance.ts';

/** The step. The port that the instance had is kept, as long as nobody else took it. */
export const portStep: Step<OnboardingContext> = {
  id: 'port',
  title: 'port of the executor',
  async check(context) {
    const { ports, found, journal } = context;
    const engine = known(context, 'engine');
    const instance = known(context, 'instanceId');
    const holderOf = (port: number) => portHolder(ports.environment, engine, port);
    const before = journal.facts?.executor_port;
    const holder = before === undefined ? undefined : await holderOf(before);
    const isStillOurs = before !== undefined && (!holder || holder.container?.project === instanceProject(instance));
    if (before !== undefined && holder && !isStillOurs) {
      ports.warn(`port ${before} is now held by ${holderText(holder)}`, 'the executor gets another one');
    }
    const chosen = isStillOurs ? { port: before } : await executorPortFor({ holderOf }, instance);
    if (!('port' in chosen)) {
      const { first, last } = executorPorts;
      throw vpError('EXECUTOR_PORTS_TAKEN', { first, last, holders: chosen.holders.join('; ') });
    }
    found.port = chosen.port;
    return done(`${chosen.port} on 127.0.0.1`);
  },
};
