/** The router of this machine, started or joined. */
import { startComposeProject } from '../../../containers/compose-project.ts';
import { routerProjectName } from '../../../contract/platform-names.ts';
import { getSharedStackFolder } from '../../kit/kit-paths.ts';
import { hostPorts } from '../../platform/host-ports.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import { recordIfNew } from '../new-projects.ts';
import { listServiceProblems } from '../stacks/stack-files.ts';
import { writeProjectConfig } from '../write-config.ts';
import type { ComposeComponent } from './component.ts';

const address = `127.0.0.1:${hostPorts.router}`;

export const routerComponent: ComposeComponent<'router'> = {
  async inspect({ engine, staleProjects }) {
    const problems = await listServiceProblems(await engine(), routerProjectName, ['router']);
    if (problems.length > 0) return actionNeeded(problems.join(', '));
    return staleProjects.has(routerProjectName)
      ? actionNeeded('its compose file changed')
      : upToDate(`runs on ${address}`);
  },
  async apply(context, { image, scrapeKey }, { report, signal }) {
    const engine = await context.engine();
    const folder = getSharedStackFolder(context.environment.paths, 'router');
    await recordIfNew(context, routerProjectName);
    const files = { 'scrape.key': scrapeKey };
    await writeProjectConfig(engine, { project: routerProjectName, image, files, signal });
    await startComposeProject(engine, { name: routerProjectName, folder }, { onLine: report, signal });
    signal.throwIfAborted();
    return { detail: `started on ${address}` };
  },
};
