/** Answers of the registry: JSON texts, and problems that also say `error`, which is where its official API has the sentence. */
import { asVpError } from '../errors/vp-error.ts';
import type { Log } from '../http/log.ts';
import { problemOf, problemResponse, problemType, publicError } from '../http/problem.ts';

/** A JSON text as an answer. */
export function jsonAnswer(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } });
}

/** The answer of `work`, or the problem that it throws; faults of our own go to the log. */
export async function registryAnswer(log: Log, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = publicError(thrown);
    if (error.row.status === 500) {
      const { detail, cause } = asVpError(thrown);
      log.error({ code: error.code, detail, err: cause }, 'the registry broke');
    }
    const { status, headers } = problemResponse(error);
    const body = { ...problemOf(error), error: error.message };
    const answer = new Response(JSON.stringify(body), { status, headers });
    answer.headers.set('Content-Type', problemType);
    return answer;
  }
}
