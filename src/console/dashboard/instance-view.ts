/** An instance: how it is, in a line, and its charts. */
import type { InstanceHealth, InstancesAnswer, PanelList } from '../../contract/dashboard-api.ts';
import { rateText } from '../runs/rates.ts';
import { durationText, spanText } from '../words/moments.ts';
import { Chart, type ChartLines } from './chart.ts';
import { element, fill } from './element.ts';
import { countText } from './figures.ts';

type Instance = InstancesAnswer['instances'][number];
type Panel = PanelList['panels'][number];

const states: Readonly<Record<InstanceHealth, { sign: string; look: string; words: string }>> = {
  connected: { sign: '●', look: 'is-passed', words: 'connected' },
  disconnected: { sign: '◐', look: 'is-broken', words: 'does not reach its control plane' },
  silent: { sign: '○', look: 'is-failed', words: 'does not answer: stopped or removed' },
};

/** Said where a chart has no values. */
function noneOf({ id }: Panel): string {
  return id === 'queue' ? 'no control plane is scraped' : id === 'health' ? 'it has not answered' : 'no runs';
}

/** Its place on the page; made once, then shown anew. */
export class InstanceView {
  readonly place: HTMLElement;
  readonly #line = element('p', { class: 'instance-line' });
  readonly #charts: ReadonlyMap<string, Chart>;
  readonly #id: string;
  readonly #grid: HTMLElement;
  readonly #filled = new Set<string>();
  #isSilent = false;

  constructor(id: string, panels: readonly Panel[]) {
    this.#id = id;
    this.#charts = new Map(panels.map((panel) => [panel.id, new Chart({ ...panel, instance: id })]));
    const headingId = `instance-${id}`;
    const head = element('header', { class: 'instance-head' }, element('h2', { id: headingId }, id), this.#line);
    this.#grid = element('div', { class: 'multiples' }, ...[...this.#charts.values()].map(({ place }) => place));
    this.place = element('section', { class: 'instance', 'aria-labelledby': headingId }, head, this.#grid);
  }

  /** Shows how it is now. */
  tell(instance: Instance): void {
    this.#isSilent = instance.state === 'silent';
    const { sign, look, words } = states[instance.state];
    const { runs, passed, p95_s: p95S, queued, seen_ago_s: seenS } = instance;
    const seen = seenS === null || seenS < 60 ? [] : [`, last seen ${spanText(seenS * 1000)} ago`];
    const mark = element('span', { class: `mark ${look}`, 'aria-hidden': 'true' }, sign);
    const state = element('span', { class: 'state' }, mark, ` ${words}${seen.join('')}`);
    const facts = [
      ...(runs === null || runs < 0.5
        ? ['no runs']
        : [`${countText(runs)} ${Math.round(runs) === 1 ? 'run' : 'runs'}`]),
      ...(passed === null ? [] : [`${rateText(Math.min(1, passed))} passed`]),
      ...(p95S === null ? [] : [`p95 ${durationText(p95S * 1000)}`]),
      ...(queued === null ? [] : [queued === 0 ? 'none waiting' : `${countText(queued)} waiting`]),
    ];
    fill(this.#line, state, ...facts.map((fact) => element('span', {}, fact)));
  }

  /** Shows a chart. */
  show(panel: Panel, times: readonly number[], lines: ChartLines): void {
    const own = lines.filter(({ instance }) => instance === this.#id);
    if (this.#charts.get(panel.id)?.show(times, own, noneOf(panel))) this.#filled.add(panel.id);
    else this.#filled.delete(panel.id);
    // Six empty frames of what is gone say nothing.
    this.#grid.hidden = this.#isSilent && this.#filled.size === 0;
  }

  redraw(): void {
    for (const chart of this.#charts.values()) chart.redraw();
  }
}
