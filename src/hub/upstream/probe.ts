/** Probes a server: what it is, what it offers and what is wrong with it. The caller stores what is to be stored. */

import type { Tool } from '@modelcontextprotocol/client';
import { type HubConnectionProbeResult, probeLimits } from '../../contract/hubs/connection-use-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { toVpError, vpError } from '../../errors/vp-error.ts';
import { withTimeout } from '../../timing/timeout.ts';
import type { CachedList } from './lists/cached-list.ts';
import type { UpstreamServer } from './upstream-server.ts';

const probeTimeoutMs = 10_000;
/** Some servers never answer the request for templates, and serve everything else. */
const templatesTimeoutMs = 2000;

type ProbedServer = Pick<UpstreamServer, 'connection' | 'lists' | 'getInfo' | 'close'>;

type MutableProbeResult = { -readonly [N in keyof HubConnectionProbeResult]: HubConnectionProbeResult[N] };

function createEmptyResult(): MutableProbeResult {
  return {
    server: null,
    protocol_version: null,
    instructions: null,
    tools: [],
    tools_count: 0,
    resources_count: 0,
    prompts_count: 0,
    warning: null,
    duration_ms: 0,
    problem: null,
  };
}

/** Takes at most 10 s, then closes the server, whose lists stay readable. The result includes what was found before an error. */
export async function probeServer(server: ProbedServer, clock: Clock): Promise<HubConnectionProbeResult> {
  const startedAtMs = clock.monotonicMs();
  const result = createEmptyResult();
  const timeoutDetails = { connection: server.connection.name, timeout_s: probeTimeoutMs / 1000 };
  const createError = () => vpError('UPSTREAM_TIMED_OUT', timeoutDetails);
  try {
    await withTimeout({ clock, timeoutMs: probeTimeoutMs, createError }, () => inspect(server, result));
    const remainingMs = Math.max(0, startedAtMs + probeTimeoutMs - clock.monotonicMs());
    // Last, as a server that takes one request at a time would answer no other after it. Its failure is no problem: many servers
    // of resources have no templates and answer with an error.
    await server.lists.templates.get(Math.min(templatesTimeoutMs, remainingMs));
  } catch (error) {
    const { code, message, cure } = toVpError(error);
    result.problem = { code, message, cure };
  } finally {
    void server.close().catch(() => {});
  }
  return { ...result, duration_ms: Math.round(clock.monotonicMs() - startedAtMs) };
}

async function inspect(server: ProbedServer, result: MutableProbeResult): Promise<void> {
  const info = await server.getInfo();
  result.server = info.server ? { name: truncate(info.server.name), version: truncate(info.server.version) } : null;
  result.protocol_version = info.protocolVersion ?? null;
  result.instructions = info.instructions === undefined ? null : truncate(info.instructions);
  const { lists } = server;
  const tools = await getItems(lists.tools);
  result.tools_count = tools.length;
  result.tools = tools.slice(0, probeLimits.tools).map(toProbedTool);
  result.warning = lists.tools.state.warning ?? null;
  result.resources_count = (await getItems(lists.resources)).length;
  result.prompts_count = (await getItems(lists.prompts)).length;
}

async function getItems<T>(list: CachedList<T>): Promise<readonly T[]> {
  const { items, problem } = await list.get(probeTimeoutMs);
  if (problem) throw problem;
  return items ?? [];
}

function truncate(text: string): string {
  return text.length <= probeLimits.text ? text : `${text.slice(0, probeLimits.text - 1)}…`;
}

function toProbedTool({ name, title, description, annotations }: Tool): HubConnectionProbeResult['tools'][number] {
  const hints = Object.entries(annotations ?? {}).filter(
    (hint): hint is [string, boolean] => typeof hint[1] === 'boolean',
  );
  return {
    name: truncate(name),
    title: truncate(title ?? annotations?.title ?? '') || null,
    description: description === undefined ? null : truncate(description),
    annotations: annotations ? Object.fromEntries(hints) : null,
  };
}
