/** Whether the dashboard and Prometheus answer, and whether Prometheus reaches its targets. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checkFailed, checkSkipped, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import { hostPorts } from '../platform/host-ports.ts';
import { type DoctorCheck, type DoctorContext, type HttpPage, isPlatformOptional } from './context.ts';

const Targets = Type.Object({
  data: Type.Object({
    activeTargets: Type.Array(
      Type.Object({ scrapeUrl: Type.String(), health: Type.String(), lastError: Type.String() }),
    ),
  }),
});

/** Finds warnings only: runs do not need the dashboard. */
export const dashboardCheck: DoctorCheck = {
  id: 'dashboard',
  title: 'dashboard and metrics store',
  async inspect(context) {
    const problems = [
      ...(await checkPort(context, hostPorts.dashboard, 'the dashboard', '/healthz')),
      ...(await checkPort(context, hostPorts.metrics, 'the metrics store', '/-/ready')),
    ];
    if (
      problems.length === 2 &&
      problems.every(({ code }) => code === 'DASHBOARD_SILENT') &&
      isPlatformOptional(context)
    )
      return checkSkipped('none answers on this machine; runs do not need them');
    if (problems.length > 0) return checkFailed(...problems);
    return checkTargets(await context.fetchPage(`http://127.0.0.1:${hostPorts.metrics}/api/v1/targets?state=active`));
  },
};

async function checkPort(
  { fetchPage, platform }: DoctorContext,
  port: number,
  purpose: string,
  path: string,
): Promise<SetupProblem[]> {
  const page = await fetchPage(`http://127.0.0.1:${port}${path}`);
  const holder = await platform.findPortHolder(port);
  if (holder && holder.component !== 'observability')
    return [createProblem('DASHBOARD_PORT_FOREIGN', { port, use: purpose, holder: holder.description })];
  if (page?.status === 200) return [];
  return [createProblem('DASHBOARD_SILENT', { port, use: purpose })];
}

/** The router and an executor are always among the targets of a machine that is onboarded. */
function checkTargets(page: HttpPage | undefined) {
  const targets = parseTargets(page);
  if (typeof targets === 'string')
    return checkFailed(createProblem('METRICS_TARGETS_UNKNOWN', { port: hostPorts.metrics, reason: targets }));
  if (targets.length === 0) return checkFailed(createProblem('METRICS_TARGETS_ABSENT', {}));
  const count = (health: string): number => targets.filter((target) => target.health === health).length;
  const problems = targets
    .filter(({ health }) => health === 'down')
    .map(({ scrapeUrl, lastError }) => createProblem('METRICS_TARGET_DOWN', { url: scrapeUrl, reason: lastError }));
  const waiting = count('unknown');
  const waitingText = waiting === 0 ? '' : `, ${waiting} not measured yet`;
  return { facts: [`both respond, ${count('up')} of ${targets.length} targets are up${waitingText}`], problems };
}

/** A text says why there are none. */
function parseTargets(page: HttpPage | undefined): Static<typeof Targets>['data']['activeTargets'] | string {
  if (!page) return 'no answer in time';
  if (page.status !== 200) return `status ${page.status}`;
  try {
    const value: unknown = JSON.parse(page.text);
    return Value.Check(Targets, value) ? value.data.activeTargets : 'the answer is not a list of targets';
  } catch {
    return 'the answer is not JSON';
  }
}
