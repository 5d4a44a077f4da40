/** The containers of the instance, of the router and of the dashboard: there, running, healthy. */
import { type Container, containersOfProject, containerText } from '../../containers/containers.ts';
import type { Engine } from '../../containers/engine.ts';
import { fine, problem, skipped, together } from '../preflight/check.ts';
import { dashboardProject } from '../preflight/host-port.ts';
import { routerProject } from '../preflight/router-port.ts';
import type { DoctorCheck, DoctorContext, DoctorFindings } from './context.ts';

/** Starts what was stopped; the engine itself starts again what has crashed. */
export const containersCheck: DoctorCheck = {
  id: 'containers',
  title: 'containers of the platform',
  async look(context) {
    const engine = await context.engine().catch(() => undefined);
    if (!engine) return skipped('not looked at without a container engine');
    const { instanceId } = context.found;
    const own = instanceId === undefined ? [] : [`platform-inst-${instanceId}`];
    const all = await Promise.all(
      [...own, routerProject, dashboardProject].map((project) => projectState(engine, project, context)),
    );
    return { ...together(all), fixes: all.flatMap(({ fixes = [] }) => fixes) };
  },
};

async function projectState(engine: Engine, project: string, { found }: DoctorContext): Promise<DoctorFindings> {
  const containers = await containersOfProject(engine, project);
  if (containers.length > 0) {
    const all = await Promise.all(containers.map((container) => containerState(engine, container)));
    return { ...together(all), fixes: all.flatMap(({ fixes = [] }) => fixes) };
  }
  // Its executor calls from elsewhere: another machine, or `vp executor` by hand, which need none of these here.
  if (found.registered?.executor_status === 'REGISTERED') return fine(`${project}: none on this machine`);
  return { facts: [], problems: [problem('PROJECT_ABSENT', { project })] };
}

async function containerState(engine: Engine, container: Container): Promise<DoctorFindings> {
  const { name, state, status } = container;
  const { program } = engine.facts;
  const values = { container: containerText(container), name, program };
  if (state === 'running' && /\(unhealthy\)/.test(status)) {
    return { facts: [], problems: [problem('CONTAINER_UNHEALTHY', { ...values, log: await lastLines(engine, name) })] };
  }
  if (state === 'running' && /starting\)/.test(status))
    return { facts: [], problems: [problem('CONTAINER_STARTING', values)] };
  if (state === 'running') return fine(`${name} ${status.toLowerCase()}`);
  if (state === 'restarting') {
    return {
      facts: [],
      problems: [problem('CONTAINER_RESTARTING', { ...values, log: await lastLines(engine, name) })],
    };
  }
  const verb = state === 'paused' ? 'unpause' : 'start';
  const start = { what: `${verb} ${name}`, act: () => engine.output([verb, name]) };
  return { facts: [], problems: [problem('CONTAINER_STOPPED', { ...values, state, verb })], fixes: [start] };
}

/** The newest three, in one line. */
async function lastLines(engine: Engine, name: string): Promise<string> {
  const { stdout, stderr } = await engine.attempt(['logs', '--tail', '3', name]);
  const lines = `${stdout}${stderr}`.trim().split('\n').filter(Boolean);
  return lines.length === 0 ? 'nothing' : lines.slice(-3).join(' | ').slice(0, 600);
}
