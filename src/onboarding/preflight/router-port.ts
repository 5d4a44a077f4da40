import { holderText } from '../../containers/port-holders.ts';
import { type Check, fine, problem } from './check.ts';
import type { PreflightContext } from './context.ts';
import { isOf } from './host-port.ts';

/** Where agents reach the router. */
export const routerPort = 9765;
/** The router's project, and its container's name. */
export const routerProject = 'platform-router';

/** Where another process answers, it knows no token of ours, and agents fail. */
export const routerPortCheck: Check<Pick<PreflightContext, 'holderOf'>> = {
  id: 'router_port',
  title: `port ${routerPort} for the router of agents`,
  async look({ holderOf }) {
    const holder = await holderOf(routerPort);
    if (!holder) return fine('free');
    if (isOf(routerProject, holder)) return fine(`held by ${holderText(holder)}, as it should`);
    return { facts: [], problems: [problem('ROUTER_PORT_TAKEN', { port: routerPort, holder: holderText(holder) })] };
  },
};
