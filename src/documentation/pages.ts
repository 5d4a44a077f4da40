/**
 * The documentation as it travels with the product: Markdown files below `docs/`, in the order of the links in `docs/README.md`.
 * A new page is the file and one line there.
 */
import { readAsset } from '../environment/asset.ts';
import { findSuggestion } from '../errors/suggestion.ts';
import { type VpError, vpError } from '../errors/vp-error.ts';

/** `name` is the path below `docs/` without `.md`, such as `how-to/continuous-integration`. */
export type DocumentationPage = { readonly name: string; readonly title: string; readonly summary: string };

/** A heading of `docs/README.md` with the pages listed below it. */
export type DocumentationSection = { readonly title: string; readonly pages: readonly DocumentationPage[] };

const folder = 'docs';
const heading = /^## (.+)$/;
const entry = /^- \[([^\]]+)\]\(([\w/-]+)\.md\): (.+)$/;

/** Reads the list of pages from the text of `docs/README.md`. */
export function parseSections(index: string): readonly DocumentationSection[] {
  const sections: { title: string; pages: DocumentationPage[] }[] = [];
  for (const line of index.split('\n')) {
    const title = heading.exec(line)?.[1];
    if (title !== undefined) sections.push({ title, pages: [] });
    const [, pageTitle, name, summary] = entry.exec(line) ?? [];
    if (pageTitle !== undefined && name !== undefined && summary !== undefined)
      sections.at(-1)?.pages.push({ name, title: pageTitle, summary });
  }
  return sections;
}

export function readSections(): readonly DocumentationSection[] {
  return parseSections(readAsset(`${folder}/README.md`));
}

export function readIndex(): string {
  return readAsset(`${folder}/README.md`);
}

/** Finds a page by its full name or, where only one page has it, by its last part. Throws DOCUMENTATION_PAGE_UNKNOWN. */
export function findPage(name: string, sections: readonly DocumentationSection[] = readSections()): DocumentationPage {
  const normalized = name.replace(/\.md$/, '').toLowerCase();
  const pages = sections.flatMap((section) => section.pages);
  const exact = pages.find((page) => page.name === normalized);
  const byLastPart = pages.filter((page) => page.name.split('/').at(-1) === normalized);
  const page = exact ?? (byLastPart.length === 1 ? byLastPart[0] : undefined);
  if (page !== undefined) return page;
  throw byLastPart.length > 1 ? createAmbiguousPageError(name, byLastPart) : createUnknownPageError(name, pages);
}

/** `pages`: those that may be meant. */
function createAmbiguousPageError(name: string, pages: readonly DocumentationPage[]): VpError {
  const hint = 'name one of several in full; ';
  return vpError('DOCUMENTATION_PAGE_UNKNOWN', { page: name, hint, pages: pages.map((page) => page.name).join(', ') });
}

function createUnknownPageError(name: string, pages: readonly DocumentationPage[]): VpError {
  const names = pages.map((page) => page.name);
  const byLastPart = new Map(names.map((full) => [full.split('/').at(-1) ?? full, full]));
  const near = findSuggestion(name.toLowerCase(), [...names, ...byLastPart.keys()]);
  const hint = near === undefined ? '' : `did you mean \`${byLastPart.get(near) ?? near}\`? `;
  return vpError('DOCUMENTATION_PAGE_UNKNOWN', { page: name, hint, pages: names.join(', ') });
}

/** The Markdown text of a page of {@link readSections}. */
export function readPage(page: Pick<DocumentationPage, 'name'>): string {
  return readAsset(`${folder}/${page.name}.md`);
}
