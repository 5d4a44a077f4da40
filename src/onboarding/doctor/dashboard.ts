/** Whether the dashboard and Prometheus answer, and whether Prometheus reaches its targets. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { checkFailed, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import { hostPorts } from '../platform/host-ports.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

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

function checkTargets(page: { readonly text: string } | undefined) {
  const targets = parseTargets(page?.text ?? '');
  const down = targets.filter(({ health }) => health === 'down');
  const problems = down.map(({ scrapeUrl, lastError }) =>
    createProblem('METRICS_TARGET_DOWN', { url: scrapeUrl, reason: lastError }),
  );
  return { facts: [`both respond, ${targets.length - down.length} of ${targets.length} targets are up`], problems };
}

function parseTargets(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Targets, value) ? value.data.activeTargets : [];
  } catch {
    return [];
  }
}
