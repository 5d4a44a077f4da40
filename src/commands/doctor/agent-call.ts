/** Calls a tool as an agent's client would: through the router, with the token of its folder. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { ToolResult } from '../../onboarding/doctor/context.ts';

const limitMs = 15_000;

/** Throws AGENT_CALL_FAILED, with what the router said where it refused. */
export async function callTool(url: string, token: string, tool: string): Promise<ToolResult> {
  const heard: { refusal?: string } = {};
  const headers = { Authorization: `Bearer ${token}` };
  const listening: typeof fetch = async (target, init) => {
    const answer = await fetch(target, init);
    if (!answer.ok) heard.refusal = await refusalOf(answer.clone());
    return answer;
  };
  const client = new Client({ name: 'vp-doctor', version });
  try {
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: listening });
    await client.connect(transport, { timeout: limitMs });
    const {
      isError = false,
      content,
      structuredContent: data,
    } = await client.callTool({ name: tool, arguments: {} }, { timeout: limitMs });
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return { isError, text, data };
  } catch (cause) {
    const reason = heard.refusal ?? (cause instanceof Error ? wordsOf(cause) : String(cause));
    throw vpError('AGENT_CALL_FAILED', { url, reason }, { cause });
  } finally {
    await client.close().catch(() => undefined);
  }
}

/** The message of the router's refusal; the status where it is none of ours. */
async function refusalOf(answer: Response): Promise<string> {
  try {
    const said: unknown = await answer.json();
    if (typeof said !== 'object' || said === null || !('error' in said)) return `status ${answer.status}`;
    const { error } = said;
    const isTold = typeof error === 'object' && error !== null && 'message' in error;
    return isTold ? String(error.message) : `status ${answer.status}`;
  } catch {
    return `status ${answer.status}`;
  }
}

/** The innermost reason: `fetch failed` has it as its cause. */
function wordsOf(error: Error): string {
  return error.cause instanceof Error ? wordsOf(error.cause) : error.message;
}
