/** The dashboard answers, and so does Prometheus, which finds what it is to measure. */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { holderText } from '../../containers/port-holders.ts';
import { type Problem, problem } from '../preflight/check.ts';
import { dashboardProject, isOf } from '../preflight/host-port.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

const Targets = Type.Object({
  data: Type.Object({
    activeTargets: Type.Array(
      Type.Object({ scrapeUrl: Type.String(), health: Type.String(), lastError: Type.String() }),
    ),
  }),
});

/** Warnings only: runs go on without. */
export const dashboardCheck: DoctorCheck = {
  id: 'dashboard',
  title: 'dashboard and metrics store',
  async look(context) {
    const problems = [
      ...(await silence(context, 3000, 'the dashboard', '/healthz')),
      ...(await silence(context, 9095, 'the metrics store', '/-/ready')),
    ];
    if (problems.length > 0) return { facts: [], problems };
    return measured(await context.get('http://127.0.0.1:9095/api/v1/targets?state=active'));
  },
};

async function silence({ get, holderOf }: DoctorContext, port: number, use: string, path: string): Promise<Problem[]> {
  const answer = await get(`http://127.0.0.1:${port}${path}`);
  const holder = await holderOf(port);
  if (answer?.status === 200 && (!holder || isOf(dashboardProject, holder))) return [];
  if (holder && !isOf(dashboardProject, holder))
    return [problem('DASHBOARD_PORT_FOREIGN', { port, use, holder: holderText(holder) })];
  return [problem('DASHBOARD_SILENT', { port, use })];
}

function measured(page: { readonly text: string } | undefined) {
  const targets = targetsOf(page?.text ?? '');
  const down = targets.filter(({ health }) => health === 'down');
  const problems = down.map(({ scrapeUrl, lastError }) =>
    problem('METRICS_TARGET_DOWN', { url: scrapeUrl, reason: lastError }),
  );
  return { facts: [`both answer, ${targets.length - down.length} of ${targets.length} are measured`], problems };
}

function targetsOf(text: string) {
  try {
    const said: unknown = JSON.parse(text);
    return Value.Check(Targets, said) ? said.data.activeTargets : [];
  } catch {
    return [];
  }
}
