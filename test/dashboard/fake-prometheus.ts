/** What answers like Prometheus, with values of the test. */
import type { IncomingMessage } from 'node:http';
import type { Test } from 'tap';
import { type HttpTarget, httpTarget, json } from '../targets/http-target.ts';

/** A series of an answer: its labels, and its value at a moment; undefined leaves the point out. */
export type Told = { readonly labels: Record<string, string>; readonly at: (atS: number) => number | undefined };

/** A question as it arrived. */
export type Question = { readonly path: string; readonly parameters: Readonly<Record<string, string>> };

/** Answers questions by `tell`; `questions` keeps what was asked. */
export async function fakePrometheus(
  t: Pick<Test, 'teardown'>,
  tell: (query: string) => readonly Told[],
): Promise<HttpTarget & { readonly questions: Question[] }> {
  const questions: Question[] = [];
  const target = await httpTarget((request, response, arrived) => {
    const { pathname, searchParams } = addressOf(request);
    const parameters = Object.fromEntries(searchParams);
    questions.push({ path: pathname, parameters });
    const { query = '', time, start, end, step } = parameters;
    const isOver = pathname.endsWith('/query_range');
    const times: number[] = [];
    if (isOver) for (let atS = Number(start); atS <= Number(end); atS += Number(step)) times.push(atS);
    const result = tell(query).flatMap(({ labels, at }) => {
      const values = (isOver ? times : [Number(time)]).flatMap((atS) => {
        const value = at(atS);
        return value === undefined ? [] : [[atS, String(value)]];
      });
      if (values.length === 0) return [];
      return [isOver ? { metric: labels, values } : { metric: labels, value: values[0] }];
    });
    const data = { resultType: isOver ? 'matrix' : 'vector', result };
    json({ status: 'success', data })(request, response, arrived);
  });
  t.teardown(() => target.close());
  return Object.assign(target, { questions });
}

function addressOf({ url = '/' }: IncomingMessage): URL {
  return new URL(url, 'http://localhost');
}
