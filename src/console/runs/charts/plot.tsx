import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

/** A line of a chart; `token` is the CSS custom property of its colour. */
export type PlotLine = {
  readonly label: string;
  readonly token: string;
  readonly values: readonly (number | null)[];
};

type PlotProps = {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly format: (value: number) => string;
  readonly range?: readonly [low: number, high: number] | undefined;
};
type PlotData = Pick<PlotProps, 'lines' | 'format' | 'range'>;

const heightPx = 110;
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const maxHourRangeS = 2 * 86_400;
const hourFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

function readColour(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

/** Dates instead of hours for longer periods; `ticks` are seconds. */
function getTimeFormat(ticks: readonly number[]): Intl.DateTimeFormat {
  return (ticks.at(-1) ?? 0) - (ticks[0] ?? 0) > maxHourRangeS ? dayFormat : hourFormat;
}

/** Colours are functions: they are read again when the theme changes. */
function buildPlotOptions({ lines, format, range }: PlotData, width: number): uPlot.Options {
  const axis = {
    stroke: () => readColour('--faint'),
    grid: { stroke: () => readColour('--line'), width: 1 },
    ticks: { show: false },
  };
  const font = '11px system-ui, sans-serif';
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: 'day' }, points: { size: 5 } },
    scales: range ? { y: { range: [...range] } } : { y: { range: (_, _low, high) => [0, Math.max(1, high * 1.1)] } },
    axes: [
      {
        ...axis,
        font,
        space: 60,
        size: 24,
        values: (_, ticks) => ticks.map((tick) => getTimeFormat(ticks).format(tick * 1000)),
      },
      { ...axis, font, size: 52, space: 26, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ label, token }) => ({
        label,
        stroke: () => readColour(token),
        width: 1.5,
        spanGaps: true,
        points: { size: 4, show: true },
      })),
    ],
  };
}

/** A small line chart whose accessible name contains the newest values. */
export function Plot({ title, times, lines, format, range }: PlotProps) {
  const ref = useRef<HTMLDivElement>(null);
  const latestValues = lines.flatMap(({ label, values }) => {
    const value = values.findLast((entry) => entry !== null);
    return value == null ? [] : [`${label} ${format(value)}`];
  });
  useEffect(() => {
    const container = ref.current;
    if (!container) return;
    const plot = new uPlot(
      buildPlotOptions({ lines, format, range }, container.clientWidth),
      [[...times], ...lines.map(({ values }) => [...values])],
      container,
    );
    const resizeObserver = new ResizeObserver(() => plot.setSize({ width: container.clientWidth, height: heightPx }));
    resizeObserver.observe(container);
    const themeObserver = new MutationObserver(() => plot.redraw());
    themeObserver.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const colourScheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => plot.redraw();
    colourScheme.addEventListener('change', redraw);
    return () => {
      resizeObserver.disconnect();
      themeObserver.disconnect();
      colourScheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [times, lines, format, range]);
  return (
    <figure className="plot">
      <figcaption>
        {title} <span className="faint">{latestValues.join(', ')}</span>
      </figcaption>
      <div ref={ref} role="img" aria-label={`${title}: ${latestValues.join(', ') || 'no runs'}`} />
    </figure>
  );
}
