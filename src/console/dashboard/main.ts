/** The dashboard's page: all instances of the machine over the time range in the address. */
import {
  type DashboardInstancesResponse,
  type DashboardRange,
  dashboardRanges,
  type PanelList,
} from '../../contract/dashboard-api.ts';
import { nowMs } from '../browser.ts';
import { formatCoarseDuration } from '../text/format.ts';
import { createElement } from './create-element.ts';
import {
  DashboardApiError,
  type DashboardFailure,
  fetchInstances,
  fetchPanel,
  fetchPanels,
  fetchScenarios,
} from './dashboard-api.ts';
import { rangeNames } from './format.ts';
import { InstanceView } from './instance-view.ts';
import { createEmptyState, renderAlerts, renderFailure } from './notices.ts';
import { renderScenarios } from './scenarios-view.ts';
import { DashboardTopBar, readRangeFromUrl } from './top-bar.ts';

/** Short ranges are refreshed more often. */
const refreshMs: Readonly<Record<DashboardRange, number>> = {
  '1h': 10_000,
  '6h': 15_000,
  '24h': 60_000,
  '7d': 120_000,
  '30d': 120_000,
};
const retryMs = 10_000;
const pageFailure: DashboardFailure = { sentence: 'The page failed', cure: 'reload it', since: undefined };

class DashboardPage {
  readonly #topBar = new DashboardTopBar({
    onRange: (range) => this.#selectRange(range),
    onRedraw: () => this.#redraw(),
  });
  readonly #failure = createElement('div', { role: 'status' });
  readonly #alerts = createElement('div', { class: 'alerts' });
  readonly #instances = createElement('div', { class: 'instances' });
  readonly #scenarios = createElement('div', { class: 'scenario-tables' });
  readonly #main = createElement('main', {}, this.#failure, this.#alerts, this.#instances, this.#scenarios);
  readonly #views = new Map<string, InstanceView>();
  #range = readRangeFromUrl();
  #panels: PanelList['panels'] = [];
  #refreshId = 0;
  #timer: number | undefined;
  #loadedAtMs: number | undefined;
  #failedSinceMs = 0;
  #currentFailure: DashboardFailure | undefined;

  start(root: HTMLElement): void {
    root.append(this.#topBar.root, this.#main);
    this.#topBar.setRange(this.#range);
    this.#instances.append(...Array.from({ length: 6 }, () => createElement('div', { class: 'skeleton-row' })));
    addEventListener('popstate', () => this.#selectRange(readRangeFromUrl(), false));
    addEventListener('keydown', (event) => this.#onKey(event));
    document.addEventListener('visibilitychange', () => document.hidden || this.#refresh());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw());
    setInterval(() => this.#showFreshness(), 1000);
    void this.#refresh();
  }

  #onKey({ key, altKey, ctrlKey, metaKey, target }: KeyboardEvent): void {
    const range = dashboardRanges[Number(key) - 1];
    if (range && !altKey && !ctrlKey && !metaKey && !(target instanceof HTMLInputElement)) this.#selectRange(range);
  }

  #selectRange(range: DashboardRange, pushHistory = true): void {
    if (range === this.#range) return;
    this.#range = range;
    if (pushHistory) history.pushState(null, '', `?range=${range}`);
    this.#topBar.setRange(range);
    this.#main.setAttribute('aria-busy', 'true');
    void this.#refresh();
  }

  /** Loads everything. Responses to an outdated refresh are dropped. */
  async #refresh(): Promise<void> {
    const refreshId = ++this.#refreshId;
    clearTimeout(this.#timer);
    const range = this.#range;
    const failure = await this.#load(range, refreshId).then(
      () => undefined,
      (error: unknown) => (error instanceof DashboardApiError ? error.failure : pageFailure),
    );
    if (refreshId !== this.#refreshId) return;
    this.#main.removeAttribute('aria-busy');
    if (failure && !this.#currentFailure) this.#failedSinceMs = nowMs();
    this.#currentFailure = failure;
    if (!failure) this.#loadedAtMs = nowMs();
    this.#showFreshness();
    const waitMs = failure ? retryMs : refreshMs[range];
    this.#timer = window.setTimeout(() => document.hidden || this.#refresh(), waitMs);
  }

  async #load(range: DashboardRange, refreshId: number): Promise<void> {
    if (this.#panels.length === 0) this.#panels = (await fetchPanels()).panels;
    const panels = this.#panels;
    // Alone first: if it fails, the other requests would fail too.
    const instances = await fetchInstances(range);
    const [scenarios, ...charts] = await Promise.all([
      fetchScenarios(range),
      ...panels.map((panel) => fetchPanel(panel.id, range)),
    ]);
    if (refreshId !== this.#refreshId) return;
    renderAlerts(this.#alerts, instances);
    this.#showInstances(instances);
    panels.forEach((panel, index) => {
      const { times = [], lines = [] } = charts[index] ?? {};
      for (const view of this.#views.values()) view.setPanel(panel, times, lines);
    });
    if (instances.instances.length > 0) renderScenarios(this.#scenarios, scenarios);
    else this.#scenarios.replaceChildren();
  }

  /** Keeps the elements of instances that remain, so that nothing jumps. */
  #showInstances({ instances }: DashboardInstancesResponse): void {
    const ids = instances.map(({ id }) => id);
    for (const id of [...this.#views.keys()]) if (!ids.includes(id)) this.#views.delete(id);
    for (const instance of instances) {
      const view = this.#views.get(instance.id) ?? new InstanceView(instance.id, this.#panels);
      this.#views.set(instance.id, view);
      view.setInstance(instance);
    }
    const viewRoots = ids.flatMap((id) => this.#views.get(id)?.root ?? []);
    const content = viewRoots.length > 0 ? viewRoots : [createEmptyState()];
    const isSame = content.length === this.#instances.children.length && viewRoots.length > 0;
    if (!isSame || content.some((viewRoot, index) => this.#instances.children[index] !== viewRoot))
      this.#instances.replaceChildren(...content);
  }

  #showFreshness(): void {
    const ageMs = this.#loadedAtMs === undefined ? undefined : nowMs() - this.#loadedAtMs;
    const fresh = ageMs === undefined ? '' : ageMs < 5_000 ? 'up to date' : `${formatCoarseDuration(ageMs)} old`;
    this.#topBar.freshness.textContent = this.#currentFailure && ageMs === undefined ? '' : fresh;
    this.#topBar.freshness.title = `The last ${rangeNames[this.#range]}`;
    renderFailure(this.#failure, this.#currentFailure, this.#failedSinceMs, nowMs());
    if (this.#currentFailure && this.#views.size === 0) this.#instances.replaceChildren();
  }

  #redraw(): void {
    for (const view of this.#views.values()) view.redraw();
  }
}

const root = document.getElementById('root');
if (root) new DashboardPage().start(root);
