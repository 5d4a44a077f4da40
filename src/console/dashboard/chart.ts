/** A small chart that is created once and then updated. The cursor is shared by all charts of the page. */
import uPlot from 'uplot';
import type { DashboardUnit, PanelResponse } from '../../contract/dashboard-api.ts';
import { createElement } from './create-element.ts';
import { chartLineStyles, defaultLineStyle, formatMetricValue, formatTick } from './format.ts';

export type ChartOptions = {
  readonly title: string;
  readonly meaning: string;
  readonly unit: DashboardUnit;
  readonly instance: string;
};

export type ChartLines = PanelResponse['lines'];

const heightPx = 104;
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const hourFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayS = 86_400;
const maxMarkedPoints = 40;

function readColour(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

/** A chart and its caption; `root` is the element to insert into the page. */
export class Chart {
  readonly root: HTMLElement;
  readonly #settings: ChartOptions;
  readonly #values = createElement('span', { class: 'faint' });
  readonly #canvas: HTMLElement;
  readonly #emptyNote = createElement('p', { class: 'no-values faint' });
  #plot: uPlot | undefined;
  #labels = '';
  #lines: ChartLines = [];

  constructor(options: ChartOptions) {
    this.#settings = options;
    this.#canvas = createElement('div', { class: 'canvas', role: 'img', 'aria-label': options.title });
    const caption = createElement(
      'figcaption',
      { title: options.meaning },
      createElement('b', {}, options.title),
      ' ',
      this.#values,
    );
    this.root = createElement('figure', { class: 'plot' }, caption, this.#canvas);
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#canvas.clientWidth, height: heightPx })).observe(
      this.#canvas,
    );
  }

  /** Displays `lines`, or `emptyText` when they have no values. Returns true when there are values. */
  setData(times: readonly number[], lines: ChartLines, emptyText: string): boolean {
    this.#lines = lines;
    const labels = lines.map(({ label }) => label).join();
    const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])];
    if (this.#plot && labels === this.#labels) this.#plot.setData(data);
    else {
      this.#plot?.destroy();
      this.#labels = labels;
      this.#plot = new uPlot(this.#buildPlotOptions(), data, this.#canvas);
    }
    const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
    this.#emptyNote.textContent = emptyText;
    if (isEmpty) this.#canvas.append(this.#emptyNote);
    else this.#emptyNote.remove();
    this.#showValues();
    return !isEmpty;
  }

  redraw(): void {
    this.#plot?.redraw(false);
  }

  /** Points are marked when there are few: a single point has no line to be seen by. */
  #isSparse(index: number): boolean {
    return (this.#lines[index]?.values.filter((value) => value !== null).length ?? 0) <= maxMarkedPoints;
  }

  /** Shows the newest values, or those under the cursor. */
  #showValues(index: number | null = null): void {
    const { title, unit } = this.#settings;
    const texts = this.#lines.flatMap(({ label, values }) => {
      const value = index === null ? values.findLast((entry) => entry !== null) : values[index];
      if (value === null || value === undefined) return [];
      return [this.#lines.length > 1 ? `${label} ${formatMetricValue(value, unit)}` : formatMetricValue(value, unit)];
    });
    this.#values.textContent = texts.join('  ');
    if (index === null) this.#canvas.setAttribute('aria-label', `${title}: ${texts.join(', ') || 'no values'}`);
  }

  #buildPlotOptions(): uPlot.Options {
    const { unit } = this.#settings;
    const axis = {
      stroke: () => readColour('--faint'),
      grid: { stroke: () => readColour('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui, sans-serif',
    };
    const yRange: uPlot.Range.Function = (_, _low, max) => [0, max > 0 ? max * 1.15 : 1];
    const isLong = (ticks: number[]): boolean => (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) > 1.5 * dayS;
    return {
      width: Math.max(120, this.#canvas.clientWidth),
      height: heightPx,
      padding: [6, 4, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, sync: { key: 'dashboard' }, y: false, points: { size: 5 } },
      scales: { y: { range: unit === 'share' ? [0, 1.04] : yRange } },
      axes: [
        {
          ...axis,
          space: 64,
          size: 22,
          values: (_, ticks) => ticks.map((tick) => (isLong(ticks) ? dayFormat : hourFormat).format(tick * 1000)),
        },
        { ...axis, size: 50, space: 30, values: (_, ticks) => ticks.map((tick) => formatTick(tick, unit)) },
      ],
      series: [{}, ...this.#lines.map(({ label }, index) => buildSeries(label, () => this.#isSparse(index)))],
      hooks: { setCursor: [(plot) => this.#showValues(plot.cursor.idx ?? null)] },
    };
  }
}

function buildSeries(label: string, isSparse: () => boolean): uPlot.Series {
  const { token, dash } = { dash: undefined, ...(chartLineStyles[label] ?? defaultLineStyle) };
  const points = { size: 4, show: isSparse };
  return { label, stroke: () => readColour(token), width: 1.5, ...(dash ? { dash } : {}), points };
}
