/** Calls of the page to its server. Both are of the same build, so responses are not validated. */
import type {
  DashboardInstancesResponse,
  DashboardRange,
  DashboardScenariosResponse,
  PanelList,
  PanelResponse,
} from '../../contract/dashboard-api.ts';

/** `since` is set if the server reports since when it has failed. */
export type DashboardFailure = { readonly sentence: string; readonly cure: string; readonly since: string | undefined };

export class DashboardApiError extends Error {
  readonly failure: DashboardFailure;
  constructor(failure: DashboardFailure) {
    super(failure.sentence);
    this.failure = failure;
  }
}

const noResponse: DashboardFailure = {
  sentence: 'The dashboard server does not respond',
  cure: 'start it with `docker compose -p platform-obs start dashboard`, or `vp dashboard`',
  since: undefined,
};
const timeoutMs = 30_000;

async function get<T>(path: string): Promise<T> {
  const response = await fetch(path, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => {
    throw new DashboardApiError(noResponse);
  });
  const body = await response.json().catch(() => {
    throw new DashboardApiError(noResponse);
  });
  if (response.ok) return body;
  const { detail, cure, values } = body ?? {};
  if (typeof detail !== 'string' || typeof cure !== 'string') throw new DashboardApiError(noResponse);
  throw new DashboardApiError({
    sentence: detail,
    cure,
    since: typeof values?.since === 'string' ? values.since : undefined,
  });
}

export function fetchPanels(): Promise<PanelList> {
  return get('/api/panels');
}

export function fetchPanel(panel: string, range: DashboardRange): Promise<PanelResponse> {
  return get(`/api/panels/${encodeURIComponent(panel)}?range=${range}`);
}

export function fetchInstances(range: DashboardRange): Promise<DashboardInstancesResponse> {
  return get(`/api/instances?range=${range}`);
}

export function fetchScenarios(range: DashboardRange): Promise<DashboardScenariosResponse> {
  return get(`/api/scenarios?range=${range}`);
}
