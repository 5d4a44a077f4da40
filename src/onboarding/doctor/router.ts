import { holderText } from '../../containers/port-holders.ts';
import { fine, problem } from '../preflight/check.ts';
import { routerPort } from '../preflight/router-port.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

/** A router of ours answers where agents look for it. */
export const routerCheck: DoctorCheck = {
  id: 'router',
  title: `router of agents, port ${routerPort}`,
  async look(context) {
    const version = await routerVersion(context, `http://127.0.0.1:${routerPort}`);
    if (version !== undefined) return fine(`answers, ${version}`);
    const holder = await context.holderOf(routerPort);
    const port = routerPort;
    if (!holder) return { facts: [], problems: [problem('ROUTER_SILENT', { port })] };
    return { facts: [], problems: [problem('ROUTER_PORT_TAKEN', { port, holder: holderText(holder) })] };
  },
};

/** The version of a router at `url`; undefined where something else answers, or nothing. */
async function routerVersion({ get }: Pick<DoctorContext, 'get'>, url: string): Promise<string | undefined> {
  const answer = await get(`${url}/healthz`);
  try {
    const said: unknown = JSON.parse(answer?.text ?? '');
    if (typeof said !== 'object' || said === null || !('role' in said) || said.role !== 'router') return undefined;
    return 'version' in said ? String(said.version) : '';
  } catch {
    return undefined;
  }
}
