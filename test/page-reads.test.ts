/**
 * The rule of docs/contributing/tests.md for tests in a browser: what a page shows later is waited for. An assertion on a value
 * that was read once fails on a machine that is slower than the one on which it was written.
 */
import t from 'tap';
import { findBreaches, readSources } from './source-files.ts';

const sources = readSources('test/browser/**/*.ts').filter(({ file }) => !file.endsWith('/wait-for.ts'));

const methods =
  'innerText|innerHTML|textContent|inputValue|count|isVisible|isHidden|isChecked|isEnabled|isDisabled|isEditable|getAttribute|allInnerTexts|allTextContents|evaluateAll|boundingBox';
const pageRead = new RegExp(`\\.(?:${methods}|ariaSnapshot|evaluate|url|title)\\(`);
const assertion = /\bt\.(?:match|notMatch|equal|not|same|strictSame|ok|notOk|has)\(/g;
/** A constant that holds what a page showed. */
const readConstant = new RegExp(`\\bconst (\\w+) = await [^;]*\\.(?:${methods})\\([^;]*;`, 'g');

/** The text after an opening bracket up to the comma or the bracket that ends its first argument. */
function takeFirstArgument(text: string): string {
  let depth = 0;
  for (const [index, character] of [...text].entries()) {
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth < 0 || (depth === 0 && character === ',')) return text.slice(0, index);
  }
  return text;
}

/** Lists assertions on what was read once, but for those by `readOnce`, which has a reason. */
function findSingleReads(code: string): string[] {
  const constants = new Set<string>();
  for (const [statement, name = ''] of code.matchAll(readConstant))
    if (!statement.includes('readOnce(')) constants.add(name);
  const isRead = (value: string): boolean =>
    !value.includes('readOnce(') &&
    (pageRead.test(value) || [...value.matchAll(/(?<![.\w])\w+/g)].some(([name]) => constants.has(name)));
  return [...code.matchAll(assertion)].flatMap(({ 0: call, index }) => {
    const value = takeFirstArgument(code.slice(index + call.length));
    return isRead(value) ? [`${call}${value.replaceAll(/\s+/g, ' ').trim()}`] : [];
  });
}

t.test('what a page shows is waited for, not read once', async (t) => {
  t.ok(sources.length > 50);
  t.same(
    findBreaches(sources, ({ file, code }) => (file.includes('cross-origin') ? [] : findSingleReads(code))),
    [],
    'use a function of test/browser/wait-for.ts, or readOnce with a reason',
  );
});

t.test('a value that was read once is found, whatever is done with it', async (t) => {
  for (const code of [
    'before(); t.match(await page.locator(x).innerText(), y);',
    't.equal(await rows.count(), 3);',
    't.ok(!(await button.isDisabled()), message);',
    't.match(page.url(), pattern);',
    'const text = await panel.innerText(); t.match(text, pattern);',
    'const [first] = [1]; const texts = await rows.allInnerTexts(); t.same(texts.slice(1), list);',
  ])
    t.equal(findSingleReads(code).length, 1, code);
  for (const code of [
    'await waitForText(t, page.locator(x), y);',
    'await waitForValue(t, () => rows.count(), 3);',
    't.notMatch(await readOnce(reason, () => page.locator(x).innerText()), y);',
    'const text = await readOnce(reason, () => panel.innerText()); t.match(text, pattern);',
    "const id = await row.getAttribute(''); t.equal(record.id, 5);",
  ])
    t.same(findSingleReads(code), [], code);
});
