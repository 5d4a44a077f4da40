/** Calls of the page to its server. What is answered comes from the same build, so its shape is taken as told. */
import type {
  DashboardRange,
  InstancesAnswer,
  PanelAnswer,
  PanelList,
  ScenariosAnswer,
} from '../../contract/dashboard-api.ts';

/** Why there is no answer, for people; `since` where the server says it. */
export type AskFault = { readonly sentence: string; readonly cure: string; readonly since: string | undefined };

/** Thrown by every call. */
export class AskError extends Error {
  readonly fault: AskFault;
  constructor(fault: AskFault) {
    super(fault.sentence);
    this.fault = fault;
  }
}

const silent: AskFault = {
  sentence: 'The dashboard itself does not answer',
  cure: 'start it with `docker compose -p platform-obs start dashboard`, or `vp dashboard`',
  since: undefined,
};
const limitMs = 30_000;

async function ask<T>(path: string): Promise<T> {
  const answer = await fetch(path, { signal: AbortSignal.timeout(limitMs) }).catch(() => {
    throw new AskError(silent);
  });
  const said = await answer.json().catch(() => {
    throw new AskError(silent);
  });
  if (answer.ok) return said;
  const { detail, cure, values } = said ?? {};
  if (typeof detail !== 'string' || typeof cure !== 'string') throw new AskError(silent);
  throw new AskError({ sentence: detail, cure, since: typeof values?.since === 'string' ? values.since : undefined });
}

/** The charts. */
export function askPanels(): Promise<PanelList> {
  return ask('/api/panels');
}

/** The lines of a chart. */
export function askPanel(panel: string, range: DashboardRange): Promise<PanelAnswer> {
  return ask(`/api/panels/${encodeURIComponent(panel)}?range=${range}`);
}

/** Instances and alerts. */
export function askInstances(range: DashboardRange): Promise<InstancesAnswer> {
  return ask(`/api/instances?range=${range}`);
}

/** Slow and flaky scenarios. */
export function askScenarios(range: DashboardRange): Promise<ScenariosAnswer> {
  return ask(`/api/scenarios?range=${range}`);
}
