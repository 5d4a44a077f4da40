/** An instance: a line with its state, and its charts. */
import type { DashboardInstancesResponse, InstanceHealth, PanelList } from '../../contract/dashboard-api.ts';
import { formatDuration } from '../../report/measures.ts';
import { formatRate } from '../runs/charts/pass-rate.ts';
import { formatCoarseDuration } from '../text/format.ts';
import { Chart, type ChartLines } from './chart.ts';
import { createElement, replaceContent } from './create-element.ts';
import { formatInteger } from './format.ts';

type Instance = DashboardInstancesResponse['instances'][number];
type Panel = PanelList['panels'][number];

const stateLabels: Readonly<Record<InstanceHealth, { sign: string; className: string; label: string }>> = {
  connected: { sign: '●', className: 'is-passed', label: 'connected' },
  disconnected: { sign: '◐', className: 'is-broken', label: 'cannot reach its control plane' },
  silent: { sign: '○', className: 'is-failed', label: 'not responding: stopped or removed' },
};

function getEmptyText({ id }: Panel): string {
  return id === 'queue' ? 'no control plane is scraped' : id === 'health' ? 'no response' : 'no runs';
}

/** The section of an instance, created once and then updated. */
export class InstanceView {
  readonly root: HTMLElement;
  readonly #line = createElement('p', { class: 'instance-line' });
  readonly #charts: ReadonlyMap<string, Chart>;
  readonly #id: string;
  readonly #grid: HTMLElement;
  readonly #filled = new Set<string>();
  #isSilent = false;

  constructor(id: string, panels: readonly Panel[]) {
    this.#id = id;
    this.#charts = new Map(panels.map((panel) => [panel.id, new Chart({ ...panel, instance: id })]));
    const headingId = `instance-${id}`;
    const head = createElement(
      'header',
      { class: 'instance-head' },
      createElement('h2', { id: headingId }, id),
      this.#line,
    );
    this.#grid = createElement('div', { class: 'multiples' }, ...[...this.#charts.values()].map(({ root }) => root));
    this.root = createElement('section', { class: 'instance', 'aria-labelledby': headingId }, head, this.#grid);
  }

  setInstance(instance: Instance): void {
    this.#isSilent = instance.state === 'silent';
    const { sign, className, label } = stateLabels[instance.state];
    const { runs, passed, p95_s: p95S, queued, seen_ago_s: seenAgoS } = instance;
    const seenText =
      seenAgoS === null || seenAgoS < 60 ? [] : [`, last seen ${formatCoarseDuration(seenAgoS * 1000)} ago`];
    const mark = createElement('span', { class: `mark ${className}`, 'aria-hidden': 'true' }, sign);
    const state = createElement('span', { class: 'state' }, mark, ` ${label}${seenText.join('')}`);
    const facts = [
      ...(runs === null || runs < 0.5
        ? ['no runs']
        : [`${formatInteger(runs)} ${Math.round(runs) === 1 ? 'run' : 'runs'}`]),
      ...(passed === null ? [] : [`${formatRate(Math.min(1, passed))} passed`]),
      ...(p95S === null ? [] : [`p95 ${formatDuration(p95S * 1000)}`]),
      ...(queued === null ? [] : [queued === 0 ? 'no runs waiting' : `${formatInteger(queued)} waiting`]),
    ];
    replaceContent(this.#line, state, ...facts.map((fact) => createElement('span', {}, fact)));
  }

  setPanel(panel: Panel, times: readonly number[], lines: ChartLines): void {
    const instanceLines = lines.filter(({ instance }) => instance === this.#id);
    if (this.#charts.get(panel.id)?.setData(times, instanceLines, getEmptyText(panel))) this.#filled.add(panel.id);
    else this.#filled.delete(panel.id);
    // Empty charts of a removed instance are useless.
    this.#grid.hidden = this.#isSilent && this.#filled.size === 0;
  }

  redraw(): void {
    for (const chart of this.#charts.values()) chart.redraw();
  }
}
