/** A small chart that is drawn once and then given new values; a cursor crosses all charts of the page. */
import uPlot from 'uplot';
import type { DashboardUnit, PanelAnswer } from '../../contract/dashboard-api.ts';
import { element } from './element.ts';
import { figureText, looks, tickText, usualLook } from './figures.ts';

/** What is fixed about a chart; `labels` are its lines, in their order. */
export type ChartOf = {
  readonly title: string;
  readonly meaning: string;
  readonly unit: DashboardUnit;
  readonly instance: string;
};

/** Lines of one instance. */
export type ChartLines = PanelAnswer['lines'];

const heightPx = 104;
const days = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayS = 86_400;
const fewPoints = 40;

function colour(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

/** A chart in its figure. */
export class Chart {
  readonly place: HTMLElement;
  readonly #of: ChartOf;
  readonly #values = element('span', { class: 'faint' });
  readonly #canvas: HTMLElement;
  readonly #none = element('p', { class: 'no-values faint' });
  #plot: uPlot | undefined;
  #labels = '';
  #lines: ChartLines = [];

  constructor(of: ChartOf) {
    this.#of = of;
    this.#canvas = element('div', { class: 'canvas', role: 'img', 'aria-label': of.title });
    const caption = element('figcaption', { title: of.meaning }, element('b', {}, of.title), ' ', this.#values);
    this.place = element('figure', { class: 'plot' }, caption, this.#canvas);
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#canvas.clientWidth, height: heightPx })).observe(
      this.#canvas,
    );
  }

  /** Shows `lines`; `none` says what it means that there are no values. True where there are some. */
  show(times: readonly number[], lines: ChartLines, none: string): boolean {
    this.#lines = lines;
    const labels = lines.map(({ label }) => label).join();
    const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])];
    if (this.#plot && labels === this.#labels) this.#plot.setData(data);
    else {
      this.#plot?.destroy();
      this.#labels = labels;
      this.#plot = new uPlot(this.#options(), data, this.#canvas);
    }
    const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
    this.#none.textContent = none;
    if (isEmpty) this.#canvas.append(this.#none);
    else this.#none.remove();
    this.#tell();
    return !isEmpty;
  }

  redraw(): void {
    this.#plot?.redraw(false);
  }

  /** Points are drawn where they are few: lonely ones would be nothing otherwise. */
  #isSparse(index: number): boolean {
    return (this.#lines[index]?.values.filter((value) => value !== null).length ?? 0) <= fewPoints;
  }

  /** The newest values, or those under the cursor. */
  #tell(index: number | null = null): void {
    const { title, unit } = this.#of;
    const told = this.#lines.flatMap(({ label, values }) => {
      const value = index === null ? values.findLast((one) => one !== null) : values[index];
      if (value === null || value === undefined) return [];
      return [this.#lines.length > 1 ? `${label} ${figureText(value, unit)}` : figureText(value, unit)];
    });
    this.#values.textContent = told.join('  ');
    if (index === null) this.#canvas.setAttribute('aria-label', `${title}: ${told.join(', ') || 'no values'}`);
  }

  #options(): uPlot.Options {
    const { unit } = this.#of;
    const axis = {
      stroke: () => colour('--faint'),
      grid: { stroke: () => colour('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const most: uPlot.Range.Function = (_, _low, high) => [0, high > 0 ? high * 1.15 : 1];
    const isLong = (ticks: number[]): boolean => (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) > 1.5 * dayS;
    return {
      width: Math.max(120, this.#canvas.clientWidth),
      height: heightPx,
      padding: [6, 4, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, sync: { key: 'dashboard' }, y: false, points: { size: 5 } },
      scales: { y: { range: unit === 'share' ? [0, 1.04] : most } },
      axes: [
        {
          ...axis,
          space: 64,
          size: 22,
          values: (_, ticks) => ticks.map((tick) => (isLong(ticks) ? days : hours).format(tick * 1000)),
        },
        { ...axis, size: 50, space: 30, values: (_, ticks) => ticks.map((tick) => tickText(tick, unit)) },
      ],
      series: [{}, ...this.#lines.map(({ label }, index) => seriesOf(label, () => this.#isSparse(index)))],
      hooks: { setCursor: [(plot) => this.#tell(plot.cursor.idx ?? null)] },
    };
  }
}

function seriesOf(label: string, isSparse: () => boolean): uPlot.Series {
  const { token, dash } = { dash: undefined, ...(looks[label] ?? usualLook) };
  const points = { size: 4, show: isSparse };
  return { label, stroke: () => colour(token), width: 1.5, ...(dash ? { dash } : {}), points };
}
