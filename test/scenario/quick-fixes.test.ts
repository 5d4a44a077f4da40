import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { findQuickFixes } from '../../src/scenario/quick-fixes.ts';
import { applyEdit } from './apply-edit.ts';

function diagnose(text: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  parseScenario(text, { variables: ['TOKEN'] }, (diagnostic) => diagnostics.push(diagnostic));
  return diagnostics;
}

const count = (diagnostics: readonly Diagnostic[], code: string): number =>
  diagnostics.filter((diagnostic) => diagnostic.code === code).length;

const files = globSync('test/golden/{rejected,warned}/*.md').filter((file) => basename(file) !== 'README.md');

t.test('every fix that is offered for a refused scenario removes its problem', async (t) => {
  const fixedCodes = new Set<string>();
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const diagnostics = diagnose(text);
    for (const diagnostic of diagnostics)
      for (const { edit, title } of findQuickFixes(text, diagnostic)) {
        const after = diagnose(applyEdit(text, edit));
        const isGone = count(after, diagnostic.code) < count(diagnostics, diagnostic.code);
        t.ok(isGone, `${file}: ${title} for ${diagnostic.code} in line ${diagnostic.range.start.line}`);
        fixedCodes.add(diagnostic.code);
      }
  }
  t.ok(fixedCodes.size >= 15, [...fixedCodes].join(', '));
});

const scenario = (steps: string, cleanup = 'Nothing.', runnable = '- status=200'): string =>
  `# Scenario: GET x\n\n## Metadata\n\n- ID: RT-1\n- Layer: HTTP Ingestion\n\n## STEPS\n\n${steps}\n\n## TRIGGER\n\nGET \${INGESTION_URL}/x\nX-Request-Id: \${correlation_id}\n\n## EXPECT\n\n### Runnable\n\n${runnable}\n\n## CLEANUP\n\n${cleanup}\n`;
const request = 'POST ${INGESTION_URL}/y';

/** The problem, a text that has it, and a line that the text has after the fix. */
const stepProblems: readonly (readonly [code: string, text: string, line: string])[] = [
  ['SCENARIO_STEP_HEADING', scenario(`#### make it\n\n${request}`), '### make it'],
  ['SCENARIO_STEP_TEXT', scenario(`${request}\n\n### other\n\n${request}`), '### POST'],
  ['SCENARIO_STEP_DOUBLED', scenario(`### a\n\n${request}\n\n### a\n\n${request}`), '### a 2'],
  [
    'SCENARIO_CAPTURE_DOUBLED',
    scenario(`### a\n\n${request}\n\n- capture id = body.id\n- capture id = body.no`),
    '- capture id_2 = body.no',
  ],
  [
    'SCENARIO_CAPTURE_TAKEN',
    scenario(`### a\n\n${request}\n\n- capture TOKEN = body.id`),
    '- capture TOKEN_2 = body.id',
  ],
  ['SCENARIO_CLEANUP_NOT_SENT', scenario(`### a\n\n${request}`, 'DELETE ${INGESTION_URL}/y'), '### DELETE'],
  [
    'SCENARIO_UNTIL_DOUBLED',
    scenario(
      `### a\n\n${request}`,
      'Nothing.',
      '- status=200\n- until body has a within 5s\n- until body has b within 5s',
    ),
    '- body has b',
  ],
];

t.test('problems of steps, captures and repetition have fixes that remove them', async (t) => {
  for (const [code, text, line] of stepProblems) {
    const diagnostic = diagnose(text).find((each) => each.code === code);
    const fix = diagnostic && findQuickFixes(text, diagnostic)[0];
    if (!fix) {
      t.fail(`${code} has no fix`);
      continue;
    }
    const after = applyEdit(text, fix.edit);
    t.ok(after.split('\n').includes(line), `${code}: ${after}`);
    t.equal(count(diagnose(after), code), 0, code);
  }
});
