/** Config and keys of the executor, in the volume that it alone mounts. */
import { volumesOfProject } from '../../containers/networks.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { hashOfFiles, placedFiles } from '../placed-files.ts';
import { configVolume, instanceProject } from '../stacks/instance.ts';
import { placeConfig } from '../stacks/place-config.ts';

/** The step. An executor key is shown once, so each placing makes a new one, which ends the one before. */
export const executorConfigStep: Step<OnboardingContext> = {
  id: 'executor-config',
  title: 'config and keys of the executor',
  async check(context) {
    const { journal, found } = context;
    const id = known(context, 'instanceId');
    const volumes = await volumesOfProject(known(context, 'engine'), instanceProject(id));
    if (!volumes.includes(configVolume(id))) return todo('nothing is placed yet');
    if (found.executorKey !== undefined) return todo('the executor key is new');
    const hash = await hashOfFiles(context);
    return journal.facts?.config_hash === hash
      ? done('as placed before')
      : todo('platform-config.yaml or .env changed');
  },
  async act(context) {
    const { asked, found, journal, signal } = context;
    const instanceId = known(context, 'instanceId');
    await journal.put({ config_hash: undefined });
    const key =
      found.executorKey ?? (await known(context, 'client').instances.rotateKey(instanceId, { signal })).executor_key;
    const files = { ...(await placedFiles(context)), 'executor.key': key };
    await placeConfig(known(context, 'engine'), {
      instanceId,
      image: asked.image,
      files,
      signal,
    });
    signal.throwIfAborted();
    delete found.executorKey;
    found.isPlaced = true;
    await journal.put({ config_hash: await hashOfFiles(context) });
    return { detail: `${Object.keys(files).length} files placed` };
  },
};
