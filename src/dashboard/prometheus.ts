/** Questions to Prometheus (its HTTP API, version 1), and since when it is away. */
import { type Static, Type } from '@sinclair/typebox';
import type { Clock } from '../environment/clock.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { validatorOf } from '../http/validator.ts';
import type { OutwardFetch } from '../outbound/outward-fetch.ts';
import { faultWords } from './fault-words.ts';

/** A series: its labels, and values by the second since 1970. Values that are no number are left out. */
export type Series = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [atS: number, value: number])[];
};

/** All throw PROMETHEUS_AWAY, PROMETHEUS_STRANGE. */
export type Prometheus = {
  /** One value for each series. */
  now(query: string, atS: number): Promise<readonly Series[]>;
  over(
    query: string,
    when: { readonly startS: number; readonly endS: number; readonly stepS: number },
  ): Promise<readonly Series[]>;
};

/** `url` without a slash at its end. */
export type PrometheusOptions = {
  readonly url: string;
  readonly fetch: OutwardFetch;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const limitMs = 20_000;

const Point = Type.Tuple([Type.Number(), Type.String()]);
const Labels = Type.Record(Type.String(), Type.String());
const One = Type.Object({ metric: Labels, value: Point });
const Many = Type.Object({ metric: Labels, values: Type.Array(Point) });
const Answer = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ result: Type.Union([Type.Array(One), Type.Array(Many)]) }),
});
const answers = validatorOf<Static<typeof Answer>>(Answer);

/** Connects to nothing yet. */
export function openPrometheus({ url, fetch, clock }: PrometheusOptions): Prometheus {
  let awaySinceMs: number | undefined;
  const away = (problem: string, cause?: unknown): VpError => {
    awaySinceMs ??= clock.nowMs();
    return vpError('PROMETHEUS_AWAY', { url, problem, since: new Date(awaySinceMs).toISOString() }, { cause });
  };
  const ask = async (path: string, parameters: Readonly<Record<string, string>>): Promise<readonly Series[]> => {
    const target = `${url}/api/v1/${path}?${new URLSearchParams(parameters)}`;
    const signal = AbortSignal.timeout(limitMs);
    const got = await fetch(target, { method: 'GET', headers: {}, signal, redirect: 'manual' }).catch((error) => {
      throw away(faultWords(error, limitMs), error);
    });
    const text = await got.text().catch((error) => {
      throw away(faultWords(error, limitMs), error);
    });
    if (got.status === 502 || got.status === 503 || got.status === 504)
      throw away(`it is starting or overloaded (${got.status})`);
    awaySinceMs = undefined;
    return seriesOf(url, got.status, text);
  };
  return {
    now: (query, atS) => ask('query', { query, time: String(atS) }),
    over: (query, { startS, endS, stepS }) =>
      ask('query_range', { query, start: String(startS), end: String(endS), step: String(stepS) }),
  };
}

function seriesOf(url: string, status: number, text: string): readonly Series[] {
  const value = parsed(text);
  if (!answers.accepts(value))
    throw vpError('PROMETHEUS_STRANGE', { url, status }, { detail: `answered ${text.slice(0, 500)}` });
  return value.data.result.map((row) => ({
    labels: row.metric,
    points: ('values' in row ? row.values : [row.value]).flatMap(([atS, digits]): [number, number][] => {
      const number = Number(digits);
      return Number.isFinite(number) ? [[atS, number]] : [];
    }),
  }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
