import { containerNamed } from '../../containers/containers.ts';
import { type Check, fine, problem, skipped } from './check.ts';
import type { PreflightContext } from './context.ts';
import { routerProject } from './router-port.ts';

/** The name that the router's container will have must not be taken by one that was started by hand. */
export const routerNameCheck: Check<Pick<PreflightContext, 'engine'>> = {
  id: 'router_name',
  title: `container name ${routerProject}`,
  async look({ engine }) {
    const opened = await engine().catch(() => undefined);
    if (!opened) return skipped('not looked at without a container engine');
    const found = await containerNamed(opened, routerProject);
    if (!found) return fine('free');
    if (found.project === routerProject) return fine(`ours, ${found.state}`);
    const origin = found.project === '' ? 'was started by hand' : `belongs to the compose project ${found.project}`;
    const values = { name: routerProject, origin, image: found.image, program: opened.facts.program };
    return { facts: [], problems: [problem('ROUTER_NAME_TAKEN', values)] };
  },
};
