/**
 * A scripted agent that knows an application by its API document looks for faults with a general method. The faults are planted apart
 * from it, together, alone, and as variants for which its method was not written.
 */
import t, { type Test } from 'tap';
import { type Agent, createAgentTestSetup, secrets } from '../agent-test-setup.ts';
import { type FaultVariant, firstVariants, secondVariants } from './fault-variants.ts';
import { plantedFaults } from './planted-faults.ts';
import { formatDraft } from './scenario-draft.ts';
import { type DrillReport, playDrill } from './scripted-agent.ts';
import { type Fault, startShop } from './shop-application.ts';

// Most of a play is waiting for lines of a log: each has an application and an executor of its own, so several play at a time.
t.jobs = 7;

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

async function startAgent(t: Test, faults: readonly Fault[]): Promise<Agent> {
  const shop = await startShop(t, [secrets.API_TOKEN, 'a-plain-value'], faults);
  const setup = await createAgentTestSetup(t, { baseUrl: shop.url, config, logSource: shop.logFile });
  return setup.agent('test');
}

async function play(t: Test, faults: readonly Fault[]): Promise<DrillReport> {
  const report = await playDrill(await startAgent(t, faults));
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

const kindsFrom = (variants: readonly FaultVariant[]): readonly string[] => {
  const detected = variants.filter(({ missed }) => missed === undefined);
  return [...new Set(detected.flatMap(({ kind, alsoFound = [] }) => [kind, ...alsoFound]))].sort();
};

for (const [name, variants] of [
  ['first', firstVariants],
  ['second', secondVariants],
] as const) {
  t.test(
    `of the ${name} variants, for which the method was not written, all are detected but those that are named`,
    async (t) => {
      const report = await play(t, variants);
      t.same(kindsOf(report), kindsFrom(variants), report.suiteText);
    },
  );
}

const each = process.env.VP_DRILL_EACH === '1' ? [...firstVariants, ...secondVariants] : [];
for (const variant of each) {
  t.test(`alone, only this variant is found: ${variant.kind}: ${variant.name}`, async (t) => {
    const report = await play(t, [variant]);
    t.same(kindsOf(report), kindsFrom([variant]), report.suiteText);
  });
}

t.test(
  'a proof of the faulty list proposes the arithmetic that it breaks, and no pattern that it passes',
  async (t) => {
    const agent = await startAgent(t, plantedFaults);
    const request = { method: 'GET', path: '/orders?page=1&perPage=2' };
    const text = formatDraft({ id: 'list', meaning: 'paging', request, checks: ['status=200', 'body has data'] });
    await agent.call('author__write_scenario', { text });
    const suite = await agent.call('author__request_suite', { ids: ['list'], prove: true });
    t.match(
      suite.text,
      /unchecked: - body totalPages equals ceil\(count \/ perPage\) \(it should be .*, and it is not/,
    );
    t.notMatch(suite.text, /totalPages matching/);
  },
);
