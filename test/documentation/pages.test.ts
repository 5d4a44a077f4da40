/** The pages of docs/: listed, linked and readable. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import t from 'tap';
import { headingSlug, renderDocument, resolveLink } from '../../src/documentation/html.ts';
import { findPage, parseSections, readPage, readSections } from '../../src/documentation/pages.ts';

const sections = readSections();
const pages = sections.flatMap((section) => section.pages);

/** Removes code, in which links and headings are only examples. */
const stripBlocks = (text: string): string => text.replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '');
const stripCode = (text: string): string => stripBlocks(text).replaceAll(/`[^`\n]*`/g, 'code');

const listHeadings = (text: string): string[] =>
  [...stripBlocks(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);

t.test('every page is listed in docs/README.md, and every listed page exists', async (t) => {
  t.ok(pages.length > 20);
  const files = globSync('**/*.md', { cwd: 'docs' }).filter((file) => file !== 'README.md');
  t.same(pages.map((page) => `${page.name}.md`).sort(), files.map((file) => file.replaceAll('\\', '/')).sort());
});

t.test('links lead to pages, headings and files that exist', async (t) => {
  const topPages = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const files = ['docs/README.md', ...pages.map((page) => `docs/${page.name}.md`), ...topPages];
  const broken: string[] = [];
  for (const file of files) {
    for (const [, href = ''] of stripCode(readFileSync(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [path = '', fragment] = href.split('#');
      const target = path === '' ? file : posix.normalize(posix.join(posix.dirname(file), path));
      if (!existsSync(target)) broken.push(`${file}: ${href}`);
      else if (fragment && !listHeadings(readFileSync(target, 'utf8')).some((text) => headingSlug(text) === fragment))
        broken.push(`${file}: ${href} (no such heading)`);
    }
  }
  t.same(broken, []);
});

t.test('paths of sources and tests that pages name exist', async (t) => {
  const missing: string[] = [];
  for (const { name } of pages) {
    // `test/scenarios` is the reader's own folder.
    for (const [, path = ''] of readPage({ name }).matchAll(/`((?:src|test|compose|kit|docs)\/[\w./-]+)`/g))
      if (!path.startsWith('test/scenarios') && !existsSync(path)) missing.push(`${name}: ${path}`);
  }
  t.same(missing, []);
});

t.test('a page is found by its full name or by its last part', async (t) => {
  const list = parseSections(
    '## A\n- [One](how-to/one.md): first\n- [Two](x/two.md): second\n## B\n- [Two](y/two.md): b\n',
  );
  t.equal(findPage('how-to/one', list).title, 'One');
  t.equal(findPage('One.md', list).name, 'how-to/one');
  t.throws(() => findPage('two', list), { code: 'DOCUMENTATION_PAGE_UNKNOWN' }, 'an ambiguous name is refused');
  const refused = (cure: RegExp) => ({ code: 'DOCUMENTATION_PAGE_UNKNOWN', cure });
  t.throws(() => findPage('three', list), refused(/: how-to\/one, x\/two/));
  t.throws(() => findPage('oen', list), refused(/^did you mean `how-to\/one`\? `vp docs` lists the pages/));
  t.throws(() => findPage('how-to/noe', list), refused(/^did you mean `how-to\/one`\?/));
  t.throws(
    () => findPage('two', list),
    refused(/^name one of several in full; `vp docs` lists the pages: x\/two, y\/two$/),
  );
});

t.test('relative links between pages become addresses of the server', async (t) => {
  t.equal(resolveLink('../reference/errors.md#exit', 'how-to/x'), '/docs/reference/errors#exit');
  t.equal(resolveLink('first-verdict.md', 'tutorial/y'), '/docs/tutorial/first-verdict');
  t.equal(resolveLink('../README.md', 'tutorial/y'), '/docs');
  t.equal(resolveLink('https://example.com/a.md', 'tutorial/y'), 'https://example.com/a.md');
});

t.test('every page renders with its title and navigation, without scripts', async (t) => {
  for (const page of [undefined, ...pages]) {
    const html = renderDocument(sections, page);
    t.match(html, /<h1 id=/, page?.name ?? 'index');
    t.notMatch(html, /<script/i);
    if (page) t.match(html, `href="/docs/${page.name}" aria-current="page"`);
  }
});
