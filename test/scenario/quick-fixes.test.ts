import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { applyEdit, findQuickFixes } from '../../src/scenario/quick-fixes.ts';

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
