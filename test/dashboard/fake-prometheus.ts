/** A fake Prometheus with values of the test. */
import type { IncomingMessage } from 'node:http';
import type { TlsOptions } from 'node:tls';
import type { Test } from 'tap';
import { type HttpTarget, respondWithJson, startHttpTarget } from '../targets/http-target.ts';

/** A series; where `valueAt` returns undefined, the point is omitted. */
export type FakeSeries = {
  readonly labels: Record<string, string>;
  readonly valueAt: (atS: number) => number | undefined;
};

export type PrometheusQuery = { readonly path: string; readonly parameters: Readonly<Record<string, string>> };

/** Responds with the result of `answerQuery`; `queries` are the received queries. */
export async function startFakePrometheus(
  t: Pick<Test, 'teardown'>,
  answerQuery: (query: string) => readonly FakeSeries[],
  tls?: TlsOptions,
): Promise<HttpTarget & { readonly queries: PrometheusQuery[] }> {
  const queries: PrometheusQuery[] = [];
  const target = await startHttpTarget((request, response, received) => {
    const { pathname, searchParams } = parseUrl(request);
    const parameters = Object.fromEntries(searchParams);
    queries.push({ path: pathname, parameters });
    const { query = '', time, start, end, step } = parameters;
    const isRangeQuery = pathname.endsWith('/query_range');
    const times: number[] = [];
    if (isRangeQuery) for (let atS = Number(start); atS <= Number(end); atS += Number(step)) times.push(atS);
    const result = answerQuery(query).flatMap(({ labels, valueAt }) => {
      const values = (isRangeQuery ? times : [Number(time)]).flatMap((atS) => {
        const value = valueAt(atS);
        return value === undefined ? [] : [[atS, String(value)]];
      });
      if (values.length === 0) return [];
      return [isRangeQuery ? { metric: labels, values } : { metric: labels, value: values[0] }];
    });
    const data = { resultType: isRangeQuery ? 'matrix' : 'vector', result };
    respondWithJson({ status: 'success', data })(request, response, received);
  }, tls);
  t.teardown(() => target.close());
  return Object.assign(target, { queries });
}

function parseUrl({ url = '/' }: IncomingMessage): URL {
  return new URL(url, 'http://localhost');
}
