/** Calls a tool as an agent's client does: through the router, with the token of the folder. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import { isObject } from '../../json/json-object.ts';
import type { AgentToolResult } from '../../onboarding/doctor/context.ts';

const timeoutMs = 15_000;

/** Throws AGENT_CALL_FAILED, with the router's message if it refused the call. */
export async function callToolAsAgent(url: string, token: string, tool: string): Promise<AgentToolResult> {
  const captured: { refusal?: string } = {};
  const headers = { Authorization: `Bearer ${token}` };
  const capturingFetch: typeof fetch = async (target, init) => {
    const response = await fetch(target, init);
    if (!response.ok) captured.refusal = await readRefusal(response.clone());
    return response;
  };
  const client = new Client({ name: 'vp-doctor', version });
  try {
    const transport = new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers },
      fetch: capturingFetch,
    });
    await client.connect(transport, { timeout: timeoutMs });
    const {
      isError = false,
      content,
      structuredContent: data,
    } = await client.callTool({ name: tool, arguments: {} }, { timeout: timeoutMs });
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return { isError, text, data };
  } catch (cause) {
    const reason = captured.refusal ?? (cause instanceof Error ? innermostMessage(cause) : String(cause));
    throw vpError('AGENT_CALL_FAILED', { url, reason }, { cause });
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** The message of the router's error; the status if the body is not an error of ours. */
async function readRefusal(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (!isObject(body) || !('error' in body)) return `status ${response.status}`;
    const { error } = body;
    const hasMessage = isObject(error) && 'message' in error;
    return hasMessage ? String(error.message) : `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}

/** The message of the innermost `cause`: that of `fetch failed` has the actual reason. */
function innermostMessage(error: Error): string {
  return error.cause instanceof Error ? innermostMessage(error.cause) : error.message;
}
