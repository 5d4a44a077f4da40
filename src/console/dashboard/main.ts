/** The dashboard's page: all instances of the machine over a range that the address bar names. */
import {
  type DashboardRange,
  dashboardRanges,
  type InstancesAnswer,
  type PanelList,
} from '../../contract/dashboard-api.ts';
import { nowMs } from '../browser.ts';
import { spanText } from '../words/moments.ts';
import { AskError, type AskFault, askInstances, askPanel, askPanels, askScenarios } from './ask.ts';
import { element } from './element.ts';
import { rangeNames } from './figures.ts';
import { InstanceView } from './instance-view.ts';
import { emptyView, showAlerts, showFault } from './notices.ts';
import { showScenarios } from './scenarios-view.ts';
import { rangeOfAddress, TopBar } from './top-bar.ts';

/** Short ranges change before one's eyes. */
const refreshMs: Readonly<Record<DashboardRange, number>> = {
  '1h': 10_000,
  '6h': 15_000,
  '24h': 60_000,
  '7d': 120_000,
  '30d': 120_000,
};
const afterFaultMs = 10_000;
const broken: AskFault = { sentence: 'The page broke', cure: 'load it again', since: undefined };

class Page {
  readonly #bar = new TopBar({ range: (range) => this.#choose(range), redraw: () => this.#redraw() });
  readonly #fault = element('div', { role: 'status' });
  readonly #alerts = element('div', { class: 'alerts' });
  readonly #instances = element('div', { class: 'instances' });
  readonly #scenarios = element('div', { class: 'scenario-tables' });
  readonly #main = element('main', {}, this.#fault, this.#alerts, this.#instances, this.#scenarios);
  readonly #views = new Map<string, InstanceView>();
  #range = rangeOfAddress();
  #panels: PanelList['panels'] = [];
  #turn = 0;
  #timer: number | undefined;
  #freshMs: number | undefined;
  #brokenSinceMs = 0;
  #shownFault: AskFault | undefined;

  start(root: HTMLElement): void {
    root.append(this.#bar.place, this.#main);
    this.#bar.chosen(this.#range);
    this.#instances.append(...Array.from({ length: 6 }, () => element('div', { class: 'skeleton-row' })));
    addEventListener('popstate', () => this.#choose(rangeOfAddress(), false));
    addEventListener('keydown', (event) => this.#key(event));
    document.addEventListener('visibilitychange', () => document.hidden || this.#refresh());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#redraw());
    setInterval(() => this.#tellFreshness(), 1000);
    void this.#refresh();
  }

  #key({ key, altKey, ctrlKey, metaKey, target }: KeyboardEvent): void {
    const range = dashboardRanges[Number(key) - 1];
    if (range && !altKey && !ctrlKey && !metaKey && !(target instanceof HTMLInputElement)) this.#choose(range);
  }

  #choose(range: DashboardRange, isNew = true): void {
    if (range === this.#range) return;
    this.#range = range;
    if (isNew) history.pushState(null, '', `?range=${range}`);
    this.#bar.chosen(range);
    this.#main.setAttribute('aria-busy', 'true');
    void this.#refresh();
  }

  /** Asks for everything; an answer that a later turn has overtaken is dropped. */
  async #refresh(): Promise<void> {
    const turn = ++this.#turn;
    clearTimeout(this.#timer);
    const range = this.#range;
    const fault = await this.#read(range, turn).then(
      () => undefined,
      (error: unknown) => (error instanceof AskError ? error.fault : broken),
    );
    if (turn !== this.#turn) return;
    this.#main.removeAttribute('aria-busy');
    if (fault && !this.#shownFault) this.#brokenSinceMs = nowMs();
    this.#shownFault = fault;
    if (!fault) this.#freshMs = nowMs();
    this.#tellFreshness();
    const waitMs = fault ? afterFaultMs : refreshMs[range];
    this.#timer = window.setTimeout(() => document.hidden || this.#refresh(), waitMs);
  }

  async #read(range: DashboardRange, turn: number): Promise<void> {
    if (this.#panels.length === 0) this.#panels = (await askPanels()).panels;
    const panels = this.#panels;
    // First alone: where this is refused, so is the rest.
    const instances = await askInstances(range);
    const [scenarios, ...charts] = await Promise.all([
      askScenarios(range),
      ...panels.map((panel) => askPanel(panel.id, range)),
    ]);
    if (turn !== this.#turn) return;
    showAlerts(this.#alerts, instances);
    this.#showInstances(instances);
    panels.forEach((panel, index) => {
      const { times = [], lines = [] } = charts[index] ?? {};
      for (const view of this.#views.values()) view.show(panel, times, lines);
    });
    if (instances.instances.length > 0) showScenarios(this.#scenarios, scenarios);
    else this.#scenarios.replaceChildren();
  }

  /** Instances that stay keep their place, so that nothing jumps. */
  #showInstances({ instances }: InstancesAnswer): void {
    const ids = instances.map(({ id }) => id);
    for (const id of [...this.#views.keys()]) if (!ids.includes(id)) this.#views.delete(id);
    for (const instance of instances) {
      const view = this.#views.get(instance.id) ?? new InstanceView(instance.id, this.#panels);
      this.#views.set(instance.id, view);
      view.tell(instance);
    }
    const places = ids.flatMap((id) => this.#views.get(id)?.place ?? []);
    const wanted = places.length > 0 ? places : [emptyView()];
    const isSame = wanted.length === this.#instances.children.length && places.length > 0;
    if (!isSame || wanted.some((place, index) => this.#instances.children[index] !== place))
      this.#instances.replaceChildren(...wanted);
  }

  #tellFreshness(): void {
    const ageMs = this.#freshMs === undefined ? undefined : nowMs() - this.#freshMs;
    const fresh = ageMs === undefined ? '' : ageMs < 5_000 ? 'up to date' : `${spanText(ageMs)} old`;
    this.#bar.fresh.textContent = this.#shownFault && ageMs === undefined ? '' : fresh;
    this.#bar.fresh.title = `The last ${rangeNames[this.#range]}`;
    showFault(this.#fault, this.#shownFault, this.#brokenSinceMs, nowMs());
    if (this.#shownFault && this.#views.size === 0) this.#instances.replaceChildren();
  }

  #redraw(): void {
    for (const view of this.#views.values()) view.redraw();
  }
}

const root = document.getElementById('root');
if (root) new Page().start(root);
