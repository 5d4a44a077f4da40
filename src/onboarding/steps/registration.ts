/** The instance at the control plane, and this machine's key to take it away again. */
import { rm } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import { version } from '../../environment/version.ts';
import { VpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { kitPlaces, rememberKit } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { keepMachineKey, machineKeyIn } from '../machine-key.ts';
import { releaseOf } from './image.ts';

/** The step. */
export const registrationStep: Step<OnboardingContext> = {
  id: 'registration',
  title: 'registration at the control plane',
  async check(context) {
    const { found, journal } = context;
    const id = known(context, 'instanceId');
    const all = await known(context, 'client').instances.list({ signal: context.signal });
    const instance = all.find(({ instance_id }) => instance_id === id);
    if (!instance) return todo('not registered yet');
    found.instance = instance;
    warnOfVersion(context, instance.recommended_version);
    const isOurs = journal.facts?.registered === true && (await machineKeyIn(known(context, 'kit'))) !== undefined;
    return isOurs ? done(`${id} is registered`) : todo(`${id} is registered, without all that this machine needs`);
  },
  async act(context) {
    const { found, journal, ports, signal } = context;
    const [id, kit, client] = [known(context, 'instanceId'), known(context, 'kit'), known(context, 'client')];
    await rememberKit(ports.environment.paths, id, kit, ports.environment.random);
    found.isFresh = !found.instance;
    if (!found.instance) {
      const wish = { instance_id: id, tier: 'compose', executor_port: known(context, 'port') } as const;
      const { instance, executor_key } = await client.instances
        .create(wish, { signal })
        .catch(async (error: unknown) => {
          // Somebody else was faster: what is there is not half ours.
          if (error instanceof VpError && error.code === 'INSTANCE_ID_TAKEN') await journal.drop('registration');
          throw error;
        });
      found.instance = instance;
      found.executorKey = executor_key;
      warnOfVersion(context, instance.recommended_version);
    }
    await journal.put({ registered: true, executor_port: known(context, 'port'), config_hash: undefined });
    await keepMachineKey(context);
    return { detail: `${id} is registered` };
  },
  async undo(context) {
    const { found, journal } = context;
    if (found.isFresh) await takeBack(known(context, 'client'), known(context, 'instanceId'));
    if (found.isFresh) await journal.put({ registered: false });
    await rm(kitPlaces(known(context, 'kit')).machineKey, { force: true });
  },
};

/** What was registered a moment ago and no executor has served: also where its answer did not arrive any more. */
async function takeBack({ instances }: Client, id: string): Promise<void> {
  const instance = (await instances.list()).find(({ instance_id }) => instance_id === id);
  if (instance?.executor_status === 'NEVER_SEEN') await instances.remove(id);
}

/** Told once, where it is first known. */
function warnOfVersion({ asked, ports, found }: OnboardingContext, recommended: string): void {
  const release = releaseOf(asked.image);
  if (release === recommended || found.isVersionTold) return;
  found.isVersionTold = true;
  ports.warn(
    `the image is version ${release}, and the control plane recommends ${recommended}`,
    release === version ? 'bring the control plane to the same version' : `use the tag v${recommended}-slim`,
  );
}
