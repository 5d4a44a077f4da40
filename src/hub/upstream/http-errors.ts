/** Errors of responses over Streamable HTTP, as the official client throws them. */
import { ProtocolError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { isObject } from '../../json/json-object.ts';
import { joinParts } from '../../json/json-parts.ts';
import type { UpstreamResponse } from '../../outbound/upstream-response-reader.ts';

/** Servers of the newest era reject invalid requests with status 400 and a JSON-RPC error for `id`. */
export async function throwHttpError(response: UpstreamResponse, id: number | undefined): Promise<never> {
  const { status, body } = response;
  await discardBody(response);
  const text = typeof body === 'string' || body instanceof Uint8Array ? joinParts([body]) : '';
  if (status === 400 && id !== undefined) throwProtocolError(tryParseJson(text), id);
  const errorData = { status, statusText: '', text };
  throw new SdkHttpError(
    SdkErrorCode.ClientHttpNotImplemented,
    `the server responded with status ${status}`,
    errorData,
  );
}

/** Cancels a body that is not read. */
export async function discardBody({ body }: UpstreamResponse): Promise<void> {
  if (body instanceof ReadableStream) await body.cancel();
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throws if the message is an error for `id`. `exact` is the message with its numbers as they were sent. */
export function throwProtocolError(message: unknown, id: number, exact: unknown = message): void {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.id !== id || !isObject(message.error)) return;
  const { code, message: errorMessage } = message.error;
  const { data } = Object(Object(exact).error);
  if (!Number.isInteger(code) || typeof errorMessage !== 'string') return;
  // Not `fromError`, which replaces codes and drops members of the data.
  throw new ProtocolError(Number(code), errorMessage, data);
}
