import { Type } from '@sinclair/typebox';
import { vpError } from '../../errors/vp-error.ts';
import { httpMethods } from '../../scenario/scenario.ts';
import type { AgentPorts } from '../ports.ts';
import {
  formatProbeResult,
  formatShortProbeResult,
  logLinesSelector,
  toProbeResult,
  toSelectedResult,
} from '../probe/probe-result.ts';
import { buildProbeScenario, type ProbeInput } from '../probe/probe-scenario.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import { createTool, type ToolContext, type ToolOutput } from '../tools/tool.ts';

/** Characters of the body in a result: few unless the agent asks for more, because most probes only need its shape. */
const bodyLengths = { usual: 1500, several: 300, max: 10_000 } as const;
const maxRequests = 20;

const method = Type.Union(httpMethods.map((each) => Type.Literal(each)));
const requestParts = {
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  body: Type.Optional(Type.String()),
  auth: Type.Optional(Type.Boolean()),
};
const ProbeRequest = Type.Object({ method, path: Type.String(), ...requestParts }, { additionalProperties: false });

/** Sends requests that are not recorded as runs. */
export const probeTargetTool = createTool({
  name: 'author__probe_target',
  description:
    'Send one request, or requests in their order, by the rules of a scenario (path only), and see the response. Not saved as a run. auth false: without the config’s token. select: only these, such as ["status", "shape", "body.count", "body.data.id", "header.location", "log.lines"]. body_limit: default 1500, of several 300.',
  input: Type.Object({
    method: Type.Optional(method),
    path: Type.Optional(Type.String()),
    ...requestParts,
    requests: Type.Optional(Type.Array(ProbeRequest, { minItems: 1, maxItems: maxRequests })),
    select: Type.Optional(Type.Array(Type.String(), { maxItems: 30 })),
    body_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: bodyLengths.max })),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ requests, select, body_limit, method: ownMethod, path, headers, body, auth }, ports, context) {
    if (requests !== undefined) {
      if (ownMethod !== undefined || path !== undefined) throw vpError('AGENT_PROBE_AMBIGUOUS', {});
      return sendAll(requests, { select, bodyLimit: body_limit ?? bodyLengths.several }, ports, context);
    }
    if (ownMethod === undefined || path === undefined) throw vpError('AGENT_PROBE_AMBIGUOUS', {});
    const request = {
      ...{ method: ownMethod, path },
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
      ...(auth === undefined ? {} : { auth }),
    };
    if (select !== undefined) return sendAll([request], { select, bodyLimit: 0 }, ports, context);
    const report = await ports.probe(buildProbeScenario(request, ports.project.names), context.signal);
    const result = toProbeResult(report, body_limit ?? bodyLengths.usual);
    return { text: joinLines(`${ownMethod} ${truncate(path, 200)}`, formatProbeResult(result)), data: result };
  },
});

type ProbeView = { readonly select: readonly string[] | undefined; readonly bodyLimit: number };

/** One after the other, so that a later request sees what an earlier one changed. */
async function sendAll(
  requests: readonly ProbeInput[],
  { select, bodyLimit }: ProbeView,
  ports: AgentPorts,
  context: ToolContext,
): Promise<ToolOutput> {
  // All are read before the first one is sent: a mistake in the last one must not leave half of them done.
  const readsLog = select?.includes(logLinesSelector) === true;
  const scenarios = requests.map((request) => buildProbeScenario(request, ports.project.names, readsLog));
  const lines: string[] = [];
  const statuses: (number | null)[] = [];
  for (const [index, { method: sentMethod, path }] of requests.entries()) {
    const report = await ports.probe(scenarios[index] ?? '', context.signal);
    const head = `${sentMethod} ${truncate(path, 200)}`;
    const text = select ? toSelectedResult(report, select) : formatShortProbeResult(toProbeResult(report, bodyLimit));
    lines.push(`${head} → ${text}`);
    statuses.push(report.exchange.response?.status ?? null);
  }
  return { text: lines.join('\n'), data: { statuses } };
}
