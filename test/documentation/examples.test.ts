/** The examples of the documentation: commands parse, scenarios and configurations are valid. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { commonFlags } from '../../src/command-line/common-flags.ts';
import { findCommand } from '../../src/command-line/find-command.ts';
import { parseLine } from '../../src/command-line/parse-line.ts';
import { catalogue } from '../../src/commands/catalogue.ts';
import { readPage, readSections } from '../../src/documentation/pages.ts';
import { embedFiles } from '../../src/scenario/embedded-files.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { splitWords } from './page-commands.ts';

/** Pages written by hand, besides those that are generated. */
const writtenPages = readSections()
  .flatMap((section) => section.pages)
  .filter((page) => !page.name.startsWith('reference/'));

/** Lists inline code and lines of code blocks that run `vp`, without variables, comments, pipes and redirections. */
function listCommandLines(text: string): string[] {
  const assignments = /^(?:\$ )?(?:[A-Z_]+=\S+ )*/;
  // What a diff adds does not exist yet.
  const present = text.replaceAll(/^\+.*$/gm, '');
  const inline = [...present.matchAll(/`(vp [^`\n]+)`/g)].map(([, line = '']) => line);
  const blocks = present
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^(?: {4}|\t| *)vp [a-z]/.test(line));
  return [...inline, ...blocks].map(
    (line) =>
      line
        .trim()
        .replace(assignments, '')
        .split(/\s+#\s|\s[|>&;]|\s2>/)[0]
        ?.trim() ?? '',
  );
}

async function findProblem(line: string): Promise<string | undefined> {
  const words = splitWords(line)
    .slice(1)
    .filter((word) => word !== '…');
  if (words.length === 1 && words[0] === '--version') return undefined;
  try {
    const match = findCommand(catalogue, words);
    // `vp hubs` names a group.
    if (match.kind !== 'command') return undefined;
    const isMention = match.args.length === 0;
    if (!isMention) parseLine(await match.entry.load(), match.args, {});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

t.test('every command in the documentation is one that vp has, with flags that it has', async (t) => {
  const pages = [
    ...writtenPages.map((page) => ({ name: page.name, text: readPage(page) })),
    { name: 'README', text: readFileSync('README.md', 'utf8') },
  ];
  const lines = pages.flatMap(({ name, text }) => listCommandLines(text).map((line) => ({ name, line })));
  t.ok(lines.length > 40, `${lines.length} command lines`);
  const problems: string[] = [];
  for (const { name, line } of lines) {
    const problem = await findProblem(line);
    if (problem !== undefined) problems.push(`${name}: ${line}: ${problem}`);
  }
  t.same(problems, []);
});

t.test('every flag that a page names alone is one of a command', async (t) => {
  const commands = await Promise.all(catalogue.map(async (entry) => entry.load()));
  const flags = new Set([commonFlags, ...commands.map((command) => command.flags)].flatMap((all) => Object.keys(all)));
  const pages = [
    ...writtenPages
      .filter((page) => !page.name.startsWith('contributing/'))
      .map((page) => ({ name: page.name, text: readPage(page) })),
    { name: 'README', text: readFileSync('README.md', 'utf8') },
    { name: 'CHANGELOG', text: readFileSync('CHANGELOG.md', 'utf8') },
  ];
  const mentions = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/`--([a-z][a-z-]*)/g)].map(([, flag = '']) => ({ name, flag })),
  );
  t.ok(mentions.length > 40, `${mentions.length} flags`);
  const isKnown = (flag: string): boolean => flags.has(flag) || flags.has(flag.replace(/^no-/, ''));
  t.same(
    mentions.filter(({ flag }) => !isKnown(flag)),
    [],
  );
});

t.test('every scenario in the documentation is valid', async (t) => {
  let count = 0;
  for (const page of writtenPages) {
    for (const [, , text = ''] of readPage(page).matchAll(/^(`{3,})markdown\n(# Scenario:[\s\S]*?)^\1$/gm)) {
      const diagnostics: object[] = [];
      const readFile = (name: string) => (name.endsWith('.json') ? '{}' : undefined);
      const complete = embedFiles(text, readFile, () => ({ base64: '' }));
      parseScenario(complete, {}, (diagnostic) => diagnostics.push(diagnostic));
      t.same(diagnostics, [], page.name);
      count += 1;
    }
  }
  t.ok(count > 0);
});
