/**
 * A scripted agent that knows an application by its API document looks for faults with a general method. The faults are planted apart
 * from it, together, alone, and as variants for which its method was not written.
 */
import t, { type Test } from 'tap';
import { createAgentTestSetup, secrets } from '../agent-test-setup.ts';
import { plantedFaults } from './planted-faults.ts';
import { type DrillReport, playDrill } from './scripted-agent.ts';
import { type Fault, startShop } from './shop-application.ts';

const limits = { calls: 12, tokens: 8000 } as const;

const config = `observability:
  logstore:
    log_format: json
    correlation_field: requestId
    level_field: level
    error_match: 40|50|60
scenarios:
  variables: [PLAIN]
`;

async function play(t: Test, faults: readonly Fault[]): Promise<DrillReport> {
  const shop = await startShop(t, [secrets.API_TOKEN, 'a-plain-value'], faults);
  const setup = await createAgentTestSetup(t, { baseUrl: shop.url, config, logSource: shop.logFile });
  const report = await playDrill(await setup.agent('test'));
  t.ok(report.calls <= limits.calls, `${report.calls} calls`);
  t.ok(report.tokens <= limits.tokens, `${report.tokens} tokens`);
  t.comment(`${report.calls} calls, ${report.tokens} tokens: ${report.answers.join(', ')}`);
  return report;
}

const kindsOf = ({ findings }: DrillReport): readonly string[] => [...findings.keys()].sort();

t.test('eight planted faults are found with at most 12 calls and 8,000 tokens of answers', async (t) => {
  const report = await play(t, plantedFaults);
  t.same(kindsOf(report), plantedFaults.map(({ kind }) => kind).sort(), report.suiteText);
});

t.test('the same agent finds nothing in an application without faults', async (t) => {
  const report = await play(t, []);
  t.same(kindsOf(report), [], report.suiteText);
});

for (const fault of plantedFaults) {
  t.test(`alone, only this fault is found: ${fault.kind}: ${fault.name}`, async (t) => {
    const report = await play(t, [fault]);
    t.same(kindsOf(report), [fault.kind], report.suiteText);
  });
}
