/** The executor and its log reader, inside the target's network. */
import { startProject } from '../../containers/compose-project.ts';
import { containersOfProject } from '../../containers/containers.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { kitPlaces } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { instanceServices } from '../instance-stack-of.ts';
import { notRunning } from '../stack-files.ts';
import { instanceProject } from '../stacks/instance.ts';
import { noteFresh, takeBackProject } from '../take-back.ts';

/** The step. Throws INSTANCE_NOT_STARTED (exit code 3): the instance is registered by now. */
export const instanceStep: Step<OnboardingContext> = {
  id: 'instance',
  title: 'executor and log reader',
  async check(context) {
    const { found, journal } = context;
    const project = instanceProject(known(context, 'instanceId'));
    const missing = await notRunning(known(context, 'engine'), project, instanceServices);
    if (missing.length > 0) return todo(missing.join(', '));
    if (found.isPlaced) return todo('its config changed');
    const { started_hash: started, config_hash: config } = journal.facts ?? {};
    const isStale = found.isInstanceStale || started !== config;
    return isStale
      ? todo('its compose file or config changed')
      : done(`${project} runs on 127.0.0.1:${known(context, 'port')}`);
  },
  async act(context) {
    const { found, journal, say, signal } = context;
    const [engine, id] = [known(context, 'engine'), known(context, 'instanceId')];
    const name = instanceProject(id);
    const folder = kitPlaces(known(context, 'kit')).compose;
    await noteFresh(context, name);
    found.seenBefore = await lastSeen(context, id);
    if (found.isPlaced || journal.facts?.started_hash !== journal.facts?.config_hash)
      await removeExecutor(context, name);
    try {
      await startProject(engine, { name, folder }, { onLine: say, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof VpError ? vpError('INSTANCE_NOT_STARTED', { instance: id, reason: error.message }) : error;
    }
    signal.throwIfAborted();
    found.isStarted = true;
    await journal.put({ started_hash: journal.facts?.config_hash });
    return { detail: `${name} started on 127.0.0.1:${known(context, 'port')}` };
  },
  undo: (context) => takeBackProject(context, instanceProject(known(context, 'instanceId'))),
};

/** A container reads its config when it starts; compose does not see that the volume holds another one. */
async function removeExecutor(context: OnboardingContext, project: string): Promise<void> {
  const engine = known(context, 'engine');
  const running = (await containersOfProject(engine, project)).filter(({ service }) => service === 'executor');
  if (running.length === 0) return;
  context.say('ending the executor, which has the config from before');
  await engine.output(['stop', '--time', '40', ...running.map(({ id }) => id)], { timeoutMs: 60_000 });
}

async function lastSeen(context: OnboardingContext, id: string): Promise<string | null> {
  return (await known(context, 'client').instances.get(id, { signal: context.signal })).last_seen_at;
}
