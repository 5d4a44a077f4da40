/** What all instances of this machine share: it goes with the last one, but for the dashboard and its history. */
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeProject } from '../../containers/compose-project.ts';
import { containersOfProject } from '../../containers/containers.ts';
import type { Engine } from '../../containers/engine.ts';
import { projectNames, volumesOfProject } from '../../containers/networks.ts';
import { removeIfEmpty, sharedFolder } from '../engine/kit.ts';
import { done, type Step, todo } from '../engine/step.ts';
import { scrapeKeyFile } from '../scrape-key.ts';
import { observabilityProject } from '../stacks/observability.ts';
import { routerProject } from '../stacks/router.ts';
import type { TeardownContext } from './context.ts';

const prefix = 'platform-inst-';

async function othersOf(engine: Engine, instance: string): Promise<string[]> {
  const projects = await projectNames(engine);
  return projects.filter((name) => name.startsWith(prefix) && name !== `${prefix}${instance}`);
}

/** The step. */
export const lastInstanceStep: Step<TeardownContext> = {
  id: 'shared',
  title: 'router of agents (platform-router)',
  async check({ asked, ports, kept }) {
    const engine = await ports.engine();
    const others = await othersOf(engine, asked.instanceId);
    if (others.length > 0) {
      const why = `they serve ${others.map((name) => name.slice(prefix.length)).join(', ')}`;
      kept.push({ what: `${routerProject} and ${observabilityProject}`, why });
      return done(`kept: ${why}`);
    }
    const router = await containersOfProject(engine, routerProject);
    const folder = await stat(dirname(scrapeKeyFile(ports.environment.paths))).catch(() => undefined);
    await keepDashboard(engine, kept);
    return router.length > 0 || folder ? todo('the last instance goes') : done('none here');
  },
  async act({ ports, removed, say, signal }) {
    const engine = await ports.engine();
    const { paths } = ports.environment;
    const containers = await containersOfProject(engine, routerProject);
    const volumes = await volumesOfProject(engine, routerProject);
    if (containers.length > 0) {
      await removeProject(engine, { name: routerProject }, { volumes: true, onLine: say, signal });
    }
    for (const volume of await volumesOfProject(engine, routerProject)) await engine.output(['volume', 'rm', volume]);
    signal.throwIfAborted();
    const files = [sharedFolder(paths, 'router'), sharedFolder(paths, 'obs'), scrapeKeyFile(paths)];
    for (const file of files) await rm(file, { recursive: true, force: true });
    await removeIfEmpty(dirname(scrapeKeyFile(paths)));
    removed.push(...containers.map(({ name }) => `container ${name}`), ...volumes.map((name) => `volume ${name}`));
    removed.push(`files in ${dirname(scrapeKeyFile(paths))}`);
    return { detail: 'removed with the last instance' };
  },
};

/** Its history is worth more than its room: whoever wants it gone removes it by hand. */
async function keepDashboard(engine: Engine, kept: TeardownContext['kept']): Promise<void> {
  const containers = await containersOfProject(engine, observabilityProject);
  const volumes = await volumesOfProject(engine, observabilityProject);
  if (containers.length + volumes.length === 0) return;
  const command = `${engine.facts.program} compose --project-name ${observabilityProject} down --volumes`;
  const what = `${observabilityProject} (${containers.length} containers, ${volumes.length} volumes, 1 network)`;
  kept.push({ what, why: `remove it, with the history of measurements, by \`${command}\`` });
}
