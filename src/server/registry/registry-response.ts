/** Responses of the registry: JSON texts, and problems with the additional member `error`, where the official API has the message. */
import { toVpError } from '../../errors/vp-error.ts';
import { createProblemResponse, problemMediaType, toProblemBody } from '../../http/problem.ts';

export function createJsonTextResponse(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' } });
}

/** The response of `work`, or the refusal that it throws; internal errors are handled as everywhere. */
export async function respondToRegistry(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = toVpError(thrown);
    if (error.row.status >= 500 && !error.code.startsWith('REGISTRY_')) throw thrown;
    const { status, headers } = createProblemResponse(error);
    const response = new Response(JSON.stringify({ ...toProblemBody(error), error: error.message }), {
      status,
      headers,
    });
    response.headers.set('Content-Type', problemMediaType);
    return response;
  }
}
