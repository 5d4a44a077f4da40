import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { patchStyleModForDocuments } from '../../../src/console/build/bundle-console.ts';

t.test('styles of the editor are adopted by the document, and an unexpected structure fails the build', async (t) => {
  const file = join(import.meta.dirname, '../../../node_modules/style-mod/src/style-mod.js');
  t.match(patchStyleModForDocuments(readFileSync(file, 'utf8')), 'if (root.adoptedStyleSheets && win.CSSStyleSheet)');
  t.throws(() => patchStyleModForDocuments('export class StyleModule {}'), /style-mod has changed/);
});
