/** Answers of the registry: JSON texts, and problems that also say `error`, which is where its official API has the sentence. */
import { asVpError } from '../errors/vp-error.ts';
import { problemOf, problemResponse, problemType } from '../http/problem.ts';

/** A JSON text as an answer. */
export function jsonAnswer(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } });
}

/** The answer of `work`, or the refusal that it throws; faults are told as everywhere. */
export async function registryAnswer(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = asVpError(thrown);
    if (error.row.status >= 500 && !error.code.startsWith('REGISTRY_')) throw thrown;
    const { status, headers } = problemResponse(error);
    const answer = new Response(JSON.stringify({ ...problemOf(error), error: error.message }), { status, headers });
    answer.headers.set('Content-Type', problemType);
    return answer;
  }
}
