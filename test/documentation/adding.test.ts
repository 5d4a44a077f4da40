/** The diffs of `docs/contributing/adding.md` and `adding-a-check.md`, applied to a copy of the tree; their tests and those of the documentation run there. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';

const text = ['adding.md', 'adding-a-check.md']
  .map((name) => readFileSync(`docs/contributing/${name}`, 'utf8'))
  .join('\n');
const diffs = [...text.matchAll(/^## (.+)\n[\s\S]*?```diff\n([\s\S]*?)```/gm)].map(([, title = '', text = '']) => ({
  title,
  text,
  files: [...text.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, file = '']) => file),
}));

function copyTree(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vp-adding-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const omitted = ['.cache', '.git', '.tap', 'dist', 'node_modules'];
  for (const name of readdirSync('.').filter((name) => !omitted.includes(name)))
    cpSync(name, join(folder, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Hunks have no line numbers, which every change of a list would make wrong: their old lines must be in the file once. */
function applyDiff(folder: string, diff: string): void {
  for (const part of diff.split(/^--- .+\n/m).slice(1)) {
    const [, name = '', hunks = ''] = /^\+\+\+ b\/(.+)\n([\s\S]*)$/.exec(part) ?? [];
    const file = join(folder, name);
    for (const hunk of hunks.split(/^@@.*\n/m).slice(1)) {
      const keep = (omitted: string) =>
        hunk.match(/^.*\n/gm)?.flatMap((line) => (line.startsWith(omitted) ? [] : [line.slice(1)])) ?? [];
      const [before, after] = [keep('+').join(''), keep('-').join('')];
      if (before === '') {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, after);
        continue;
      }
      const pieces = readFileSync(file, 'utf8').split(before);
      assert.equal(pieces.length, 2, `${name} has these lines once:\n${before}`);
      writeFileSync(file, pieces.join(after));
    }
  }
}

t.test('each diff is a new file, one list and one test, and its test passes', async (t) => {
  t.equal(diffs.length, 6);
  const folder = copyTree(t);
  for (const { title, text, files } of diffs) {
    const tests = files.filter((file) => file.startsWith('test/'));
    const newFiles = text.match(/^--- \/dev\/null$/gm) ?? [];
    t.equal(files.length - tests.length, 2, `${title}: two files besides the test`);
    t.equal(newFiles.length, 1 + tests.length, title);
    applyDiff(folder, text);
    for (const file of tests.length > 0 ? tests : ['test/documentation/pages.test.ts']) {
      const run = promisify(execFile)(process.execPath, ['--import=./test/tsx-hook.mjs', file], { cwd: folder });
      await t.resolves(run, `${title}: ${file}`);
    }
  }
});
