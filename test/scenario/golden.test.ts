/** Every text of test/golden/{rejected,warned} with its exact diagnostics. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import { errorTable } from '../../src/errors/table.ts';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { renderDiagnostics } from '../../src/terminal/diagnostics.ts';
import { paintFor } from '../../src/terminal/paint.ts';

const placeholders = { variables: ['TENANT'], secrets: ['API_TOKEN'], unlisted: ['USER_NAME'] };
const plain = paintFor({ write: () => true }, {}, true);
const update = process.env.VP_UPDATE_GOLDEN === '1';

function validateFile(file: string): { text: string; accepted: boolean; diagnostics: Diagnostic[] } {
  const source = readFileSync(file, 'utf8');
  const diagnostics: Diagnostic[] = [];
  const scenario = parseScenario(source, placeholders, (diagnostic) => diagnostics.push(diagnostic));
  const text = renderDiagnostics(diagnostics, { file: basename(file), text: source.replace(/^\uFEFF/, '') }, plain);
  return { text, accepted: scenario !== undefined, diagnostics };
}

for (const folder of ['rejected', 'warned']) {
  for (const file of globSync(`test/golden/${folder}/*.md`).sort()) {
    if (basename(file) === 'README.md') continue;
    t.test(`${folder}: ${basename(file, '.md').replaceAll('-', ' ')}`, async (t) => {
      const { text, accepted, diagnostics } = validateFile(file);
      const expectedFile = file.replace(/\.md$/, '.expected.txt');
      if (update) writeFileSync(expectedFile, text);
      t.equal(text, existsSync(expectedFile) ? readFileSync(expectedFile, 'utf8') : '');
      t.equal(accepted, folder === 'warned');
      t.ok(diagnostics.length > 0, 'has diagnostics');
    });
  }
}

/** Codes that need more than a short text; the named tests cover them. */
const elsewhere = [
  'SCENARIO_STEPS_TOO_MANY', // steps.test.ts
  'SCENARIO_USE_EMPTY', // use.test.ts
  'SCENARIO_USE_CYCLE', // use.test.ts
  'SCENARIO_USE_DEPTH', // use.test.ts
  'SCENARIO_CAPTURE_UNUSABLE', // check-template.test.ts
  'SCENARIO_TOO_LARGE', // parse.test.ts
  'SCENARIO_FILES_TOO_LARGE', // parse.test.ts
  'SCENARIO_MORE_PROBLEMS', // parse.test.ts
  'SCENARIO_CHECKS_TOO_MANY', // runnable.test.ts
  'SCENARIO_QUERIES_TOO_MANY', // queries.test.ts
  'SCENARIO_QUERY_BODY_MISSING', // bind-query.test.ts
  'SCENARIO_VARIABLE_MISSING', // bind.test.ts
  'SCENARIO_VARIABLE_UNSENDABLE', // bind.test.ts
  'SCENARIO_ID_DOUBLED', // commands/validate.test.ts
  'SCENARIO_ID_IN_USE', // console/scenarios/id-problem.test.ts
  'SCENARIO_ID_CHANGED', // console/scenarios/id-problem.test.ts
  'SCENARIO_FILE_MISSING',
  'SCENARIO_FILE_UNREADABLE',
  'SCENARIO_FILE_NOT_UTF8',
  'SCENARIO_FILE_TOO_LARGE',
  'SCENARIO_FILE_UNWRITABLE', // commands/format.test.ts
  'SCENARIO_FILE_YAML',
  'SCENARIO_FOLDER_EMPTY',
];

t.test('every code of the language has a test case', async (t) => {
  const { scenarioErrors } = await import('../../src/errors/scenario.ts');
  const cases = globSync('test/golden/{rejected,warned}/*.expected.txt').map((file) => readFileSync(file, 'utf8'));
  const testedCodes = new Set(cases.join('\n').match(/\bSCENARIO_[A-Z_]+\b/g));
  const unproved = Object.keys(scenarioErrors).filter((code) => !testedCodes.has(code) && !elsewhere.includes(code));
  t.same(unproved, []);
  t.same(
    elsewhere.filter((code) => !(code in errorTable)),
    [],
  );
});
