/** The executor's project: its containers, its volumes with the copy of the secrets, its own network if it has one. */
import { removeProject } from '../../containers/compose-project.ts';
import { containersOfProject } from '../../containers/containers.ts';
import type { Engine } from '../../containers/engine.ts';
import { volumesOfProject } from '../../containers/networks.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { instanceProject } from '../stacks/instance.ts';
import type { TeardownContext } from './context.ts';

async function parts(engine: Engine, project: string) {
  const containers = (await containersOfProject(engine, project)).map(({ name }) => name);
  return { containers, volumes: await volumesOfProject(engine, project) };
}

/** The step. */
export const executorProjectStep: Step<TeardownContext> = {
  id: 'executor-project',
  title: 'containers and volumes of the executor',
  async check({ asked, ports }) {
    const { containers, volumes } = await parts(await ports.engine(), instanceProject(asked.instanceId));
    if (containers.length + volumes.length === 0) return done('none here');
    return todo(`${containers.length} containers, ${volumes.length} volumes`);
  },
  async act({ asked, ports, removed, say, signal }) {
    const engine = await ports.engine();
    const name = instanceProject(asked.instanceId);
    const { containers, volumes } = await parts(engine, name);
    await removeProject(engine, { name }, { volumes: true, onLine: say, signal });
    // Volumes that no container has mounted any more.
    for (const volume of await volumesOfProject(engine, name)) await engine.output(['volume', 'rm', '--force', volume]);
    signal.throwIfAborted();
    removed.push(...containers.map((each) => `container ${each}`), ...volumes.map((each) => `volume ${each}`));
    return { detail: `removed ${containers.length} containers and ${volumes.length} volumes` };
  },
};
