/** A new check kind is one object in the list: parser, judge, proof, reports and guide need no other change. */
import t from 'tap';
import type { CheckKind } from '../../src/check/check-kind.ts';
import { parseHasForm } from '../../src/check/forms/has-form.ts';
import { compileOperand, requireOperand } from '../../src/check/forms/operand.ts';
import { quoteText } from '../../src/check/json/describe-value.ts';
import { checkKinds } from '../../src/check/kinds.ts';
import { findHeader, type Observation } from '../../src/check/observation.ts';
import type { Mutation } from '../../src/check/subjects/subject.ts';
import { judge } from '../../src/judge/judge.ts';
import type { Proof } from '../../src/judge/prove/proof.ts';
import { prove } from '../../src/judge/prove/prove.ts';
import { toObservation } from '../../src/judge/to-observation.ts';
import type { Pattern } from '../../src/pattern/pattern.ts';
import { buildReport } from '../../src/report/build/build-report.ts';
import { outputFormats } from '../../src/report/formats.ts';
import type { HeaderList } from '../../src/run/evidence.ts';
import { renderScenarioGuide } from '../../src/scenario/guide.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { createResults, request } from '../report/report-fixtures.ts';
import { createEvidence, createFailure, scenarioText } from './evidence-fixtures.ts';

type HeaderCheck = { readonly kind: 'field_matches'; readonly name: string; readonly pattern: Pattern };

const fieldMatchesKind: CheckKind<HeaderCheck> = {
  kind: 'field_matches',
  form: 'trailer <name> matching <regex>',
  meaning: 'the response has the header, and its value matches the regular expression (RE2)',
  example: 'trailer Content-Type matching ^application/json',
  looksAt: 'response',
  counted: true,
  needsHeadOnly: true,
  parse(text, report) {
    if (!text.startsWith('trailer ')) return undefined;
    const form = parseHasForm(text, 'trailer '.length, /[\w-]*/y);
    if (form.keyword.text !== 'matching') return undefined;
    if (requireOperand(form, fieldMatchesKind.example, report) === undefined) return 'refused';
    const pattern = compileOperand(form.operand, report);
    return pattern === undefined ? 'refused' : { kind: 'field_matches', name: form.field.text, pattern };
  },
  judge({ name, pattern }, observation) {
    const value = findHeader(observation, name);
    return {
      passed: value !== undefined && pattern.test(value),
      expected: `a header \`${name}\` matching ${pattern.source}`,
      actual: value === undefined ? 'no such header' : quoteText(value),
    };
  },
  getSubject: ({ name }, observation) => ({
    id: `header/${name.toLowerCase()}`,
    mutations: () => mutateHeader(name, findHeader(observation, name) ?? ''),
  }),
  readingCost: 8,
  findUnchecked: (checks, observation) =>
    checks.some(({ kind }) => kind === 'field_matches') || findHeader(observation, 'content-type') === undefined
      ? []
      : [{ pointer: 'header content-type', value: 'set', suggestions: [fieldMatchesKind.example] }],
};

function mutateHeader(name: string, value: string): Mutation[] {
  const withHeader = (changed: string | undefined) => (observation: Observation) => ({
    ...observation,
    headers: [
      ...observation.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()),
      ...(changed === undefined ? [] : [[name, changed] as const]),
    ],
  });
  return [
    {
      description: `header \`${name}\` is missing`,
      affects: 'presence',
      cost: 100,
      size: 0,
      apply: withHeader(undefined),
    },
    { description: `header \`${name}\` is empty`, affects: 'content', cost: 100, size: 0, apply: withHeader('') },
    {
      description: `header \`${name}\` has another first character`,
      affects: 'content',
      cost: 100,
      size: value.length,
      apply: withHeader(`-${value}`),
    },
  ];
}

const kinds = [...checkKinds, fieldMatchesKind];

function parse(...checks: string[]): { readonly scenario: Scenario | undefined; readonly messages: readonly string[] } {
  const messages: string[] = [];
  const options = { checkKinds: kinds };
  const scenario = parseScenario(scenarioText(checks), options, ({ message, cure }) => {
    messages.push(`${message}: ${cure}`);
  });
  return { scenario, messages };
}

function parseValid(...checks: string[]): Scenario {
  const { scenario, messages } = parse(...checks);
  if (!scenario) throw new Error(messages.join('\n'));
  return scenario;
}

const headers: HeaderList = [
  ['Content-Type', 'application/json'],
  ['x-total', '12'],
];
const body = { a: 1 };

function createProof(...checks: string[]): Proof {
  const evidence = createEvidence({ status: 200, headers, body });
  return prove(judge(parseValid(...checks), evidence), toObservation(evidence), { kinds });
}

t.test('the parser reads it, and explains its mistakes', async (t) => {
  const [, check] = parseValid('status=200', 'trailer X-Total matching ^[0-9]+$').checks;
  t.match(check?.check, { kind: 'field_matches', name: 'X-Total', pattern: { source: '^[0-9]+$' } });
  t.match(parse('trailer X-Total matching (').messages, [/regular expression/i]);
  t.match(parse('trailer X-Total exists').messages, [/a check is one of: `trailer <name> matching <regex>`$/]);
  t.match(parse('something else').messages, [/`status=<code>`.*`trailer <name> matching <regex>`/]);
});

t.test('it is judged and counted, also where the body did not arrive', async (t) => {
  const scenario = parseValid('status=200', 'trailer X-Total matching ^[0-9]+$', 'body has a');
  const passed = judge(scenario, createEvidence({ status: 200, headers, body }));
  t.match(passed, { result: 'passed', assertionsEnforcedCount: 2 });
  const failed = judge(scenario, createEvidence({ status: 200, headers: [['X-Total', 'many']], body }));
  t.match(failed.failure, {
    kind: 'body_mismatch',
    message: 'status matched but the response headers did not satisfy the scenario',
    cure: /line 19 `trailer X-Total matching/,
  });
  const interrupted = judge(scenario, createEvidence({ status: 200, headers, fault: createFailure('timeout') }));
  t.same(
    interrupted.checks.map(({ outcome }) => outcome?.passed),
    [true, true, undefined],
  );
});

t.test('a secret in a header is concealed', async (t) => {
  const scenario = parseValid('trailer X-Total matching ^1');
  const evidence = createEvidence({ status: 200, headers, body });
  const conceal = (text: string): string => text.replaceAll('12', '[redacted]');
  const [check] = judge(scenario, { ...evidence, conceal }).checks;
  t.match(check?.outcome, { passed: false, actual: '"[redacted]"' });
});

t.test('it is proven by its own mutations, and suggested where nothing checks headers', async (t) => {
  const { checks, unchecked } = createProof(
    'status=200',
    'trailer X-Total matching ^[0-9]+$',
    'trailer Content-Type matching .*',
    'body has a',
  );
  t.match(checks[1], { verdict: 'proven', changes: 3, noticed: 3, example: 'header `X-Total` is empty' });
  t.match(checks[2], { verdict: 'never_fails', changes: 3, noticed: 1, advice: /^whatever is there, it holds/ });
  t.same(unchecked, []);
  const [, second] = createProof('status=200', 'trailer X-Total matching 1', 'trailer x-total matching 1.*').checks;
  t.match(second, { verdict: 'covered', coveredBy: [20] });
  t.match(createProof('status=200', 'body has a').unchecked, [
    { pointer: 'header content-type', suggestion: 'trailer Content-Type matching ^application/json' },
  ]);
});

/** Markdown has the texts of targets as code in HTML. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code)));
}

t.test('every report format and the guide include it', async (t) => {
  const scenario = parseValid('status=200', 'trailer X-Total matching ^[0-9]+$');
  const evidence = createEvidence({ status: 200, headers: [['X-Total', 'many']], body });
  const report = buildReport(request, scenario, judge(scenario, evidence), evidence, '0.4.0');
  t.match(report.checks[1], { kind: 'field_matches', outcome: 'failed', counted: true, looks_at: 'response' });
  t.match(report.failed_checks, [{ line: 19, expected: 'a header `X-Total` matching ^[0-9]+$', actual: '"many"' }]);
  const sources = new Map([[report.scenario.id, { file: 'scenarios/a.md', text: '' }]]);
  for (const [name, render] of Object.entries(outputFormats)) {
    const text = render(createResults([report], { sources }));
    t.match(decodeEntities(text), 'a header `X-Total` matching ^[0-9]+$', name);
  }
  const guide = renderScenarioGuide(kinds);
  t.match(guide, '`trailer <name> matching <regex>`');
  t.match(guide, '`trailer Content-Type matching ^application/json`');
});
