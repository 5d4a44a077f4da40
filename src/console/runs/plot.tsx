import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

/** A line of a chart; `token` is the custom property of its colour. */
export type Line = { readonly label: string; readonly token: string; readonly values: readonly (number | null)[] };

type PlotProps = {
  readonly title: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly range?: readonly [low: number, high: number] | undefined;
};
type Drawing = Pick<PlotProps, 'lines' | 'format' | 'range'>;

const heightPx = 110;
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

function colour(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}

/** Colours are read when a plot is drawn, and again when the theme changes. */
function optionsOf({ lines, format, range }: Drawing, width: number): uPlot.Options {
  const axis = {
    stroke: () => colour('--faint'),
    grid: { stroke: () => colour('--line'), width: 1 },
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
      { ...axis, font, space: 60, size: 24, values: (_, ticks) => ticks.map((tick) => hours.format(tick * 1000)) },
      { ...axis, font, size: 52, space: 26, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...lines.map(({ label, token }) => ({
        label,
        stroke: () => colour(token),
        width: 1.5,
        spanGaps: true,
        points: { size: 4, show: true },
      })),
    ],
  };
}

/** A small line chart, with its newest values in words for those who do not see it. */
export function Plot({ title, times, lines, format, range }: PlotProps) {
  const ref = useRef<HTMLDivElement>(null);
  const latest = lines.flatMap(({ label, values }) => {
    const value = values.findLast((one) => one !== null);
    return value == null ? [] : [`${label} ${format(value)}`];
  });
  useEffect(() => {
    const place = ref.current;
    if (!place) return;
    const plot = new uPlot(
      optionsOf({ lines, format, range }, place.clientWidth),
      [[...times], ...lines.map(({ values }) => [...values])],
      place,
    );
    const sized = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: heightPx }));
    sized.observe(place);
    const themed = new MutationObserver(() => plot.redraw());
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => plot.redraw();
    scheme.addEventListener('change', redraw);
    return () => {
      sized.disconnect();
      themed.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [times, lines, format, range]);
  return (
    <figure className="plot">
      <figcaption>
        {title} <span className="faint">{latest.join(', ')}</span>
      </figcaption>
      <div ref={ref} role="img" aria-label={`${title}: ${latest.join(', ') || 'no runs'}`} />
    </figure>
  );
}
