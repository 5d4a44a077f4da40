import { deepStrictEqual as deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import t from 'tap';
import { type Block, readBlocks } from '../../src/scenario/blocks.ts';
import { readSource } from '../../src/scenario/source.ts';
import { neverReported } from './samples.ts';

function parseBlocks(text: string): readonly Block[] {
  return readBlocks(readSource(text), () => {});
}

function listKinds(text: string): string[] {
  return parseBlocks(text).map(({ kind }) => kind);
}

function listHeadings(text: string): [number, string, number][] {
  return parseBlocks(text).flatMap((block): [number, string, number][] =>
    block.kind === 'heading' ? [[block.depth, block.name.text, block.lines[0].number]] : [],
  );
}

t.test('headings have one to six marks, a space and at most three spaces before them', async (t) => {
  t.same(listHeadings('# a\n## b ##\n   ###### c\n####### d\n#e\n    # f\n#\n#\tg'), [
    [1, 'a', 1],
    [2, 'b', 2],
    [6, 'c', 3],
    [1, '', 7],
    [1, 'g', 8],
  ]);
  t.same(listHeadings('# a#\n# a #b\n# a # #\n# #\n## ##'), [
    [1, 'a#', 1],
    [1, 'a #b', 2],
    [1, 'a #', 3],
    [1, '', 4],
    [2, '', 5],
  ]);
});

t.test('the position of a name is that of its first letter', async (t) => {
  const text = 'x\n  ##   Name  ##';
  const [, heading] = parseBlocks(text);
  t.ok(heading?.kind === 'heading' && text.slice(heading.name.start).startsWith('Name'));
});

t.test('within a fence nothing is a heading, a comment or a fence', async (t) => {
  t.same(listKinds('```\n# a\n<!--\n~~~\n``\n```\n# b'), ['fence', 'heading']);
  t.same(listKinds('~~~~ http\n~~~\n~~~~~\nx'), ['fence', 'text']);
  t.same(listKinds('``` a`b\nx'), ['text', 'text'], 'code marks behind code marks open no fence');
});

t.test('a fence has its word and its content without the indentation of the fence', async (t) => {
  const [fence] = parseBlocks('  ```json x\n  a\n    b\n c\n\n ```');
  t.match(fence, { kind: 'fence', info: 'json x' });
  t.same(fence?.kind === 'fence' && fence.content.map(({ text }) => text), ['a', '  b', 'c', '']);
});

t.test('a comment ends on the line with its end mark', async (t) => {
  t.same(listKinds('<!-- a -->\nx\n<!--\n# b\n-->\n<!-->\ny'), ['comment', 'text', 'comment', 'comment', 'text']);
  t.same(listKinds('x <!-- a\ny'), ['text', 'text'], 'only at the beginning of a line');
});

t.test('blank lines and rules are distinguished from text', async (t) => {
  t.same(listKinds('a\n\n \t\n---\n * * *\n___\n--\n- - x'), [
    'text',
    'blank',
    'blank',
    'rule',
    'rule',
    'rule',
    'text',
    'text',
  ]);
});

t.test('an unclosed fence or comment runs to the end and is reported', async (t) => {
  const reported: string[] = [];
  const run = (text: string): void => void readBlocks(readSource(text), (code) => reported.push(code));
  run('```\na\n``');
  run('<!-- a\nb');
  t.same(reported, ['SCENARIO_FENCE_UNCLOSED', 'SCENARIO_COMMENT_UNCLOSED']);
});

const line = fc.oneof(
  fc.constantFrom('', '# a', '## b ##', '  ### c', '    # d', '#', '```', '````', '~~~', '``` x', '   ```', '    ```'),
  fc.constantFrom('<!--', '-->', '<!-- x -->', 'text', '  text', 'a # b', '`code`', '``` `', '# `a` *b* # #'),
);
const text = fc
  .array(line, { maxLength: 25 })
  .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));

/** Excludes what the parsers treat differently: here bullets, quotes and inline marks are lines, and HTML is only comments. */
const onlyBlocks = {
  extensions: [
    {
      disable: {
        null: [
          'list',
          'blockQuote',
          'setextUnderline',
          'attention',
          'codeText',
          'definition',
          'htmlText',
          'codeIndented',
        ],
      },
    },
  ],
};

/** Line breaks as LF; the end of an unclosed fence is not compared. */
function fence(content: string, line: number | undefined, unclosed: boolean): unknown[] {
  const text = content.replaceAll('\r\n', '\n');
  return ['fence', unclosed ? text.trimEnd() : text, line];
}

function ownBlocks(text: string): unknown[] {
  return parseBlocks(text).flatMap((block): unknown[] => {
    const { number } = block.lines[0];
    if (block.kind === 'heading') return [['heading', block.depth, number]];
    if (block.kind !== 'fence') return [];
    return [fence(block.content.map((piece) => piece.text).join('\n'), number, block.unclosed === true)];
  });
}

function referenceBlocks(text: string): unknown[] {
  const last = parseBlocks(text).at(-1);
  const unclosed = last?.kind === 'fence' && last.unclosed === true;
  return fromMarkdown(text, onlyBlocks).children.flatMap((node): unknown[] => {
    const line = node.position?.start.line;
    if (node.type === 'heading') return [['heading', node.depth, line]];
    if (node.type !== 'code') return [];
    return [fence(node.value, line, unclosed && line === last.lines[0].number)];
  });
}

t.test('headings and fences are the same as in CommonMark', async () => {
  fc.assert(
    fc.property(text, (text) => {
      // The reference takes indented code out of the language when told to, and then lets every indentation pass.
      if (/^ {4,}/m.test(text)) return;
      deepEqual(ownBlocks(text), referenceBlocks(text));
    }),
    { numRuns: 2000 },
  );
});

t.test('the blocks contain every line exactly once', async () => {
  fc.assert(
    fc.property(text, (text) => {
      const source = readSource(text);
      const numbers = readBlocks(source, () => {}).flatMap((block) => block.lines.map(({ number }) => number));
      deepEqual(
        numbers,
        source.lines.map(({ number }) => number),
      );
    }),
  );
});

t.test('plain text has no diagnostics', async (t) => {
  t.equal(readBlocks(readSource('# a\n\n- b\n'), neverReported).length, 4);
});
