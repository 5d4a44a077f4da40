/** Client of the HTTP API (version 1) of Prometheus. Reports since when Prometheus has been unavailable. */
import { type Static, Type } from '@sinclair/typebox';
import type { Clock } from '../environment/clock.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';
import { createValidator } from '../http/schema/validator.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import { describeFetchError } from './describe-fetch-error.ts';

/** Labels and values by time in seconds since 1970. Values that are not finite numbers are omitted. */
export type MetricSeries = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [atS: number, value: number])[];
};

/** All methods throw PROMETHEUS_AWAY, PROMETHEUS_STRANGE. */
export type PrometheusClient = {
  /** Returns one value for each series. */
  queryInstant(query: string, atS: number): Promise<readonly MetricSeries[]>;
  queryRange(
    query: string,
    range: { readonly startS: number; readonly endS: number; readonly stepS: number },
  ): Promise<readonly MetricSeries[]>;
};

/** `url` has no trailing slash. */
export type PrometheusClientOptions = {
  readonly url: string;
  readonly fetch: OutboundFetch;
  readonly clock: Pick<Clock, 'nowMs'>;
};

const timeoutMs = 20_000;

const Point = Type.Tuple([Type.Number(), Type.String()]);
const Labels = Type.Record(Type.String(), Type.String());
const InstantSeries = Type.Object({ metric: Labels, value: Point });
const RangeSeries = Type.Object({ metric: Labels, values: Type.Array(Point) });
const PrometheusResponse = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ result: Type.Union([Type.Array(InstantSeries), Type.Array(RangeSeries)]) }),
});
const responseValidator = createValidator<Static<typeof PrometheusResponse>>(PrometheusResponse);

/** Creates a client. It does not connect until the first query. */
export function createPrometheusClient({ url, fetch, clock }: PrometheusClientOptions): PrometheusClient {
  let unavailableSinceMs: number | undefined;
  const unavailable = (problem: string, cause?: unknown): VpError => {
    unavailableSinceMs ??= clock.nowMs();
    return vpError('PROMETHEUS_AWAY', { url, problem, since: new Date(unavailableSinceMs).toISOString() }, { cause });
  };
  const fetchSeries = async (
    path: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<readonly MetricSeries[]> => {
    const target = `${url}/api/v1/${path}?${new URLSearchParams(parameters)}`;
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(target, { method: 'GET', headers: {}, signal, redirect: 'manual' }).catch((error) => {
      throw unavailable(describeFetchError(error, url, timeoutMs), error);
    });
    const text = await response.text().catch((error) => {
      throw unavailable(describeFetchError(error, url, timeoutMs), error);
    });
    if (response.status === 502 || response.status === 503 || response.status === 504)
      throw unavailable(`it is starting or overloaded (${response.status})`);
    unavailableSinceMs = undefined;
    return parseSeries(url, response.status, text);
  };
  return {
    queryInstant: (query, atS) => fetchSeries('query', { query, time: String(atS) }),
    queryRange: (query, { startS, endS, stepS }) =>
      fetchSeries('query_range', { query, start: String(startS), end: String(endS), step: String(stepS) }),
  };
}

function parseSeries(url: string, status: number, text: string): readonly MetricSeries[] {
  const value = parseJson(text);
  if (!responseValidator.isValid(value))
    throw vpError('PROMETHEUS_STRANGE', { url, status }, { detail: `answered ${text.slice(0, 500)}` });
  return value.data.result.map((row) => ({
    labels: row.metric,
    points: ('values' in row ? row.values : [row.value]).flatMap(([atS, digits]): [number, number][] => {
      const number = Number(digits);
      return Number.isFinite(number) ? [[atS, number]] : [];
    }),
  }));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
