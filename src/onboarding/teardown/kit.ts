/** The kit's files, and its folder when nothing else lies in it. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { journalFile } from '../engine/journal.ts';
import { forgetKit, kitPlaces, removeIfEmpty } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { removeKit } from '../kit/remove-kit.ts';
import type { TeardownContext } from './context.ts';

/** The step. As long as the instance is registered, the machine key and the journal are needed once more. */
export const kitStep: Step<TeardownContext> = {
  id: 'kit',
  title: 'files of the kit',
  async check({ asked }) {
    return (await stat(asked.kit).catch(() => undefined)) ? todo(asked.kit) : done('none here');
  },
  async act({ asked, ports, state, removed, kept }) {
    const { kit, instanceId } = asked;
    const { compose, machineKey } = kitPlaces(kit);
    await rm(compose, { recursive: true, force: true });
    ports.forgetScenarios(instanceId);
    if (!state.isUnregistered) {
      kept.push({ what: `${journalFile(kit)} and ${machineKey}`, why: 'they are needed to take away what remains' });
      return { detail: 'kept what another try needs' };
    }
    for (const file of [machineKey, journalFile(kit)]) await rm(file, { force: true });
    await removeKit(kit);
    const isGone = await removeIfEmpty(kit);
    await forgetKit(ports.environment.paths, instanceId);
    await removeIfEmpty(join(ports.environment.paths.config, 'connections'));
    removed.push(isGone ? `kit folder ${kit}` : `the kit's files in ${kit}`);
    if (isGone) return { detail: `removed ${kit}` };
    const others = (await readdir(kit)).slice(0, 5).join(', ');
    kept.push({ what: kit, why: `other files lie in it: ${others}` });
    return { detail: `removed the kit's files; others lie in ${kit}` };
  },
};
