import t from 'tap';
import { emptyObservation } from '../../src/check/observation.ts';
import type { CapturedValues } from '../../src/scenario/capture.ts';
import { bindCheck, hasPlaceholdersInOperand, splitCheckText } from '../../src/scenario/check-template.ts';
import type { ScenarioCheck } from '../../src/scenario/scenario.ts';
import { buildScenarioText, parseValid } from './samples.ts';

function checkOf(text: string): ScenarioCheck {
  const steps = '## STEPS\n\n### a\n\nGET ${INGESTION_URL}/\n\n- capture x = body.x\n\n## TRIGGER';
  const check = parseValid(buildScenarioText({ checks: `- ${text}` }).replace('## TRIGGER', steps)).checks[0];
  if (!check) throw new Error(text);
  return check;
}

function capture(text: string): CapturedValues {
  return new Map([['x', { text, isText: true }]]);
}

const body = (value: unknown) => ({ kind: 'json', value }) as never;

function judge(text: string, captured: string, value: unknown): boolean {
  const { check, definition } = bindCheck(checkOf(text), capture(captured));
  return definition.judge(check, { ...emptyObservation, status: 200, body: body(value) }).passed;
}

t.test('a captured value is compared as it is', async (t) => {
  t.ok(judge('body has id equals ${x}', 'a b', { id: 'a b' }));
  t.notOk(judge('body has id equals ${x}', 'a', { id: 'a b' }));
  t.ok(judge('body has id containing <${x}>', 'a', { id: '<a>' }));
  t.ok(judge('status=${x}', '200', {}));
});

t.test('in a pattern a captured value matches itself only', async (t) => {
  t.ok(judge('body has id matching ^${x}$', 'a.(b)+', { id: 'a.(b)+' }));
  t.notOk(judge('body has id matching ^${x}$', '.*', { id: 'anything' }));
});

t.test('a captured value that would make another check, or none, is refused', async (t) => {
  const refused = { code: 'SCENARIO_CAPTURE_UNUSABLE' };
  for (const value of ['', ' a', 'a\nb'])
    t.throws(() => bindCheck(checkOf('body has id equals ${x}'), capture(value)), refused);
  t.throws(() => bindCheck(checkOf('status=${x}'), capture('ok')), refused);
  t.throws(
    () => bindCheck(checkOf('body total equals ${x}'), capture('total')),
    refused,
    'a path would be equal to itself',
  );
  t.ok(judge('body total equals ${x}', '3', { total: 3 }));
  t.throws(() => bindCheck(checkOf('body has id equals ${x}'), new Map()), { code: 'SCENARIO_VARIABLE_MISSING' });
});

t.test('a captured value is never a part of a selector', async (t) => {
  const holds = (text: string): boolean => hasPlaceholdersInOperand(splitCheckText(text, ['id']) ?? []);
  t.ok(holds('body css "a[rel=next]" equals ${id}'));
  t.ok(holds("body every css 'ul > li' containing ${id}"));
  t.notOk(holds('body css "a[rel=${id}]" equals x'));
  t.notOk(holds('body css "ul > ${id}" equals x'));
  t.notOk(holds("body some css 'li' @${id} equals x"));
});
