import { deepStrictEqual as deepEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import t from 'tap';
import { type Block, readBlocks } from '../../src/scenario/blocks.ts';
import { readSource } from '../../src/scenario/source.ts';
import { neverReported } from './samples.ts';

function blocksOf(text: string): readonly Block[] {
  return readBlocks(readSource(text), () => {});
}

function kindsOf(text: string): string[] {
  return blocksOf(text).map(({ kind }) => kind);
}

function headingsOf(text: string): [number, string, number][] {
  return blocksOf(text).flatMap((block): [number, string, number][] =>
    block.kind === 'heading' ? [[block.depth, block.name.text, block.lines[0].number]] : [],
  );
}

t.test('headings have one to six marks, a space and at most three spaces before them', async (t) => {
  t.same(headingsOf('# a\n## b ##\n   ###### c\n####### d\n#e\n    # f\n#\n#\tg'), [
    [1, 'a', 1],
    [2, 'b', 2],
    [6, 'c', 3],
    [1, '', 7],
    [1, 'g', 8],
  ]);
  t.same(headingsOf('# a#\n# a #b\n# a # #\n# #\n## ##'), [
    [1, 'a#', 1],
    [1, 'a #b', 2],
    [1, 'a #', 3],
    [1, '', 4],
    [2, '', 5],
  ]);
});

t.test('the place of a name is that of its first letter', async (t) => {
  const text = 'x\n  ##   Name  ##';
  const [, heading] = blocksOf(text);
  t.ok(heading?.kind === 'heading' && text.slice(heading.name.start).startsWith('Name'));
});

t.test('within a fence nothing is a heading, a comment or a fence', async (t) => {
  t.same(kindsOf('```\n# a\n<!--\n~~~\n``\n```\n# b'), ['fence', 'heading']);
  t.same(kindsOf('~~~~ http\n~~~\n~~~~~\nx'), ['fence', 'text']);
  t.same(kindsOf('``` a`b\nx'), ['text', 'text'], 'code marks behind code marks open no fence');
});

t.test('a fence gives its word and its content without its own indentation', async (t) => {
  const [fence] = blocksOf('  ```json x\n  a\n    b\n c\n\n ```');
  t.match(fence, { kind: 'fence', info: 'json x' });
  t.same(fence?.kind === 'fence' && fence.content.map(({ text }) => text), ['a', '  b', 'c', '']);
});

t.test('a comment ends on the line with its end', async (t) => {
  t.same(kindsOf('<!-- a -->\nx\n<!--\n# b\n-->\n<!-->\ny'), ['comment', 'text', 'comment', 'comment', 'text']);
  t.same(kindsOf('x <!-- a\ny'), ['text', 'text'], 'only at the beginning of a line');
});

t.test('blanks and rules are told from text', async (t) => {
  t.same(kindsOf('a\n\n \t\n---\n * * *\n___\n--\n- - x'), [
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

/** What needs two readers to agree: bullets, quotes and inline marks are lines here, and HTML is only comments. */
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

/** Line breaks as LF; what follows the last line of an unclosed fence is nobody's concern. */
function fence(content: string, line: number | undefined, unclosed: boolean): unknown[] {
  const text = content.replaceAll('\r\n', '\n');
  return ['fence', unclosed ? text.trimEnd() : text, line];
}

function ownBlocks(text: string): unknown[] {
  return blocksOf(text).flatMap((block): unknown[] => {
    const { number } = block.lines[0];
    if (block.kind === 'heading') return [['heading', block.depth, number]];
    if (block.kind !== 'fence') return [];
    return [fence(block.content.map((piece) => piece.text).join('\n'), number, block.unclosed === true)];
  });
}

function referenceBlocks(text: string): unknown[] {
  const last = blocksOf(text).at(-1);
  const unclosed = last?.kind === 'fence' && last.unclosed === true;
  return fromMarkdown(text, onlyBlocks).children.flatMap((node): unknown[] => {
    const line = node.position?.start.line;
    if (node.type === 'heading') return [['heading', node.depth, line]];
    if (node.type !== 'code') return [];
    return [fence(node.value, line, unclosed && line === last.lines[0].number)];
  });
}

t.test('headings and fences are those of CommonMark', async () => {
  fc.assert(
    fc.property(text, (text) => {
      // The reference takes indented code out of the language when told to, and then lets every indentation pass.
      if (/^ {4,}/m.test(text)) return;
      deepEqual(ownBlocks(text), referenceBlocks(text));
    }),
    { numRuns: 2000 },
  );
});

t.test('together the blocks hold every line once', async () => {
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

t.test('a plain text reports nothing', async (t) => {
  t.equal(readBlocks(readSource('# a\n\n- b\n'), neverReported).length, 4);
});
