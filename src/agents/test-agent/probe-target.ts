import { Type } from '@sinclair/typebox';
import { httpMethods } from '../../scenario/scenario.ts';
import { formatProbeResult, toProbeResult } from '../probe/probe-result.ts';
import { buildProbeScenario } from '../probe/probe-scenario.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import { createTool } from '../tools/tool.ts';

/** Characters of the body in a result: few unless the agent asks for more, because most probes only need its shape. */
const bodyLengths = { usual: 1500, max: 10_000 } as const;

/** Sends one request that is not recorded as a run. */
export const probeTargetTool = createTool({
  name: 'author__probe_target',
  description:
    'Send one request, by the rules of a scenario (path only), and see the response. Not saved as a run. auth false: without the config’s token. body_limit: default 1500.',
  input: Type.Object({
    method: Type.Union(httpMethods.map((method) => Type.Literal(method))),
    path: Type.String(),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.String()),
    auth: Type.Optional(Type.Boolean()),
    body_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: bodyLengths.max })),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle({ body_limit = bodyLengths.usual, ...input }, { probe, project }, { signal }) {
    const report = await probe(buildProbeScenario(input, project.names), signal);
    const result = toProbeResult(report, body_limit);
    const path = truncate(input.path, 200);
    return { text: joinLines(`${input.method} ${path}`, formatProbeResult(result)), data: result };
  },
});
