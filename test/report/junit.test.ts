import t from 'tap';
import { renderJunit } from '../../src/report/junit.ts';
import { findCase, findSchemaProblems, parseXml } from './junit-schema.ts';
import { findMarkupProblem } from './markup-problem.ts';
import { broken, cancelled, createResults, failed, failingText, passed } from './report-fixtures.ts';

const sources = new Map([['RT-GET-document', { file: 'scenarios/RT-GET-document.md', text: failingText }]]);

t.test('a failing check is a failure with its text, file and line', async (t) => {
  const xml = renderJunit(createResults([failed()], { sources }));
  t.equal(findMarkupProblem(xml), undefined);
  t.ok(
    xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="vp" tests="1" failures="1" errors="0"'),
  );
  t.match(xml, '<testcase name="RT-GET-document" classname="sign-prod.scenarios.http" time="0.032" assertions="2"');
  t.match(xml, 'file="scenarios/RT-GET-document.md" line="20"');
  t.match(
    xml,
    '<failure type="body_mismatch" message="body has count matching ^[1-9][0-9]*$: expected a value matching',
  );
  t.match(xml, 'status matched but the response body');
  t.match(xml, 'actual    0');
});

t.test('a run that could not be judged is an error, not a failure', async (t) => {
  const xml = renderJunit(createResults([broken()]));
  t.match(xml, 'failures="0" errors="1" skipped="0"');
  t.match(xml, '<error type="timeout" message="no answer within 30 s">');
  t.notMatch(xml, '<failure');
});

t.test('cancelled and unfinished runs are never green', async (t) => {
  const run = { scenarioId: 'RT-GET-folder', instance: 'sign-prod', runId: '20261120T143012999' };
  const unfinished = [{ ...run, state: 'queued', hint: 'see `vp runs`' }] as const;
  const xml = renderJunit(createResults([cancelled()], { unfinished }));
  t.match(xml, 'tests="2" failures="0" errors="2" skipped="0"');
  t.match(xml, '<error type="cancelled" message="cancelled by ana; run it again">');
  t.match(xml, '<error type="unfinished" message="not finished: queued, run 20261120T143012999">see `vp runs`</error>');
  t.equal(findMarkupProblem(xml), undefined);
});

t.test('a passed run has neither failure nor error', async (t) => {
  const xml = renderJunit(createResults([passed()]));
  t.match(xml, 'tests="1" failures="0" errors="0"');
  t.notMatch(xml, /<(failure|error)/);
});

t.test('properties carry what JUnit has no attribute for', async (t) => {
  const xml = renderJunit(createResults([passed()]));
  for (const [name, value] of [
    ['vp.run_id', '20261120T143012345'],
    ['vp.correlation_id', 'tr-20261120T143012345-x7Yz'],
    ['vp.assertions_enforced_count', '1'],
    ['vp.observed_status', '200'],
    ['vp.revision', '3'],
    ['vp.tags', 'http,smoke'],
    ['vp.version', '0.4.0'],
    ['vp.instance', 'sign-prod'],
  ]) {
    t.match(xml, `<property name="${name}" value="${value}"/>`);
  }
  t.notMatch(renderJunit(createResults([passed({ revision: null })])), 'vp.revision');
});

t.test('each repetition of the scenarios is a suite, whatever the order in which runs end', async (t) => {
  const [a, b] = [{ scenarioId: 'A' }, { scenarioId: 'B' }];
  const xml = renderJunit(createResults([passed(a), failed(a), passed(b), passed(b)]));
  t.same(
    [...xml.matchAll(/<testsuite name="([^"]*)" tests="(\d)" failures="(\d)"/g)].map((match) => match.slice(1)),
    [
      ['sign-prod', '2', '0'],
      ['sign-prod #2', '2', '1'],
    ],
  );
  t.match(xml, '<testsuites name="vp" tests="4" failures="1"');
});

t.test('each instance has its suites', async (t) => {
  const xml = renderJunit(createResults([passed(), passed({ instanceId: 'sign-test' })]));
  t.match(xml, '<testsuite name="sign-prod" tests="1"');
  t.match(xml, '<testsuite name="sign-test" tests="1"');
});

t.test('no external text can break the document', async (t) => {
  const evil = `"/></testcase><x y='1'>&]]>\u0000\u001b[2J\ufffe\ud800`;
  const report = failed();
  const failure = { kind: evil, message: evil, cure: evil };
  const scenario = { ...report.scenario, id: evil, title: evil, tags: [evil], layer: evil };
  const checks = report.failed_checks.map((check) => ({ ...check, text: evil, actual: evil, expected: evil }));
  const bad = { ...report, result: 'failed', instance: evil, failure, scenario, failed_checks: checks } as const;
  const xml = renderJunit(createResults([bad], { sources: new Map([[evil, { file: evil, text: evil }]]) }));
  t.equal(findMarkupProblem(xml), undefined);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows none of them
  t.notMatch(xml, /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/);
});

t.test('without runs the document is empty and valid', async (t) => {
  const xml = renderJunit(createResults([]));
  t.match(xml, '<testsuites name="vp" tests="0"');
  t.equal(findMarkupProblem(xml), undefined);
});

t.test('the document is valid in the schema of Jenkins, with the extensions that readers take', async (t) => {
  const run = { instance: 'sign-prod', runId: undefined, state: 'not_requested', hint: '--x' } as const;
  const unfinished = [
    { ...run, scenarioId: 'RT-skipped', stoppedBy: '--fail-fast' as const },
    { ...run, scenarioId: 'RT-late', stoppedBy: '--max-time' as const },
    { ...run, scenarioId: 'RT-queued', runId: '20261120T143012999', state: 'queued' as const },
  ];
  const reports = [passed(), failed({ scenarioId: 'B' }), broken({ scenarioId: 'C' }), cancelled({ scenarioId: 'D' })];
  for (const results of [
    createResults([...reports, ...reports], { unfinished, sources, attachments: ['out/vp.html'] }),
    createResults([]),
    createResults([], { unfinished }),
  ]) {
    t.same(findSchemaProblems(parseXml(renderJunit(results))), []);
  }
});

t.test('the schema check finds what is wrong', async (t) => {
  const xml = renderJunit(createResults([failed()]));
  for (const [before, after, problem] of [
    ['failures="1" errors="0" skipped', 'failures="0" errors="0" skipped', 'failures is 0, there are 1'],
    ['<testcase name="RT-GET-document"', '<testcase', 'no name'],
    ['<failure ', '<failure place="x" ', 'unknown attribute place'],
    ['time="0.032" assertions', 'time="32 ms" assertions', 'time is 32 ms'],
  ] as const) {
    t.match(findSchemaProblems(parseXml(xml.replace(before, after))).join('\n'), problem);
  }
  t.throws(() => parseXml(xml.replace('</failure>', '')), /closes nothing/);
});

t.test('the message and the text name the failing check with what was expected and what came', async (t) => {
  const [failure] = findCase(parseXml(renderJunit(createResults([failed()]))), 'RT-GET-document').children.slice(-1);
  const message = 'body has count matching ^[1-9][0-9]*$: expected a value matching ^[1-9][0-9]*$, got 0';
  t.equal(failure?.name, 'failure');
  t.equal(failure?.attributes.message, message, 'GitHub and Jenkins show it');
  t.ok(failure?.text.startsWith(`${message}\n`), 'GitLab shows the text');
});

t.test('a classname is the instance, the folders and the first tag', async (t) => {
  const nameFor = (file: string, inCatalogue: boolean, instanceId: string): string | undefined => {
    const named = new Map([['RT-GET-document', { file, text: failingText, inCatalogue }]]);
    const xml = renderJunit(createResults([passed({ instanceId })], { sources: named }));
    return findCase(parseXml(xml), 'RT-GET-document').attributes.classname;
  };
  t.equal(nameFor('scenarios/orders v1.2/a.md', false, 'shop'), 'shop.scenarios.orders_v1_2.http');
  t.equal(nameFor('./test/scenarios/a.md', false, 'local'), 'test.scenarios.http');
  t.equal(nameFor('C:\\work\\scenarios\\a.md', false, 'local'), 'work.scenarios.http');
  t.equal(nameFor('shop/RT-GET-document@3', true, 'shop'), 'shop.http');
});

t.test('only files are linked, not revisions of the catalogue', async (t) => {
  const catalogue = new Map([['RT-GET-document', { file: 'shop/x@3', text: failingText, inCatalogue: true }]]);
  t.notMatch(renderJunit(createResults([failed()], { sources: catalogue })), ' file=');
});

t.test('what --fail-fast left out is skipped, what --max-time left out is an error', async (t) => {
  const run = { instance: 'i', runId: undefined, state: 'not_requested', hint: 'hint' } as const;
  const unfinished = [
    { ...run, scenarioId: 'A', stoppedBy: '--fail-fast' as const },
    { ...run, scenarioId: 'B', stoppedBy: '--max-time' as const },
  ];
  const document = parseXml(renderJunit(createResults([failed()], { unfinished })));
  t.match(findCase(document, 'A').children, [{ name: 'skipped', attributes: { message: 'not run, hint' } }]);
  t.match(findCase(document, 'B').children, [{ name: 'error', attributes: { type: 'unfinished' }, text: 'hint' }]);
});

t.test('runs that did not pass name the attachments, and no text of a target can name one', async (t) => {
  const evil = '[[ATTACHMENT|/etc/passwd]]';
  const proof = {
    changes: 1,
    checks: [],
    unchecked: [{ pointer: '/a', value: evil, suggestion: evil }],
    problem: null,
  };
  const results = createResults([failed(), { ...passed({ scenarioId: 'P' }), proof }], {
    attachments: ['out/vp.html'],
  });
  const document = parseXml(renderJunit(results));
  const outputOf = (name: string) =>
    findCase(document, name).children.find((child) => child.name === 'system-out')?.text;
  t.equal(outputOf('RT-GET-document'), '[[ATTACHMENT|out/vp.html]]');
  t.match(outputOf('P'), 'ATTACHMENT|/etc/passwd');
  t.notMatch(outputOf('P'), '[[ATTACHMENT');
});
