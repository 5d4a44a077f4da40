/** Renders pages of the documentation as HTML documents without scripts. The input is our own Markdown, never a user's. */
import { Marked } from 'marked';
import { readAsset } from '../environment/asset.ts';
import { type DocumentationPage, type DocumentationSection, readIndex, readPage } from './pages.ts';

/** Where the control plane serves the documentation. */
export const documentationPath = '/docs';

export const stylesheetPath = `${documentationPath}/assets/style.css`;

export const readStylesheet = (): string => readAsset('docs/assets/style.css');

/** Styles of this origin only. */
export const documentationPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');

/** The fragment that a heading is linked by, as GitHub makes it. */
export function headingSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** `../reference/errors.md#exit` of the page `how-to/x` → `/docs/reference/errors#exit`; other addresses stay. */
export function resolveLink(href: string, pageName: string): string {
  if (/^[a-z]+:|^[#/]/i.test(href)) return href;
  const { pathname, hash } = new URL(href, `http://docs${documentationPath}/${pageName}`);
  if (!pathname.endsWith('.md') || !pathname.startsWith(`${documentationPath}/`)) return href;
  const page = pathname.slice(0, -'.md'.length);
  return `${page === `${documentationPath}/README` ? documentationPath : page}${hash}`;
}

function renderBody(markdown: string, pageName: string): string {
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(headingSlug(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      table(token) {
        const { parser } = this;
        const cells = (row: typeof token.header, tag: string): string =>
          row.map((cell) => `<${tag}>${parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        // Wide tables scroll by themselves, also with the keyboard.
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
      },
    },
    walkTokens(token) {
      if (token.type === 'link') token.href = resolveLink(token.href, pageName);
    },
  });
  return marked.parse(markdown, { async: false });
}

function renderNavigation(sections: readonly DocumentationSection[], current: string | undefined): string {
  const item = ({ name, title }: DocumentationPage): string =>
    `<li><a href="${documentationPath}/${name}"${name === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  return sections
    .map(({ title, pages }) => `<h2>${escapeHtml(title)}</h2><ul>${pages.map(item).join('')}</ul>`)
    .join('\n');
}

function renderNeighbours(sections: readonly DocumentationSection[], current: string): string {
  const pages = sections.flatMap((section) => section.pages);
  const index = pages.findIndex((page) => page.name === current);
  const link = (page: DocumentationPage | undefined, label: string, rel: string): string =>
    page === undefined
      ? '<span></span>'
      : `<a rel="${rel}" href="${documentationPath}/${page.name}">${label}: ${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Neighbouring pages">${link(pages[index - 1], 'Previous', 'prev')}${link(pages[index + 1], 'Next', 'next')}</nav>`;
}

/** The whole HTML document of a page, or of the index where no page is given. */
export function renderDocument(sections: readonly DocumentationSection[], page: DocumentationPage | undefined): string {
  const body = page === undefined ? renderBody(readIndex(), 'README') : renderBody(readPage(page), page.name);
  const title = page === undefined ? 'vp documentation' : `${page.title} · vp documentation`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${stylesheetPath}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header><a href="${documentationPath}">vp documentation</a> <a href="/">Console</a></header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details><summary>All pages</summary>
${renderNavigation(sections, page?.name)}
</details>
<div class="wide">
${renderNavigation(sections, page?.name)}
</div>
</nav>
<main id="content" tabindex="-1">
${body}
${page === undefined ? '' : renderNeighbours(sections, page.name)}
</main>
</div>
</body>
</html>
`;
}
