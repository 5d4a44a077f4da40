import { command } from '../../command-line/command.ts';
import { findPage, readPage, readSections } from '../../documentation/pages.ts';
import { exitCode } from '../../errors/exit-code.ts';

/** `vp docs [page]`: the documentation that belongs to this version, as Markdown. */
export const docsCommand = command({
  name: 'docs',
  summary: 'list the pages of the documentation, or print one',
  positionals: [{ name: 'page', describe: 'name of a page, such as how-to/agents or agents', required: false }],
  flags: {},
  examples: [
    ['vp docs', 'the list of pages'],
    ['vp docs first-verdict', 'the tutorial'],
    ['vp docs reference/errors | less', 'every error code with its fix'],
  ],
  notes: '`vp serve` serves the same pages at /docs.',
  async run({ args: [name], json, environment }) {
    const { stdout } = environment.streams;
    const sections = readSections();
    if (name === undefined) {
      if (json) stdout.write(`${JSON.stringify({ sections })}\n`);
      else {
        const pages = sections.flatMap((section) => section.pages);
        const width = Math.max(...pages.map((page) => page.name.length));
        for (const { title, pages: listed } of sections) {
          stdout.write(`${title}\n`);
          for (const page of listed) stdout.write(`  ${page.name.padEnd(width)}  ${page.summary}\n`);
          stdout.write('\n');
        }
        stdout.write('Print a page with `vp docs <page>`.\n');
      }
      return exitCode.done;
    }
    const page = findPage(name, sections);
    const text = readPage(page);
    stdout.write(json ? `${JSON.stringify({ ...page, text })}\n` : text);
    return exitCode.done;
  },
});
