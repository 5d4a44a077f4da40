import { Type } from '@sinclair/typebox';
import { methods } from '../../scenario/scenario.ts';
import { cut } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { probeFacts, probeText } from '../probe/probe-facts.ts';
import { scenarioOfProbe } from '../probe/probe-scenario.ts';
import { tool } from '../tool.ts';

/** Longest body that is shown. */
const mostBody = 10_000;

/** One request, which no list shows afterwards. */
export const probeTarget = tool({
  name: 'author__probe_target',
  description:
    'Send one request to the target and see the answer, before writing a scenario. Not saved as a run; same rules as a scenario (path only). auth false: without the config’s token.',
  input: Type.Object({
    method: Type.Union(methods.map((method) => Type.Literal(method))),
    path: Type.String(),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    body: Type.Optional(Type.String()),
    auth: Type.Optional(Type.Boolean()),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async handle(input, { probe, project }, { signal }) {
    const report = await probe(scenarioOfProbe(input, project.names), signal);
    const facts = probeFacts(report, mostBody);
    const path = cut(input.path, 200);
    return { text: linesOf(`${input.method} ${path}`, probeText(facts)), data: facts };
  },
});
