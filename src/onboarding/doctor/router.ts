import { isObject } from '../../json/json-object.ts';
import { checkFailed, checkPassed, checkSkipped, createProblem } from '../checks/setup-check.ts';
import { hostPorts } from '../platform/host-ports.ts';
import { type DoctorCheck, type DoctorContext, isPlatformOptional } from './context.ts';

const port = hostPorts.router;

/** A router of the platform answers at the address that agents use. */
export const routerCheck: DoctorCheck = {
  id: 'router',
  title: `router of agents, port ${port}`,
  async inspect(context) {
    const version = await readRouterVersion(context, `http://127.0.0.1:${port}`);
    if (version !== undefined) return checkPassed(`answers, ${version}`);
    const holder = await context.platform.findPortHolder(port);
    if (!holder && isPlatformOptional(context))
      return checkSkipped(
        'none answers on this machine; agents of this machine need one: `vp connect` and `vp router`',
      );
    if (!holder) return checkFailed(createProblem('ROUTER_SILENT', { port }));
    return checkFailed(createProblem('ROUTER_PORT_TAKEN', { port, holder: holder.description }));
  },
};

/** The version of the router at `url`; undefined if nothing answers there, or something else does. */
async function readRouterVersion(
  { fetchPage }: Pick<DoctorContext, 'fetchPage'>,
  url: string,
): Promise<string | undefined> {
  const page = await fetchPage(`${url}/healthz`);
  try {
    const value: unknown = JSON.parse(page?.text ?? '');
    if (!isObject(value) || !('role' in value) || value.role !== 'router') return undefined;
    return 'version' in value ? String(value.version) : '';
  } catch {
    return undefined;
  }
}
