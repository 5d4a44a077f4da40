import { Type } from '@sinclair/typebox';
import { methods } from '../../scenario/scenario.ts';
import { formatProbeResult, toProbeResult } from '../probe/probe-result.ts';
import { buildProbeScenario } from '../probe/probe-scenario.ts';
import { joinLines, truncate } from '../tools/result-text.ts';
import { createTool } from '../tools/tool.ts';

const maxBodyLength = 10_000;

/** Sends one request that is not recorded as a run. */
export const probeTarget = createTool({
  name: 'author__probe_target',
  description:
    'Send one request to the target and see the response, before writing a scenario. Not saved as a run; same rules as a scenario (path only). auth false: without the config’s token.',
  input: Type.Object({
    method: Type.Union(methods.map((method) => Type.Literal(method))),
    path: Type.String(),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.String()),
    auth: Type.Optional(Type.Boolean()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle(input, { probe, project }, { signal }) {
    const report = await probe(buildProbeScenario(input, project.names), signal);
    const result = toProbeResult(report, maxBodyLength);
    const path = truncate(input.path, 200);
    return { text: joinLines(`${input.method} ${path}`, formatProbeResult(result)), data: result };
  },
});
