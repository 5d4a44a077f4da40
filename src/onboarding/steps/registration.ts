/** Registers the instance at the control plane, and gets this machine's key to remove it again. */
import { rm } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import { version } from '../../environment/version.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { parseRelease } from '../image-release.ts';
import { getKitPaths, saveKitFolder } from '../kit/kit-paths.ts';
import { createMachineKey, readMachineKey } from '../machine-keys.ts';
import { actionNeeded, upToDate, type WorkflowStep } from '../workflow/step.ts';

export const registrationStep: WorkflowStep<OnboardingContext> = {
  id: 'registration',
  title: 'registration at the control plane',
  async check(context) {
    const { state, journal } = context;
    const id = requireState(context, 'instanceId');
    const instances = await requireState(context, 'client').instances.list({ signal: context.signal });
    const instance = instances.find(({ instance_id }) => instance_id === id);
    if (!instance) return actionNeeded('not registered yet');
    state.instance = instance;
    warnAboutVersion(context, instance.recommended_version);
    const isOwn =
      journal.facts?.registered === true && (await readMachineKey(requireState(context, 'kit'))) !== undefined;
    return isOwn
      ? upToDate(`${id} is registered`)
      : actionNeeded(`${id} is registered, without all that this machine needs`);
  },
  async act(context) {
    const { state, journal, ports, signal } = context;
    const [id, kit, client] = [
      requireState(context, 'instanceId'),
      requireState(context, 'kit'),
      requireState(context, 'client'),
    ];
    await saveKitFolder(ports.environment.paths, id, kit, ports.environment.random);
    state.isNewlyRegistered = !state.instance;
    if (!state.instance) {
      const instanceRequest = {
        instance_id: id,
        tier: ports.platform.tier,
        executor_port: requireState(context, 'port'),
      } as const;
      const { instance, executor_key } = await client.instances
        .create(instanceRequest, { signal })
        .catch(async (error: unknown) => {
          // Another user was faster: that instance is not a half-done registration of this run.
          if (error instanceof VpError && error.code === 'INSTANCE_ID_TAKEN') await journal.discard('registration');
          throw error;
        });
      state.instance = instance;
      state.executorKey = executor_key;
      warnAboutVersion(context, instance.recommended_version);
    }
    await journal.updateFacts({
      registered: true,
      executor_port: requireState(context, 'port'),
      config_hash: undefined,
    });
    await createMachineKey(context);
    return { detail: `${id} is registered` };
  },
  async undo(context) {
    const { state, journal } = context;
    if (state.isNewlyRegistered)
      await unregisterUnused(requireState(context, 'client'), requireState(context, 'instanceId'));
    if (state.isNewlyRegistered) await journal.updateFacts({ registered: false });
    await rm(getKitPaths(requireState(context, 'kit')).machineKey, { force: true });
  },
};

/** Also removes a registration whose response was lost, unless an executor has served the instance. */
async function unregisterUnused({ instances }: Client, id: string): Promise<void> {
  const instance = (await instances.list()).find(({ instance_id }) => instance_id === id);
  if (instance?.executor_status === 'NEVER_SEEN') await instances.remove(id);
}

/** Warns once in a run. */
function warnAboutVersion({ request, ports, state }: OnboardingContext, recommended: string): void {
  const imageVersion = parseRelease(request.image);
  if (imageVersion === recommended || state.isVersionWarned) return;
  state.isVersionWarned = true;
  ports.warn(
    `the image is version ${imageVersion}, and the control plane recommends its own, ${recommended}`,
    imageVersion === version ? 'bring the control plane to the same version' : `use the tag v${recommended}-slim`,
  );
}
